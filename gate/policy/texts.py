"""Many texts of one call, read in every way that operators read them, each way for all of them at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from gate.folding import caseless, folds, is_settled, plain_texts

CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class Texts:
    """Many texts of one call.

    Args:
        written: The texts as they are.
    """

    def __init__(self, written: Sequence[str]) -> None:
        self.written = list(written)

    @cached_property
    def plain(self) -> list[str]:
        """Return them as people read them: ``plain_text`` of each."""
        return plain_texts(self.written)

    @cached_property
    def caseless(self) -> list[str]:
        """Return them as people read them, without case."""
        return caseless(self.plain)

    @cached_property
    def folded(self) -> list[str]:
        """Return ``fold`` of each."""
        return folds(self.written, self.plain)

    @cached_property
    def settled(self) -> bool:
        """Tell whether nothing but case and surrounding space can make one of them look like another."""
        return is_settled("".join(self.written))

    @cached_property
    def controls(self) -> bool:
        """Tell whether one of them holds a control character or a line break."""
        return CONTROLS.search("".join(self.written)) is not None

    @cached_property
    def simple(self) -> bool:
        """Tell whether, as they are read, their letters have one other case at most: ``is_simple``."""
        return self.caseless == self.plain or is_simple("".join(self.plain))


def is_simple(text: str) -> bool:
    """Tell whether RE2, ignoring case, says the same of a text in NFKC and of its ``casefold``.

    Where a letter becomes several without case, such as ß, or one that RE2 does not know for its other case,
    it may not.
    """
    if text.isascii():
        return True
    changed = "".join(char for char in set(text) if char.casefold() != char)
    return "ß" not in changed and is_settled(changed)
