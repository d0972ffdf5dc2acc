"""Start ``gate-bot``, after a look at whose ``bot`` package that is."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

from gate.cli import streams
from gate.cli.exits import Exit

OWN = Path(__file__).parents[2] / "bot"
"""Where our ``bot`` lies: beside ``gate``."""


def main() -> None:
    """Run the bot's command, or say in one sentence why it is not there."""
    streams.ensure()
    problem = shadow() or missing()
    if problem:
        print(problem, file=sys.stderr)
        raise SystemExit(Exit.USAGE)
    try:
        importlib.import_module("bot.command").main()
    except KeyboardInterrupt:  # while it is loaded, which takes a second
        raise SystemExit(Exit.INTERRUPTED) from None


def shadow() -> str:
    """Return what to do about another ``bot`` that Python finds before ours; empty where there is none."""
    found = importlib.util.find_spec("bot")
    place = Path(found.origin).resolve() if found is not None and found.origin else None
    if place is not None and place.parent == OWN.resolve():
        return ""
    where = f"{place} stands before" if place else "Nothing of that name is installed in place of"
    return (
        f"{where} the gate's package 'bot', so the bot cannot start. Rename your file, or start from another "
        "folder; the gate itself is not touched by it."
    )


def missing() -> str:
    """Return which extra is missing; empty where all is there."""
    absent = [
        name for name in ("slack_bolt", "aiohttp", "structlog") if importlib.util.find_spec(name) is None
    ]
    if not absent:
        return ""
    return f"The bot needs {', '.join(absent)}: pip install 'slack-approval-gate[slack]' (or [local])."
