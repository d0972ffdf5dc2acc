"""Where the values of a text stand: kept as they are read, looked up where something is to be said of one.

Most files are right, so that hardly a place is ever asked for. They are kept as the parser gives them, beside
the values of each list and mapping, and found by walking down from the root.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

Step = str | int
Loc = tuple[Step, ...]
"""Way to a value from the root: keys and indexes."""


class Mark(NamedTuple):
    """A place in a text: line and column, both from 1."""

    line: int
    column: int


def mark_of(spot: Any) -> Mark:
    """Return a place that the parser gave, whose lines and columns count from 0."""
    return Mark(spot.line + 1, spot.column + 1)


@dataclass(slots=True)
class Places:
    """Where a list or mapping and its parts stand, as the parser gave it.

    Attributes:
        start: Where it begins itself.
        values: Each value by its key or index; of a list or mapping its own places.
        keys: Each key of a mapping where it is first written.
    """

    start: Any
    values: dict[Step, Any] = field(default_factory=dict)
    keys: dict[Step, Any] = field(default_factory=dict)

    def nearest(self, loc: Loc) -> Loc:
        """Return the way to a value, or to the nearest parent of one that is not there."""
        return loc[: self._down(loc)[0]]

    def value(self, loc: Loc) -> Mark:
        """Return where a value stands; one that is not there is placed at its nearest parent."""
        _, spot = self._down(loc)
        return mark_of(spot.start if isinstance(spot, Places) else spot)

    def key(self, loc: Loc) -> Mark | None:
        """Return where the key of a value stands; None for what has none or is not there."""
        if not loc or self.nearest(loc) != loc:
            return None
        _, around = self._down(loc[:-1])
        spot = around.keys.get(loc[-1])
        return None if spot is None else mark_of(spot)

    def _down(self, loc: Loc) -> tuple[int, Any]:
        """Return how many steps of a way can be taken, and what is known of the place they lead to."""
        spot: Any = self
        for depth, step in enumerate(loc):
            if not isinstance(spot, Places) or step not in spot.values:
                return depth, spot
            spot = spot.values[step]
        return len(loc), spot
