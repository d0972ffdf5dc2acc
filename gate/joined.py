"""Search many texts as one, and read them apart again."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from gate.linear import as_bytes

_BETWEEN = "<"


class Joined:
    """Many texts as the bytes of one, with ``<`` between them.

    Args:
        texts: The texts.

    Attributes:
        data: UTF-8 of all of them; half a surrogate pair has bytes of its own.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts, self._all = texts, _BETWEEN.join(texts)
        self.data = as_bytes(self._all)
        self._ascii = len(self.data) == len(self._all)

    @cached_property
    def _ends(self) -> list[int]:
        lengths = [len(each if self._ascii else as_bytes(each)) for each in self._texts]
        return [end + number for number, end in enumerate(accumulate(lengths))]

    def number(self, place: int) -> int:
        """Return which text a place of the bytes is in."""
        return bisect_right(self._ends, place)

    def bounds(self, number: int) -> tuple[int, int]:
        """Return where a text begins and ends in the bytes."""
        return self._ends[number - 1] + len(_BETWEEN) if number else 0, self._ends[number]

    def read(self, start: int, end: int) -> str:
        """Return what lies between two places of the bytes."""
        return self._all[start:end] if self._ascii else self.data[start:end].decode("utf-8", "surrogatepass")
