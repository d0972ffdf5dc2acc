"""The bytes of a call are those of RFC 8785, whichever encoder writes them."""

from __future__ import annotations

import hmac
import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.digest import action_digest, canonical, snapshot, tagged, written
from gate.model import Action, Principal

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


@given(st.binary(max_size=200), st.text(max_size=20))
def test_the_digest_is_the_hmac_of_the_whole_form(key: bytes, name: str) -> None:
    """Claim: whatever the key, the digest is HMAC-SHA-256 over the prefix and the reference's bytes."""
    name = name.encode("utf-8", "replace").decode()
    action = Action(
        "desk.pay", snapshot({"to": name, "n": 1.0}), "agent", name, Principal("email", "a@b.example")
    )
    form = {
        "agent": "agent", "arguments": tagged({"to": name, "n": 1.0}), "name": "desk.pay",
        "on_behalf_of": ["email", "a@b.example", None], "session": name, "target": None,
    }  # fmt: skip
    whole = hmac.new(key, b"gate.action.v1\n" + canonical(form), "sha256").hexdigest()
    assert action_digest(key, action) == action_digest(key, action, afresh=True) == whole
