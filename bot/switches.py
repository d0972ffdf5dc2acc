"""The kill switch in Slack: ``/gate freeze`` for any approver, ``/gate unfreeze`` for the operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from bot.desk import Desk
from bot.eligibility import Eligible
from bot.payloads import Press
from bot.sight import Listed
from gate.errors import IllegalMove, NotEligible
from gate.model import Approver, Person, Route
from gate.verbs.freezing import Scope
from gate.verbs.strangers import like
from gate.verbs.switching import Way

USAGE = (
    "Say what: /gate {verb} everything, /gate {verb} agent NAME, or /gate {verb} session ID; then why."
    " Nothing was changed."
)
WHY = "Say why, after what is meant: the log keeps it. Nothing was lifted."
MAY_NOT_FREEZE = "You are not among the approvers, so you cannot freeze anything. Nothing was changed."
MAY_NOT_LIFT = "Lifting a freeze needs one of the policy's operators. Nothing was changed."

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Meant:
    """What somebody typed: which switch, and why."""

    scope: Scope
    id: str = ""
    reason: str = ""

    @property
    def named(self) -> str:
        """Return what is meant, as a sentence begins with it."""
        return "Everything" if self.scope == "everything" else f"The {self.scope} {self.id}"


class Switches:
    """Freeze, and lift what is frozen.

    Args:
        desk: What the bot works with.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def freeze(self, press: Press, words: Sequence[str]) -> str:
        """Freeze what was named; everything where nothing was.

        Returns:
            What to tell who typed it.

        Raises:
            NotEligible: They are no approver.
            IllegalMove: What was typed names nothing.
        """
        meant = _meant(words, "freeze") if words else Meant("everything")
        entries = await self._desk.run(self._desk.service.freezers)
        route = self._route(press)
        eligible = await allowed(self._desk, press, "freeze", meant, entries, MAY_NOT_FREEZE, route)
        fresh = await self._turn(self._desk.service.freeze_for, meant, press, eligible)
        first = await self._warning(meant, press)
        if not fresh:
            again = "; it has your reason now" if meant.reason else ""
            return f"{first}{meant.named} was frozen already{again}."
        what = f"{first}{meant.named} is frozen"
        return f"{what}: nothing but declared reads runs there until an operator lifts it."

    async def _warning(self, meant: Meant, press: Press) -> str:
        """Say that nothing goes by what was frozen; names like it are those of holds that they may see."""
        stranger = await self._desk.run(self._desk.service.stranger, meant.scope, meant.id)
        if stranger is None:
            return ""
        every = await self._desk.run(self._desk.service.holds, None)
        try:
            listed = await self._desk.eligibility.sorted(every, press.who)
        except NotEligible:  # Slack did not tell just now: what was frozen is said all the same
            listed = Listed((), ())
        seen = [each.session if meant.scope == "session" else each.agent for each in listed.every]
        return f"{replace(stranger, near=like(meant.id, seen))} "

    async def lift(self, press: Press, words: Sequence[str]) -> str:
        """Lift the freeze that was named.

        Returns:
            What to tell who typed it.

        Raises:
            NotEligible: They are no operator, or the policy names none.
            IllegalMove: What was typed names nothing, or that is not frozen, or the reason is missing.
        """
        meant = _meant(words, "unfreeze")
        if not meant.reason:
            raise IllegalMove(WHY, code="usage")
        operators = await self._desk.run(self._desk.service.operators)
        entries = operators or await self._desk.run(self._desk.service.freezers)
        route = self._route(press)
        eligible = await allowed(self._desk, press, "unfreeze", meant, entries, MAY_NOT_LIFT, route)
        await self._turn(self._desk.service.unfreeze_for, meant, press, eligible)
        what = meant.named[:1].lower() + meant.named[1:]
        return f"The freeze of {what} is lifted. What it blocked stays blocked."

    async def _turn(self, switch: Callable[..., T], meant: Meant, press: Press, eligible: Eligible) -> T:
        """Freeze or lift for somebody who was looked up just now, and let the bot draw what that changes."""
        done = await self._desk.run(
            switch,
            meant.scope,
            meant.id,
            person=eligible.person,
            satisfies=eligible.satisfies,
            route=self._route(press),
            reason=meant.reason,
        )
        self._desk.wake.set()
        return done

    def _route(self, press: Press) -> Route:
        return Route(app=press.app, api_host=self._desk.api_host, channel=press.channel, via="command")


async def allowed(
    desk: Desk,
    press: Press,
    verb: Way,
    meant: Meant,
    entries: Sequence[Approver],
    otherwise: str,
    route: Route,
) -> Eligible:
    """Return what makes somebody one who may use the kill switch; a refusal is recorded.

    Args:
        desk: What the bot works with.
        press: What they pressed or typed.
        verb: What they want to do.
        meant: With what.
        entries: Who may.
        otherwise: What to tell somebody who is none of them.
        route: Where it came from.

    Raises:
        NotEligible: They may not.
    """
    try:
        return await desk.eligibility.among(entries, press.who, otherwise)
    except NotEligible as fault:
        person = Person(press.who.team, press.who.user)
        refuse = desk.service.refuse_switch
        await desk.run(refuse, verb, meant.scope, meant.id, person=person, fault=fault, route=route)
        raise


def _meant(words: Sequence[str], verb: str) -> Meant:
    """Return what was typed.

    Raises:
        IllegalMove: It names nothing.
    """
    scope = words[0].lower() if words else ""
    if scope == "everything":
        return Meant("everything", reason=" ".join(words[1:]))
    if scope in ("agent", "session") and len(words) > 1:
        return Meant(cast("Scope", scope), words[1], " ".join(words[2:]))
    raise IllegalMove(USAGE.format(verb=verb), code="usage")
