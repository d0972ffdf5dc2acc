"""From a press to a decision: find the hold, judge the person, ask the store, answer them."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from bot import names
from bot.answers import Answers
from bot.cards import Cards
from bot.desk import Desk
from bot.directory import User
from bot.early import check_approval, check_asked, ended
from bot.eligibility import Clicker, Eligible
from bot.files import Files
from bot.homes import Homes
from bot.membership import channels_of
from bot.payloads import Press
from bot.references import Origin, Reference
from bot.slack_errors import ANSWER_FAILURES
from bot.views import everything, modals
from bot.views.budgets import lets_pass
from bot.views.card import must_view
from gate.errors import Fault, IllegalMove, NotEligible
from gate.lifecycle import OPEN, State
from gate.model import HoldRecord, Person, Route, Said

log = logging.getLogger("bot")

OLD = "This was not made by this version of the gate, so nothing was recorded. Use /gate holds."
OTHER_STORE = "This card belongs to another installation of the gate; nothing was recorded."
NOT_HERE = (
    "This card does not stand in a channel of its hold, so nothing was recorded."
    " Use /gate holds, or the home tab."
)
BROKEN = "Something went wrong in the gate, and nothing was recorded. Press again, or use /gate holds."
NOT_DRAWN = "Slack did not take what belongs here; nothing was recorded. Press again, or use /gate holds."
RECORDED = "Your answer is recorded."
NO_WINDOW = "The window did not open in time, and nothing was recorded. Press again, or use /gate holds."

APPROVE_TITLE, DENY_TITLE = "Approve this call", "Deny this call"
APPROVING = (names.APPROVE, names.APPROVE_MORE, names.APPROVE_WITH_COMMENT)
"""What asks for the form of an approval."""

Draw = Callable[[Press, str], Awaitable[bool]]
"""Draws what a press asks for into the window with this id, and tells whether Slack took it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What somebody says about a hold.

    Attributes:
        said: ``approve`` or ``deny``.
        comment: Their words or the quick reason.
        headroom: Whether an approval also lets the next calls pass that would be over the budget.
    """

    said: Said
    comment: str = ""
    headroom: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """Where people see what became of their answer.

    Attributes:
        cards: The messages that show holds.
        homes: The home tabs.
    """

    cards: Cards
    homes: Homes


class Deciding:
    """Turn presses into decisions.

    Args:
        desk: What the bot works with.
        answers: How people are told.
        shown: Where it is seen what became of an answer.
    """

    def __init__(self, desk: Desk, answers: Answers, shown: Shown) -> None:
        self._desk, self._answers, self._shown = desk, answers, shown
        self._files = Files(desk)

    async def approve(self, press: Press) -> None:
        """Record an approval pressed on a card, or ask for the comment that the policy wants with it."""
        origin, record = await self.found(press)
        if modals.comment_required(record, "approve") and record.state is State.PENDING:
            await self.in_window(press, APPROVE_TITLE, self._draw_form)
            return
        answer = Answer("approve", headroom=press.action == names.APPROVE_MORE)
        try:
            await self.decide(press, origin, record, answer)
        except IllegalMove as fault:
            if fault.code != "view_required":
                raise
            await self.view(press)
            return
        await self._show_on_card(press, record)

    async def ask(self, press: Press) -> None:
        """Open the form for a denial, a stop, or an approval with a comment; look things up afterwards."""
        title = APPROVE_TITLE if press.action in APPROVING else DENY_TITLE
        await self.in_window(press, title, self._draw_form)

    async def view(self, press: Press) -> None:
        """Open the full view, or turn its page, and record that it was opened."""
        await self.in_window(press, "Everything", self._draw_page)

    async def in_window(self, press: Press, title: str, draw: Draw) -> None:
        """Open a window at once, or take the one of the press, and let something be drawn there.

        Whatever goes wrong is said in that window, and elsewhere where it is gone.
        """
        view = press.view or await self._answers.open(press, modals.loading(title))
        if view is None:
            await self._answers.tell(replace(press, home=False), title, NO_WINDOW)
            return
        inside = replace(press, view=view)
        try:
            drawn = await draw(press, view)
        except Fault as fault:
            await self._answers.tell(inside, title, str(fault))
        except Exception:
            log.exception("A window could not be drawn")
            await self._answers.tell(inside, title, BROKEN)
        else:
            if not drawn:
                await self._answers.tell(inside, title, NOT_DRAWN)

    async def _draw_form(self, press: Press, view: str) -> bool:
        origin, record = await self.found(press)
        eligible = await self.able(press, origin, record)
        if press.action not in APPROVING:
            return await self._answers.update(view, await self._desk.run(modals.deny_form, record, origin))
        await check_approval(self._desk, record, eligible)
        if not await self._has_seen(record, eligible.person):
            return await self._draw_page(press, view)
        more = lets_pass(record) if press.action == names.APPROVE_MORE else 0
        form = await self._desk.run(modals.approve_form, record, origin, more=more)
        return await self._answers.update(view, form)

    async def _has_seen(self, record: HoldRecord, person: Person) -> bool:
        """Tell whether somebody has seen what they must see before they approve; most cards show it."""
        if not record.view_required and not await self._desk.run(must_view, record):
            return True
        return await self._desk.run(self._desk.service.viewed, record.id, person)

    async def _draw_page(self, press: Press, view: str) -> bool:
        origin, record = await self.found(press)
        person = await self._desk.eligibility.may_see(record, press.who)
        told = await self._files.share(record, origin.channel) if press.action == names.FILE else ""
        return await self.show_page(view, _turned(press.action, origin), record, person, told)

    async def decide(
        self, press: Press, origin: Origin, record: HoldRecord, answer: Answer, *, user: User | None = None
    ) -> State:
        """Judge the person, looked up now or for this press, and ask the store to record their answer.

        Returns:
            The hold's state after it.

        Raises:
            NotEligible: They may not answer.
            IllegalMove: The store refuses the answer.
        """
        eligible = await self.eligible(press, origin, record, user=user)
        desk = self._desk
        if answer.said == "approve":
            await self.want_view(record)
        after = await desk.run(
            desk.service.decide,
            origin.reference.hold,
            store=origin.reference.store,
            nonce=origin.reference.nonce,
            person=eligible.person,
            satisfies=eligible.satisfies,
            said=answer.said,
            comment=answer.comment,
            headroom=answer.headroom,
            route=self.route(press, origin),
        )
        desk.wake.set()
        return after

    async def want_view(self, record: HoldRecord) -> None:
        """Have the store insist on the full view where the card cannot show everything that decides."""
        desk = self._desk
        if not record.view_required and await desk.run(must_view, record):
            await desk.run(desk.service.require_view, record.id)

    async def hold(self, reference: Reference, press: Press, origin: Origin) -> HoldRecord:
        """Return the hold that a reference names; a card of another store is refused and recorded.

        Raises:
            IllegalMove: It is another store's, or not known.
        """
        if reference.store != self._desk.service.store_id:
            fault = IllegalMove(OTHER_STORE, code="other_store")
            await self.refused(press, origin, fault)
            raise fault
        return await self._desk.run(self._desk.service.hold, reference.hold)

    def route(self, press: Press, origin: Origin) -> Route:
        """Return where a decision came from, for the record."""
        via = self._desk.via if origin.via == "card" else origin.via
        return Route(
            app=press.app,
            api_host=self._desk.api_host,
            channel=origin.channel or press.channel,
            message_ts=origin.ts,
            action_ts=press.action_ts,
            via=via,  # type: ignore[arg-type]
        )

    async def found(self, press: Press) -> tuple[Origin, HoldRecord]:
        """Return where a press comes from and its hold; a card not seen before is learnt.

        Raises:
            IllegalMove: The hold is unknown, another store's, or the card stands where it must not.
        """
        try:
            origin = _origin(press)
        except ValueError:
            raise IllegalMove(OLD, code="unknown_hold") from None
        record = await self.hold(origin.reference, press, origin)
        if not press.view and not press.home:
            await self._learn(press, origin, record)
        return origin, record

    async def _learn(self, press: Press, origin: Origin, record: HoldRecord) -> None:
        if any((card.channel, card.ts) == (press.channel, press.ts) for card in record.cards):
            return
        known = (*channels_of(record), self._desk.service.channel)
        if not press.ts or not press.channel or press.channel not in known:
            fault = IllegalMove(NOT_HERE, code="other_channel")
            await self.refused(press, origin, fault)
            raise fault
        if origin.reference.nonce == record.nonce:
            learn = self._desk.service.learn_card
            await self._desk.run(learn, record.id, channel=press.channel, ts=press.ts, version=record.version)

    async def able(self, press: Press, origin: Origin, record: HoldRecord) -> Eligible:
        """Refuse early what the store would refuse anyway, so that nobody fills in a form for nothing.

        Returns:
            What makes who pressed an approver.

        Raises:
            NotEligible: They are none.
            IllegalMove: It cannot be answered any more, or not as it stood.
        """
        eligible = await self.eligible(press, origin, record)
        if record.state not in OPEN:
            raise ended(record)
        if origin.reference.nonce != record.nonce:
            raise IllegalMove("It was changed meanwhile; look at the card again.", code="changed")
        now = await self._desk.run(self._desk.service.now)
        if now >= (record.use_by or record.expires_at):
            raise IllegalMove("Too late: the time to answer has ended. Nothing ran.", code="late")
        try:
            check_asked(record, eligible, now)
        except NotEligible as fault:
            await self.refused(press, origin, fault)
            raise
        return eligible

    async def eligible(
        self, press: Press, origin: Origin, record: HoldRecord, *, user: User | None = None
    ) -> Eligible:
        """Return what makes who pressed an approver; a refusal is recorded.

        Raises:
            NotEligible: They are none.
        """
        also = await self._desk.run(self._desk.service.approvers_of, record.id)
        try:
            return await self._desk.eligibility.check(record, press.who, also, user=user)
        except NotEligible as fault:
            await self.refused(press, origin, fault)
            raise

    async def refused(self, press: Press, origin: Origin, fault: Fault) -> None:
        """Record that an answer did not count, and why."""
        person = Person(press.who.team, press.who.user)
        await self._desk.run(
            self._desk.service.refuse,
            origin.reference.hold,
            person=person,
            code=fault.code,
            reason=str(fault),
            route=self.route(press, origin),
        )

    async def show_page(
        self, view: str, origin: Origin, record: HoldRecord, person: Person, told: str = ""
    ) -> bool:
        """Draw a page of the full view into a window, and record that who may see it has opened it.

        Args:
            view: Id of the window.
            origin: Where it was opened from, and which page.
            record: The hold.
            person: Who looks.
            told: What became of the file that was asked for; empty for nothing.

        Returns:
            Whether Slack took it.
        """
        same = origin.reference.nonce == record.nonce
        now = replace(origin, reference=Reference.of(record), page=origin.page if same else 0)
        pages = await self._desk.run(everything.paged, record)
        shown = await self._answers.update(view, everything.everything(record, now, pages, told=told))
        if shown and record.version and everything.shows_all_decisive(pages, now.page):
            await self._desk.run(self._desk.service.record_view, record.id, nonce=record.nonce, person=person)
        return shown

    async def confirm(self, press: Press) -> None:
        """Answer a form that was recorded and closed: by its card, or in words where there is none."""
        origin = _origin(press)
        where = replace(press, view="", channel=origin.channel, ts=origin.ts, home=origin.via == "home")
        await self._show_on_card(where, await self.hold(origin.reference, press, origin))

    async def _show_on_card(self, press: Press, record: HoldRecord) -> None:
        """Answer a recorded answer by the card or home tab itself; where that cannot be, say it."""
        if not press.ts:
            if not press.home or not await self._stands_at_home(press.who):
                await self._answers.tell(press, "Recorded", RECORDED)
            return
        try:
            await self._shown.cards.refresh(record.id, press.channel, press.ts)
        except (Fault, *ANSWER_FAILURES):
            await self._answers.tell(press, "Recorded", f"{RECORDED} The card could not be updated.")

    async def _stands_at_home(self, who: Clicker) -> bool:
        """Draw somebody's home tab; False where it does not show what they answered."""
        try:
            return await self._shown.homes.show(who)
        except (Fault, *ANSWER_FAILURES):
            log.exception("A home tab could not be drawn after an answer")
            return False


def _origin(press: Press) -> Origin:
    """Return where a press comes from: its modal's memory, or the button itself.

    Raises:
        ValueError: It carries nothing this version reads.
    """
    if press.view:
        return Origin.load(press.meta)
    via = "home" if press.home else "card"
    return Origin(Reference.parse(press.value), press.channel, press.ts, via=via)


def _turned(action: str, origin: Origin) -> Origin:
    step = {names.PAGE_NEXT: 1, names.PAGE_BACK: -1}.get(action, 0)
    return replace(origin, page=max(0, origin.page + step))
