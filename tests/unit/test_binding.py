"""Calls are bound to names, and the tool is called again with exactly those values."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from gate.binding import Binding, is_plain, json_schema
from gate.errors import ActionError, GuardError
from gate.model import Parameters


def everything(a: int, /, b: str, *rest: int, c: Decimal = Decimal(1), **more: str) -> tuple[Any, ...]:
    """Give back what was received."""
    return a, b, rest, c, more


def with_context(amount: int, ctx: Any, log: Any = None) -> tuple[Any, ...]:
    """Give back what was received."""
    return amount, ctx, log


class Shop:
    def refund(self, amount: int) -> int:
        return amount

    @classmethod
    def close(cls, why: str) -> str:
        return why


def test_every_kind_of_parameter_is_bound_and_called_again() -> None:
    """Positional-only, variable, keyword-only and free parameters keep their values on the way back."""
    binding = Binding(everything)
    bound = binding.bind((1, "x", 5, 6), {"k": "v"})
    assert bound.arguments == {"a": 1, "b": "x", "rest": [5, 6], "c": Decimal(1), "k": "v"}
    args, kwargs = binding.unbind(bound.arguments, bound.live)
    assert everything(*args, **kwargs) == (1, "x", (5, 6), Decimal(1), {"k": "v"})
    assert binding.parameters == Parameters(frozenset({"a", "b", "rest", "c"}), open=True)


def test_a_free_keyword_cannot_pose_as_a_parameter() -> None:
    """A keyword that bears a positional-only parameter's name is refused, for people would see only one."""
    with pytest.raises(ActionError, match=r"args\.a"):
        Binding(everything).bind((1, "x"), {"a": "2"})


def test_a_call_that_does_not_fit_raises_like_the_tool() -> None:
    """A wrong call is a TypeError, as without the gate."""
    with pytest.raises(TypeError, match="missing"):
        Binding(everything).bind((1,), {})


def test_receivers_are_never_judged() -> None:
    """Self and cls pass through and are not mentioned."""
    shop = Shop()
    binding = Binding(Shop.refund)
    bound = binding.bind((shop, 5), {})
    assert bound.arguments == {"amount": 5}
    assert bound.live == {"self": shop}
    assert binding.not_shown == ()
    assert Binding(Shop.__dict__["close"].__func__).parameters.names == {"why"}


def test_excluded_parameters_pass_through() -> None:
    """An excluded parameter is live, told of, and nothing policies can read."""
    marker = object()
    binding = Binding(with_context, ["ctx", "log"])
    bound = binding.bind((5, marker), {})
    assert bound.arguments == {"amount": 5}
    assert bound.live == {"ctx": marker, "log": None}
    assert binding.not_shown == ("ctx", "log")
    assert binding.parameters == Parameters(frozenset({"amount"}))


@pytest.mark.parametrize("value", ["x", 1, 1.5, True, None, [], {"a": ["b"]}, ("x", None)])
def test_excluded_parameters_refuse_plain_values(value: object) -> None:
    """A value that a model could write must not slip past as a live parameter."""
    with pytest.raises(ActionError, match="ctx: this parameter is excluded"):
        Binding(with_context, ["ctx"]).bind((5, value), {})


def test_excluding_what_is_no_parameter_is_refused() -> None:
    """A misspelt exclude is told with the names there are."""
    with pytest.raises(GuardError, match=r"exclude='context'.*amount, ctx, log"):
        Binding(with_context, ["context"])


def test_plain_means_all_the_way_down() -> None:
    """One live object anywhere makes a container live."""
    assert is_plain({"a": [1, ("x",)]})
    assert not is_plain({"a": [object()]})
    assert not is_plain({1: "x"})


def test_the_schema_describes_the_judged_arguments() -> None:
    """The catalogue's schema has types, required names and openness, without excluded parameters."""
    assert json_schema(Binding(with_context, ["ctx", "log"])) == {
        "type": "object",
        "properties": {"amount": {"type": "integer"}},
        "required": ["amount"],
        "additionalProperties": False,
    }
    schema = json_schema(Binding(everything))
    assert schema["properties"]["rest"] == {"type": "array", "items": {"type": "integer"}}
    assert schema["required"] == ["a", "b"]
    assert schema["additionalProperties"] is True


def test_annotations_without_a_schema_accept_anything() -> None:
    """A type that pydantic cannot describe leaves its parameter open."""

    def tool(gadget: Shop, unknown: Nowhere, n: int) -> None:  # type: ignore[name-defined]  # noqa: F821
        """Do nothing."""

    assert json_schema(Binding(tool))["properties"] == {"gadget": {}, "unknown": {}, "n": {}}
