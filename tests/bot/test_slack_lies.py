"""What Slack answers is not believed further than it can be read: lists without an end, refused tokens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web
from slack_sdk.web.async_client import AsyncWebClient

from bot.directory import MOST_PAGES, Directory, LookupFailed
from bot.eligibility import Clicker, Eligibility
from bot.local_workspace import LocalWorkspace
from gate.clock import monotonic
from gate.errors import NotEligible
from gate.lifecycle import State
from tests.bot.bot_fixtures import CHANNEL, Office, eventually, office, spell
from tests.bot.records import refund

__all__ = ["office"]


class Liar:
    """A Web API on loopback that answers each method with what a test says."""

    def __init__(self, **answers: Any) -> None:
        self.answers, self.asked = answers, 0

    async def answer(self, request: web.Request) -> web.Response:
        """Answer one call."""
        self.asked += 1
        return web.json_response({"ok": True, **self.answers[request.path.rpartition(".")[2]]})

    def look(self, work: Any, time: Callable[[], float] = monotonic) -> Any:
        """Run something with a directory that asks this API."""
        return self.serve(lambda client: work(Directory(client, time)))

    def serve(self, work: Callable[[AsyncWebClient], Any]) -> Any:
        """Run something with a client of this API."""

        async def run() -> Any:
            app = web.Application()
            app.add_routes([web.post("/api/{method}", self.answer), web.get("/api/{method}", self.answer)])
            runner = web.AppRunner(app)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            address = f"http://127.0.0.1:{runner.addresses[0][1]}/api/"
            try:
                return await work(AsyncWebClient(token="xoxb-1", base_url=address))
            finally:
                await runner.cleanup()

        return asyncio.run(run())


def test_a_list_of_members_without_an_end_is_refused() -> None:
    """A channel whose pages go round in a circle is asked for a bounded number of times."""
    liar = Liar(members={"members": ["U1"], "response_metadata": {"next_cursor": "again"}})
    with pytest.raises(LookupFailed, match="no end"):
        liar.look(lambda directory: directory.members("C1"))
    assert liar.asked == MOST_PAGES


@pytest.mark.parametrize("answer", [{}, {"user": None}, {"user": []}, {"user": {"name": "x"}}])
def test_an_answer_that_cannot_be_read_is_a_failed_lookup(answer: dict[str, Any]) -> None:
    """An account without the fields that Slack always gives lets nobody in."""
    with pytest.raises(LookupFailed, match="in a way that can be read"):
        Liar(info=answer).look(lambda directory: directory.user("U1"))


def test_an_account_other_than_the_one_asked_for_lets_nobody_in() -> None:
    """Where Slack describes Alice when it was asked for Eve, Eve is nobody."""
    alice = {"id": "U0CAROL", "team_id": "T0LOCAL", "name": "carol"}
    liar = Liar(info={"user": alice}, list={"users": ["U0CAROL"]})

    async def work(directory: Directory) -> None:
        await Eligibility(directory, "T0LOCAL").check(refund(), Clicker("T0LOCAL", "U0EVE"))

    with pytest.raises(NotEligible) as refused:
        liar.look(work)
    assert refused.value.code == "lookup_failed"


def test_a_refused_token_does_not_say_that_nobody_can_approve(
    office: Office, workspace: LocalWorkspace
) -> None:
    """A hold whose approvers could not be looked up for a moment waits for its card, and gets it."""
    workspace.control.faults.set("usergroups.users.list", kind="error", error="token_revoked", times=2)
    workspace.control.faults.set("users.info", kind="error", error="token_revoked", times=2)
    office.open()
    record = office.hold()
    eventually(lambda: passing(office) and office.agent.hold(record.id).cards)
    assert office.agent.hold(record.id).state is State.PENDING


def test_a_card_closes_when_a_refused_token_is_taken_again(office: Office, workspace: LocalWorkspace) -> None:
    """What could not be brought up to date while the token was refused is so afterwards."""
    office.open()
    record = office.hold()
    office.card(record)
    workspace.control.set_tokens(bot="token_revoked")
    seen = len(workspace.control.calls("chat.update"))
    office.agent.cancel(record.id, by="admin", reason="not needed")
    tried(workspace, seen)
    workspace.control.set_tokens(bot="valid")
    eventually(lambda: passing(office) and "Cancelled" in spell(office.card(record)))
    eventually(lambda: passing(office) and "not needed" in spell(office.control.messages(CHANNEL)))


def tried(workspace: LocalWorkspace, seen: int) -> None:
    """Wait until a change of a message was asked of Slack once more, which may change nothing there."""
    eventually(lambda: len(workspace.control.calls("chat.update")) > seen)


def put_off(office: Office) -> bool:
    """Tell whether the bot has read that a message cannot be posted now, and will try again."""
    with office.agent.store.reader() as reader:
        return reader.one("SELECT 1 FROM notices WHERE done_at IS NULL AND error != ''") is not None


def passing(office: Office) -> bool:
    """Let a second pass for everybody, so that what is to be tried again is due."""
    office.clock.advance(1)
    return True


def test_a_rate_limit_on_replies_holds_their_channel_back(office: Office, workspace: LocalWorkspace) -> None:
    """Where a reply was told to come later, nothing else goes into that channel before that."""
    office.open()
    first = office.hold()
    office.card(first)
    workspace.control.faults.set("chat.postMessage", kind="ratelimit", retry_after=3600, times=1)
    seen = len(workspace.control.calls("chat.postMessage"))
    office.agent.cancel(first.id, by="admin", reason="not needed")
    eventually(lambda: put_off(office))
    second = office.hold(order_id="ORD-2", amount=500, currency="EUR", session="s2")
    tried(workspace, 0)
    office.clock.advance(5)
    for bot in office.bots:
        bot.stop()
    assert office.agent.hold(second.id).cards == ()
    assert len(workspace.control.calls("chat.postMessage")) == seen + 1
