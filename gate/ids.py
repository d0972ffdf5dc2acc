"""Random names: ids of actions, nonces of versions, and the four digits people type."""

from __future__ import annotations

import os
from collections.abc import Collection

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base32 in lower case: no i, l, o or u."""

LENGTH = 16

_LETTERS = (ALPHABET * 8).encode()
"""A letter for each byte, each for eight of them: five random bits of a byte count."""


def new_id() -> str:
    """Return a new id: 16 characters, 80 random bits."""
    return os.urandom(LENGTH).translate(_LETTERS).decode()


def new_nonce(unlike: Collection[str] = ()) -> str:
    """Return a new mark of a hold's version: 16 characters, 80 random bits.

    Args:
        unlike: Marks that the hold has had; the four digits of the new one are those of none of them, so
            that what somebody types for what they read never means what came after.
    """
    taken = {short_code(each) for each in unlike}
    nonce = new_id()
    while taken and short_code(nonce) in taken:
        nonce = new_id()
    return nonce


def short_code(nonce: str) -> str:
    """Return the four digits that stand for a version when a person types them."""
    import hashlib

    digest = hashlib.sha256(b"gate.code.v1:" + nonce.encode()).digest()
    return f"{int.from_bytes(digest[:8], 'big') % 10_000:04d}"
