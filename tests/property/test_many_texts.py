"""Many texts of one call are read at once; what is said of each is what is said of it alone."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import example, given
from hypothesis import strategies as st

from gate.folding import fold, folds, plain_text, plain_texts
from gate.policy.matching import compile_regex, matches_glob, matches_regex
from gate.policy.membership import Members, _in_any, is_in
from gate.policy.operators import Alike, Test, equals, opposite
from gate.policy.texts import Texts, is_simple

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


_PATTERNS = (
    *(
        "a",
        ".*",
        "[a-z]+",
        "[^a]*",
        "[^A]*",
        r"\p{Lu}*",
        r"\PL+",
        r"[[:upper:]]+",
        r"\w*",
        r"\W*",
        r"(?-i)a*",
    ),
    *(r".*\bA.*", "(?i)ss", "ß", "[ß]", "straße", r"\C\C", r"(?s).*", "a|b", "^a$", r"\x{130}.*", "k+", "s*"),
    *("[äÖ]+", "σ+", "Σ.*", ".{1,3}", "e\u0301", "é", "", "(?s-i:A.*)", r"\d*", "😀+", "[^😀]*", "и+", "Ж*"),
)
_GLOBS = (
    "*",
    "a",
    "*a*",
    "A*",
    "ß*",
    "*ss",
    "straße*",
    "é*",
    "*\u0301",
    "*σ*",
    "K*",
    "k*",
    "s",
    "i*",
    "*😀",
    "\t*",
)
_EACH = st.sampled_from(
    ("ä", "Ö", "ö", "Ж", "ж", "И", "ί", "Ï", "b", "S", "s", "z", "_", "Straße", "ſ", "ΑΣ ")
)
_WHOLE = TEXTS.map(lambda text: "".join(char for char in text if not "\ud800" <= char <= "\udfff"))
"""Without half surrogate pairs, which no pattern takes: a call that holds one is refused."""
_CALLS = st.lists(_WHOLE | st.lists(_EACH, max_size=4).map("".join), min_size=1, max_size=6)


def _texts_say(test: Test, texts: list[str]) -> None:
    assert isinstance(test, Alike)
    alone = [test.compare(each, "v") for each in texts]
    assert test.texts is None or test.texts(Texts(texts), "v") == alone
    other = opposite(test)
    assert isinstance(other, Alike)
    assert other.texts is None or other.texts(Texts(texts), "v") == [
        other.compare(each, "v") for each in texts
    ]


@given(_CALLS, st.sampled_from(_PATTERNS), st.booleans())
def test_a_regex_says_of_many_texts_what_it_says_of_each(
    texts: list[str], pattern: str, ignore_case: bool
) -> None:
    """Claim: in its three readings at once, no text is judged otherwise than alone, unknowns included."""
    _texts_say(matches_regex(pattern, ignore_case=ignore_case), texts)


@given(_CALLS, st.sampled_from(_GLOBS) | _WHOLE.filter(bool), st.booleans())
def test_a_glob_says_of_many_texts_what_it_says_of_each(
    texts: list[str], pattern: str, ignore_case: bool
) -> None:
    """Claim: with wildcards or with patterns, no text is judged otherwise than alone."""
    _texts_say(matches_glob(pattern, ignore_case=ignore_case), texts)


@given(_CALLS, st.data())
def test_equality_and_membership_say_of_many_texts_what_they_say_of_each(
    texts: list[str], data: st.DataObject
) -> None:
    """Claim: compared in their folded forms at once, each text is equal to what it is equal to alone."""
    near = st.sampled_from(texts) | _WHOLE
    _texts_say(equals(data.draw(near)), texts)
    members: list[object] = data.draw(st.lists(near | st.just(7), min_size=1, max_size=3))
    _texts_say(is_in(members), texts)


_SINGLES: st.SearchStrategy[object] = st.one_of(
    TEXTS,
    st.sampled_from(("5", "5.0", " 5", "1", "true", "TRUE", "a", "A", float("nan"), 5, 5.0, 1, True, False)),
    st.sampled_from((Decimal(5), Decimal("1.0"), b"a", None, 7, "7,000", 7000)),
)


@given(_SINGLES, st.lists(_SINGLES, min_size=1, max_size=5))
def test_membership_is_what_comparing_with_each_member_tells(value: object, members: list[object]) -> None:
    """Claim: members that are looked up are found as those are that are compared one by one."""
    assert Members(members, "it").has(value, "v") == _in_any(value, members, "v", "it")


def test_re2_knows_the_other_case_of_every_letter_that_counts_as_simple() -> None:
    """Claim: for every simple letter, RE2 without case says the same of it and of its folded form."""
    for char in map(chr, range(0x110000)):
        folded = char.casefold()
        if folded != char and is_simple(char):
            assert compile_regex(char, ignore_case=True).fullmatch(folded)
            assert compile_regex(folded, ignore_case=True).fullmatch(char)
            assert len(char.encode()) == len(folded.encode())
            assert char.isascii() == folded.isascii()
