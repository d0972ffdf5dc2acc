"""Take many values apart by their types, and put what stands for them together again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any


def by_kind(values: Iterable[Any]) -> dict[type, list[Any]]:
    """Return values by their exact types, in the order in which each type comes first."""
    found: dict[type, list[Any]] = defaultdict(list)
    for each in values:
        found[type(each)].append(each)
    return found


def merged(values: Iterable[Any], written: Mapping[type, Iterator[Any]]) -> list[Any]:
    """Return what stands for values of several types, in the order of the values."""
    return [next(written[type(each)]) for each in values]


def cut(values: Iterable[Any], sizes: Iterable[int]) -> list[list[Any]]:
    """Return lists of these sizes, one after the other."""
    left = iter(values)
    return [list(islice(left, size)) for size in sizes]
