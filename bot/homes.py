"""Keep the home tabs of those who opened them as things stand now."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import OrderedDict
from dataclasses import dataclass, field

from bot.desk import Desk
from bot.eligibility import Clicker
from bot.slack_errors import ANSWER_FAILURES, trouble
from bot.views.card import Place
from bot.views.home import NEAR, HomePage, home, newest
from bot.views.text import Block
from bot.waiting import OnceRead, open_holds
from gate.clock import monotonic
from gate.errors import Fault, NotEligible
from gate.model import Freeze, HoldRecord
from gate.model.overview import Spent

log = logging.getLogger("bot")

REMEMBERED = 200
"""How many people's tabs are kept up to date; Slack tells nobody who has one open."""
LOOK = 1.0
"""Seconds between looks for changes."""
CHARGES = 20.0
"""Seconds between redrawings for charges alone, of which a busy agent makes many; also until a tab that Slack
did not take is drawn again."""


@dataclass(slots=True)
class _Tab:
    who: Clicker
    drawn: str = ""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Homes:
    """Draw home tabs, and draw them again when something changed.

    Args:
        desk: What the bot works with.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._tabs: OrderedDict[str, _Tab] = OrderedDict()
        self._marks: tuple[tuple[int, ...], int] | None = None
        self._charged_at = 0.0
        self._stale = False

    async def show(self, who: Clicker) -> bool:
        """Draw somebody's tab as things stand now, and remember that they have one.

        Returns:
            False where Slack did not take it, or did not tell everything that belongs there.
        """
        tab = self._tabs.setdefault(who.user, _Tab(who))
        self._tabs.move_to_end(who.user)
        if len(self._tabs) > REMEMBERED:
            self._tabs.popitem(last=False)
        tab.drawn = ""
        return await self._draw(tab)

    async def work(self, stop: asyncio.Event) -> None:
        """Redraw the tabs whenever something changed, until told to stop."""
        while not stop.is_set():
            try:
                if self._tabs and await self._changed():
                    self._stale = True
                    self._stale = not await self._redrawn_all()
            except Exception:
                log.exception("The home tabs could not be redrawn; it is tried again")
            await _rest(stop, LOOK)

    async def _redrawn_all(self) -> bool:
        """Draw every tab again; False where that is to be tried once more."""
        once = OnceRead(self._desk)
        return all([await self._redrawn(tab, once) for tab in [*self._tabs.values()]])

    async def _redrawn(self, tab: _Tab, once: OnceRead) -> bool:
        """Draw a tab again; one that cannot be drawn keeps none of the others as they were."""
        try:
            return await self._draw(tab, once)
        except Exception:
            log.exception("A home tab could not be redrawn; it is tried again")
            return False

    async def _changed(self) -> bool:
        try:
            marks = await self._desk.run(self._desk.service.marks)
        except Fault as fault:
            log.warning("The store could not be asked for changes: %s", fault)
            return False
        before = self._marks
        waited = monotonic() - self._charged_at >= CHARGES
        due = waited and (self._stale or before is None or marks[1] != before[1])
        if before is not None and marks[0] == before[0] and not due:
            return False
        self._marks, self._charged_at = marks, monotonic()
        return True

    async def _draw(self, tab: _Tab, once: OnceRead | None = None) -> bool:
        async with tab.lock:
            every, more = await (once.open_holds() if once else open_holds(self._desk))
            page = await self._page(tab.who, every, more)
            view, drawn = await self._desk.run(_drawn, page, self._desk.place)
            if drawn == tab.drawn:
                return not page.lacking
            try:
                await self._desk.client.views_publish(user_id=tab.who.user, view=view)
            except ANSWER_FAILURES as error:
                log.warning("A home tab could not be drawn: %s", trouble(error).code)
                return False
            tab.drawn = drawn
            return not page.lacking

    async def _page(self, who: Clicker, every: list[HoldRecord], more: str) -> HomePage:
        desk, service = self._desk, self._desk.service
        try:
            mine = await desk.eligibility.identities(who)
            listed = await desk.eligibility.sorted(every, who)
            near = await self._near(who)
            freezes = await visible_freezes(desk, who)
        except NotEligible as fault:
            lacking = str(fault) if fault.code == "lookup_failed" else ""
            return HomePage(refusal="" if lacking else str(fault), lacking=lacking)
        answered = [each for one in mine for each in await desk.run(service.answers_of, one)]
        return HomePage(
            listed.mine,
            listed.others,
            newest(answered),
            tuple(near),
            freezes,
            ids=frozenset(each.user for each in mine),
            lacking=f"{more} {listed.lacking}".strip(),
        )

    async def _near(self, who: Clicker) -> list[Spent]:
        spent = [
            each for each in await self._desk.run(self._desk.service.budgets_spent) if each.share >= NEAR
        ]
        return await visible_budgets(self._desk, spent, who)


async def visible_freezes(desk: Desk, who: Clicker) -> tuple[Freeze, ...]:
    """Return the freezes in force; none to guests and outsiders whom the policy does not name.

    Raises:
        NotEligible: They are nobody whose answers count.
    """
    may = await desk.eligibility.belongs(await desk.run(desk.service.freezers), who)
    return tuple(await desk.run(desk.service.freezes)) if may else ()


async def visible_budgets(desk: Desk, spent: list[Spent], who: Clicker) -> list[Spent]:
    """Return the budgets whose approvers somebody is among; those that ask nobody, for any approver.

    Raises:
        NotEligible: They are nobody whose answers count.
    """
    anybody = await desk.run(desk.service.freezers)
    allowed = await desk.eligibility.are([each.approvers or anybody for each in spent], who)
    return [each for each, may in zip(spent, allowed, strict=True) if may]


def _drawn(page: HomePage, place: Place) -> tuple[Block, str]:
    """Return a tab and its text, off the loop: a page may show many holds of a megabyte each."""
    view = home(page, local=place.local)
    return view, json.dumps(view)


async def _rest(stop: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return
