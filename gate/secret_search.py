"""Find where secrets may stand in texts, in time that grows with the length of the texts alone.

RE2 looks for the core of the patterns first: what every candidate has in it, without the counting that makes
RE2 slow on long texts. The patterns themselves are then asked only around each core.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import Any

from gate.secret_patterns import LONGEST, SHAPES

_BEFORE = 64
"""More bytes than any candidate has before its core."""
_NEEDED = 704
"""More bytes than any candidate needs from its core on before it is one, what the core takes left out."""
_BETWEEN = "<"
"""Stands between texts that are searched together: no pattern has it, and it is no part of a word."""


@cache
def _compiled(pattern: str) -> Any:
    """Compile a pattern when it is first needed: that takes longer than everything else at import."""
    import re2  # type: ignore[import-untyped]

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return re2.compile(pattern.encode(), options)


_ANY = "|".join(f"(?:{each.pattern})" for each in SHAPES)
_CORE = "|".join(f"(?:{each.core or each.pattern})" for each in SHAPES)
_EARLIER = "|".join(f"(?:{each.before}{each.core})" for each in SHAPES if each.before)


def candidate(data: bytes, at: int) -> tuple[int, int] | None:
    """Return where the first candidate from a place on begins and ends; the byte before that place counts."""
    look, anything = at, _compiled(_ANY)
    while (core := _first(_CORE, data, look, len(data))) is not None:
        look, until = core[0] + 1, min(max(core[1], core[0] + _NEEDED), len(data))
        earlier = _first(_EARLIER, data, max(at, core[0] - _BEFORE), until)
        for begin in range(min(core[0], earlier[0]) if earlier else core[0], look):
            found = anything.match(data, begin, until)
            if found is not None:
                end = found.end()
                return (begin, end) if end < until else anything.match(data, begin, begin + LONGEST).span()
    return None


def suspects(texts: Sequence[str]) -> Iterator[int]:
    """Yield the number of each text that has a core somewhere; the texts are searched as one."""
    data = _BETWEEN.join(texts).encode("utf-8", "surrogatepass")
    ends: list[int] | None = None
    at = 0
    while (core := _first(_CORE, data, at, len(data))) is not None:
        ends = ends or _ends(texts, len(data))
        number = bisect_right(ends, core[0])
        yield number
        at = ends[number]


def _ends(texts: Sequence[str], size: int) -> list[int]:
    """Return where each text ends in the bytes of all, what stands between them included."""
    lengths = [len(each) for each in texts]
    if sum(lengths) + len(texts) - 1 != size:
        lengths = [len(each.encode("utf-8", "surrogatepass")) for each in texts]
    return list(accumulate(length + 1 for length in lengths))


def _first(pattern: str, data: bytes, start: int, end: int) -> tuple[int, int] | None:
    found = _compiled(pattern).search(data, start, end)
    return found.span() if found else None
