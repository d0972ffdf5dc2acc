"""Find what is about an action by its name: exact names at once, globs by how they begin or end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from gate.values import Glob

T = TypeVar("T")


class NameIndex(Generic[T]):
    """Things that are each about the actions that some globs match, in order.

    Args:
        things: Each with its globs.
    """

    __slots__ = ("_begins", "_ends", "_exact", "_things")

    def __init__(self, things: Iterable[tuple[T, Sequence[Glob]]]) -> None:
        self._things: list[T] = []
        self._exact: dict[str, list[int]] = {}
        self._begins, self._ends = _Affixes(), _Affixes()
        for place, (thing, globs) in enumerate(things):
            self._things.append(thing)
            for glob in globs:
                self._put(glob, place)

    def _put(self, glob: Glob, place: int) -> None:
        first, *rest = glob.pattern.lower().split("*")
        if not rest:
            self._exact.setdefault(first, []).append(place)
        elif len(first) >= len(rest[-1]):
            self._begins.put(first, glob, place)
        else:
            self._ends.put(rest[-1][::-1], glob, place)

    def about(self, name: str) -> tuple[T, ...]:
        """Return the things of which some glob matches the whole name, ignoring case, in order."""
        text = name.lower()
        places = {
            *self._exact.get(text, ()),
            *self._begins.matching(text, name),
            *self._ends.matching(text[::-1], name),
        }
        return tuple(self._things[place] for place in sorted(places))


class _Affixes:
    """Globs by the literal text that a name must begin with: one look-up for each length that occurs."""

    __slots__ = ("_by_length",)

    def __init__(self) -> None:
        self._by_length: dict[int, dict[str, list[tuple[Glob, int]]]] = {}

    def put(self, literal: str, glob: Glob, place: int) -> None:
        self._by_length.setdefault(len(literal), {}).setdefault(literal, []).append((glob, place))

    def matching(self, text: str, name: str) -> Iterable[int]:
        for length, found in self._by_length.items():
            for glob, place in found.get(text[:length], ()):
                if glob.matches(name):
                    yield place
