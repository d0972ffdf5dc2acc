"""The largest calls that somebody could make up to be slow: each of 1 MB or 20,000 values at most.

Every key and text is another one, so nothing that is remembered helps.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pydantic import BaseModel

COUNT = 19_900
MOST = 990_000
"""Characters of the longest ASCII texts."""

DEEP = 58
_LETTERS = string.ascii_letters + string.digits
_random = random.Random(7)  # noqa: S311 - the same calls in every run


@dataclass
class Line:
    """A line as a dataclass."""

    number: int
    city: str
    open: bool


@dataclass(frozen=True, slots=True)
class Slotted:
    """A line in slots."""

    number: int
    city: str
    open: bool


class Model(BaseModel):
    """A line as a model of pydantic's."""

    number: int
    city: str
    open: bool


def values() -> dict[str, Any]:
    """Return the values by name."""
    return {**_shaped(), **_numbers(), **_secretive(), **_spelt()}


def _shaped() -> Mapping[str, Any]:
    return {
        "19,900 keys": {f"key-{n}x": n for n in range(COUNT)},
        "19,900 keys, not ASCII": {f"schlüssel-{n}ß": n for n in range(COUNT)},
        "19,900 keys, emoji": {f"{n}😀": n for n in range(COUNT)},
        "19,900 keys of letters": {_word(10): n for n in range(COUNT)},
        "9,900 dicts of another key each": [{f"k{n}": n} for n in range(COUNT // 2)],
        "19,900 empty dicts": [{} for _ in range(COUNT)],
        "9,900 tuples": [(n,) for n in range(COUNT // 2)],
        "4,900 dataclasses": [Line(n, "Lyon", True) for n in range(4_900)],
        "4,900 dataclasses with slots": [Slotted(n, "Lyon", True) for n in range(4_900)],
        "2,400 models of pydantic": [Model(number=n, city="Lyon", open=True) for n in range(2_400)],
        f"330 lists {DEEP} deep": [_nested(lambda inner: [inner]) for _ in range(330)],
        f"330 dicts {DEEP} deep": [_nested(lambda inner: {"ü": inner}) for _ in range(330)],
    }


def _nested(around: Callable[[Any], Any]) -> Any:
    value: Any = 1
    for _ in range(DEEP):
        value = around(value)
    return value


def _numbers() -> Mapping[str, Any]:
    return {
        "19,900 decimals": [Decimal(n) / 100 for n in range(COUNT)],
        "19,900 floats": [n + 0.25 for n in range(COUNT)],
        "19,900 whole floats": [float(n) for n in range(COUNT)],
        "19,900 small floats": [n * 1e-7 for n in range(1, COUNT)],
        "19,900 large numbers": [2**60 + n for n in range(COUNT)],
        "19,900 numbers like cards": [4111111111111111 + n for n in range(COUNT)],
        "19,900 bytes": [b"%d" % n for n in range(COUNT)],
    }


def _secretive() -> Mapping[str, Any]:
    return {
        "9,900 random words": [_word(48) for _ in range(COUNT // 2)],
        "1 MB of random words": " ".join(_word(48) for _ in range(MOST // 49)),
        "19,900 texts with a password": [f"password=hunter{n}" for n in range(COUNT)],
        "19,900 texts with a password, not ASCII": [f"für password=hunter{n}" for n in range(COUNT)],
        "19,900 texts, each second with a password": [
            f"password=hunter{n}" if n % 2 else f"order-{n}x" for n in range(COUNT)
        ],
        "19,900 keys of an API": [f"AKIA{_word(16).upper()}" for _ in range(COUNT)],
        "19,900 names of secrets": {f"token-{n}": f"x{n}" for n in range(COUNT)},
        "19,900 names of secrets, of letters": {f"{_word(9)}Token": "x" for _ in range(COUNT)},
        "990 keys that look alike once hidden": {f"sk-proj-{'ab1' * 9}{n:05}yz": n for n in range(990)},
        "1 MB of keys of an API": " ".join(f"AKIA{_word(16).upper()}" for _ in range(MOST // 21)),
        "1 MB of what is nearly cards": "4111 1111 1111 1112 " * (MOST // 20),
        "1 MB of what is nearly an IBAN": "DE89 3704 0044 0532 0130 01 " * (MOST // 28),
        "1 MB of names of secrets": "key_" * (MOST // 4),
        "1 MB of names of secrets, too far away": ("key_" * 150 + "=abcd1 ") * (MOST // 607),
        "1 MB of keys in one word": "eyJabcdefghijk-AKIAABCD1234EFGH5678-" * (MOST // 36),
        '17,000 times "…key": …': '"mykey…": …, ' * 17_000,
        "1 MB of what is nearly a login": "://a:b" * (MOST // 6),
    }


def _word(size: int) -> str:
    return "".join(_random.choices(_LETTERS, k=size))


def _spelt() -> Mapping[str, Any]:
    each = {"emoji": "😀", "combining": "e\u0301", "İ": "İ", "ß": "ß", "NUL": "a\x00", "line breaks": "a\nb"}
    return {f"19,900 texts, {name}": [f"{text}{n}" for n in range(COUNT)] for name, text in each.items()} | {
        "1 MB text, combining": "e\u0301" * (MOST // 3),
        "1 MB text, control characters": "\x01" * MOST,
    }
