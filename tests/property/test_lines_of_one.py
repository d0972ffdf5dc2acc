"""Many texts that are asked as the lines of one get the answer that each of them gets alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.policy import patterns
from gate.policy.matching import compile_regex
from gate.policy.patterns import Pair

_PATTERNS = (
    *(
        "",
        "a",
        "a*",
        "[a-z]+-[0-9]+",
        "[a-z]+-[0-9]+x",
        "a|b",
        "(a|)b?",
        ".",
        ".*",
        ".+",
        "[aß]",
        "ß",
        "é",
        "k",
    ),
    *(
        "^a",
        "a$",
        "^",
        "$",
        r"\Aa\z",
        r"\ba",
        r"a\b.*",
        r"\n",
        r"a\nb",
        r"\s*",
        r"\S+",
        r"[^b]*",
        "^[^b]$",
        "^a|b$",
        "^*a",
        "[a[^b]",
        r"a\$",
        r"[^b\n]*",
        "\n",
    ),
    *("[[:space:]]*", "[[:^alpha:]]+", "(?s).*", "(?m)^a$", "(?i)A", "(?-i:A)", "[\t-\r]*", "a\nb", "[a\n]+"),
    *(
        "(?:a)",
        "(?P<n>a)",
        r"\Q^\E",
        r"\pL+",
        "[]a]",
        "[a[:digit:]]",
        "[a-]",
        "a{2}",
        "a{0}",
        "()",
        "|",
        "[-~]*",
    ),
    *(
        r"\d*",
        r"\w+",
        r"[\w-]*",
        r"a\.",
        r"\^a\$",
        r"[\^a]*",
        r"\[^a",
        r"[\[:alpha:]]*",
        r"\\n",
        r"\\",
        r"\D*",
    ),
    *(
        r"\W*",
        r"[\W]*",
        r"\C",
        r"[\d-]*",
        r"\-a",
        r"[\]^]*",
        r"[^\d]*",
        r"\x0a",
        r"[\x0a]*",
        r"\12",
        r"[\--z]*",
    ),
    *("[ -~]*", "\x85", "\u2028", "a\u2028?", "[\u2000-\u3000]"),
)
_TEXTS = st.text("aAb.[\\kKß\u212a-0x\n\r\x85\u2028^$", max_size=4) | st.sampled_from(
    ["order-1", "order-1x", "a", ""]
)


_PAIRS = [
    pair
    for pattern in _PATTERNS
    for pair in ((pattern, "(?i)" + pattern), ("(?i)" + pattern, "(?is)" + pattern), ("a*", pattern))
    if Pair(*pair).match("") is not None
]


@pytest.mark.parametrize("pair", _PAIRS[:: len(_PAIRS) // 4 or 1])
def test_columns_of_many_texts_say_what_each_says(pair: tuple[str, str]) -> None:
    """Claim: from however many texts on they are asked together, the answers are the same."""
    texts = ["a", "A\n", "", "ß", "order-1x"] * patterns._MANY
    for many in (texts, ["a"] * patterns._MANY, ["7"] * patterns._MANY):
        assert Pair(*pair).column(many) == list(map(Pair(*pair).match, many))


@settings(max_examples=800)
@given(pair=st.sampled_from(_PAIRS), texts=st.lists(_TEXTS, min_size=1, max_size=5))
def test_what_is_said_of_all_texts_is_true_of_each(pair: tuple[str, str], texts: list[str]) -> None:
    """Claim: no anchor, class or line's end in a text makes one match that does not alone, or hides one."""
    said = patterns._by_lines(*pair, texts)
    assert said is None or said == list(map(Pair(*pair).match, texts))


@pytest.mark.parametrize(
    ("pattern", "text", "both"),
    [("[a-z]+-[0-9]+", "order-7", True), (r"[a-z]+-\d+\.?x", "order-7", False), (".*", "Größe", True)],
)
def test_plain_patterns_are_asked_of_all_texts_at_once(pattern: str, text: str, both: bool) -> None:
    """Claim: lines that match, and those that do not, are told of the lines of one, without asking each."""
    told = patterns._by_lines(pattern, "(?is)" + pattern, [text, "\x7f" * 9, "", text, text])
    blank = (pattern == ".*",) * 2
    assert told == [(both, both), blank, blank, (both, both), (both, both)]


@pytest.mark.parametrize(
    "pattern", ["a|^b|c", "(a$)", r"\s", r"[^\d]", "[^]b]", "(?m).", "[[:space:]]", "[\t-\r]", "a\n"]
)
def test_what_may_hold_the_end_of_a_line_is_asked_of_each_text(pattern: str) -> None:
    """Claim: of a pattern that lines may answer otherwise than texts nothing is said for all."""
    assert patterns._by_lines(pattern, pattern, ["a", "b"]) is None
    assert patterns._by_lines("(?s)a.*b", "(?s)a.*b", ["a1", "2b"]) == [(False, False)] * 2
    assert patterns._by_lines("a", "a", ["a\na"]) is None


def test_texts_of_many_short_runs_are_asked_one_by_one() -> None:
    """Claim: a run takes as long as two texts, so that where there are many of them no more is looked for."""
    texts = ["a", "b"] * (patterns._MANY_RUNS + 1)
    assert patterns._by_lines("a", "a", texts) is None
    assert Pair("a", "b").column(texts) == [(True, False), (False, True)] * (patterns._MANY_RUNS + 1)


@pytest.mark.parametrize("pattern", ["(x?){500}", "(.*)(.*)x", "((a)|b)+"])
def test_nobody_asks_which_part_of_all_texts_a_group_took(pattern: str) -> None:
    """Claim: groups are not told apart in the lines of one: for thousands of lines that takes a minute."""
    lines = patterns._lines(pattern, "(?is)" + pattern)
    assert lines is not None
    assert [each.groups for each in lines] == [0, 0, 0]


def test_nobody_asks_which_part_of_one_text_a_group_took() -> None:
    """Claim: of a text that is asked alone nothing is told but whether it matches."""
    asked = compile_regex("(x?){500}(y)", ignore_case=True)
    assert asked.groups == 0
    assert asked.fullmatch("XXy")
