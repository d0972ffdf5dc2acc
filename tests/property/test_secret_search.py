"""Secrets are searched by the core of their shapes, and in many texts at once; what is found is the same."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gate.redact import redact
from gate.secret_search import _ANY, _compiled, candidate, suspects
from gate.secret_shapes import hide_shapes, hide_texts

_PIECES = (
    *(
        "key",
        "token",
        "=",
        ": ",
        '"',
        "'",
        " ",
        "\n",
        "<",
        ">",
        "?",
        "/",
        "://",
        "@",
        ":",
        "user",
        "pass1word",
    ),
    *(
        "AKIA",
        "ABCD1234EFGH5678",
        "sk-",
        "sk_live_",
        "abcdefghij0123456789",
        "eyJ",
        "hbGciOiJIUzI1NiJ9",
        ".",
        "..",
    ),
    *("4111 1111 1111 1111", "4111111111111111", "DE89370400440532013000", "DE89 3704 0044 0532 0130 00"),
    *("078-05-1120", "Bearer ", "Basic ", "dXNlcjpwYXNz", "-----BEGIN ", "RSA ", "PRIVATE KEY", "-----"),
    *(
        "hooks.slack.com/",
        "services/",
        "T000/B000/abcdefghijklmnopqrstu1",
        "ghp_",
        "x" * 36,
        "a1" * 20,
        "xoxb-",
    ),
    *(
        "_",
        "-",
        "+",
        "ö",
        "€",
        "😀",
        "\ud800",
        "\udfff",
        "A",
        "b",
        "7",
        "secret",
        "otp",
        "monkey",
        "password=",
    ),
    *("hunter2000", "x" * 41, "-" * 30, "k" * 25, "https", "postgres", "1//0", "SG.", ",", "#", "!", "%"),
)
texts = st.lists(st.sampled_from(_PIECES), max_size=25).map("".join)


@given(texts, st.integers(0, 40))
def test_the_first_candidate_is_where_the_patterns_themselves_match_first(text: str, at: int) -> None:
    """Claim: looking for cores first finds the very span that one search for all patterns finds."""
    data = text.encode("utf-8", "surrogatepass")
    at = min(at, len(data))
    found = _compiled(_ANY).search(data, at)
    assert candidate(data, at) == (found.span() if found else None)
    assert found is None or b"<" not in found[0]  # what is put between texts that are searched as one


@given(st.lists(texts, max_size=12))
def test_no_text_with_a_secret_is_left_out_when_many_are_searched_as_one(many: list[str]) -> None:
    """Claim: every text in which a candidate stands is suspected, each once and in order."""
    found = list(suspects(many))
    assert found == sorted(set(found))
    data = [each.encode("utf-8", "surrogatepass") for each in many]
    assert {n for n, each in enumerate(data) if _compiled(_ANY).search(each)} <= set(found)


@given(st.lists(texts, max_size=12, unique=True))
def test_texts_that_are_searched_as_one_lose_what_each_loses_alone(many: list[str]) -> None:
    """Claim: what is hidden in a text depends on that text alone, not on its neighbours."""
    alone = {text: hidden for text in many if (hidden := hide_shapes(text))[1]}
    assert hide_texts(many) == alone
    assert redact({"notes": many}).arguments["notes"] == [hide_shapes(text)[0] for text in many]


@settings(max_examples=20)
@given(st.sampled_from(range(0, 9000, 37)), st.sampled_from((" ", "x", "é ", "A1")))
def test_a_secret_is_found_wherever_it_stands_in_a_long_text(before: int, filler: str) -> None:
    """Claim: a key and a token of thousands of characters are hidden at any place of a long text."""
    secrets = ["ghp_" + "a1" * 18, f"eyJhbGciOiJIUzI1NiJ9.{'eyJ1' * 1500}.c2lnbmF0dXJl"]
    text = f"{filler * before} {secrets[0]} {filler * 5000} {secrets[1]}, {filler * 100}"
    assert hide_shapes(text)[1] == secrets
