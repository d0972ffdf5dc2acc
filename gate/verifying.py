"""Check that the log is whole: its chain, its archives, and what was published of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gate.audit_export import Export, differs, problem_of
from gate.store.port import Reader

Anchors = Mapping[int, set[str]]


@dataclass(frozen=True, slots=True)
class Verified:
    """What a check of the whole log found.

    Attributes:
        ok: Whether every record is whole and in place.
        records: How many records were checked, those of archives included.
        head: First 12 digits of the last good hash; empty for an empty log.
        first_bad: Number of the first bad record, or None.
        problem: What is wrong with it; empty where all is well.
        archived: How many of the first records lie in archives.
        anchors: How many published heads were compared and are right.
        unchecked: How many published heads are of archived records whose archive was not given.
    """

    ok: bool
    records: int
    head: str
    first_bad: int | None = None
    problem: str = ""
    archived: int = 0
    anchors: int = 0
    unchecked: int = 0


@dataclass(slots=True)
class _State:
    """How far a check has come."""

    seq: int = 0
    hash: str = ""
    records: int = 0
    archived: int = 0
    base: str = ""
    told: bool = False
    compared: int = 0

    def good(self, row: Mapping[str, Any]) -> None:
        self.seq, self.hash, self.records = row["seq"], row["hash"], self.records + 1


class _Bad(Exception):
    """Say which record is bad, and why."""

    def __init__(self, seq: int, problem: str) -> None:
        super().__init__(problem)
        self.seq = seq


def verify(reader: Reader, anchors: Anchors | None = None, archives: Sequence[Export] = ()) -> Verified:
    """Check the whole log and name the first record that does not belong.

    Args:
        reader: Where to read.
        anchors: What was published: digits by number of the record.
        archives: What checks of the archives found; none: what is archived is taken as the log tells of it.
    """
    state, wanted = _State(), anchors or {}
    try:
        _begin(reader, state, archives)
        _walk(reader, state, wanted)
        _check_told(state)
        _check_beyond(state, wanted)
    except _Bad as bad:
        return Verified(False, state.records, state.hash[:12], bad.seq, str(bad), state.archived)
    compared = state.compared + sum(each.anchors for each in archives)
    unchecked = 0 if archives else sum(seq <= state.archived for seq in wanted)
    return Verified(True, state.records, state.hash[:12], None, "", state.archived, compared, unchecked)


def _begin(reader: Reader, state: _State, archives: Sequence[Export]) -> None:
    """Go to the first record that is not archived, through the archives where they are given."""
    row = reader.one("SELECT base_seq, base_hash FROM audit_head") or {"base_seq": 0, "base_hash": ""}
    for each in sorted(archives, key=lambda one: one.first):
        if each.problem:
            raise _Bad(each.last + 1, f"an archive is not whole: {each.problem}")
        if (each.first, each.before) != (state.seq + 1, state.hash):
            raise _Bad(state.seq + 1, f"no archive that was given goes on there; one begins at #{each.first}")
        state.seq, state.hash = each.last, each.head
        state.records += each.last - each.first + 1
    if archives and (state.seq, state.hash) != (row["base_seq"], row["base_hash"]):
        raise _Bad(state.seq + 1, f"the archives end there, but the log goes on behind #{row['base_seq']}")
    state.seq = state.archived = row["base_seq"]
    state.hash = state.base = row["base_hash"]


def _walk(reader: Reader, state: _State, anchors: Anchors) -> None:
    """Check every record; others may be added meanwhile, so the head is compared when it stands still."""
    while True:
        head = reader.one("SELECT seq, hash FROM audit_head") or {"seq": 0, "hash": ""}
        before = state.seq
        for row in _after(reader, -(1 << 62) if before == state.archived else before):
            problem = _problem(row, state)
            if row["seq"] in anchors:
                problem = problem or differs(row, anchors)
                state.compared += 1
            if problem:
                raise _Bad(state.seq + 1, problem)
            state.good(row)
            if '"kind":"archive"' in row["body"]:
                _note_archive(row, state)
        if state.seq == before or state.seq == head["seq"]:
            break
    if (head["seq"], head["hash"]) != (state.seq, state.hash):
        raise _Bad(
            state.seq + 1, f"the log ends at {state.seq}, but its head says {head['seq']}: cut or inserted"
        )


def _problem(row: Mapping[str, Any], state: _State) -> str:
    try:
        return problem_of(row, state.seq + 1, state.hash)
    except UnicodeEncodeError:
        return "its text has no UTF-8 form"


def _note_archive(row: Mapping[str, Any], state: _State) -> None:
    """Note where a record tells of the archive that the log goes on behind."""
    try:
        told = json.loads(row["body"])
    except (ValueError, RecursionError):
        raise _Bad(row["seq"], "its text is no JSON") from None
    if isinstance(told, dict) and told.get("kind") == "archive":
        state.told = state.told or (told.get("last"), told.get("head")) == (state.archived, state.base)


def _check_told(state: _State) -> None:
    """Make sure that what is missing at the beginning was archived, as a record behind it tells."""
    if state.archived and not state.told:
        raise _Bad(
            state.archived, "the records up to it are gone, and no record tells that they were archived"
        )


def _check_beyond(state: _State, anchors: Anchors) -> None:
    beyond = sorted(seq for seq in anchors if seq > state.seq)
    if beyond:
        raise _Bad(
            state.seq + 1, f"the log ends at #{state.seq}, but #{beyond[-1]} was published: it was cut"
        )


def _after(reader: Reader, after: int, page: int = 5000) -> Iterator[Mapping[str, Any]]:
    """Yield the records behind a number; what somebody wrote there need not be UTF-8."""
    while rows := reader.all(
        "SELECT seq, CAST(body AS BLOB) AS body, CAST(hash AS BLOB) AS hash FROM audit WHERE seq > ? "
        "ORDER BY seq LIMIT ?",
        (after, page),
    ):
        for row in rows:
            yield {"seq": row["seq"], "body": _text(row["body"]), "hash": _text(row["hash"])}
        after = rows[-1]["seq"]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
