"""Many rows at one place are written at once, and read as each by itself does."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.redact import MOST_HIDDEN, redact
from gate.secret_checks import cards, is_card
from gate.secret_names import is_secret_name, secret_names
from gate.secret_search import MOST
from gate.secret_shapes import UNTOLD

_KEYS = st.sampled_from(
    ["a", "api_key", "token", "$tag", "AKIAABCD1234EFGH5678", "sk-proj-" + "ab1" * 9, "note"]
)
_SINGLES = st.sampled_from(
    [None, True, 7, 0.5, 4111111111111111, 2**60, "short", "a longer text", "password=hunter22", b"x", "$a"]
)
_VALUES = st.recursive(
    _SINGLES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(_VALUES, min_size=1, max_size=5), st.booleans())
def test_values_beside_each_other_are_written_as_each_alone(values: list[Any], shown: bool) -> None:
    """Claim: what stands beside a value at its place changes nothing of how it is written."""
    show = ["args.v.api_key"] if shown else []
    together = redact({"v": values}, show=show).arguments["v"]
    assert together == [redact({"v": [each]}, show=show).arguments["v"][0] for each in values]


@given(st.lists(st.text("pinkeyTOKEN_-1\n", max_size=12), max_size=120, unique=True))
def test_names_are_secret_together_as_each_alone(names: list[str]) -> None:
    """Claim: of many names at once the same ones name a secret."""
    assert secret_names(names, len(names)) == {name for name in names if is_secret_name(name)}


def test_cards_are_found_among_many_as_each_alone() -> None:
    """Claim: numbers of all lengths are added up together as each by itself is."""
    dice = random.Random(5)
    numbers = ["".join(dice.choices("0123456789", k=dice.randint(10, 21))) for _ in range(5_000)]
    assert sorted(cards(numbers)) == sorted(filter(is_card, numbers))
    assert len(cards(numbers)) > 50


def test_more_names_of_secrets_than_the_bound_hide_the_argument_whatever_they_hold() -> None:
    """Claim: that many names are not told apart any more, and nothing beside them is hidden by that."""
    names = {
        f"token{chr(97 + n // 676)}{chr(97 + n // 26 % 26)}{chr(97 + n % 26)}_pin": True
        for n in range(MOST_HIDDEN + 1)
    }
    assert redact({"v": names, "w": 1}).arguments == {"v": UNTOLD, "w": 1}


@pytest.mark.parametrize("beside", ["orders/2026/November/the_third_order_of_alice_and_bob", "a note"])
def test_random_words_beyond_the_bound_are_hidden_whole(beside: str) -> None:
    """Claim: after so many random words each later text that may be one is hidden; others stay."""
    dice = random.Random(5)
    words = [
        "".join(dice.choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789", k=60)) for _ in range(MOST + 9)
    ]
    found = redact({"v": words, "note": beside})
    assert found.arguments["v"][MOST - 1].startswith("(hidden random text, 60 characters")
    assert found.arguments["v"][MOST:] == [UNTOLD] * 9
    assert found.arguments["note"] == (beside if beside.islower() else UNTOLD)
