"""Of what looks like secrets only so much is told apart; the rest is hidden whole, and never shown more."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gate.redact import redact
from gate.secret_shapes import UNTOLD, hide_texts

_PIECES = (
    *("key", "token", "=", ": ", '"', " ", "\n", "<", "://", "@", ":", "user", "pass1word", "password="),
    *("AKIA", "ABCD1234EFGH5678", "sk-", "abcdefghij0123456789", "eyJ", "hbGciOiJIUzI1NiJ9", ".", "ghp_"),
    *("4111 1111 1111 1111", "4111 1111 1111 1112", "4111111111111111", "5111111111111112", "1732924800000"),
    *("DE89370400440532013000", "DE89 3704 0044 0532 0130 01", "078-05-1120", "000-05-1120", "Bearer "),
    *("-----BEGIN ", "PRIVATE KEY", "-----", "_", "-", "ö", "😀", "\ud800", "A", "b", "hunter2000", "k" * 25),
    *("a1B2" * 12, "x" * 41, "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEYabc12", "api_key" + "z" * 60 + "=abcd1"),
)
texts = st.lists(st.sampled_from(_PIECES), max_size=12).map("".join)
many = st.lists(texts, max_size=12, unique=True)
_ALL = 10**9


def _shown(text: str, hidden: dict[str, tuple[str, list[str]]]) -> str:
    return hidden[text][0] if text in hidden else text


@given(many, st.integers(0, 12))
def test_with_the_bound_nothing_is_shown_that_would_be_hidden_without(given_: list[str], most: int) -> None:
    """Claim: a text reads as without the bound, or ends, where it reads so up to there, in what hides it."""
    bounded, whole = hide_texts(given_, most=most), hide_texts(given_, most=_ALL)
    for text in given_:
        shown, wanted = _shown(text, bounded), _shown(text, whole)
        front = shown.removesuffix(UNTOLD)
        assert shown == wanted or (front != shown and wanted.startswith(front))
        assert text in bounded or text not in whole
        assert front == shown or UNTOLD in bounded[text][1]


@given(many)
def test_below_the_bound_nothing_changes(given_: list[str]) -> None:
    """Claim: where all places can be looked at, what is hidden is what it would be without any bound."""
    assert hide_texts(given_) == hide_texts(given_, most=_ALL)


@given(many, st.integers(0, 12), st.integers(0, 12))
def test_a_wider_bound_never_hides_more(given_: list[str], most: int, more: int) -> None:
    """Claim: whoever looks at more places shows at least as many texts as they are."""
    narrow, wide = hide_texts(given_, most=most), hide_texts(given_, most=most + more)
    assert wide.keys() <= narrow.keys()


@settings(max_examples=8)
@given(many)
def test_the_same_call_is_written_the_same_each_time(given_: list[str]) -> None:
    """Claim: what is hidden of a call depends on the call alone, also when it holds far too much."""
    call = {"notes": [*(f"password=hunter{n}" for n in range(1_200)), *given_], "rows": {"4" * 16: given_}}
    assert redact(call) == redact(dict(call))
    assert UNTOLD in redact(call).secrets
