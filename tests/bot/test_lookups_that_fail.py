"""A lookup that failed is not repeated for every hold that names the same group or channel."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.directory import KEEP_FAILED, Directory, LookupFailed
from bot.eligibility import Clicker
from bot.sight import Listed, Sight
from gate.model import Approver
from tests.bot.records import FINANCE, refund
from tests.bot.test_slack_lies import Liar

ALICE = {"ok": True, "user": {"id": "U0ALICE", "team_id": "T1", "deleted": False}}
GONE = {"ok": False, "error": "no_such_subteam"}
CLOSED = {"ok": False, "error": "channel_not_found"}
NEED = replace(FINANCE, approvers=(Approver("group", "S0GONE"),))


def test_a_list_of_holds_asks_once_for_a_group_that_is_gone() -> None:
    """Fifty holds for a deleted group take one call for it, one for the channel, one for the person."""
    liar = Liar(info=ALICE, list=GONE, members=CLOSED)
    every = [refund(id=f"{number:016}", requirements=(NEED,)) for number in range(50)]

    async def listed(directory: Directory) -> object:
        return await Sight(directory, "T1").sorted(every, Clicker("T1", "U0ALICE"))

    assert liar.look(listed) == Listed((), ())
    assert liar.asked == 3


def test_what_failed_is_asked_again_after_a_moment() -> None:
    """A failure is remembered for seconds only, each time with its own code; nothing else is made of it."""
    liar, now = Liar(list=GONE), [0.0]

    async def twice(directory: Directory) -> None:
        for _ in range(2):
            with pytest.raises(LookupFailed, match="no_such_subteam") as failed:
                await directory.group("S0GONE")
            assert (failed.value.code, failed.value.transient) == ("no_such_subteam", False)
        assert liar.asked == 1
        now[0] = KEEP_FAILED
        liar.answers["list"] = {"users": ["U0ALICE"]}
        assert await directory.group("S0GONE") == {"U0ALICE"}

    liar.look(twice, lambda: now[0])
    assert liar.asked == 2
