"""``gate doctor``: what is reachable, what others may write, what is missing."""

from __future__ import annotations

from pathlib import Path

import click

from gate.cli import checkup, output, shapes
from gate.cli.commands import Verb
from gate.cli.exits import Exit
from gate.cli.options import db_option, json_option, policy_here, policy_option, store_path

_SIGNS = {"ok": "ok", "missing": "missing", "bad": "MEND"}


@click.command("doctor", cls=Verb)
@policy_option
@db_option
@json_option
def doctor_command(policy: Path | None, db: Path | None, as_json: bool) -> int:
    """Say what is reachable, open to others, or missing.

    It looks at settings, policy, store and bot, and changes nothing. Ends with 1 where something must
    be mended; what is only missing may be meant.
    """
    looked = checkup.look(policy_here(policy), store_path(db), checkup.environment())
    found = sorted(looked, key=lambda each: checkup.AREAS.index(each.area))
    bad = [each for each in found if each.state == "bad"]
    if as_json:
        output.emit({"ok": not bad, "findings": shapes.as_json(found)})
    else:
        output.show_table(
            ("", "AREA", "FOUND"), [(_SIGNS[one.state], one.area, one.text) for one in found], whole=("",)
        )
        output.say()
        output.say(
            f"{len(bad)} to mend."
            if bad
            else "Nothing is broken; what is missing matters only where you need it."
        )
    return Exit.FAILED if bad else Exit.OK
