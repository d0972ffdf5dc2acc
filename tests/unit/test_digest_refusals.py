"""What cannot be judged is refused with its path, before anything is stored."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from gate.digest import MAX_VALUES, snapshot, tagged
from gate.errors import ActionError


def _nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def _cycle() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["self"] = {"again": value}
    return value


class Text(str):
    """A text that may carry more than it shows."""


@dataclass
class Box:
    """A model of which one field may be anything."""

    content: Any


@dataclass
class Labelled(dict):  # type: ignore[type-arg]
    """A dict that poses as a dataclass."""

    label: str = ""


REFUSED = [
    pytest.param({"a": float("nan")}, "args.a", "nan", id="nan"),
    pytest.param({"a": [1, float("-inf")]}, "args.a[1]", "-inf", id="infinity"),
    pytest.param({"a": Decimal("NaN")}, "args.a", "NaN", id="decimal-nan"),
    pytest.param({"a": {"b.c": Decimal("Infinity")}}, 'args.a["b.c"]', "Infinity", id="decimal-infinity"),
    pytest.param({"a": _cycle()}, "args.a.self.again", "contains itself", id="cycle"),
    pytest.param({"a": Box(_cycle())}, "args.a.content.self.again", "contains itself", id="cycle-in-model"),
    pytest.param({"a": _nested(64)}, "args.a", "64 levels", id="depth"),
    pytest.param({"a": "x" * 1_000_001}, "args.a", "1 MB", id="one-long-text"),
    pytest.param({"a": "é" * 500_001}, "args.a", "1 MB", id="bytes-not-characters"),
    pytest.param({"a": ["x" * 600_000, b"y" * 600_000]}, "args.a[1]", "1 MB", id="together-too-long"),
    pytest.param({"a": [0] * MAX_VALUES}, "args.a", "20,000 values", id="too-many-values"),
    pytest.param({"a": "\ud800"}, "args.a", "surrogate", id="surrogate"),
    pytest.param({"a": {"\udfff": 1}}, "args.a", "surrogate", id="surrogate-key"),
    pytest.param({"a": {1: "x"}}, "args.a", "int", id="number-as-key"),
    pytest.param({"a": (each for each in [1])}, "args.a", "generator", id="generator"),
    pytest.param({"a": {1, 2}}, "args.a", "set", id="set"),
    pytest.param({"a": object()}, "args.a", "object", id="object"),
    pytest.param({"a": timedelta(1)}, "args.a", "timedelta", id="timedelta"),
    pytest.param({"a": Text("x")}, "args.a", "Text", id="kind-of-text"),
    pytest.param({"a": OrderedDict()}, "args.a", "OrderedDict", id="kind-of-dict"),
    pytest.param({"a": Labelled()}, "args.a", "Labelled", id="dict-posing-as-model"),
    pytest.param({"a": Box}, "args.a", "type", id="class"),
    pytest.param({"a": print}, "args.a", "builtin_function", id="function"),
    pytest.param({"a": 10**4000}, "args.a", "digits", id="enormous-integer"),
]


@pytest.mark.parametrize(("arguments", "path", "why"), REFUSED)
def test_refusals_name_the_path_and_the_reason(arguments: dict[str, Any], path: str, why: str) -> None:
    """Each value that cannot be judged is refused, and the message says where and why."""
    with pytest.raises(ActionError) as caught:
        snapshot(arguments)
    message = str(caught.value)
    assert message.startswith(path)
    assert why in message
    assert message.endswith("Nothing ran.")


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"a": _nested(63)}, id="63 lists in the arguments are 64 levels"),
        pytest.param({"a": "x" * 999_999}, id="just under 1 MB"),
        pytest.param({"a": [0] * (MAX_VALUES - 2)}, id="20,000 values with list and arguments"),
        pytest.param({"a": [[], []], "b": 10**3000}, id="the same empty list twice is no cycle"),
    ],
)
def test_the_limits_themselves_are_accepted(arguments: dict[str, Any]) -> None:
    """A call that lies on a limit is judged like any other."""
    assert snapshot(arguments) == arguments


def test_a_value_used_twice_is_no_cycle() -> None:
    """The same list in two places is written down twice."""
    shared = ["x"]
    assert tagged({"a": shared, "b": [shared, shared]}) == {"a": ["x"], "b": [["x"], ["x"]]}


def test_a_model_that_cannot_be_read_is_refused() -> None:
    """A model whose attributes raise cannot be judged, so the call is refused and nothing raw comes out."""

    class Stubborn(Box):
        content = property(lambda self: 1 / 0, lambda self, value: None)

    with pytest.raises(ActionError, match="ZeroDivisionError"):
        snapshot({"a": Stubborn(1)})


@dataclass
class Broken(Exception):
    """An exception that poses as a dataclass, and keeps its arguments where no field is."""

    label: str = ""


class Short(tuple):  # type: ignore[type-arg]
    """A tuple that names fewer values than it has."""

    _fields = ("one",)


class Twice(tuple):  # type: ignore[type-arg]
    """A tuple that gives two values one name."""

    _fields = ("one", "one")


@pytest.mark.parametrize("value", [Broken("x"), Short((1, 2)), Twice((1, 2))], ids=["c", "short", "twice"])
def test_what_holds_more_than_its_fields_can_name_is_refused(value: object) -> None:
    """A model whose values cannot all be named is none."""
    with pytest.raises(ActionError, match=r"args\.a"):
        snapshot({"a": value})
