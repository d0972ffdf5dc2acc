"""What people are told where Slack does not tell: whether trying again helps, who mends it, and no more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.directory import Directory
from bot.eligibility import Clicker, Eligibility
from gate.errors import NotEligible
from gate.lifecycle import State
from gate.model import Approver
from tests.bot.bot_fixtures import Office, office
from tests.bot.presses import one_answer, payload, refusals
from tests.bot.records import FINANCE, refund
from tests.bot.test_slack_lies import Liar
from tests.bot.test_words_of_the_unseen import apart, told

__all__ = ["office"]

BOB = {"ok": True, "user": {"id": "U0BOB", "team_id": "T1", "deleted": False}}
MEND = "tell whoever keeps the policy and the Slack app"


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        ("service_unavailable", "Try again."),
        ("token_revoked", "tell whoever runs the bot that Slack refuses its token"),
        ("user_not_visible", MEND),
        ("missing_scope", MEND),
    ],
)
def test_who_cannot_be_looked_up_learns_what_helps(office: Office, error: str, advice: str) -> None:
    """A failure that passes says to try again; one that never does says who has to mend it instead."""
    office.open()
    record = office.hold()
    forged = payload(office, record)
    office.control.faults.set("users.info", kind="error", error=error, times=None)
    office.control.forge(forged)
    one_answer(office, "U0ALICE", f"Slack did not tell the account U0ALICE ({error})")
    one_answer(office, "U0ALICE", advice)
    assert refusals(office, record) == ["lookup_failed"]
    assert office.agent.hold(record.id).state is State.PENDING


@pytest.mark.parametrize(("error", "advice"), [("no_such_subteam", MEND), ("ratelimited", "Try again.")])
def test_a_group_that_cannot_be_looked_up_says_whether_that_passes(error: str, advice: str) -> None:
    """Who may be an approver by a group that is gone is not told to try again for ever."""
    liar = Liar(info=BOB, list={"ok": False, "error": error})
    need = replace(FINANCE, approvers=(Approver("group", "S0GONE"),))

    async def check(directory: Directory) -> str:
        with pytest.raises(NotEligible) as refused:
            await Eligibility(directory, "T1").check(refund(requirements=(need,)), Clicker("T1", "U0BOB"))
        assert refused.value.code == "lookup_failed"
        return str(refused.value)

    assert advice in liar.look(check)


@pytest.mark.parametrize("typed", ["show {id}", "approve {id} 0000", "deny {id} No"])
def test_who_cannot_be_looked_up_learns_of_no_hold(office: Office, typed: str) -> None:
    """Whoever Slack never shows to the app reads the same words for a hold as for an id that nothing has."""
    record = apart(office)
    office.control.faults.set("users.info", kind="error", error="user_not_visible", times=None)
    none = "0" * len(record.id)
    answers = {
        told(office, "U0CAROL", "C0OTHER", "/gate " + typed.format(id=each)) for each in (record.id, none)
    }
    assert len(answers) == 1
    assert "user_not_visible" in answers.pop()
