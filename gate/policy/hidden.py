"""What stands in a recorded call for a value that was hidden."""

from __future__ import annotations


class Hidden:
    """A value that nobody can read any more; whether two were the same can still be told.

    Attributes:
        mark: Fingerprint of the value, or an empty text.
    """

    __slots__ = ("mark",)

    def __init__(self, mark: str = "") -> None:
        self.mark = mark
