"""Names that nothing in the store goes by, and those that were perhaps meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gate.store.port import Reader
from gate.verbs.freezing import Scope

NEAR = 3
COMPARED = 1000

_NEWEST: dict[Scope, str] = {
    "agent": "SELECT agent AS name FROM sessions GROUP BY agent ORDER BY max(opened_at) DESC LIMIT ?",
    "session": "SELECT id AS name FROM sessions ORDER BY opened_at DESC LIMIT ?",
}
_SEEN: dict[Scope, str] = {
    "agent": "SELECT 1 FROM sessions WHERE agent = ? LIMIT 1",
    "session": "SELECT 1 FROM sessions WHERE id = ?",
}


@dataclass(frozen=True, slots=True)
class Stranger:
    """An agent or a session that was named and never seen.

    Attributes:
        scope: ``agent`` or ``session``.
        id: The name.
        near: Names like it, the nearest first; at most three.
    """

    scope: Scope
    id: str
    near: Sequence[str]

    def __str__(self) -> str:
        meant = f" (did you mean {' or '.join(self.near)}?)" if self.near else ""
        return (
            f"No {self.scope} named {self.id} was ever seen here{meant}, so this stops nothing that runs now."
        )


def stranger(reader: Reader, scope: Scope, id_: str) -> Stranger | None:
    """Return what was named and never seen; None where it was seen, or everything is meant.

    Args:
        reader: The open store.
        scope: What kind of thing is named.
        id_: Its name; compared with those of the newest thousand.
    """
    if scope == "everything" or reader.one(_SEEN[scope], (id_,)) is not None:
        return None
    return Stranger(scope, id_, like(id_, [row["name"] for row in reader.all(_NEWEST[scope], (COMPARED,))]))


def like(name: str, known: Iterable[str]) -> Sequence[str]:
    """Return the known names that are most like a name, ignoring case; at most three, the nearest first."""
    folded = {each.lower(): each for each in known}
    near = difflib.get_close_matches(name.lower(), folded, n=NEAR, cutoff=0.6)
    return tuple(folded[each] for each in near)
