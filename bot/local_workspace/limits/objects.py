"""Limits of the objects that blocks and elements are composed of: texts, confirm dialogs, options."""

from __future__ import annotations

from bot.local_workspace.limits.checks import Check, Findings, flag, items, one_of, shape, string, tagged

URL = string(1, 3000)
BLOCK_ID = string(1, 255)
ACTION_ID = string(1, 255)


def plain_text(high: int, low: int = 1) -> Check:
    """Return a check for a plain_text object of at most `high` characters."""
    return tagged({"plain_text": shape({"text": string(low, high)}, {"emoji": flag})})


def any_text(high: int, low: int = 1) -> Check:
    """Return a check for a plain_text or mrkdwn object of at most `high` characters."""
    return tagged(
        {
            "plain_text": shape({"text": string(low, high)}, {"emoji": flag}),
            "mrkdwn": shape({"text": string(low, high)}, {"verbatim": flag}),
        }
    )


CONFIRM = shape(
    {"title": plain_text(100), "text": any_text(300), "confirm": plain_text(30), "deny": plain_text(30)},
    {"style": one_of("primary", "danger")},
)


def option(text: Check, description: Check, *, url: bool = False) -> Check:
    """Return a check for one option of a menu or a group of choices."""
    optional = {"description": description, **({"url": URL} if url else {})}
    return shape({"text": text, "value": string(1, 150)}, optional)


MENU_OPTION = option(plain_text(75), plain_text(75))
OVERFLOW_OPTION = option(plain_text(75), plain_text(75), url=True)
CHOICE_OPTION = option(any_text(75), any_text(75))
OPTION_GROUP = shape({"label": plain_text(75), "options": items(MENU_OPTION, 1, 100)})


def _options_of(element: dict[str, object]) -> list[object]:
    groups = element.get("option_groups")
    if isinstance(groups, list):
        return [each for group in groups for each in group["options"]]
    options = element.get("options")
    return options if isinstance(options, list) else []


def options_or_groups(value: object, pointer: str, findings: Findings) -> None:
    """Demand exactly one of `options` and `option_groups`."""
    assert isinstance(value, dict)
    if ("options" in value) == ("option_groups" in value):
        findings.add("must provide exactly one of options and option_groups", pointer)


def initial_among_options(value: object, pointer: str, findings: Findings) -> None:
    """Demand that what is chosen at first is one of the options."""
    assert isinstance(value, dict)
    options = _options_of(value)
    chosen = value.get("initial_options", [])
    single = value.get("initial_option")
    for each in [*chosen, *([single] if single is not None else [])]:
        if each not in options:
            findings.add("must be one of the options, in every field", f"{pointer}/initial_option")


def distinct_values(value: object, pointer: str, findings: Findings) -> None:
    """Demand that no two options share a value."""
    assert isinstance(value, dict)
    values = [each.get("value") for each in _options_of(value) if isinstance(each, dict)]
    if len(set(values)) < len(values):
        findings.add("option values must be unique", f"{pointer}/options")
