"""Texts of everyday letters are read at once; what they are taken for is what the whole road says."""

from __future__ import annotations

import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from gate.folding import _is_invisible, fold, is_settled, plain_text
from gate.policy.matching import _fits, _fits_in_lines, _matches, compile_regex, matches_glob, matches_regex
from gate.policy.truth import Truth, Unknown

_SETTLED = [chr(code) for code in range(sys.maxunicode + 1) if is_settled(chr(code))]
_LETTERS = st.text(st.sampled_from(_SETTLED[:700]), max_size=6) | st.sampled_from(
    ["Straße", "STRASSE", " Ärger ", "ΣΑΣ"]
)


def _folded(text: str) -> str:
    """Fold a text by the whole road, as if it were of any letters."""

    def plain(text: str) -> str:
        shown = "".join(char for char in text if not _is_invisible(char))
        return "".join(c for c in unicodedata.normalize("NFKC", shown) if not _is_invisible(c)).strip()

    text = "".join(char for char in text if char.isspace() or unicodedata.category(char) != "Cc")
    folded = plain(plain(text).casefold())
    return folded if folded == text else _folded(folded)


def test_every_settled_character_looks_the_same_in_every_form() -> None:
    """Claim: none is invisible, none changes in NFKC, none joins the one before it, and case stays inside."""
    joins = {
        chr(int(parts[1], 16))
        for code in range(sys.maxunicode + 1)
        if len(parts := unicodedata.decomposition(chr(code)).split()) == 2 and not parts[0].startswith("<")
    }
    for char in _SETTLED:
        assert not _is_invisible(char)
        assert unicodedata.normalize("NFKC", char) == char
        assert unicodedata.combining(char) == 0
        assert char not in joins
        assert is_settled(char.casefold())
        assert char.casefold().casefold() == char.casefold()


@given(_LETTERS)
def test_settled_texts_fold_as_by_the_whole_road(text: str) -> None:
    """Claim: taking a short way changes no folded text."""
    assert fold(text) == _folded(text)
    seen = "".join(char for char in text if char.isspace() or unicodedata.category(char) != "Cc")
    assert plain_text(text) == unicodedata.normalize("NFKC", seen).strip()


def _said(truth: Truth) -> object:
    return "unknown" if isinstance(truth, Unknown) else truth


@given(_LETTERS, st.sampled_from(["*a*", "stra*", "*", "STRASSE", "*ss*", "a"]), st.booleans())
def test_globs_and_patterns_say_what_the_slow_way_says(text: str, pattern: str, ignore_case: bool) -> None:
    """Claim: a text of such letters is matched as RE2 matches it as written, as read, and without case."""
    exact = compile_regex("[^\\x00-\\x1f\\x7f-\\x9f]*".join(pattern.split("*")), ignore_case=ignore_case)
    loose = compile_regex("(?s:.*)".join(pattern.split("*")), ignore_case=True)
    slow = _matches(_fits(exact), loose, loose)
    glob = matches_glob(pattern, ignore_case=ignore_case)
    assert _said(glob(None, "v")(text)) == _said(slow(text, "v"))  # type: ignore[arg-type]
    written = pattern.replace("*", "[^\\n]*")
    exact, loose = (compile_regex(written, ignore_case=each) for each in (ignore_case, True))
    regex = matches_regex(written, ignore_case=ignore_case)
    if "\n" not in text:
        slow = _matches(_fits_in_lines(exact), loose, loose)
        assert _said(regex(None, "v")(text)) == _said(slow(text, "v"))  # type: ignore[arg-type]
