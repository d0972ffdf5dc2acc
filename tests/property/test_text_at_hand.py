"""The text of a call that is at hand since its digest was made is the one that the log would write."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gate.audit import canonical
from gate.digest import Snapshot, snapshot
from gate.model import Action
from gate.redact import redact
from gate.service.preparing import kept_text


class Kind(Enum):
    """A member with a name."""

    ONE = 1


@dataclass(frozen=True)
class Line:
    """A model."""

    number: int


_KEYS = st.sampled_from(["a", "b", "token", "$int", "ü", "\ue000", "😀", "AKIAABCD1234EFGH5678", "note", ""])
_SINGLES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**54), 2**54),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-0.001, 0.001),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    st.sampled_from([0, 1, 1.0, -0.0, 0.5, True, False, "1", 2**53, 2**70, Decimal(1), b"x", 1e-7, 1e22]),
    st.sampled_from(["password=hunter22", "4111111111111111", 4111111111111111, '"\\\x00\u2028']),
    st.sampled_from([date(2026, 1, 2), datetime(2026, 1, 2, tzinfo=UTC), UUID(int=7), Kind.ONE, Line(1)]),
    st.sampled_from(["(hidden)", "(hidden card number, 16 characters)"]),
)
_VALUES = st.recursive(
    _SINGLES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(_KEYS, inner, max_size=4),
        st.lists(inner, max_size=2).map(tuple),
    ),
    max_leaves=10,
)


def _kept(arguments: Any, **rules: Any) -> str:
    return kept_text(Action("desk.run", arguments, "agent", "s1"), redact(arguments, **rules))


@given(_VALUES, st.booleans(), st.sampled_from([(), ("args.v.a",), ("args.v.token",)]))
def test_the_text_at_hand_is_what_the_log_would_write(
    value: Any, shown: bool, paths: tuple[str, ...]
) -> None:
    """Claim: whatever is hidden or shown, it is the canonical text of what people see."""
    rules = {"paths": paths, "show": ("args.v", "args.v.token", "args.v.note") if shown else ()}
    taken = snapshot({"v": value})
    alone = canonical(redact(dict(taken), **rules).arguments)  # type: ignore[arg-type]
    assert _kept(taken, **rules) == _kept(dict(taken), **rules) == alone


@given(st.dictionaries(_KEYS, _VALUES, max_size=3))
@example({"$dict": 1})
@example({"$int": "7"})
def test_names_of_arguments_that_look_like_tags_are_kept_as_names(arguments: dict[str, Any]) -> None:
    """Claim: an argument is kept below its name whatever that is, so that it is found there again."""
    assert _kept(snapshot(arguments)) == canonical(redact(arguments).arguments)


@pytest.mark.parametrize(
    ("value", "is_at_hand"),
    [
        ({"b": 1, "a": ["ü", None, 0.5]}, True),
        ("password=hunter22", False),
        ({"token": "x"}, False),
        ([1.0], False),
        ((1,), False),
        ({"$int": 1}, True),
        ([2**53, Decimal("1.50")], True),
        ([date(2026, 1, 2)], False),
        ([4111111111111111], False),
        (["a", b"x"], False),
        ([1e-5], False),
        ({"\ue000": 1, "\U00010000": 2}, False),
    ],
)
def test_only_plain_json_without_secrets_has_its_text_at_hand(value: Any, is_at_hand: bool) -> None:
    """Claim: what needs a tag, what is hidden, and odd keys are written by themselves."""
    other = Snapshot(snapshot({"v": value}), b"at hand", plain=snapshot({"v": value}).plain)
    assert (_kept(other) == "at hand") is is_at_hand
