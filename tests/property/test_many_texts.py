"""Many texts of one call are read at once; what is said of each is what is said of it alone."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from gate.folding import fold, folds, plain_text, plain_texts

_HOSTILE = (
    *("", " ", "a", "A", "ß", "ẞ", "ss", "İ", "i̇", "ı", "ſ", "K", "k", "ŉ", "ǰ", "ς", "Σ", "ﬁ", "ⅷ", "Ǆ"),
    *("\u0301", "e\u0301", "é", "\u0345", "\u200b", "\u200d", "\ufe0f", "\u034f", "\u3164", "\u1160"),
    *("\n", "\r", "\x00", "\x1f", "\x85", "\u2028", "\u2029", "\t", "\xa0", "\u3000", "\ud800", "\udfff"),
    *("😀", "👩\u200d💻", "한", "\u1100\u1161", "Å", "\u212b", "½", "ﷺ", "\u0f71\u0f72", "Ⴀ", "ꭰ", "Ꭰ"),
)
TEXTS = st.lists(st.sampled_from(_HOSTILE) | st.characters(), max_size=5).map("".join)


@given(st.lists(TEXTS, max_size=8))
@example([])
@example([""])
@example(["", ""])
@example(["e", "\u0301"])
@example(["\ud800"])
def test_texts_that_are_reduced_at_once_are_what_each_is_alone(texts: list[str]) -> None:
    """Claim: no text joins its neighbour, loses its place, or is read otherwise than by itself."""
    plain = plain_texts(texts)
    assert plain == list(map(plain_text, texts))
    assert folds(texts, plain) == list(map(fold, texts))
