"""Tell whether two functions are one piece of code, for names that may be given once."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any


def same_source(one: Callable[..., Any], other: Callable[..., Any]) -> bool:
    """Tell whether two functions are one piece of code: decorated again, or their module or cell run again.

    Names are taken from the code itself, since decorators copy those of functions. Where a name stands in no
    function, a later definition replaces the earlier one; inside functions many may bear one name.
    """
    code, again = _code(one), _code(other)
    if code == again and code.co_filename == again.co_filename:
        return True
    places = {(_home(each), _code(each).co_qualname) for each in (one, other)}
    return len(places) == 1 and "<" not in code.co_qualname


def _code(function: Callable[..., Any]) -> CodeType:
    code: CodeType = getattr(function, "__func__", function).__code__
    return code


def _home(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__func__", function).__globals__.get("__name__", ""))
