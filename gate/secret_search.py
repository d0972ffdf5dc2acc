"""Find where secrets may stand in a text, in time that grows with its length and its candidates alone.

RE2 looks for the core of the patterns first: what every candidate has in it, without the counting that makes
RE2 slow on long texts. The patterns themselves are then asked only around each core, and only so many times:
of what comes later it is told no more than where a core stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from gate.linear import compiled
from gate.secret_patterns import LONGEST, SHAPES, Shape

MOST = 1_000
"""How many places of one search are looked at closely."""

_BEFORE = 42
"""More bytes than any candidate has before its core."""
_NEEDED = 704
"""More bytes than any candidate needs from its core on before it is one, what the core takes left out."""
_HEAD = b"-----BEGIN"
"""Begins what stands before a core behind a space."""
_JOINING = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+.-")
"""What else may stand right before a core in a candidate that begins earlier."""

_EARLIER = "|".join(f"(?:{each.before}{each.core})" for each in SHAPES if each.before)


@cache
def _any() -> re.Pattern[bytes]:
    """Return the pattern of all shapes, one group for each; asked at few places, where RE2 takes longer."""
    return re.compile("|".join(f"({each.pattern})" for each in SHAPES).encode())


_RUN = re.compile(rb"[A-Za-z0-9_-]*")


def _core_of(shapes: Sequence[Shape]) -> str:
    return "|".join(f"(?:{each.core or each.pattern})" for each in shapes)


class _Cores:
    """The cores of some shapes in a text.

    Args:
        shapes: The shapes.
        data: The text.
        most: How many cores are passed; the next one counts, whether it is a candidate's or not.

    Attributes:
        passed: How many cores were passed since they are no candidate's.
    """

    __slots__ = ("_core", "_data", "_found", "_most", "_pattern", "_reach", "_since", "passed")

    def __init__(self, shapes: Sequence[Shape], data: bytes, most: int) -> None:
        self._pattern, self._most = _core_of(shapes), most
        self._data, self._reach, self.passed = data, max(each.reach for each in shapes), 0
        self._look(0)

    def first(self, at: int) -> tuple[int, int] | None:
        """Return where the first core from a place on begins and ends; the search goes on where it was."""
        if at < self._since:
            self._look(at)
        while self._core is not None and at >= self._core[1]:
            self._next(self._core[1])
        if self._core is not None and at > self._core[0]:
            self._look(at)
        return self._core

    def _look(self, at: int) -> None:
        """Search from a place on."""
        self._found: Iterator[Any] = compiled(self._pattern).finditer(self._data, at)
        self._next(at)

    def _next(self, since: int) -> None:
        """Take the next core, which is the first one since a place; one that is no candidate's is passed."""
        core = self._span()
        while core is not None and self._reach and self.passed < self._most:
            near = _RUN.match(self._data, core[0]).end() - self._reach  # type: ignore[union-attr]
            if near <= core[0]:
                break
            self.passed += 1
            self._found = compiled(self._pattern).finditer(self._data, near)
            core = self._span()
        self._since, self._core = since, core

    def _span(self) -> tuple[int, int] | None:
        """Return where what is found next begins and ends."""
        for found in self._found:
            return found.span()  # type: ignore[no-any-return]
        return None


_CORE = f"(?:{_core_of(SHAPES)})"
_ALONE = [[each] for each in SHAPES if each.apart]
_TOGETHER = [each for each in SHAPES if not each.apart]


class Candidates:
    """The places in a text where a secret may stand.

    Args:
        data: The text; in UTF-8, or any other form where ASCII stays ASCII.
        most: How many places are looked at closely.

    Attributes:
        stopped: Where the core stands at which the search was given up, since so many places were looked at;
            None while it was not.
    """

    __slots__ = ("_cores", "_data", "_looked", "_most", "stopped")

    def __init__(self, data: bytes, most: int = MOST) -> None:
        self._data, self._most, self._looked = data, most, 0
        self.stopped: int | None = None
        found = compiled(_CORE).search(data)  # most texts hold none
        self._cores = [_Cores(each, data, most) for each in (_TOGETHER, *_ALONE)] if found else []

    def first(self, at: int) -> re.Match[bytes] | None:
        """Return the first candidate from a place on; the byte before that place counts.

        Returns:
            The match of all patterns together; the number of its group tells the shape. None where there is
            none, or where the search was given up.
        """
        data, look, anything = self._data, at, _any()
        while core := self._core(look):
            first, end = core
            look, until = first + 1, max(first + _NEEDED, end)
            for begin in range(self._earliest(at, first, until), look):
                if self._is_enough():
                    self.stopped = first
                    return None
                self._looked += 1
                found = anything.match(data, begin, until)
                if found is not None:
                    whole = found.end() < until
                    return found if whole else anything.match(data, begin, begin + LONGEST) or found
        return None

    def _core(self, at: int) -> tuple[int, int] | None:
        """Return where the first core from a place on begins, and where the longest one there ends."""
        found = [core for each in self._cores if (core := each.first(at)) is not None]
        if len(found) > 1:
            return min(found, key=lambda core: (core[0], -core[1]))
        return found[0] if found else None

    def _is_enough(self) -> bool:
        return self._looked + sum([each.passed for each in self._cores]) >= self._most

    def _earliest(self, at: int, core: int, until: int) -> int:
        """Return the first place where a candidate with a core may begin."""
        if core == at or not self._joins(core):
            return core
        found = compiled(_EARLIER).search(self._data, max(at, core - _BEFORE), until)
        return min(core, found.start()) if found else core

    def _joins(self, core: int) -> bool:
        """Tell whether what stands before a core can be of its candidate."""
        before = self._data[core - 1]
        if before == ord(" "):
            return self._data.find(_HEAD, max(core - _BEFORE, 0), core) >= 0
        return before in _JOINING


_RUN_OF_CORES = rf"{_CORE}[^<]*(?:<[^<]*{_CORE}[^<]*)*"


def suspects(data: bytes, at: int) -> Iterator[tuple[int, int]]:
    """Yield where cores stand from a place on, not looked at closely: runs of parts that all have one.

    Args:
        data: The text; its parts lie between each ``<``, which is in no candidate.
        at: Where to begin.

    Returns:
        Beginning and end of each run; it begins at a core and ends with a part.
    """
    return (found.span() for found in compiled(_RUN_OF_CORES).finditer(data, at))
