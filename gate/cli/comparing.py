"""``gate policy show`` and ``diff``: what was in force, and what differs between two policies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from gate.cli import output, shapes
from gate.cli.commands import Verb
from gate.cli.options import db_option, json_option, opened
from gate.errors import IllegalMove
from gate.policy.diff import Kind, differences
from gate.policy.load import load_path, load_texts
from gate.policy.policyset import PolicySet
from gate.service import Service

_KINDS: tuple[Kind, ...] = ("loosened", "tightened", "added", "removed", "changed")


@click.command("show", cls=Verb)
@click.argument("revision", required=False, metavar="[REVISION]")
@db_option
@json_option
def show_command(revision: str | None, db: Path | None, as_json: bool) -> None:
    """Write the exact text of a revision.

    By default of the one in force. REVISION is at least its first six characters.
    A set of one file is written exactly as it was applied; several stand one after the other, each under a
    comment with its name.
    """
    with opened(db) as service:
        wanted = full_revision([each.revision for each in service.revisions()], revision)
        texts = service.texts(wanted) or {}
    if as_json:
        output.emit({"revision": wanted, "files": dict(texts)})
        return
    if len(texts) == 1:
        output.verbatim(*texts.values())
        return
    for name, text in texts.items():
        output.verbatim(f"# {name}, revision {shapes.revision(wanted)}\n{text}")
        output.verbatim("" if text.endswith("\n") else "\n")


@click.command("diff", cls=Verb)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@db_option
@json_option
def diff_command(old: str, new: str, db: Path | None, as_json: bool) -> None:
    """Say what differs between two policies, in words.

    OLD and NEW are each a file, a folder, or a revision of the store by at least its first six characters.
    What is surely looser or tighter is called so. Differences do not change the exit code.
    """
    before, after = _policy(old, db), _policy(new, db)
    found = differences(before, after)
    if as_json:
        revisions = {"old": before.revision, "new": after.revision}
        output.emit({**revisions, "differences": shapes.as_json(found)})
    elif not found:
        output.say("Nothing differs: it is the same revision.")
    else:
        for each in found:
            output.say(f"- {each}")
        counts = Counter(each.kind for each in found)
        output.say(", ".join(f"{counts[kind]} {kind}" for kind in _KINDS if counts[kind]) + ".")


def _policy(named: str, db: Path | None) -> PolicySet:
    """Return the policy at a path, else that of a revision."""
    if Path(named).exists():
        return load_path(named)
    if not _looks_like_a_revision(named):
        raise click.UsageError(f"{named} is neither a file, a folder, nor a revision of a store.")
    with opened(db) as service:
        return load_texts(_texts(service, named))


def _texts(service: Service, named: str) -> dict[str, str]:
    wanted = full_revision([each.revision for each in service.revisions()], named)
    return dict(service.texts(wanted) or {})


def _looks_like_a_revision(named: str) -> bool:
    return len(named) <= 64 and all(char in "0123456789abcdefABCDEF" for char in named)


def full_revision(known: Sequence[str], prefix: str | None) -> str:
    """Return the revision that begins so; without a prefix the one in force.

    Raises:
        IllegalMove: None or several begin so, or there never was one.
    """
    if not known:
        raise IllegalMove(
            "No policy was ever in force here: 'gate policy apply' brings one.", code="no_revision"
        )
    if prefix is None:
        return known[-1]
    found = {each for each in known if each.startswith(prefix.lower())}
    if len(prefix) >= 6 and len(found) == 1:
        return found.pop()
    raise IllegalMove(_unclear(prefix, len(found)), code="no_revision")


def _unclear(prefix: str, found: int) -> str:
    if len(prefix) < 6:
        return f"{prefix!r} is too short for a revision: give at least six of its characters."
    if found:
        return f"More than one revision begins with {prefix!r}: give more of its characters."
    return f"No revision that was in force here begins with {prefix!r}: is it the store that you mean (--db)?"
