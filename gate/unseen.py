"""Characters that people do not see, or that change how their neighbours look: escaped wherever people read.

One pattern for cards and terminals; how an escape is spelled is theirs.
"""

from __future__ import annotations

_UNSEEN = (
    "\x00-\x09\x0b-\x1f\x7f-\xa0"
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u200f\u2028-\u202e\u205f-\u206f\u2800\u3000\u3164"
    "\ud800-\udfff\ue000-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff"
)
"""Controls but the line break, formats, fillers, selectors, private and odd spaces: a class of a pattern."""

_MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
"""Marks that stand over, under or through the character before them."""

_LETTER = r"[^\W\d_]"

HIDDEN = (
    rf"[{_UNSEEN}]"
    rf"|[{_MARKS}](?<!{_LETTER}[{_MARKS}])(?<!{_LETTER}[{_MARKS}][{_MARKS}])"
)
"""Pattern for one character that must be spelled.

A mark may stand on a letter, and a second one on both, as languages write them; on digits, on anything else
and in piles a mark strikes through or covers what people have to read.
"""
