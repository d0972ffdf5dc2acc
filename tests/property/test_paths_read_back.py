"""Paths are written so that they are read back as the keys that they were."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gate.values import format_path, parse_path

_BARE = st.text("ab-_7", min_size=1, max_size=3)
_KEYS = st.text('ab.-_[]"\\ é\n', max_size=4) | _BARE


@given(_BARE, st.lists(_KEYS, max_size=4))
def test_keys_are_read_back_from_their_path(root: str, keys: list[str]) -> None:
    """Claim: with dots, quotes, brackets or nothing at all in them, keys come back as they were."""
    path = format_path((root, *keys))
    assert parse_path(path) == (root, *keys)
    assert ("[" in path) is not all(key and set(key) <= set("ab-_7") for key in keys)
