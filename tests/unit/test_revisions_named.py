"""How a revision is named by its first characters, and what is said where that names none."""

from __future__ import annotations

import pytest

from gate.cli.comparing import full_revision
from gate.errors import IllegalMove

KNOWN = ["abcdef01", "abcdef02", "123456ff"]


def test_six_characters_name_a_revision_and_none_the_one_in_force() -> None:
    """Whatever their case."""
    assert full_revision(KNOWN, "ABCDEF01") == "abcdef01"
    assert full_revision(KNOWN, "123456") == full_revision(KNOWN, None) == "123456ff"


@pytest.mark.parametrize(
    ("prefix", "said"),
    [
        ("12345", "too short for a revision: give at least six"),
        ("abcdef", "More than one revision begins with 'abcdef': give more"),
        ("fedcba98", "No revision that was in force here begins with 'fedcba98': is it the store"),
    ],
)
def test_what_names_no_revision_says_why(prefix: str, said: str) -> None:
    """Too short, several, and none are told apart."""
    with pytest.raises(IllegalMove, match=said) as caught:
        full_revision(KNOWN, prefix)
    assert caught.value.code == "no_revision"
