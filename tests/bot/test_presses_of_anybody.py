"""Whoever may decide nothing cannot use up what Slack lets be asked about those who may."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from bot.directory import KEEP, Directory
from bot.eligibility import Clicker
from bot.sight import Sight
from gate.errors import NotEligible
from gate.model import Approver
from tests.bot.records import refund
from tests.bot.test_slack_lies import Liar

FLAGS = {"deleted": False, "is_bot": False, "is_restricted": False, "is_ultra_restricted": False}
DAVE = {"ok": True, "user": {"id": "U0DAVE", "team_id": "T1", **FLAGS}}
GROUP = {"ok": True, "users": ["U0ALICE"]}
MEMBERS = {"ok": True, "members": ["U0ALICE"]}
WHO = Clicker("T1", "U0DAVE")
PRESSES: dict[str, Callable[[Sight], Awaitable[Any]]] = {
    "a decision": lambda judge: judge.check(refund(), WHO),
    "a freeze": lambda judge: judge.among([Approver("group", "S0FINANCE")], WHO, "No."),
    "a look": lambda judge: judge.may_see(refund(), WHO),
}


@pytest.mark.parametrize("press", PRESSES.values(), ids=PRESSES)
def test_a_hundred_presses_of_one_person_ask_once(press: Callable[[Sight], Awaitable[Any]]) -> None:
    """Somebody who is no approver is looked up once a minute, however often they press."""
    liar, now = Liar(info=DAVE, list=GROUP, members=MEMBERS), [0.0]

    async def pressing(directory: Directory) -> None:
        judge = Sight(directory, "T1")
        for _ in range(100):
            with pytest.raises(NotEligible):
                await press(judge)

    liar.look(pressing, lambda: now[0])
    assert liar.asked <= 3


def test_who_was_just_made_an_approver_is_one_within_a_minute() -> None:
    """What is remembered of somebody is forgotten as memberships are."""
    liar, now = Liar(info=DAVE, list=GROUP, members=MEMBERS), [0.0]

    async def joining(directory: Directory) -> bool:
        judge = Sight(directory, "T1")
        with pytest.raises(NotEligible):
            await judge.check(refund(), WHO)
        liar.answers["list"] = {"ok": True, "users": ["U0DAVE"]}
        now[0] = KEEP
        return (await judge.check(refund(), WHO)).person.user == "U0DAVE"

    assert liar.look(joining, lambda: now[0])


@pytest.mark.parametrize(
    ("told", "code"),
    [
        ({"is_connector_bot": True}, "bot"),
        ({"is_workflow_bot": True}, "bot"),
        ({"is_forgotten": True}, "deleted"),
        ({"is_external": True}, "stranger"),
        ({"deleted": None}, "lookup_failed"),
        ({"deleted": ...}, "lookup_failed"),
    ],
)
def test_every_word_of_slack_about_an_account_counts(told: dict[str, Any], code: str | None) -> None:
    """Apps of every kind, removed people and outsiders are told apart; half an account is not believed."""
    user = {key: value for key, value in (DAVE["user"] | told).items() if value is not ...}  # type: ignore[operator]
    liar = Liar(info={"user": user}, list={"users": ["U0DAVE"]})

    async def judged(directory: Directory) -> str | None:
        try:
            await Sight(directory, "T1").check(refund(), WHO)
        except NotEligible as refused:
            return refused.code
        return None

    assert liar.look(judged) == code
