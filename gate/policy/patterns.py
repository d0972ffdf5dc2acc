"""Match many texts in little time: two patterns in one pass, and wildcards without a pattern at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import re2  # type: ignore[import-untyped]


class Pair:
    """Two RE2 patterns that are both asked of whole texts in one pass.

    Args:
        one: The first pattern, which compiles alone.
        two: The second one.
    """

    __slots__ = ("_patterns", "_set")

    def __init__(self, one: str, two: str) -> None:
        self._patterns, self._set = (one, two), _set_of(one, two, _ANYTHING)

    def match(self, text: str) -> tuple[bool, bool] | None:
        """Return whether each pattern matches the whole of a text; None where nobody can tell.

        A set that runs out of memory says that nothing matches, not even what matches every text.
        """
        return _told(self._set.Match(text)) if self._set is not None else None

    def column(self, texts: Sequence[str]) -> list[tuple[bool, bool] | None]:
        """Return ``match`` of each of many texts."""
        if self._set is None:
            return [None] * len(texts)
        told = _by_lines(*self._patterns, texts) if len(texts) >= _MANY else None
        if told is not None:
            return list(told)
        found = map(self._set.Match, map(str.encode, texts))
        return [_NEITHER if each == [2] else _BOTH if len(each) == 3 else _told(each) for each in found]


_NEITHER, _BOTH = (False, False), (True, True)


def _told(found: Sequence[int]) -> tuple[bool, bool] | None:
    return (0 in found, 1 in found) if 2 in found else None


_ANYTHING = r"(?s).*"

_MANY = 100
"""From how many texts on it is quicker to ask all of them as the lines of one first."""

_MANY_RUNS = 300
"""How many runs of lines are looked for, each of which takes as long as two texts asked by themselves."""

_ESCAPE = r"\\[dw!-/:-@\[-`{-~]"
_CLASS = rf"\[(?:{_ESCAPE}|[^]\[\\^$\x00-\x1f])++\]"
_PLAIN = r"(?!\(\?)[^]\[\\^$\x00-\x1f]"
_NEGATED = r"\[\^(?=[^]\[\\^$\x00-\x1f]+\])"
_IN_LINE = re.compile(rf"(?:\(\?(i?)s?\))?\^?((?:{_ESCAPE}|{_CLASS}|{_PLAIN}|\]|{_NEGATED})*+)\$?")
"""Patterns that match no text with a line break in it, but for ``s``, which only lets ``.`` match one, and
negated classes, which are kept from it. An anchor at either end asks nothing of a whole text.
"""


def _by_lines(one: str, two: str, texts: Sequence[str]) -> Sequence[tuple[bool, bool]] | None:
    """Return what ``match`` says of each of many texts, by runs of lines; None where it has to be asked."""
    lines, joined = _lines(one, two), "\n".join([*texts, ""]).encode()
    if lines is None or joined.count(b"\n") != len(texts):
        return None
    anywhere, *runs = lines
    if anywhere.search(joined) is None:
        return [_NEITHER] * len(texts)
    first, second = (_told_in_runs(each, joined) for each in runs)
    return None if first is None or second is None else list(zip(first, second, strict=True))


def _told_in_runs(run: Any, lines: bytes) -> list[bool] | None:
    """Return which lines are in a run of those that match; None where there are many runs."""
    told: list[bool] = []
    done = 0
    for number, found in enumerate(run.finditer(lines)):
        if number == _MANY_RUNS:
            return None
        start, end = found.span()
        told += [False] * lines.count(b"\n", done, start) + [True] * lines.count(b"\n", start, end)
        done = end
    return told + [False] * lines.count(b"\n", done)


@lru_cache(maxsize=256)
def _lines(one: str, two: str) -> tuple[Any, ...] | None:
    """Return what finds a line that either pattern matches, and what finds runs of lines that each does."""
    found = _IN_LINE.fullmatch(one), _IN_LINE.fullmatch(two)
    if None in found:
        return None
    first, second = (
        f"(?:{'(?i)' if each[1] else ''}{each[2].replace('[^', '[^' + chr(10))})" for each in found if each
    )
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True  # to tell what each group took, all of the pattern is walked per character
    asked = f"(?m)^{first}$|^{second}$", f"(?m)(?:^{first}\n)+", f"(?m)(?:^{second}\n)+"
    try:
        return tuple(re2.compile(each.encode(), options) for each in asked)
    except re2.error:
        return None


def _set_of(*patterns: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    made = re2.Set.FullMatchSet(options)
    try:
        for pattern in patterns:
            made.Add(pattern)
        made.Compile()
    except re2.error:
        return None
    return made


class Wildcard:
    """A pattern for whole texts where ``*`` is any run of characters, and case counts.

    Args:
        pattern: The pattern.
    """

    __slots__ = ("_first", "_last", "_least", "_middle")

    def __init__(self, pattern: str) -> None:
        first, *rest = pattern.split("*")
        self._first, self._last = first, rest[-1] if rest else None
        self._middle = [part for part in rest[:-1] if part]
        self._least = len(first) + len(self._last or "")

    def match(self, text: str) -> bool:
        """Tell whether the whole text fits; each part is looked for once, behind the one before it."""
        if self._last is None:
            return text == self._first
        if len(text) < self._least or not text.startswith(self._first) or not text.endswith(self._last):
            return False
        return not self._middle or self._in_order(text)

    def column(self, texts: Sequence[str]) -> list[bool]:
        """Return ``match`` of each of many texts; none matches without each part of the pattern somewhere."""
        parts, joined = (self._first, *self._middle, self._last or ""), "".join(texts)
        if not all(part in joined for part in parts):
            return [False] * len(texts)
        return list(map(self.match, texts))

    def _in_order(self, text: str) -> bool:
        at, end = len(self._first), len(text) - len(self._last or "")
        for part in self._middle:
            found = text.find(part, at, end)
            if found < 0:
                return False
            at = found + len(part)
        return True
