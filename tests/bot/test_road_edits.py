"""Changed calls across processes: the waiter in another process, a caller that died, a bot that was away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot import names
from bot.local_workspace import LocalWorkspace
from gate.lifecycle import State
from gate.model import HoldRecord, Person, Route
from tests.bot.bot_fixtures import POLICY, eventually
from tests.bot.road import PATIENCE, Road, make_road

EDITABLE = POLICY.replace(
    "reason: Refund above the limit.}", "reason: Refund above the limit., editable: [args.amount]}"
).replace("reason: Two people.}", "reason: Two people., editable: [args.amount]}")
ROUTE = Route(app="A0GATE", api_host="127.0.0.1", channel="C0APPROVALS", message_ts="1.1", action_ts="2.2")


@pytest.fixture
def road(tmp_path: Path, workspace: LocalWorkspace) -> Iterator[Road]:
    """Give a road on which calls may be changed."""
    yield from make_road(tmp_path, workspace, EDITABLE)


def change(road: Road, hold: HoldRecord, user: str, amount: Any) -> HoldRecord:
    """Let somebody change the amount of a hold as it stands, without a bot."""
    now = road.store.hold(hold.id)
    return road.store.edit(
        now.id, store=now.store, nonce=now.nonce, person=Person("T0LOCAL", user, user[2:].lower()),
        satisfies=frozenset({user, "S0FINANCE"}), changes={"args.amount": amount}, route=ROUTE,
    )  # fmt: skip


def test_the_waiter_of_another_process_runs_the_changed_call_once_it_is_approved(road: Road) -> None:
    """A change alone wakes no tool: the agent waits through two versions and runs the last one, once."""
    road.open()
    agent = road.agent()
    agent.ask("pay_out")
    hold = road.hold()
    road.card(hold)
    assert change(road, hold, "U0ALICE", 8000).state is State.PENDING
    assert change(road, hold, "U0BOB", 7000).state is State.PENDING
    road.shown(hold, "7000")
    assert agent.waits
    assert road.happened() == []
    road.press("U0ALICE", hold, names.APPROVE)
    told = agent.answer()
    assert (told["kind"], told["result"]) == ("Ran", "PO-7000")
    assert "2 people changed the call before it was approved: amount from 9000 to 7000." in told["message"]
    assert road.happened() == ["pay out 7000"]
    assert road.log(hold) == ["submit", "edit", "approve", "edit", "approve", "approve", "claim", "settle"]


def test_a_caller_that_died_finds_the_changed_call_again(road: Road) -> None:
    """Its process is killed while it waits; started anew, the same call runs as it was changed meanwhile."""
    first = road.agent()
    first.ask(id_="c1")
    hold = road.hold()
    first.stop()
    assert change(road, hold, "U0ALICE", 250).state is State.APPROVED
    again = road.agent()
    again.ask(id_="c1")
    told = again.answer()
    assert (told["kind"], told["action"]) == ("Ran", hold.id)
    assert "amount from 400 to 250" in told["message"]
    assert road.happened() == ["refund ORD-1 250 EUR"]


def test_the_outbox_tells_what_was_changed_while_no_bot_ran(road: Road) -> None:
    """A bot that died between a change and its card posts what is owed once it is back."""
    road.open()
    agent = road.agent()
    agent.ask("pay_out")
    hold = road.hold()
    road.card(hold)
    road.rest()
    change(road, hold, "U0ALICE", 8000)
    road.open()
    road.shown(hold, "Changed by")
    assert any("amount from 9000 to 8000" in each for each in road.thread(hold, "amount from 9000 to 8000"))
    road.press("U0BOB", hold, names.APPROVE)
    assert agent.answer()["result"] == "PO-8000"
    eventually(lambda: road.store.hold(hold.id).state is State.SUCCEEDED, PATIENCE)
