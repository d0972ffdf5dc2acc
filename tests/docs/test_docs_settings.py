"""The page about settings has every setting that the code reads, and no other."""

from __future__ import annotations

import re

from bot.settings import BotSettings
from gate.settings import Settings
from tests.docs.docs_kit import PAGES, ROOT, codes, first_codes, page, rows, sections

NAME = re.compile(r"\b(?:GATE|SLACK)_[A-Z][A-Z_]*[A-Z]\b")
FOREIGN = {"NO_COLOR", "COLUMNS"}
LISTED = set(first_codes(page("settings.md")))


def _read() -> set[str]:
    """Return every setting that the source names, and those that are made of a field's name."""
    sources = [path for package in ("gate", "bot") for path in (ROOT / package).rglob("*.py")]
    named = {name for path in sources for name in NAME.findall(_strings(path.read_text("utf-8")))}
    return named | {f"GATE_{name.upper()}" for name in Settings.model_fields}


def _strings(source: str) -> str:
    """Return the source without names of constants."""
    return re.sub(r"^[A-Z_]+\b", "", re.sub(r"\b(?:SLACK_API|SLACK_HOSTS)\b", "", source), flags=re.MULTILINE)


def test_every_setting_is_in_the_page_and_no_other() -> None:
    """The variables of the tables are those that the code reads."""
    assert _read() == LISTED - FOREIGN


def test_other_pages_name_no_other_settings() -> None:
    """A setting that any page mentions is in the table."""
    for path in PAGES:
        assert set(NAME.findall(path.read_text("utf-8"))) <= LISTED, path.name


def test_constructor_names_are_those_of_the_gate() -> None:
    """The column of the constructor has the field's name for each setting that Gate takes."""
    for row in rows(sections(page("settings.md"))["The gate"]):
        variable, given = codes(row[0])[0], codes(row[1])
        assert given in ([], [variable.removeprefix("GATE_").lower()])


def test_defaults_are_those_of_the_code() -> None:
    """Each default in the page is the code's."""
    said = {codes(row[0])[0]: row[-2] for row in rows(page("settings.md")) if len(row) > 2}
    gate, bot = Settings(), BotSettings.read({})
    assert said["GATE_DURABILITY"] == f"`{gate.durability}`"
    assert said["GATE_RELOAD"] == f"`{gate.reload}`"
    assert said["GATE_WAIT"] == f"`{gate.wait}`"
    assert said["GATE_BOT_HOST"] == f"`{bot.host}`"
    assert said["GATE_BOT_PORT"] == f"`{bot.port}`"
    assert said["SLACK_API_URL"] == f"`{bot.api_url}`"
