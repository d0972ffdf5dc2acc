"""What people do with a burst: deny all of it, or freeze its session; approving stays one by one."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace

from bot import names
from bot.answers import Answers
from bot.deciding import OLD, OTHER_STORE, Answer, Deciding
from bot.desk import Desk
from bot.directory import User
from bot.eligibility import Eligible
from bot.forms import FAILED, LONGEST_REASON, TOO_LONG, errors, lacking, window, words_of
from bot.payloads import Press, input_value
from bot.references import Origin, Reference
from bot.switches import Meant, allowed
from bot.views import burst as views
from bot.views import modals
from bot.views.text import Block
from gate.errors import Fault, IllegalMove, NotEligible
from gate.lifecycle import State
from gate.model import Burst, BurstHold

log = logging.getLogger("bot")

OVER = "None of its calls waits here any more; nothing was recorded."
NO_FREEZER = "You are not among the approvers, so you cannot freeze anything."
LATER = "it came, or was changed, after this form was opened."
NAMED = 10
"""How many calls that were left are named one by one."""
DESCRIBED = 300
"""Characters of each one's line."""


class Bursting:
    """Turn presses on burst cards into decisions and freezes.

    Args:
        desk: What the bot works with.
        answers: How people are told.
        deciding: Decides each hold.
    """

    def __init__(self, desk: Desk, answers: Answers, deciding: Deciding) -> None:
        self._desk, self._answers, self._deciding = desk, answers, deciding

    async def ask_deny(self, press: Press) -> None:
        """Open the form that denies all."""
        await self._deciding.in_window(press, "Deny all", self._draw_deny)

    async def ask_freeze(self, press: Press) -> None:
        """Open the form that freezes the session."""
        await self._deciding.in_window(press, "Freeze this session", self._draw_freeze)

    async def deny_all(self, press: Press) -> Block:
        """Deny the calls that the form was about and that the person may decide; name those that are left."""
        return await self._answered(self._deny_all, press, "Not denied")

    async def freeze(self, press: Press) -> Block:
        """Freeze the session of a burst."""
        return await self._answered(self._freeze, press, "Not frozen")

    async def _draw_deny(self, press: Press, view: str) -> bool:
        burst = await self._burst(_reference(press))
        if not await self._decidable(press, burst):
            raise NotEligible("You may not decide any of these calls.", code="not_eligible")
        return await self._answers.update(view, views.deny_form(burst))

    async def _draw_freeze(self, press: Press, view: str) -> bool:
        origin = Origin(_reference(press), press.channel, press.ts)
        burst = await self._burst(origin.reference)
        await self._freezer(press, origin, burst)
        return await self._answers.update(view, views.freeze_form(burst))

    async def _answered(self, work: Callable[[Press], Awaitable[Block]], press: Press, title: str) -> Block:
        try:
            return await work(press)
        except ValueError:
            return window(title, OLD)
        except Fault as fault:
            return window(title, str(fault))
        except Exception:
            log.exception("A burst's form could not be recorded")
            return window(title, FAILED)

    async def _deny_all(self, press: Press) -> Block:
        origin, marks = views.loaded(press.meta)
        burst = await self._burst(origin.reference)
        comment = words_of(press, modals.REASONS)
        if len(comment) > modals.COMMENT_LIMIT + LONGEST_REASON:
            return errors(TOO_LONG)
        if not comment and any(each.comment_to_deny for each in burst.pending):
            return errors(lacking(press))
        done, left = 0, []
        user = await self._desk.eligibility.looked_up(press.who)
        for each in burst.pending:
            own = replace(origin, reference=Reference(burst.store, each.id, each.nonce))
            why = await self._deny(press, own, comment, user) if _among(marks, each) else LATER
            done += why == ""
            left += [f"{each.described[:DESCRIBED]} ({each.id[:6]}): {why}"] if why else []
        title = "Denied" if done else "Not denied"
        return {"response_action": "update", "view": modals.told(title, *_told(done, left))}

    async def _deny(self, press: Press, origin: Origin, comment: str, user: User | None) -> str:
        """Deny one call as it stood; return why it is left, empty where it is denied."""
        try:
            record = await self._desk.run(self._desk.service.hold, origin.reference.hold)
            await self._deciding.decide(press, origin, record, Answer("deny", comment), user=user)
        except Fault as fault:
            return str(fault)
        return ""

    async def _freeze(self, press: Press) -> Block:
        origin = Origin.load(press.meta)
        burst = await self._burst(origin.reference, over=True)
        reason = input_value(press.values, modals.COMMENT_BLOCK, names.COMMENT).strip()
        if len(reason) > modals.COMMENT_LIMIT:
            return errors(TOO_LONG)
        service = self._desk.service
        eligible = await self._freezer(press, origin, burst)
        fresh = await self._desk.run(
            service.freeze_for,
            "session",
            burst.session,
            person=eligible.person,
            satisfies=eligible.satisfies,
            reason=reason,
            route=self._deciding.route(press, origin),
        )
        self._desk.wake.set()
        said = "Nothing of this session runs now but declared reads." if fresh else "It was frozen already."
        return window("Frozen", f"{said} An operator lifts it: /gate unfreeze, or gate unfreeze.")

    async def _freezer(self, press: Press, origin: Origin, burst: Burst) -> Eligible:
        """Return what makes somebody one who may freeze the session of a burst; a refusal is recorded."""
        entries = await self._desk.run(self._desk.service.freezers)
        meant, route = Meant("session", burst.session), self._deciding.route(press, origin)
        return await allowed(self._desk, press, "freeze", meant, entries, NO_FREEZER, route)

    async def _burst(self, reference: Reference, *, over: bool = False) -> Burst:
        """Return the burst that a button or form names.

        Args:
            reference: What it carries.
            over: Whether it may have ended.
        """
        if reference.store != self._desk.service.store_id:
            raise IllegalMove(OTHER_STORE, code="other_store")
        burst = await self._desk.run(self._desk.service.burst, reference.hold)
        if not burst.pending and not over:
            raise IllegalMove(OVER, code="already_decided")
        return burst

    async def _decidable(self, press: Press, burst: Burst) -> bool:
        """Tell whether somebody may decide any call of a burst.

        Raises:
            NotEligible: None for sure, and of some Slack did not tell.
        """
        lost: NotEligible | None = None
        user = await self._desk.eligibility.looked_up(press.who, fresh=False)
        for each in burst.pending:
            record = await self._desk.run(self._desk.service.hold, each.id)
            also = await self._desk.run(self._desk.service.approvers_of, record.id)
            try:
                await self._desk.eligibility.check(record, press.who, also, user=user)
            except NotEligible as refused:
                lost = refused if refused.code == "lookup_failed" else lost
                continue
            if record.state is State.PENDING:
                return True
        if lost is not None:
            raise lost
        return False


def _reference(press: Press) -> Reference:
    """Return which burst a button names.

    Raises:
        IllegalMove: It carries nothing this version reads.
    """
    try:
        return Reference.parse(press.value)
    except ValueError:
        raise IllegalMove(OLD, code="unknown_hold") from None


def _among(marks: frozenset[str], hold: BurstHold) -> bool:
    """Tell whether a hold stands as it did when the form was drawn."""
    return hold.nonce[: views.MARK] in marks


def _told(done: int, left: list[str]) -> list[str]:
    """Say how many were denied, and which were left and why."""
    calls = "1 call is denied" if done == 1 else f"{done} calls are denied"
    words = f"{calls}. The agent receives each with your words; nothing ran."
    told = [words if done else "No call is denied."]
    if not left:
        return told
    more = [f"and {len(left) - NAMED} more"] if len(left) > NAMED else []
    return [*told, f"{len(left)} left:", *left[:NAMED], *more]
