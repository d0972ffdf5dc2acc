"""What stands beside the arguments of an action that host code made: judged, copied, or refused in words."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from gate import Effect, Gate
from gate.errors import ActionError
from gate.handles import Held
from gate.model import Action, Parameters
from tests.gate_kit import gate_on

LOOP: list[Any] = []
LOOP.append(LOOP)


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    """Return an open gate with a session ``s1``."""
    with gate_on(tmp_path) as made:
        made.session("s1", on_behalf_of=None)
        yield made


def pay(**more: Any) -> Action:
    """Return a payment that is held."""
    return replace(Action("desk.pay", {"amount": 50}, "desk", "s1"), **more)


WRONG: dict[str, dict[str, Any]] = {
    "facts.x": {"facts": {"x": float("nan")}},
    "facts.y": {"facts": {"y": object()}},
    "facts.z": {"facts": {"z": LOOP}},
    "facts.s": {"facts": {"s": "\ud83d"}},
    "facts: must be values": {"facts": [1]},
    "facts: a key": {"facts": {1: 2}},
    "args: must be values": {"arguments": [1]},
    "on_behalf_of": {"on_behalf_of": "alice"},
    "effect: it is no Effect": {"effect": "write"},
    r"Effect\(risk": {"effect": Effect(risk=cast("Any", "huge"))},
    r"Effect\(amount": {"effect": Effect(amount="a b[[")},
    r"Effect\(describe": {"effect": Effect(describe=cast("Any", 5))},
    "parameters: it is no": {"parameters": "amount"},
    "parameters: names": {"parameters": Parameters(cast("Any", "amount"))},
    "not_shown: names": {"not_shown": "ctx"},
    "not_shown: it is no text": {"not_shown": (object(),)},
    "session: it is no text": {"session": 7},
    "note: it is no text": {"note": "\ud83d"},
}


@pytest.mark.parametrize("said", WRONG)
def test_a_part_that_cannot_be_judged_is_refused(gate: Gate, said: str) -> None:
    """One sentence names the part; nobody is asked, and the log tells of the refusal."""
    with pytest.raises(ActionError, match=said) as caught:
        gate.submit(pay(**WRONG[said]))
    assert str(caught.value).endswith("Nothing ran.")
    assert not gate.service.holds()
    assert gate.service.records(newest=True, limit=1)[0].body["kind"] == "refused"


@pytest.mark.parametrize("given", [None, 5, "desk.pay", {"name": "desk.pay"}])
def test_what_is_no_action_is_refused(gate: Gate, given: Any) -> None:
    """Whatever is submitted in the place of an action is refused in words, beside an event loop too."""
    for submit in (gate.submit, lambda each: asyncio.run(gate.submit_async(each))):
        with pytest.raises(ActionError, match="no Action"):
            submit(given)


def test_facts_are_copied_when_they_are_submitted(gate: Gate) -> None:
    """What the host changes in its own facts afterwards changes nothing in the action that was judged."""
    tags = ["vip"]
    submitted = gate.submit(pay(facts={"tags": tags}))
    tags.append("blocked")
    assert isinstance(submitted, Held)
    assert submitted.action.facts == {"tags": ["vip"]}
