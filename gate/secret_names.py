"""Tell from a key's name whether it names a secret."""

from __future__ import annotations

import re
from itertools import pairwise

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
    return _names_secret(_NUMBER.sub("0", name))  # which number stands in it says nothing


@remembered
def _names_secret(name: str) -> bool:
    words = [word.lower() for word in _WORD.findall(name)]
    if not WORDS.isdisjoint(words):
        return True
    if len(words) == 1 or _LAST.isdisjoint(words):
        return False
    return any(last in _LAST and kind in _KEYS for kind, last in pairwise(words))
