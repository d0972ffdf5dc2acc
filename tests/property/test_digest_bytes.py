"""The bytes of a call are those of RFC 8785, whichever encoder writes them."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.digest import canonical, tagged, written

_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5) | st.sampled_from(
    ["", "a", "B", "\x00\x1f\x7f", '"\\/', "\u2028", "é", "e\u0301", "\ue000", "\uffff", "\U00010000", "😀"]
)
_NUMBERS = st.one_of(
    st.integers(-(2**55), 2**55),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-0.001, 0.001),
    st.sampled_from(
        [0.0001, 0.00009999, 1e-5, 1.5e-7, 5e-324, 0.1, 123456789.125, 2.0**53 - 0.5, 1e16, 1e21, -0.0]
    ),
)
_SINGLES = st.one_of(
    st.none(), st.booleans(), _NUMBERS, _TEXTS, st.just(Decimal("1.50")), st.just(b"\x00\xff")
)


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.lists(inner, max_size=4),
        st.lists(_TEXTS, max_size=4),
        st.lists(st.integers(-(2**54), 2**54), max_size=4),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(_TEXTS | st.just("$int"), inner, max_size=4),
    )


@given(st.recursive(_SINGLES, _containers, max_leaves=12))
def test_the_bytes_are_those_of_rfc_8785(value: Any) -> None:
    """Claim: written by ``json`` or not, the bytes are what the reference writes for the tagged form."""
    assert written(value) == canonical(tagged(value))


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(0.00001, id="small fractions have other exponents"),
        pytest.param({"\ue000": 1, "\U00010000": 2}, id="keys sort by UTF-16 units"),
    ],
)
def test_where_json_would_write_other_bytes_the_reference_writes_them(value: Any) -> None:
    """Claim: the two places where ``json`` differs are known, and not left to it."""
    by_json = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert written(value) == canonical(tagged(value)) != by_json
