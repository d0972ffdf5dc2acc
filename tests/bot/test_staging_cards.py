"""Cards in a channel that replaces the policy's say so, whoever was told to replace it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from bot.app import SlackBot
from bot.local_workspace import LocalWorkspace
from gate.facade import Gate
from gate.service import Service
from tests.bot.bot_fixtures import CALM, CHANNEL, POLICY, Office, eventually, office, settings, spell
from tests.kit import ALICE, EDITABLE, act, change, service

__all__ = ["office"]

SAYS = "GATE_CHANNEL` replaced the policy"


@pytest.mark.parametrize("by", ["gate", "nobody"])
def test_a_card_says_that_its_channel_replaces_the_policys(
    db: Path, tmp_path: Path, workspace: LocalWorkspace, by: str
) -> None:
    """It does where the gate's own ``channel=`` replaced it, though the bot's settings name none."""
    workspace.control.set_channel("C0STAGING", name="staging", members=["U0ALICE", "U0GATEBOT"])
    (tmp_path / "refunds.yml").write_text(POLICY)
    where = "C0STAGING" if by == "gate" else CHANNEL
    gate = Gate(policy=tmp_path / "refunds.yml", db=db, channel="C0STAGING" if by == "gate" else None)

    @gate.guard("payments.issue_refund", on_refusal="return", wait=0)
    def issue_refund(amount: int) -> str:
        return "ran"

    with gate, SlackBot(gate, settings(workspace), transport="socket", ping=CALM):
        with gate.session("s1", agent="support", on_behalf_of=None):
            issue_refund(400)
        (card,) = eventually(lambda: [m for m in workspace.control.messages(where) if "actions" in str(m)])
        assert (SAYS in spell(card)) is (by == "gate")


def test_a_bot_that_replaces_a_channel_says_nothing_of_others_cards(
    office: Office, workspace: LocalWorkspace
) -> None:
    """Where the agent asks in the policy's own channel, its card does not call that staging."""
    workspace.control.set_channel("C0STAGING", name="staging", members=["U0ALICE", "U0GATEBOT"])
    office.open(channel="C0STAGING")
    assert SAYS not in spell(office.card(office.hold()))


def test_a_change_asks_where_the_call_was_asked_about(db: Path) -> None:
    """What a change adds is asked in the replaced channel too, though who takes it knows of none."""
    text = EDITABLE.replace(
        "  - {id: huge",
        "  - {id: odd, match: desk.pay, when: {args.amount: {gt: 500}}, then: require_approval, "
        "reason: Odd., approvers: [U0BOB], channel: C0ODD, editable: [args.amount]}\n  - {id: huge",
    )
    agent = service(db, text=text, channel="C0STAGING")
    hold = agent.submit(act(amount=400, to="bob"), wait=False).record.id
    bot = Service(db, clock=agent.clock, kind="bot", create=False, made_by=cast(Any, agent.meta("made_by")))
    after = change(bot, hold, ALICE, amount=600)
    assert {rule for each in after.requirements for rule in each.rules} == {"desk/large", "desk/odd"}
    assert {(each.channels, each.staging) for each in after.requirements} == {(("C0STAGING",), True)}
    bot.close()
    agent.close()
