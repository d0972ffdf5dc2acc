"""The log: one link of a hash chain for everything that happened, and the check that it is whole."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from gate.audit_export import link
from gate.clock import to_us
from gate.store.port import Reader, Tx


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One record of the log.

    Attributes:
        seq: Number, from 1, without gaps.
        body: What happened, as the canonical text says.
        hash: SHA-256 over the hash before and the canonical text, hexadecimal.
    """

    seq: int
    body: Mapping[str, Any]
    hash: str


@dataclass(frozen=True, slots=True)
class Head:
    """The newest record of the log.

    Attributes:
        seq: Its number; 0 for none.
        hash: Its hash; empty for none.
    """

    seq: int = 0
    hash: str = ""


START = Head()
"""What an empty log has for its newest record."""


def canonical(body: Mapping[str, Any]) -> str:
    """Return the one text of a body: sorted keys, no spaces, Unicode as it is."""
    return _ENCODER.encode(body)


_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
)


def append(
    tx: Tx,
    head: Head,
    kind: str,
    at: datetime,
    told: Mapping[str, Any],
    *,
    actor: str,
    labels: Mapping[str, Any],
    written: tuple[str, str] | None = None,
) -> Head:
    """Append one record inside the caller's transaction.

    Args:
        tx: The transaction of the move that the record tells of.
        head: The newest record before it, as read in this transaction or appended in it.
        kind: What happened, such as ``submit`` or ``decide``.
        at: When, UTC.
        told: Everything else that it tells; empty values are left out.
        actor: Who did it.
        labels: Host, process and version.
        written: One more field and its canonical text, which may be long; None for none.

    Returns:
        The record.
    """
    body: dict[str, Any] = {"kind": kind, "at": at.isoformat(), "actor": actor, "labels": dict(labels)}
    body |= {key: value for key, value in told.items() if value or isinstance(value, (int, float))}
    text = canonical(body) if written is None else _with(body, *written)
    newest = Head(head.seq + 1, link(head.hash, text))
    tx.run("INSERT INTO audit (seq, body, hash) VALUES (?, ?, ?)", (newest.seq, text, newest.hash))
    tx.run(_MOVE_HEAD, (newest.seq, newest.hash, to_us(at)))
    return newest


_MOVE_HEAD = "UPDATE audit_head SET seq = ?, hash = ?, mark = max(mark, ?)"


_PLACE = "~here~"
"""Where something goes that is put into canonical text afterwards."""


def _with(body: dict[str, Any], key: str, text: str) -> str:
    """Return the canonical text of a body with one more value, whose own canonical text is at hand."""
    if text == "{}":
        return canonical(body)
    parts = canonical({**body, key: _PLACE}).split(f'"{_PLACE}"')
    return text.join(parts) if len(parts) == 2 else canonical({**body, key: json.loads(text)})


def append_many(
    tx: Tx,
    head: Head,
    at: datetime,
    told: Sequence[tuple[str, Mapping[str, Any]]],
    *,
    actor: str,
    labels: Mapping[str, Any],
) -> Head:
    """Append records of one time by one actor, in order, as if each was appended alone.

    Args:
        tx: The transaction of the moves that the records tell of.
        head: The newest record before them, as read in this transaction or appended in it.
        at: When, UTC.
        told: Each record's action, and what it tells beside that, ``kind`` included; no empty values. What
            several tell alike is one and the same mapping, which is written once.
        actor: Who did it.
        labels: Host, process and version.

    Returns:
        The last record.
    """
    same = {"at": at.isoformat(), "actor": actor, "labels": dict(labels)}
    seq, hash_ = head.seq, head.hash
    rows = []
    forms: dict[int, list[str]] = {}
    for action, body in told:
        form = forms.get(id(body))
        if form is None:
            # ids are letters and digits, which JSON writes as they are
            form = forms[id(body)] = canonical({**same, **body, "action": _PLACE}).split(_PLACE)
        text = action.join(form) if len(form) == 2 else canonical({**same, **body, "action": action})
        seq, hash_ = seq + 1, link(hash_, text)
        rows.append((seq, text, hash_))
    tx.many("INSERT INTO audit (seq, body, hash) VALUES (?, ?, ?)", rows)
    tx.run(_MOVE_HEAD, (seq, hash_, to_us(at)))
    return Head(seq, hash_)


@dataclass(frozen=True, slots=True)
class Filter:
    """Which records are meant; None leaves a key out.

    Attributes:
        after: Only those with a larger number.
        action: Only those about this action.
        kind: Only those of this kind, such as ``decide``.
        since: Only those at or after this time, UTC.
        until: Only those before this time, UTC.
    """

    after: int = 0
    action: str | None = None
    kind: str | None = None
    since: datetime | None = None
    until: datetime | None = None


_MATCHING = (
    "SELECT seq, body, hash FROM records WHERE seq > :after AND (:action IS NULL OR action = :action) AND "
    "(:kind IS NULL OR kind = :kind) AND (:since IS NULL OR at >= :since) AND (:until IS NULL OR "
    "at < :until) "
)


def records(
    reader: Reader, wanted: Filter = Filter(), *, limit: int = 1000, newest: bool = False
) -> list[AuditRecord]:
    """Return records in order.

    Args:
        reader: Where to read.
        wanted: Which records are meant.
        limit: How many at most.
        newest: Whether the newest are kept where there are more; else the oldest.
    """
    times = {key: moment and moment.isoformat() for key, moment in _times(wanted).items()}
    given = {"after": wanted.after, "action": wanted.action, "kind": wanted.kind, **times, "limit": limit}
    rows = reader.all(_MATCHING + f"ORDER BY seq {'DESC' if newest else ''} LIMIT :limit", given)
    found = [AuditRecord(row["seq"], json.loads(row["body"]), row["hash"]) for row in rows]
    return found[::-1] if newest else found


def kinds(reader: Reader) -> list[str]:
    """Return every kind of record that there is, by name; reads the whole log."""
    return [row["kind"] for row in reader.all("SELECT DISTINCT kind FROM records ORDER BY kind", {})]


def _times(wanted: Filter) -> dict[str, datetime | None]:
    return {"since": wanted.since, "until": wanted.until}
