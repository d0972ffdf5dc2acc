"""From a press to a decision: find the hold, judge the person, ask the store, answer them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot import names
from bot.answers import Answers
from bot.cards import Cards
from bot.desk import Desk
from bot.eligibility import Eligible, channels_of
from bot.payloads import Press
from bot.references import Origin, Reference
from bot.slack_errors import CALL_FAILURES
from bot.views import everything, modals
from bot.views.text import Block
from gate.errors import Fault, IllegalMove, NotEligible
from gate.lifecycle import OPEN, State
from gate.model import HoldRecord, Person, Route, Said

OLD = "This was not made by this version of the gate, so nothing was recorded. Use /gate holds."
OTHER_STORE = "This card belongs to another installation of the gate; nothing was recorded."
NOT_HERE = "This card does not stand in a channel of its hold, so nothing was recorded."
NO_WINDOW = "The window did not open in time. Press again, or type /gate deny ID and your comment."


@dataclass(frozen=True, slots=True)
class Answer:
    """What somebody says about a hold.

    Attributes:
        said: ``approve`` or ``deny``.
        comment: Their words or the quick reason.
    """

    said: Said
    comment: str = ""


class Deciding:
    """Turn presses into decisions.

    Args:
        desk: What the bot works with.
        answers: How people are told.
        cards: How cards are kept up to date.
    """

    def __init__(self, desk: Desk, answers: Answers, cards: Cards) -> None:
        self._desk, self._answers, self._cards = desk, answers, cards

    async def approve(self, press: Press) -> None:
        """Record an approval pressed on a card, or ask for the comment that the policy wants with it."""
        origin, record = await self._found(press)
        if modals.comment_required(record, "approve") and record.state is State.PENDING:
            await self._form(press, modals.approve_form(record, origin))
            return
        try:
            await self.decide(press, origin, record, Answer("approve"))
        except IllegalMove as fault:
            if fault.code != "view_required":
                raise
            await self.view(press)
            return
        await self._show_on_card(press, record)

    async def ask(self, press: Press) -> None:
        """Open the form for a denial, a stop, or an approval with a comment; look things up afterwards."""
        title = "Approve this call" if press.action == names.APPROVE_WITH_COMMENT else "Deny this call"
        view = press.view or await self._answers.open(press, modals.loading(title))
        if view is None:
            await self._answers.tell(replace(press, home=False), title, NO_WINDOW)
            return
        inside = replace(press, view=view)
        try:
            origin, record = await self._found(inside)
            await self._able(inside, origin, record)
        except Fault as fault:
            await self._answers.tell(inside, title, str(fault))
            return
        approving = press.action == names.APPROVE_WITH_COMMENT
        form = modals.approve_form if approving else modals.deny_form
        await self._answers.update(view, form(record, origin))

    async def view(self, press: Press) -> None:
        """Open the full view, or turn its page, and record that it was opened."""
        title = "Everything"
        view = press.view or await self._answers.open(press, modals.loading(title))
        if view is None:
            await self._answers.tell(replace(press, home=False), title, NO_WINDOW)
            return
        inside = replace(press, view=view)
        try:
            origin, record = await self._found(inside)
            person = await self._desk.eligibility.may_see(record, press.who)
            await self._show_page(view, _turned(press.action, origin), record, person)
        except Fault as fault:
            await self._answers.tell(inside, title, str(fault))

    async def decide(self, press: Press, origin: Origin, record: HoldRecord, answer: Answer) -> HoldRecord:
        """Judge the person and ask the store to record their answer.

        Raises:
            NotEligible: They may not answer.
            IllegalMove: The store refuses the answer.
        """
        eligible = await self._eligible(press, origin, record)
        desk = self._desk
        after = await desk.run(
            desk.service.decide,
            origin.reference.hold,
            store=origin.reference.store,
            nonce=origin.reference.nonce,
            person=eligible.person,
            satisfies=eligible.satisfies,
            said=answer.said,
            comment=answer.comment,
            route=self.route(press, origin),
        )
        desk.wake.set()
        return after

    async def hold(self, reference: Reference, press: Press, origin: Origin) -> HoldRecord:
        """Return the hold that a reference names; a card of another store is refused and recorded.

        Raises:
            IllegalMove: It is another store's, or not known.
        """
        if reference.store != self._desk.service.store_id:
            fault = IllegalMove(OTHER_STORE, code="other_store")
            await self._refused(press, origin, fault)
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

    async def _found(self, press: Press) -> tuple[Origin, HoldRecord]:
        """Return where a press comes from and its hold; a card not seen before is learnt.

        Raises:
            IllegalMove: The hold is unknown, another store's, or the card stands where it must not.
        """
        try:
            origin = _origin(press)
        except ValueError:
            raise IllegalMove(OLD, code="unknown_hold") from None
        record = await self.hold(origin.reference, press, origin)
        if press.ts and not press.meta:
            await self._learn(press, origin, record)
        return origin, record

    async def _learn(self, press: Press, origin: Origin, record: HoldRecord) -> None:
        if any((card.channel, card.ts) == (press.channel, press.ts) for card in record.cards):
            return
        if press.channel not in (*channels_of(record), self._desk.service.channel):
            fault = IllegalMove(NOT_HERE, code="other_channel")
            await self._refused(press, origin, fault)
            raise fault
        if origin.reference.nonce == record.nonce:
            learn = self._desk.service.learn_card
            await self._desk.run(learn, record.id, channel=press.channel, ts=press.ts, version=record.version)

    async def _able(self, press: Press, origin: Origin, record: HoldRecord) -> None:
        """Refuse early what the store would refuse anyway, so that nobody fills in a form for nothing."""
        await self._eligible(press, origin, record)
        if record.state not in OPEN:
            raise IllegalMove(
                f"It is already {record.state.value.replace('_', ' ')}.", code="already_decided"
            )
        if origin.reference.nonce != record.nonce:
            raise IllegalMove("It was changed meanwhile; look at the card again.", code="changed")
        ends = record.use_by or record.expires_at
        if self._desk.service.clock.now() >= ends:
            raise IllegalMove("Too late: the time to answer has ended. Nothing ran.", code="late")

    async def _eligible(self, press: Press, origin: Origin, record: HoldRecord) -> Eligible:
        also = await self._desk.run(self._desk.service.approvers_of, record.id)
        try:
            return await self._desk.eligibility.check(record, press.who, also)
        except NotEligible as fault:
            await self._refused(press, origin, fault)
            raise

    async def _refused(self, press: Press, origin: Origin, fault: Fault) -> None:
        person = Person(press.who.team, press.who.user)
        await self._desk.run(
            self._desk.service.refuse,
            origin.reference.hold,
            person=person,
            code=fault.code,
            reason=str(fault),
            route=self.route(press, origin),
        )

    async def _form(self, press: Press, form: Block) -> None:
        if press.view:
            await self._answers.update(press.view, form)
        elif await self._answers.open(press, form) is None:
            await self._answers.tell(press, "Approve this call", NO_WINDOW)

    async def _show_page(self, view: str, origin: Origin, record: HoldRecord, person: Person) -> None:
        now = replace(origin, reference=Reference.of(record))
        pages = await self._desk.run(everything.paged, record)
        shown = await self._answers.update(view, everything.everything(record, now, pages))
        if shown and everything.shows_all_decisive(pages, now.page):
            await self._desk.run(self._desk.service.record_view, record.id, nonce=record.nonce, person=person)

    async def _show_on_card(self, press: Press, record: HoldRecord) -> None:
        """Answer a recorded approval by the card itself; where that cannot be, say it."""
        if not press.ts:
            await self._answers.tell(press, "Approved", "Your approval is recorded.")
            return
        try:
            await self._cards.refresh(record.id, press.channel, press.ts)
        except CALL_FAILURES:
            await self._answers.tell(
                press, "Approved", "Your approval is recorded; the card could not be updated."
            )


def _origin(press: Press) -> Origin:
    """Return where a press comes from: its modal's memory, or the button itself.

    Raises:
        ValueError: It carries nothing this version reads.
    """
    if press.view and press.meta:
        return Origin.load(press.meta)
    via = "home" if press.home else "card"
    return Origin(Reference.parse(press.value), press.channel, press.ts, via=via)


def _turned(action: str, origin: Origin) -> Origin:
    step = {names.PAGE_NEXT: 1, names.PAGE_BACK: -1}.get(action, 0)
    return replace(origin, page=max(0, origin.page + step))
