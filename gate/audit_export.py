"""Check an exported log without the database: ``python -m gate.audit_export FILE``.

It imports the standard library only, so that this file can be handed to somebody and run alone.

An export is ASCII text, one JSON object for each line:

    {"format": "gate.audit.v1", "store": ID, "first": N, "before": HASH}
    {"seq": N, "body": TEXT, "hash": HASH}          each record, without gaps
    {"last": N, "head": HASH}

``hash`` is the SHA-256, in hexadecimal, of the hash before it (as text; empty before record 1) and ``body``
(as UTF-8). ``body`` is itself JSON, and is hashed as the text it is. ``before`` is the hash before the first
record of the file, and ``head`` the hash of its last.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FORMAT = "gate.audit.v1"

_ANCHOR = re.compile(r"#(\d{1,15})\s+([0-9a-f]{12})(?![0-9a-f])")


@dataclass(frozen=True, slots=True)
class Export:
    """What a check of an exported log found.

    Attributes:
        problem: What is wrong, with the number of the record; empty where all is well.
        store: Id of the store.
        first: Number of its first record.
        last: Number of its last good record; one less than ``first`` for none.
        before: Hash before the first record.
        head: Hash of the last good record.
        anchors: How many published heads were compared and are right.
    """

    problem: str
    store: str = ""
    first: int = 1
    last: int = 0
    before: str = ""
    head: str = ""
    anchors: int = 0


class _Bad(Exception):
    """Say what is wrong with an export."""


def link(before: str, text: str) -> str:
    """Return the hash of a record: SHA-256 of the hash before it and its text."""
    return hashlib.sha256(before.encode() + text.encode()).hexdigest()


def problem_of(row: Mapping[str, Any], expected: int, before: str) -> str:
    """Say why a record does not belong where it stands; empty where it does.

    Args:
        row: Its ``seq``, ``body`` and ``hash``.
        expected: The number that belongs there.
        before: The hash before it.
    """
    if row["seq"] != expected:
        return f"number {row['seq']} stands where {expected} belongs: removed, inserted or reordered"
    if row["hash"] != link(before, row["body"]):
        return "its text or its place was changed after it was written"
    return ""


def published(text: str) -> dict[int, set[str]]:
    """Return the published heads that stand in a text: the digits by number of the record."""
    found: dict[int, set[str]] = {}
    for seq, digits in _ANCHOR.findall(text):
        found.setdefault(int(seq), set()).add(digits)
    return found


def differs(row: Mapping[str, Any], anchors: Mapping[int, set[str]]) -> str:
    """Say that a record is not the one that was published under its number; empty where it is."""
    wrong = sorted(digits for digits in anchors.get(row["seq"], ()) if not row["hash"].startswith(digits))
    return f"it was published as {wrong[0]}, but is {row['hash'][:12]}" if wrong else ""


def check(
    lines: Iterable[str], anchors: Mapping[int, set[str]] | None = None, *, goes_on: bool = False
) -> Export:
    """Check an exported log line by line.

    Args:
        lines: The lines of the file.
        anchors: Published heads to compare with.
        goes_on: Whether the log goes on behind the file, so that later heads may have been published.
    """
    state: dict[str, Any] = {"first": 1, "last": 0, "store": "", "before": "", "head": ""}
    known = anchors or {}
    try:
        _walk(iter(lines), state, known)
        beyond = [] if goes_on else [seq for seq in known if seq > state["last"]]
        if beyond:
            raise _Bad(f"the file ends at #{state['last']}, but #{max(beyond)} was published")
    except _Bad as bad:
        return Export(str(bad), **state)
    return Export("", **state, anchors=sum(state["first"] <= seq <= state["last"] for seq in known))


def _walk(lines: Iterator[str], state: dict[str, Any], anchors: Mapping[int, set[str]]) -> None:
    start = _object(next(lines, ""), ("format", "store", "first", "before"), "line 1")
    if start["format"] != FORMAT:
        raise _Bad(f"line 1: the format is {start['format']!r}, not {FORMAT!r}")
    state |= {"store": start["store"], "first": start["first"], "before": start["before"]}
    state |= {"last": start["first"] - 1, "head": start["before"]}
    for line in lines:
        where = f"after #{state['last']}"
        if '"last"' in line[:9]:
            return _finish(_object(line, ("last", "head"), where), lines, state)
        row = _object(line, ("seq", "body", "hash"), where)
        problem = problem_of(row, state["last"] + 1, state["head"]) or differs(row, anchors)
        if problem:
            raise _Bad(f"#{state['last'] + 1}: {problem}")
        state |= {"last": row["seq"], "head": row["hash"]}
    raise _Bad(f"the file ends at #{state['last']} without its last line: it was cut")


def _finish(end: Mapping[str, Any], lines: Iterator[str], state: Mapping[str, Any]) -> None:
    if (end["last"], end["head"]) != (state["last"], state["head"]):
        raise _Bad(f"the records end at #{state['last']}, but the last line says #{end['last']}")
    if any(line.strip() for line in lines):
        raise _Bad("something stands behind the last line")


def _object(line: str, keys: tuple[str, ...], where: str) -> Mapping[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise _Bad(f"{where}: the line is no JSON") from None
    kinds = {"first": int, "seq": int, "last": int}
    if not isinstance(found, dict) or set(found) != set(keys):
        raise _Bad(f"{where}: the line has not exactly {', '.join(keys)}")
    if any(type(value) is not kinds.get(key, str) for key, value in found.items()):
        raise _Bad(f"{where}: a value is of another type than it should be")
    return found


def main(words: list[str] | None = None) -> int:
    """Check the file that the command line names, and return the exit code: 0 whole, 1 not, 2 unreadable."""
    parser = argparse.ArgumentParser(prog="python -m gate.audit_export", description="Check an exported log.")
    parser.add_argument("file", type=Path, help="what 'gate audit export' or 'gate audit archive' wrote")
    parser.add_argument(
        "--anchors", type=Path, action="append", default=[], help="a text with published heads"
    )
    given = parser.parse_args(words)
    try:
        heads = published("\n".join(path.read_text("utf-8", "replace") for path in given.anchors))
        with given.file.open(encoding="utf-8", newline="\n") as file:
            found = check(file, heads)
    except (OSError, UnicodeDecodeError) as error:
        sys.stderr.write(f"The file cannot be read: {error}\n")
        return 2
    if found.problem:
        sys.stdout.write(f"Not whole: {found.problem}.\n")
        return 1
    compared = f", {found.anchors} published heads compared" if heads else ""
    sys.stdout.write(f"Whole: #{found.first} to #{found.last}, head {found.head[:12] or 'none'}{compared}.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
