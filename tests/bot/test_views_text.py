"""The escaping that every view relies on."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.views import text as t
from tests.bot.records import texts


def test_every_unseen_character_is_shown_as_an_escape() -> None:
    """Control, format, surrogate, private and line-separating characters never reach Slack as they are."""
    unseen = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    kept = [
        code
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in unseen and t.visible(chr(code)) == chr(code)
    ]
    assert kept == [ord("\n")]


def test_a_wide_gap_is_no_line_break() -> None:
    """Spaces that would push the rest onto a line of its own, where it looks like a value, are spelled."""
    assert t.one_line("bob, a  note   amount: 5") == "bob, a  note\\u{20*3}amount: 5"
    assert t.one_line("a\\u{20*3}b") == "a\\u{5C}u{20*3}b"


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("14\u0336000", "14\\u{336}000"),
        ("1\u20e3", "1\\u{20E3}"),
        ("\u0338x", "\\u{338}x"),
        ("- \u0301", "- \\u{301}"),
        ("e\u0301, e\u0302\u0301", "e\u0301, e\u0302\u0301"),
        ("z\u0300\u0301\u0302", "z\u0300\u0301\\u{302}"),
    ],
)
def test_marks_stand_on_letters_alone(text: str, spelled: str) -> None:
    """A digit that looks struck through and a pile over its neighbours are spelled; accents are not."""
    assert t.visible(text) == spelled


@given(st.text(alphabet=st.sampled_from("a\\u{}200B\u200b\u202e\n"), max_size=12), st.text(max_size=3))
def test_different_texts_never_look_alike(one: str, more: str) -> None:
    """The escape can be undone, so a text that spells an escape does not pass for the character."""
    spelled = t.visible(one)
    assert _undo(spelled) == one
    assert _undo(t.visible(one + more)) == one + more


def _undo(spelled: str) -> str:
    import re

    return re.sub(r"\\u\{([0-9A-F]+)\}", lambda match: chr(int(match[1], 16)), spelled)


@given(texts, st.integers(20, 200))
def test_chunks_lose_nothing_and_fit(text: str, limit: int) -> None:
    """Pieces put together are the text, each fits, and no escape is cut in two."""
    whole = t.one_line(text)
    pieces = t.chunks(whole, limit)
    assert "".join(pieces) == (whole or " ")
    assert all(0 < t.width(piece) <= limit for piece in pieces)


@given(texts)
def test_a_notification_line_has_no_live_markup(text: str) -> None:
    """Nothing in a notification can mention, link or format."""
    line = t.notification(t.reduced(text))
    assert not set(line) & set("<>`*_~\n")


def test_a_notification_line_escapes_once() -> None:
    """What cannot be seen is spelled in a notification as it is on the card."""
    assert t.notification("one\ntwo\u202e") == t.one_line("one\ntwo\u202e") == "one\\u{A}two\\u{202E}"


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        ("ORD-1", "ORD-1"),
        ("400", '"400"'),
        (400, "400"),
        ({"$decimal": "400.00"}, "400.00"),
        ("true", '"true"'),
        (True, "true"),
        (None, "null"),
        ("null", '"null"'),
        ("", '""'),
        (" x", '" x"'),
        ("(hidden)", '"(hidden)"'),
        (["a", 1], '["a", 1]'),
        ({"$dict": {"$x": 1}}, '{"$x": 1}'),
    ],
)
def test_values_of_other_types_look_different(value: object, spelled: str) -> None:
    """A text that spells a number, a truth value or nothing is quoted."""
    assert t.shown(value) == spelled


@pytest.mark.parametrize("user", ["", "<!channel>", "U1|x", "u0alice", "U0ALICE> <!here"])
def test_only_real_ids_become_mentions(user: str) -> None:
    """An id that is none is said as a word."""
    assert t.mention(user) == "somebody"


@pytest.mark.parametrize(
    "url", [None, "javascript:alert(1)", "https://a|b", "https://a b", "ftp://a", "http://<x>"]
)
def test_only_plain_addresses_become_links(url: str | None) -> None:
    """A link is http or https and has no character that Slack would read."""
    assert t.link(url) is None


def _ends(text: str) -> tuple[set[str], set[str]]:
    """Return every beginning and every end of a visible text that cuts no escape in two."""
    pieces = re.findall(r"\\u\{[0-9A-F*]+\}|.", text, re.DOTALL)
    return (
        {"".join(pieces[:at]) for at in range(len(pieces) + 1)},
        {"".join(pieces[at:]) for at in range(len(pieces) + 1)},
    )


@given(st.text(st.sampled_from("ab   \u200b\U000e0041\U0001f600"), max_size=300), st.integers(60, 120))
def test_a_long_text_keeps_head_tail_and_length(text: str, limit: int) -> None:
    """What is cut stands with both ends and how long it is, and no escape is cut in two."""
    whole = t.one_line(text)
    cut = t.abridged(whole, limit)
    assert t.width(cut) <= limit
    if cut == whole:
        return
    head, middle, tail = cut.partition(f" … {len(whole):,} characters in all … ")
    assert middle
    heads, tails = _ends(whole)
    assert head in heads
    assert tail in tails


def test_a_dangerous_end_is_not_hidden_by_a_long_middle() -> None:
    """A command whose end lies behind thousands of blanks shows that end and its length."""
    cut = t.abridged(t.visible("echo ok" + " " * 5000 + "; rm -rf /"), 200)
    assert cut.startswith("echo ok")
    assert cut.endswith("; rm -rf /")
    assert "5,017 characters in all" in cut
