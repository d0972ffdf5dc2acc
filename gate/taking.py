"""Take a value as it is judged: a copy that nobody else changes, and the bytes of its tagged form."""

from __future__ import annotations

from typing import Any

from gate import columns
from gate.columns import Taken
from gate.copies import copied_value
from gate.errors import ActionError
from gate.tagging import canonical, tagged


def taken(value: Any, path: str = "value") -> Taken:
    """Return a value as it is judged: a copy of it, and the RFC 8785 bytes of the tagged form of that copy.

    Args:
        value: What is judged.
        path: How errors call it.

    Raises:
        ActionError: It has a part that cannot be judged; the message names its path.
    """
    try:
        return columns.taken(value)
    except (columns.UnusualError, ActionError):
        tagged(value, path=path)  # what cannot be judged is refused before it is copied
        copy = copied_value(value)
        return Taken(copy, canonical(tagged(copy, path=path)))


def written(value: object, *, path: str = "value") -> bytes:
    """Return the RFC 8785 bytes of the tagged form of a value; see ``taken``."""
    return taken(value, path).written
