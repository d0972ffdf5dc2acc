"""What the home tab and the list say where Slack does not tell who somebody is, and what guests see there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import pytest

from bot import names
from bot.desk import Desk
from bot.eligibility import Clicker
from bot.homes import Homes
from bot.local_workspace import LocalWorkspace
from bot.references import Reference
from bot.views.home import HomePage
from bot.waiting import OnceRead
from gate.model import HoldRecord, Person, Route
from gate.service import Service
from tests.bot.bot_fixtures import CHANNEL, Office, eventually, office, spell

__all__ = ["office"]


@pytest.mark.parametrize("method", ["usergroups.users.list", "users.info"])
def test_a_tab_that_lacks_a_lookup_says_so_and_fills_itself(
    office: Office, workspace: LocalWorkspace, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """A lookup that failed hides no hold for good, though nothing changes any more."""
    monkeypatch.setattr("bot.homes.CHARGES", 0.0)
    monkeypatch.setattr("bot.directory.KEEP", 0.0)
    office.open()
    record = office.hold()
    office.card(record)
    workspace.control.set_channel(CHANNEL, members=["U0GATEBOT"])
    workspace.control.faults.set(method, kind="error", error="service_unavailable", times=None)
    workspace.control.open_home("U0BOB")
    told = spell(workspace.control.wait_home("U0BOB", "service_unavailable"))
    assert "your answer" not in told
    workspace.control.faults.clear()
    eventually(lambda: f"hold {record.id[:8]}" in spell(workspace.control.home("U0BOB")))
    assert "service_unavailable" not in spell(workspace.control.home("U0BOB"))


def test_a_list_that_lacks_a_lookup_says_so(
    office: Office, workspace: LocalWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list does not say that nothing waits without saying that it may not know."""
    monkeypatch.setattr("bot.directory.KEEP", 0.0)
    office.open()
    office.card(office.hold())
    workspace.control.set_channel(CHANNEL, members=["U0GATEBOT", "U0CAROL"])
    workspace.control.faults.set(
        "usergroups.users.list", kind="error", error="service_unavailable", times=None
    )
    workspace.control.slash("U0CAROL", CHANNEL, "/gate holds")
    assert "holds may be missing" in spell(office.whispered("U0CAROL", "service_unavailable"))


@pytest.mark.parametrize(("user", "seen"), [("U0ALICE", True), ("U0GUEST", False)])
def test_guests_are_not_told_what_is_frozen(office: Office, user: str, seen: bool) -> None:
    """Neither the home tab nor the list of a guest tells of freezes; those of a member do."""
    office.open()
    office.agent.freeze("agent", "billing", by="ops", reason="audit")
    office.control.open_home(user)
    home = spell(office.control.wait_home(user, "Waiting for you"))
    office.control.slash(user, CHANNEL, "/gate holds")
    listed = spell(office.whispered(user, "Nothing waits"))
    assert ["the agent billing" in told for told in (home, listed)] == [seen, seen]


def test_a_tab_that_hangs_keeps_no_other_waiting(
    office: Office, workspace: LocalWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who presses in their own tab sees what became of it while Slack is still at somebody else's."""
    monkeypatch.setattr("bot.running.CALL_SECONDS", 600)
    office.open()
    first = office.hold()
    office.card(first)
    for user in ("U0ALICE", "U0BOB"):
        workspace.control.open_home(user)
        workspace.control.wait_home(user, f"hold {first.id[:8]}")
    known = len(workspace.control.calls("views.publish"))
    workspace.control.faults.set("views.publish", kind="hold")
    second = office.hold(session="s2")
    hangs = eventually(lambda: workspace.control.calls("views.publish")[known:])[0]["args"]["user_id"]
    (presses,) = {"U0ALICE", "U0BOB"} - {hangs}
    view = workspace.control.home(presses)
    workspace.control.click_view(presses, view["id"], names.APPROVE)
    workspace.control.wait_home(presses, "Decided by you")
    assert f"hold {second.id[:8]}" not in spell(workspace.control.home(hangs))
    workspace.control.faults.clear()


def test_lists_say_where_more_waits_than_they_look_through(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the home tab nor the list says that nothing waits while older calls were not looked at."""
    monkeypatch.setattr("bot.waiting.MOST", 1)
    office.open()
    record = office.hold()
    office.card(record)
    office.control.open_home("U0ALICE")
    assert "only the newest" not in spell(office.control.wait_home("U0ALICE", f"hold {record.id[:8]}"))
    office.card(office.hold(session="s2"))
    eventually(lambda: "only the newest" in spell(office.control.home("U0ALICE")))
    office.control.slash("U0ALICE", CHANNEL, "/gate holds")
    assert "More than 1 calls wait" in spell(office.whispered("U0ALICE", "only the newest"))


def test_a_tab_that_cannot_be_drawn_keeps_no_other_as_it_was(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What fails for one person's tab fails for nobody else's."""
    whole = Homes._page

    async def failing(homes: Homes, who: Clicker, every: list[HoldRecord], more: str) -> HomePage:
        if who.user == "U0ALICE":
            raise RuntimeError("cannot be drawn")
        return await whole(homes, who, every, more)

    office.open()
    for user in ("U0ALICE", "U0BOB"):
        office.control.open_home(user)
        office.control.wait_home(user, "Nothing waits for you")
    monkeypatch.setattr(Homes, "_page", failing)
    record = office.hold()
    office.control.wait_home("U0BOB", f"hold {record.id[:8]}")
    assert "Nothing waits for you" in spell(office.control.home("U0ALICE"))


def test_tabs_drawn_in_a_row_read_the_open_calls_once(office: Office) -> None:
    """A thousand open calls are not read for each of many tabs, and never as they stood before a change."""

    async def look() -> None:
        once = OnceRead(cast(Desk, _StoreAlone(office.agent)))
        record = office.hold("payments.pay_out", to="x")
        before = await once.open_holds()
        assert await once.open_holds() is before
        bob = Person("T0LOCAL", "U0BOB")
        mark = Reference.of(record)
        office.agent.decide(
            record.id, store=mark.store, nonce=mark.nonce, person=bob, satisfies=frozenset({"S0FINANCE"}),
            said="approve", comment="", route=Route("A0GATE", "localhost", CHANNEL),
        )  # fmt: skip
        ((after,), _) = await once.open_holds()
        assert [each.person for each in after.decisions] == [bob]
        office.agent.cancel(record.id, by="ops", reason="not needed")
        assert await once.open_holds() == ([], "")

    asyncio.run(look())


@dataclass
class _StoreAlone:
    """A desk without Slack."""

    service: Service

    async def run(self, verb: Callable[..., Any], *args: Any) -> Any:
        return verb(*args)
