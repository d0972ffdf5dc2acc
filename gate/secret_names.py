"""Tell from a key's name whether it names a secret."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from gate.linear import as_bytes, compiled
from gate.remembering import remembered

WORDS = frozenset(
    """password passwd passphrase passcode pwd secret secrets token apikey authorization auth credential
    credentials cookie otp pin cvv cvc mnemonic bearer jwt privatekey accesskey""".split()  # noqa: SIM905
)
"""Words that name a secret by themselves."""

_KEYS = frozenset(
    {"api", "private", "access", "signing", "encryption", "secret", "ssh", "master", "service", "client"}
)
_LAST = frozenset({"key", "keys"})
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


_NUMBER = re.compile(r"[0-9]+")


def is_secret_name(name: str) -> bool:
    """Tell whether a key names a secret, judging its words whole: ``api_key`` does, ``monkey`` does not."""
    return _names_secret(_NUMBER.sub("0", name))


def secret_names(names: Sequence[str], most: int) -> set[str]:
    """Return those of many names that name a secret; if they are more than ``most``, not all of them.

    Args:
        names: The names.
        most: How many are enough to know.
    """
    asked = names if len(names) < _MANY else _likely(names)
    alike = _without_numbers(asked)
    secret: set[str] = set()
    for each in dict.fromkeys(alike):
        if len(secret) > most:
            break
        if _names_secret(each):
            secret.add(each)
    return {name for name, each in zip(asked, alike, strict=True) if each in secret} if secret else secret


def _likely(names: Sequence[str]) -> Sequence[str]:
    """Return the names in which the letters of a telling word stand."""
    joined = "\n".join(names)
    if joined.count("\n") >= len(names):
        return names
    found = b"".join(each[0] for each in compiled(_LIKELY).finditer(as_bytes(joined + "\n")))
    return found.decode("utf-8", "surrogatepass").split("\n")[:-1]


def _without_numbers(names: Sequence[str]) -> Sequence[str]:
    """Return names with each number as 0: which one stands in a name says nothing."""
    together = _NUMBER.sub("0", "\n".join(names)).split("\n") if names else []
    return together if len(together) == len(names) else [_NUMBER.sub("0", each) for each in names]


_MANY = 50
_LIKELY = rf"(?i)(?:[^\n]*(?:{'|'.join(sorted({*WORDS, *_LAST}))})[^\n]*\n)+"
"""Runs of lines, since each match of RE2 takes longer than many lines."""


@remembered
def _names_secret(name: str) -> bool:
    words = [word.lower() for word in _WORD.findall(name)]
    if not WORDS.isdisjoint(words):
        return True
    if len(words) == 1 or _LAST.isdisjoint(words):
        return False
    return any(last in _LAST and kind in _KEYS for kind, last in pairwise(words))
