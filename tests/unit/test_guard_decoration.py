"""What the guard refuses to guard, and what it leaves as it was."""

from __future__ import annotations

import functools
import inspect
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from gate import Blocked, Effect, Gate
from gate.errors import ActionError, GuardError
from tests.gate_kit import gate_on


@pytest.fixture
def gate() -> Gate:
    """Return a gate that nothing ever opens."""
    return Gate(namespace="desk")


def pay(amount: int, to: str = "bob") -> str:
    """Pay somebody."""
    return f"{amount} to {to}"


async def pay_later(amount: int) -> str:
    """Pay somebody later."""
    return str(amount)


def test_signature_docstring_and_annotations_stay(gate: Gate) -> None:
    """Whoever looks at a guarded tool sees the tool."""
    tool = gate.guard("desk.pay")(pay)
    assert inspect.signature(tool) == inspect.signature(pay)
    assert get_type_hints(tool) == {"amount": int, "to": str, "return": str}
    assert (tool.__name__, tool.__doc__, tool.__module__) == ("pay", "Pay somebody.", __name__)
    assert not inspect.iscoroutinefunction(tool)
    assert inspect.iscoroutinefunction(gate.guard("desk.later")(pay_later))


def test_a_bare_name_gets_the_namespace(gate: Gate) -> None:
    """A name without a dot, or the function's own, stands in the gate's namespace."""
    assert gate.guard("give")(pay).__gate_guarded__.name == "desk.give"  # type: ignore[attr-defined]
    assert gate.guard()(pay_later).__gate_guarded__.name == "desk.pay_later"  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["pay", "pay.", "päy.x", "a b.c", "", "a..b"])
def test_names_of_another_form_are_refused(name: str) -> None:
    """An action name is namespace.tool in ASCII, or the decoration fails."""
    with pytest.raises(GuardError, match="is no action name"):
        Gate().guard(name)(pay)


def _numbers() -> Any:
    yield 1


async def _later_numbers() -> Any:
    yield 1


class Tool:
    def __call__(self) -> int:
        return 1

    @staticmethod
    def static() -> int:
        return 1


@pytest.mark.parametrize(
    ("thing", "why"),
    [
        (_numbers, "generator"),
        (_later_numbers, "generator"),
        (Tool(), "no function but a Tool"),
        (Tool, "no function but a type"),
        (functools.partial(pay, 1), "no function but a partial"),
        (len, "no function but a builtin"),
        (Tool.__dict__["static"], "under @staticmethod"),
        (classmethod(lambda cls: 1), "under @classmethod"),
        (property(lambda self: 1), "under @property"),
    ],
)
def test_what_is_no_plain_function_is_refused_with_the_reason(gate: Gate, thing: Any, why: str) -> None:
    """Generators and objects are refused when decorated, and the message says why."""
    with pytest.raises(GuardError, match=why):
        gate.guard("desk.thing")(thing)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"on_refusal": "ignore"}, "on_refusal"),
        ({"exclude": "to"}, "one text"),
        ({"exclude": ["who"]}, "no single parameter"),
        ({"effect": {"risk": "read"}}, "no Effect"),
        ({"facts": {"environment": "production"}}, "facts= takes a def"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(gate: Gate, options: dict[str, Any], why: str) -> None:
    """A misspelt option fails at decoration, not at the first call."""
    with pytest.raises(GuardError, match=why):
        gate.guard("desk.pay", **options)(pay)


@pytest.mark.parametrize(("wait", "error"), [(-1, ValueError), ("soon", ValueError), (True, TypeError)])
def test_a_wait_that_is_none_is_refused(gate: Gate, wait: Any, error: type[Exception]) -> None:
    """Only seconds, a timedelta or until_decided say how long to wait."""
    with pytest.raises(error, match="wait="):
        gate.guard("desk.pay", wait=wait)


def test_the_guard_needs_its_parentheses(gate: Gate) -> None:
    """A guard put on without a name says how to write it."""
    with pytest.raises(GuardError, match="with parentheses"):
        gate.guard(pay)  # type: ignore[call-overload]


def test_one_name_for_two_functions_is_refused(gate: Gate) -> None:
    """A second function under the same name fails, whatever the case; the same one again does not."""
    gate.guard("desk.pay")(pay)
    gate.guard("desk.pay")(pay)
    with pytest.raises(GuardError, match="already the name of pay"):
        gate.guard("desk.PAY")(pay_later)


def test_a_guarded_callable_passes_through_or_is_refused(gate: Gate) -> None:
    """Guarding again under the same name gives the same callable; under another name or gate it fails."""
    tool = gate.guard("desk.pay", effect=Effect(risk="write"))(pay)
    assert gate.guard("desk.pay")(tool) is tool
    assert gate.guard()(tool) is tool
    with pytest.raises(GuardError, match="guarded already"):
        gate.guard("desk.other")(tool)
    with pytest.raises(GuardError, match="guarded already"):
        Gate().guard("desk.pay")(tool)


def test_making_and_decorating_touch_nothing(tmp_path: Path) -> None:
    """A gate that was not opened has made no file, not even with a policy that is not there."""
    made = Gate(policy=tmp_path / "none", db=tmp_path / "store" / "gate.db")
    made.guard("desk.pay")(pay)
    assert list(tmp_path.iterdir()) == []


def test_only_guarded_tools_have_a_preview(gate: Gate) -> None:
    """What is not guarded is judged by nobody, so there is nothing to show."""
    with pytest.raises(GuardError, match="is not guarded"):
        gate.preview(pay, 1)


def test_facts_that_cannot_be_judged_are_refused(tmp_path: Path) -> None:
    """The path of the fact is named, and the session is not opened."""
    with gate_on(tmp_path) as gate:
        with pytest.raises(ActionError, match=r"facts\.when"):
            gate.session("s", on_behalf_of=None, facts={"when": object()})
        assert gate.service.records()[-1].body["kind"] != "session"


def _closures() -> list[Any]:
    """Return two functions of one qualified name, and one of them made again."""
    made: list[Any] = []
    for _ in range(2):

        def tool(amount: int) -> str:
            return f"first {amount}"

        made.append(tool)

    def tool(amount: int) -> str:  # type: ignore[no-redef]
        return f"second {amount}"

    return [*made, tool]


def test_two_closures_of_one_name_are_two_functions(gate: Gate) -> None:
    """The same code may be guarded again, such as by a factory; other code of the same name may not."""
    first, again, second = _closures()
    assert first.__qualname__ == second.__qualname__
    gate.guard("desk.tool")(first)
    gate.guard("desk.tool")(again)
    with pytest.raises(GuardError, match="already the name of"):
        gate.guard("desk.tool")(second)
    gate.guard("desk.small")(lambda: 1)
    with pytest.raises(GuardError, match="already the name of"):
        gate.guard("desk.small")(lambda: 2)


def test_a_cell_or_module_may_be_run_again(gate: Gate) -> None:
    """A function that its module defines anew takes the place of the one before, also where it was edited."""
    names: dict[str, Any] = {"gate": gate, "__name__": "notebook"}
    for cell, amount in enumerate([1, 1, 2]):
        text = f"@gate.guard('desk.cell')\ndef tool():\n    return {amount}\n"
        exec(compile(text, f"cell-{cell}", "exec"), names)
    assert gate._tools["desk.cell"].function() == 2


def _in_front(tool: Any) -> tuple[Any, list[Any]]:
    """Return a function that looks like a tool, and what it was called with."""
    seen: list[Any] = []

    @functools.wraps(tool)
    def front(*args: Any, **kwargs: Any) -> Any:
        seen.append(args)
        return tool(*args, **kwargs)

    return front, seen


def test_a_copied_mark_guards_nothing(tmp_path: Path) -> None:
    """A function that only looks like a guarded tool is not taken for one: guarding it really guards it."""
    with gate_on(tmp_path, namespace="desk") as gate:
        tool = gate.guard("desk.pay")(pay)
        ran: list[int] = []

        @functools.wraps(tool)
        def other(amount: int, to: str = "bob") -> str:
            ran.append(amount)
            return "other"

        with pytest.raises(GuardError, match="already the name of pay"):
            gate.guard("desk.pay")(other)
        guarded_now = gate.guard("desk.delete_all")(other)
        assert guarded_now is not other
        with pytest.raises(Blocked):
            guarded_now(5)
        assert ran == []


def test_no_decorator_in_front_of_a_guard_is_skipped(tmp_path: Path) -> None:
    """What stands in front of a guarded tool is refused by name where only the tool itself would run."""
    with gate_on(tmp_path) as gate:
        front, seen = _in_front(gate.guard("desk.pay")(pay))
        assert front(5) == "5 to bob"
        for ask in (gate.outcome, gate.preview):
            with pytest.raises(GuardError, match="stands in front of a guarded tool"):
                ask(front, 5)
        assert seen == [(5,)]


def test_methods_stay_guarded(tmp_path: Path) -> None:
    """A guarded method is one, bound or not, and a decorated one in front of it is not."""
    with gate_on(tmp_path) as gate:

        class Till:
            @gate.guard("desk.pay")
            def pay(self, amount: int) -> str:
                return f"paid {amount}"

            front = functools.wraps(pay)(lambda self, amount: "front")

        assert gate.outcome(Till().pay, 5).result == "paid 5"  # type: ignore[union-attr]
        assert gate.outcome(Till.pay, Till(), 5).result == "paid 5"  # type: ignore[union-attr]
        with pytest.raises(GuardError, match="stands in front"):
            gate.outcome(Till().front, 5)  # type: ignore[call-overload]
