"""Secrets are searched by the core of their shapes, and in many texts at once; what is found is the same."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from gate.joined import Joined
from gate.linear import compiled
from gate.redact import redact
from gate.secret_checks import is_random
from gate.secret_patterns import SHAPES
from gate.secret_search import Candidates
from gate.secret_shapes import SHORTEST, _key_end, hide_shapes, hide_texts, mark

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


_ANY = "|".join(f"(?:{each.pattern})" for each in SHAPES)


@given(texts, st.lists(st.integers(0, 40), max_size=3))
def test_the_first_candidate_is_where_the_patterns_themselves_match_first(text: str, many: list[int]) -> None:
    """Claim: looking for cores first finds the very span that one search for all patterns finds."""
    data = text.encode("utf-8", "surrogatepass")
    candidates = Candidates(data)
    for at in many:
        place = min(at, len(data))
        found, wanted = candidates.first(place), compiled(_ANY).search(data, place)
        assert (found and found.span()) == (wanted and wanted.span())
        assert found is None or b"<" not in found[0]  # what is put between texts that are searched as one


def _plainly_hidden(text: str) -> tuple[str, list[str]]:
    """Hide the secrets of one text as they are defined: pattern by pattern, in each candidate of RE2."""
    data, at, done = text.encode("utf-8", "surrogatepass"), 0, 0
    parts: list[bytes] = []
    secrets: list[str] = []
    while found := compiled(_ANY).search(data, at):
        kind, start, at = _plainly_judged(text, data, *found.span())
        if kind:
            secret = data[start:at].decode("utf-8", "surrogatepass")
            parts += (data[done:start], mark(kind, secret).encode("utf-8", "surrogatepass"))
            secrets.append(secret)
            done = at
    return b"".join([*parts, data[done:]]).decode("utf-8", "surrogatepass"), secrets


def _plainly_judged(text: str, data: bytes, start: int, end: int) -> tuple[str, int, int]:
    word = re.match(rb"[A-Za-z0-9_]+", data[start:end])
    after, piece = start + (word.end() if word else 1), data[start:end].decode("latin-1")
    for shape in SHAPES:
        found = re.compile(shape.pattern, re.ASCII).match(piece)
        part = shape.part(found[0]) if found else None
        if part is not None:
            return shape.kind, start + part[0], _key_end(Joined([text]), start + part[1])
        after = max(after, end) if found and shape.skips else after
    return "", after, after


@given(texts)
def test_what_is_hidden_is_what_the_patterns_say_one_by_one(text: str) -> None:
    """Claim: cores, one pattern for all shapes and one pass over all texts change nothing that is hidden."""
    if len(text) >= SHORTEST and not is_random(text):
        assert hide_shapes(text) == _plainly_hidden(text)


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
