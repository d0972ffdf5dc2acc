"""Two patterns say of thousands of texts, asked as the lines of one, what they say of each of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gate.policy.patterns import Pair

_PART = st.sampled_from(
    [
        "a", "A", "b", "ß", "-", "1", ".", ".*", "a*", "b+", "(a|b)", "a|b", "[ab]", "[a-]+", "[^a]",
        "[^a-]*", r"[^\d]", r"\d", r"\w+", r"\.", r"\$", r"\^", r"\[", r"[\w.]", "]", "[]a]", "[^]a]",
        "[a[]", "[[:alpha:]]", "^", "$", r"\s", r"\S", r"\D", "(?:a)", "(?i)", r"\x0a", r"\n", "a{2}", "^*",
        "\\\\", "|", "\x01",
    ]
)  # fmt: skip
_PATTERN = st.builds(
    lambda before, start, parts, end: before + start + "".join(parts) + end,
    st.sampled_from(["", "(?i)", "(?s)", "(?is)", "(?m)"]),
    st.sampled_from(["", "^"]),
    st.lists(_PART, max_size=4),
    st.sampled_from(["", "$", r"\$"]),
)
_TEXT = st.text("aAbß-1.$^[]\\ \t\x01", max_size=4)


@given(_PATTERN, _PATTERN, st.lists(_TEXT, min_size=1, max_size=12), st.integers(9, 40))
def test_many_texts_match_as_each_alone(one: str, two: str, texts: list[str], times: int) -> None:
    """Claim: whatever the pattern holds, no text matches because of what stands before or behind it."""
    pair = Pair(one, two)
    for many in (texts * 12 * times, sorted(texts * 12 * times)):
        assert pair.column(many) == list(map(pair.match, many))


@given(_PATTERN, st.lists(st.one_of(_TEXT, st.just("a\nb")), min_size=1, max_size=4))
def test_texts_with_line_breaks_match_as_each_alone(pattern: str, texts: list[str]) -> None:
    """Claim: a text of two lines is asked as one."""
    pair = Pair(pattern, "(?i)" + pattern)
    many = ["b\na", *texts * 100]
    assert pair.column(many) == list(map(pair.match, many))
