"""What runs is the call that was judged, once, and nothing of it runs later."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gate import Gate
from gate.errors import ActionError, GuardError, IllegalMove
from gate.handles import Allowed, Held
from gate.lifecycle import State
from gate.model import Action
from tests.gate_kit import gate_on
from tests.kit import answer


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    with gate_on(tmp_path) as made, made.session("s1", on_behalf_of=None):
        yield made


def test_an_allowed_submission_is_claimed_once(gate: Gate) -> None:
    """A second claim of one submission is refused, while it runs and after it ended."""
    allowed = gate.submit(Action("desk.get_x", {"n": 1}, "desk", "s1"))
    assert isinstance(allowed, Allowed)
    with gate.claim(allowed), pytest.raises(IllegalMove), gate.claim(allowed):
        raise AssertionError("it ran twice")
    with pytest.raises(IllegalMove), gate.claim(allowed):
        raise AssertionError("it ran twice")
    assert gate.service.action(allowed.action_id).state == State.SUCCEEDED


def test_arguments_changed_after_the_submit_do_not_run(gate: Gate) -> None:
    """The arguments of a submission cannot be changed any more: another call does not run in its name."""
    allowed = gate.submit(Action("desk.get_x", {"n": [1]}, "desk", "s1"))
    held = gate.submit(Action("desk.pay", {"amount": 50, "to": ["bob"]}, "desk", "s1"))
    assert isinstance(allowed, Allowed)
    assert isinstance(held, Held)
    answer(gate.service, held.action_id)
    for submission, name in ((allowed, "n"), (held, "to")):
        submission.action.arguments[name].append("eve")
        with pytest.raises(IllegalMove, match="not the one"), gate.claim(submission):
            raise AssertionError("another call ran")
    assert gate.service.action(held.action_id).state == State.APPROVED


def test_a_submission_that_is_thrown_away_does_not_stay_running(gate: Gate) -> None:
    """Nobody has an allowed action in hand any more once its submission is gone."""
    action_id = gate.submit(Action("desk.get_x", {"n": 1}, "desk", "s1")).action_id
    gate.service.heartbeat()
    assert gate.service.action(action_id).state == State.FAILED


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "desk.\ud800"},
        {"target": 5},
        {"target": {"a": 1}},
        {"call_id": ["c"]},
        {"note": 1},
        {"session": 5},
        {"arguments": [1]},
    ],
)
def test_an_action_says_everything_in_texts(gate: Gate, changes: dict[str, Any]) -> None:
    """A part that is no text is refused by name, and nothing raw comes out."""
    given = {"name": "desk.get_x", "arguments": {"n": 1}, "agent": "desk", "session": "s1"} | changes
    with pytest.raises(ActionError, match=next(iter(changes)).replace("arguments", "args")):
        gate.submit(Action(**given))


@pytest.mark.parametrize("receiver", ["first", 5, None, {"a": 1}, [1]])
def test_a_receiver_that_is_a_plain_value_is_refused(gate: Gate, receiver: object) -> None:
    """A function whose first parameter is called like a receiver cannot smuggle a value past the policy."""
    ran: list[object] = []

    @gate.guard("desk.get_seat")
    def seat(cls: object, number: int) -> None:
        ran.append(cls)

    with pytest.raises(ActionError, match="cls"):
        seat(receiver, 1)
    assert ran == []


def test_a_live_value_that_contains_itself_is_refused(gate: Gate) -> None:
    """Plain values are told from live objects also where they contain themselves."""

    @gate.guard("desk.get_ctx", exclude=["ctx"])
    def ctx(ctx: object) -> str:
        return "ran"

    inside: dict[str, object] = {}
    inside["me"] = [inside]
    with pytest.raises(ActionError, match="ctx"):
        ctx(inside)
    inside["live"] = object()
    assert ctx(inside) == "ran"


def test_work_that_has_yet_to_run_is_refused(gate: Gate) -> None:
    """A generator or coroutine that a tool returns would run unseen later, so it never does."""
    ran: list[str] = []

    async def later() -> None:
        ran.append("coroutine")

    def lines() -> Iterator[int]:
        ran.append("generator")
        yield 1

    @gate.guard("desk.get_lines")
    def get_lines() -> Iterator[int]:
        return lines()

    @gate.guard("desk.get_later")
    async def get_later(which: int) -> Any:
        return lines() if which else later()

    with pytest.raises(GuardError, match="generator"):
        get_lines()
    with pytest.raises(GuardError, match="generator"):
        asyncio.run(get_later(1))
    with pytest.raises(GuardError, match="await"):
        asyncio.run(get_later(0))
    assert ran == []


@pytest.mark.parametrize("error", ["surrogate", "hostile", "subclass"])
def test_whatever_an_exception_says_its_call_has_an_end(gate: Gate, error: str) -> None:
    """A text that cannot be stored, or that raises when asked for, is recorded as far as it can be."""

    class Sly(str):
        def encode(self, *_: object) -> bytes:  # type: ignore[override]
            raise RuntimeError

    class Hostile(Exception):
        def __str__(self) -> str:
            raise SystemExit(3)

    class Sub(Exception):
        def __str__(self) -> str:
            return Sly("it said so")

    raised = {"surrogate": ValueError("half \ud800"), "hostile": Hostile(), "subclass": Sub()}[error]
    told = {"surrogate": "ValueError: half \\ud800", "hostile": "Hostile", "subclass": "Sub: it said so"}[
        error
    ]

    @gate.guard("desk.get_error")
    def get_error() -> None:
        raise raised

    with pytest.raises(type(raised)) as caught:
        get_error()
    assert caught.value is raised
    (end,) = [each.body for each in gate.service.records() if each.body["kind"] == "settle"]
    assert end["error"] == told
