"""Search bytes with RE2, whose time grows with their length alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import repeat
from typing import Any


@cache
def compiled(pattern: str) -> Any:
    """Compile a pattern when it is first needed: that takes longer than everything else at import."""
    import re2  # type: ignore[import-untyped]

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return re2.compile(pattern.encode(), options)


def as_bytes(text: str) -> bytes:
    """Return the UTF-8 of a text; half a surrogate pair has bytes of its own."""
    return text.encode("utf-8", "surrogatepass")


def each_as_bytes(texts: Iterable[str]) -> Iterator[bytes]:
    """Return ``as_bytes`` of each of many texts."""
    return map(str.encode, texts, repeat("utf-8"), repeat("surrogatepass"))
