"""Search many texts as one, and read them apart again."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from gate.linear import as_bytes, each_as_bytes

_BETWEEN = "<"


class Joined:
    """Many texts as the bytes of one, with ``<`` between them.

    Args:
        texts: The texts.

    Attributes:
        texts: The texts.
        data: UTF-8 of all of them; half a surrogate pair has bytes of its own.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts, self._all = texts, _BETWEEN.join(texts)
        self.data = as_bytes(self._all)
        self._ascii = len(self.data) == len(self._all)

    @cached_property
    def _around(self) -> list[int]:
        """Where in the bytes what stands between the texts is: before the first one, and behind each."""
        lengths = map(len, self.texts if self._ascii else each_as_bytes(self.texts))
        return list(accumulate(map(len(_BETWEEN).__add__, lengths), initial=-len(_BETWEEN)))

    def number(self, place: int) -> int:
        """Return which text a place of the bytes is in."""
        return bisect_right(self._around, place) - 1

    def bounds(self, number: int) -> tuple[int, int]:
        """Return where a text begins and ends in the bytes."""
        return self._around[number] + len(_BETWEEN), self._around[number + 1]

    def read(self, start: int, end: int) -> str:
        """Return what lies between two places of the bytes."""
        return self._all[start:end] if self._ascii else self.data[start:end].decode("utf-8", "surrogatepass")
