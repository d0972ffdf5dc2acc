"""Remember which ids of Slack's are one person's: an answer that leaves one out makes nobody another."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from gate.store.port import Reader
from gate.verbs.turn import Turn


def of(reader: Reader, ids: Iterable[str]) -> tuple[str, ...]:
    """Return every id of the person who goes by one of these, their one id first; none where unknown.

    Args:
        reader: Where to read.
        ids: Ids of one person.
    """
    known = "SELECT ids FROM accounts WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
    row = reader.one(known, (json.dumps(sorted(ids)),))
    return tuple(json.loads(row["ids"])) if row else ()


def learn(turn: Turn, ids: Sequence[str]) -> None:
    """Keep that these ids are one person's, as Slack told last.

    Args:
        turn: The open turn.
        ids: All of them, their one id first.
    """
    for each in ids:
        turn.tx.run(
            "INSERT INTO accounts VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET ids = excluded.ids",
            (each, json.dumps(list(ids))),
        )
