"""Register for everything Slack may send, acknowledge it at once, and work afterwards."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from slack_bolt.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.response import BoltResponse

from bot import names
from bot.answers import Answers
from bot.bursting import Bursting
from bot.cards import Cards
from bot.commands import Commands
from bot.deciding import RECORDED, Deciding, Shown
from bot.desk import Desk
from bot.doubting import Doubting
from bot.editing import Editing
from bot.forms import FAILED, Forms, title_of, window
from bot.homes import Homes
from bot.once import Once
from bot.payloads import Body, Press, clicker, pressed, submitted, typed
from bot.views import modals
from bot.views.text import Block
from gate.errors import Fault

log = logging.getLogger("bot")

SUBMIT_SECONDS = 1.8
"""How long a submitted form may take before its window says "Recording…"; Slack waits three seconds."""

SETTLE_SECONDS = 0.5
"""How long after its acknowledgement a window is left alone: bolt sends that a moment later, and Slack would
put "Recording…" over the result."""

UNREADABLE = "Slack sent this in a form that the gate cannot read; nothing was recorded. Use /gate holds."
UNKNOWN_FORM = "This form means nothing to this version of the gate; nothing was recorded. Use /gate holds."
UNKNOWN = "This button means nothing to this version of the gate; nothing was recorded. Use /gate holds."


class Handlers:
    """Everything that people can do in Slack.

    Args:
        desk: What the bot works with.
        cards: How cards are kept up to date.
        homes: How home tabs are.
    """

    def __init__(self, desk: Desk, cards: Cards, homes: Homes) -> None:
        self._desk, self._homes = desk, homes
        self._answers = Answers(desk)
        self._deciding = Deciding(desk, self._answers, Shown(cards, homes))
        self._forms = Forms(self._deciding)
        self._commands = Commands(desk, self._answers, self._deciding)
        self._doubting = Doubting(desk, self._answers, self._deciding)
        self._editing = Editing(desk, self._answers, self._deciding)
        self._bursting = Bursting(desk, self._answers, self._deciding)
        self._once, self._confirmed = Once(), Once()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._does: dict[str, Callable[[Press], Awaitable[None]]] = {
            names.APPROVE: self._deciding.approve,
            names.APPROVE_MORE: self._deciding.approve,
            names.APPROVE_WITH_COMMENT: self._deciding.ask,
            names.DENY: self._deciding.ask,
            names.STOP: self._deciding.ask,
            names.VIEW: self._deciding.view,
            names.PAGE_NEXT: self._deciding.view,
            names.PAGE_BACK: self._deciding.view,
            names.FILE: self._deciding.view,
            names.REASON: _nothing,
            names.EDIT: self._editing.ask,
            names.RAN: self._doubting.ask,
            names.NOT_RUN: self._doubting.ask,
            names.DENY_ALL: self._bursting.ask_deny,
            names.FREEZE_SESSION: self._bursting.ask_freeze,
        }
        self._submits: dict[str, Callable[[Press], Awaitable[Block]]] = {
            names.APPROVE_FORM: self._forms.submit,
            names.APPROVE_MORE_FORM: self._forms.submit,
            names.DENY_FORM: self._forms.submit,
            names.EDIT_FORM: self._editing.submit,
            names.RAN_FORM: self._doubting.submit,
            names.NOT_RUN_FORM: self._doubting.submit,
            names.DENY_ALL_FORM: self._bursting.deny_all,
            names.FREEZE_FORM: self._bursting.freeze,
        }

    def listen(self, app: AsyncApp) -> None:
        """Register with a bolt app; whatever fits nothing of ours is acknowledged and answered too."""
        app.action(names.ANY)(self._on_action)
        app.view_submission(names.ANY)(self._on_submit)
        app.view_closed(names.ANY)(self._on_nothing)
        app.command(names.ANY)(self._on_command)
        app.shortcut(names.ANY)(self._on_shortcut)
        app.options(names.ANY)(self._on_options)
        app.event("app_home_opened")(self._on_home)
        app.event(names.ANY)(self._on_nothing)
        app.error(self._on_unreadable)

    async def finish(self, seconds: float) -> None:
        """Wait for presses in hand, at most so long."""
        try:
            async with asyncio.timeout(seconds):
                while self._tasks:
                    await asyncio.wait(self._tasks)
        except TimeoutError:
            log.warning("%d presses were not answered before the bot stopped", len(self._tasks))

    async def _on_action(self, ack: AsyncAck, body: Body) -> None:
        await ack()
        self._once.start(body, lambda: self._later(self._act(pressed(body, self._desk.team))))

    async def _on_submit(self, ack: AsyncAck, body: Body) -> None:
        press = submitted(body, self._desk.team)
        task = self._once.start(body, lambda: self._later(self._submit(press)))
        await asyncio.wait({task}, timeout=SUBMIT_SECONDS)
        if task.done():
            await ack(**task.result())
            if not task.result():
                self._confirmed.start(body, lambda: self._later(self._deciding.confirm(press)))
            return
        await ack(response_action="update", view=modals.recording())
        self._later(self._finish_form(press, task))

    async def _submit(self, press: Press) -> Block:
        return await self._submits.get(press.action, _unknown_form)(press)

    async def _on_command(self, ack: AsyncAck, body: Body) -> None:
        await ack()
        press = typed(body, self._desk.team)
        self._once.start(body, lambda: self._later(self._guarded(press, self._commands.answer(press))))

    async def _on_shortcut(self, ack: AsyncAck, body: Body) -> None:
        await ack()
        press = pressed(body, self._desk.team)
        window = modals.told("Approval gate", UNKNOWN)
        self._once.start(body, lambda: self._later(self._answers.open(press, window)))

    async def _on_options(self, ack: AsyncAck) -> None:
        await ack(options=[])

    async def _on_nothing(self, ack: AsyncAck) -> None:
        await ack()

    async def _on_unreadable(self, error: Exception, body: Body) -> BoltResponse:
        """Answer what bolt could not read; the error may quote anything, so only its name is logged."""
        log.error("Something that Slack sent could not be read: %s", type(error).__name__)
        if body.get("type") == "view_submission":
            view = modals.told("Not recorded", UNREADABLE)
            return BoltResponse(status=200, body={"response_action": "update", "view": view})
        press = pressed(body, self._desk.team)
        if press.who.user:
            tell = functools.partial(self._answers.tell, press, "Not recorded", UNREADABLE)
            self._once.start(body, lambda: self._later(tell()))
        return BoltResponse(status=200)

    async def _on_home(self, ack: AsyncAck, body: Body) -> None:
        await ack()
        event = body.get("event") or {}
        if event.get("tab", "home") == "home":
            who = clicker({**body, "user": {"id": event.get("user")}}, self._desk.team)
            self._once.start(body, lambda: self._later(self._homes.show(who)))

    async def _act(self, press: Press) -> None:
        does = self._does.get(press.action)
        if does is None:
            await self._answers.tell(press, "Approval gate", UNKNOWN)
            return
        await self._guarded(press, does(press))

    async def _guarded(self, press: Press, work: Awaitable[None]) -> None:
        """Answer a press even where the work for it fails."""
        try:
            await work
        except Fault as fault:
            await self._answers.tell(press, title_of(fault), str(fault))
        except Exception:
            log.exception("A press could not be handled")
            await self._answers.tell(press, "Not recorded", FAILED)

    async def _finish_form(self, press: Press, task: asyncio.Task[Any]) -> None:
        """Tell how a slow form went; not before the window that stands meanwhile surely stands."""
        await asyncio.sleep(SETTLE_SECONDS)
        answer = await task
        view = answer.get("view")
        if view is None and answer:
            view = modals.told("Not recorded", " ".join(answer["errors"].values()))
        view = view or modals.told("Recorded", RECORDED)
        if not await self._answers.update(press.view, view):
            await self._answers.whisper(press, view["blocks"], view["title"]["text"])

    def _later(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("A press could not be handled", exc_info=error)


async def _unknown_form(press: Press) -> Block:
    """Say that a form is none of this version's: what it meant, a denial as well, is not guessed."""
    return window("Not recorded", UNKNOWN_FORM)


async def _nothing(press: Press) -> None:
    """A choice in a form counts when the form is sent."""
