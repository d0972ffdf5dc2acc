"""Reduce texts to what a reader takes for the same, one by one or thousands at once."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_SETTLED = re.compile(
    "[\\x00-\\x7f\u00a1\u00a7\u00b0\u00b7\u00bf-\u012f\u0134-\u013e\u0141-\u0148\u014a-\u017e"
    "\u0386\u0388-\u038a\u038c\u038e-\u038f\u0391-\u03a1\u03a3-\u03af\u03b1-\u03ce\u0400-\u0481\u048a-\u052f\u05d0-\u05ea"
    "\u2013\u2014\u2018-\u201e\u20ac\u3001-\u3003\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3"
    "\U0001f300-\U0001faff]*"
)
"""Characters that are visible and look the same in every Unicode form, alone and beside each other."""
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
"""Control characters that are no white space: nobody sees them."""


def _is_invisible(char: str) -> bool:
    code = ord(char)
    selector = 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF
    return selector or char in _FILLERS or unicodedata.category(char) == "Cf"


def is_settled(text: str) -> bool:
    """Tell whether nothing but case, surrounding space and controls can make a text look like another."""
    return text.isascii() or _SETTLED.fullmatch(text) is not None


def uniform(text: str) -> str:
    """Take away Unicode form (NFKC), invisible characters and surrounding space; keep case and controls."""
    if is_settled(text):
        return text.strip()
    return _visible(unicodedata.normalize("NFKC", _visible(text))).strip()


def plain_text(text: str) -> str:
    """Reduce text to what people see of it: ``uniform``, without control characters; keep case."""
    return uniform(text if text.isprintable() else _CONTROLS.sub("", text))


def _visible(text: str) -> str:
    """Take away invisible characters; each sort is looked at once, since texts may be long."""
    hidden = {ord(char): None for char in set(text) if _is_invisible(char)}
    return text.translate(hidden) if hidden else text


def fold(text: str) -> str:
    """Reduce text to what a reader takes for the same: ``plain_text`` and no case.

    Returns:
        A form that is equal for texts that differ only by case, surrounding space, Unicode form or
        invisible characters; folding it again changes nothing.
    """
    if is_settled(text):
        return plain_text(text).casefold()
    folded = plain_text(plain_text(text).casefold())
    return folded if folded == text else fold(folded)


_APART = "\ud800"
"""Stands between texts that are reduced together: it joins nothing, and no call that is judged holds it."""


def plain_texts(texts: Sequence[str]) -> list[str]:
    """Return ``plain_text`` of each of many texts, worked out for all at once."""
    joined = "".join(texts)
    if _APART in joined or (not joined.isprintable() and _CONTROLS.search(joined)):
        return list(map(plain_text, texts))
    if is_settled(joined):
        return list(map(str.strip, texts))
    together = _visible(_APART.join(texts))
    if not unicodedata.is_normalized("NFKC", together):
        together = _visible(unicodedata.normalize("NFKC", together))
    return list(map(str.strip, together.split(_APART)))


def caseless(texts: Sequence[str]) -> list[str]:
    """Return ``str.casefold`` of each of many texts."""
    together = _APART.join(texts)
    if not texts or together.count(_APART) >= len(texts):
        return list(map(str.casefold, texts))
    return together.casefold().split(_APART)


def folds(texts: list[str], plain: list[str]) -> list[str]:
    """Return ``fold`` of each of many texts, worked out for all at once.

    Args:
        texts: The texts.
        plain: What ``plain_texts`` gave for them.
    """
    folded = caseless(plain)
    if is_settled("".join(texts)):
        return folded
    if folded != plain or plain != texts:
        folded = plain_texts(folded)
    return folded if folded == texts else folds(folded, plain_texts(folded))
