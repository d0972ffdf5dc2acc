"""What a newcomer does: install the wheel, ``gate init``, six lines, ``gate-bot --local``, and an answer."""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import sys
import sysconfig
import threading
import venv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot import names
from bot.local_workspace import Control
from tests.bot.browser import chromium, open_page, pages

__all__ = ["chromium", "open_page", "pages"]

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0
"""Seconds after which nothing is waited for any more; no test takes them unless it fails."""
CHANNEL, APPROVER, CALL = "C0APPROVALS", "U0ALICE", "Send an email to customer@example.com"
SIX_LINES = re.compile(r"<!-- app\.py -->\s*```python\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the commands of an environment that has the wheel, and not the repository."""
    folder = tmp_path_factory.mktemp("newcomer")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, timeout=PATIENCE)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "env", symlinks=True)
    python = folder / "env" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--quiet", str(wheel)], check=True, capture_output=True, timeout=PATIENCE)
    # A line in a .pth file adds its folder alone: the repository's own .pth in there is not read.
    own = sysconfig.get_path("purelib", vars={"base": str(folder / "env")})
    Path(own, "libraries.pth").write_text(sysconfig.get_path("purelib"))
    return python.parent


class Running:
    """A process whose lines can be waited for."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.said: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def line(self, piece: str) -> str:
        """Wait for a line that has a piece in it."""
        while (line := self.lines.get(timeout=PATIENCE)) is not None:
            self.said.append(line)
            if piece in line:
                return line
        raise AssertionError(f"It ended and never said {piece!r}:\n{''.join(self.said)}")

    def end(self) -> tuple[int, str]:
        """Wait for its end and return its exit code and everything it said."""
        while (line := self.lines.get(timeout=PATIENCE)) is not None:
            self.said.append(line)
        return self.process.wait(PATIENCE), "".join(self.said)

    def interrupt(self) -> None:
        """Do what Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)

    def stop(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()
        self._reader.join(PATIENCE)
        if self.process.stdout:
            self.process.stdout.close()


@dataclass(slots=True)
class Newcomer:
    """Somebody in an empty folder with the package installed."""

    commands: Path
    folder: Path
    state: Path
    started: list[Running] = field(default_factory=list)

    def run(self, *words: str) -> Running:
        """Start a command of the environment."""
        known = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TMPDIR") if name in os.environ}
        environment = known | {
            "PATH": f"{self.commands}:/usr/bin:/bin",
            "HOME": str(self.state),
            "PYTHONUNBUFFERED": "1",
        }
        command = [str(self.commands / words[0]), *words[1:]]
        self.started.append(Running(command, self.folder, environment))
        return self.started[-1]

    def app(self) -> Running:
        """Start the six lines."""
        return self.run("python", "app.py")

    def bot(self) -> tuple[Running, Control]:
        """Start ``gate-bot --local`` and return it with the workspace it prints."""
        bot = self.run("gate-bot", "--local")
        control = Control(bot.line("Local workspace (not Slack): ").split()[-1])
        control.settings(ack_seconds=PATIENCE, trigger_seconds=PATIENCE)
        return bot, control


@pytest.fixture
def newcomer(installed: Path, tmp_path: Path) -> Iterator[Newcomer]:
    """Give somebody who has done ``gate init`` and written the README's six lines to ``app.py``."""
    folder = tmp_path / "empty"
    folder.mkdir()
    made = Newcomer(installed, folder, tmp_path)
    code, said = made.run("gate", "init").end()
    assert code == 0, said
    found = SIX_LINES.search((ROOT / "README.md").read_text())
    assert found
    (folder / "app.py").write_text(found[1])
    yield made
    for each in made.started:
        each.stop()


@pytest.fixture
def workspace() -> None:
    """Stand in for the workspace that the page's fixtures start elsewhere; here ``gate-bot`` starts it."""


def test_nothing_comes_from_the_repository(installed: Path, tmp_path: Path) -> None:
    """The packages that the newcomer imports are those of the wheel."""
    look = "import bot, gate; print(gate.__file__); print(bot.__file__)"
    command = [str(installed / "python"), "-I", "-c", look]
    said = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert [Path(line).is_relative_to(installed.parent) for line in said.splitlines()] == [True, True]


def test_the_readme_has_six_lines() -> None:
    """What the README says is six lines is six lines."""
    found = SIX_LINES.search((ROOT / "README.md").read_text())
    assert found
    assert len([line for line in found[1].splitlines() if line.strip()]) == 6


def _bot_first(newcomer: Newcomer) -> tuple[Running, Running, Control]:
    bot, control = newcomer.bot()
    return newcomer.app(), bot, control


def _agent_first(newcomer: Newcomer) -> tuple[Running, Running, Control]:
    app = newcomer.app()
    app.line("no bot is alive to ask anybody: start one with 'gate-bot'")
    return app, *newcomer.bot()


@pytest.mark.parametrize("begin", [_bot_first, _agent_first])
def test_the_newcomers_own_call_is_approved(
    newcomer: Newcomer, begin: Callable[[Newcomer], tuple[Running, Running, Control]]
) -> None:
    """Whichever starts first, their own call is held, stands in the channel, and runs once approved."""
    app, bot, control = begin(newcomer)
    card = _card(control)
    assert "customer@example.com" in str(card["blocks"])
    assert control.click(APPROVER, CHANNEL, card["ts"], names.APPROVE)["acked"]
    assert app.end() == (0, "".join(app.said))
    assert app.said[-1] == "sent to customer@example.com\n"
    control.wait_message(CHANNEL, "Ran once.")
    bot.interrupt()
    code, said = bot.end()
    assert (code, "Traceback" in said) == (0, False), said


@pytest.mark.page
def test_the_newcomers_own_call_is_denied_on_the_page(
    newcomer: Newcomer, open_page: Any, tmp_path: Path
) -> None:
    """On the page that ``gate-bot`` prints, a denial with words ends the program with these words."""
    app, _, control = _bot_first(newcomer)
    page = open_page(control.url)
    deny = page.get_by_test_id("timeline").get_by_role("button", name="Deny")
    deny.wait_for(timeout=PATIENCE * 1000)
    page.screenshot(path=tmp_path / "card.png")
    deny.click()
    form = page.get_by_test_id("modal")
    form.get_by_label("Comment").fill("Not by mail, please.")
    form.get_by_test_id("modal-submit").click()
    form.wait_for(state="detached")
    code, said = app.end()
    assert code == 1
    assert 'denied with the comment: "Not by mail, please."' in said
    assert "sent to" not in said


def _card(control: Control) -> dict[str, Any]:
    """Wait for the card of the newcomer's call while it can be approved."""

    def found(_: object) -> dict[str, Any] | None:
        cards = [each for each in control.messages(CHANNEL) if names.APPROVE in str(each["blocks"])]
        return next((each for each in cards if CALL in str(each["blocks"])), None)

    return control.wait_until(found, PATIENCE)
