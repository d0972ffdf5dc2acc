"""A call is bound to names as Python itself binds it."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.binding import Binding


def pay(amount: int, to: str = "bob", *, note: str = "") -> None:
    """Pay."""


def move(amount: int, to: Any, currency: str = "EUR", reason: str = "") -> None:
    """Move."""


@given(
    st.sampled_from([pay, move]),
    st.lists(st.integers(), max_size=5),
    st.dictionaries(
        st.sampled_from(["amount", "to", "currency", "reason", "note", "other"]), st.integers(), max_size=4
    ),
)
def test_names_and_refusals_are_those_of_the_signature(
    tool: Any, args: list[int], kwargs: dict[str, int]
) -> None:
    """Claim: the names, their order and defaults, or the TypeError, are Python's own."""
    binding = Binding(tool)
    try:
        expected = inspect.signature(tool).bind(*args, **kwargs)
    except TypeError as error:
        said = str(error)
        with pytest.raises(TypeError, match=f"^{re.escape(said)}$"):
            binding.bind(args, kwargs)
        return
    expected.apply_defaults()
    bound = binding.bind(args, kwargs)
    assert list(bound.arguments.items()) == list(expected.arguments.items())
    again = inspect.signature(tool).bind(
        *binding.unbind(bound.arguments, {})[0], **binding.unbind(bound.arguments, {})[1]
    )
    assert again.arguments == expected.arguments
