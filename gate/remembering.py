"""Remember what pure functions say of short texts; long ones, which any caller may send, are asked anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

LONGEST = 200
"""Longest text that is remembered, in characters; of several texts, all of them together."""

MOST = 4096
"""How much is remembered for one function."""

P = ParamSpec("P")
R = TypeVar("R")
Text = TypeVar("Text", str, tuple[str, ...])


def remembered(function: Callable[Concatenate[Text, P], R]) -> Callable[Concatenate[Text, P], R]:
    """Let a pure function remember its answers about short texts, so that memory stays bounded.

    Args:
        function: Takes a text, or a tuple of texts, and whatever can be hashed beside it.
    """
    cached = lru_cache(maxsize=MOST)(function)

    @wraps(function)
    def ask(text: Text, /, *args: P.args, **kwargs: P.kwargs) -> R:
        ask_ = cached if is_short(text) else function
        return ask_(text, *args, **kwargs)  # type: ignore[arg-type]

    return ask


def is_short(texts: str | Sequence[str]) -> bool:
    """Tell whether a text, or several together, are short enough to be remembered."""
    return len(texts) <= LONGEST and (isinstance(texts, str) or sum(map(len, texts)) <= LONGEST)
