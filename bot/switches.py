"""The kill switch in Slack: ``/gate freeze`` for any approver, ``/gate unfreeze`` for the operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from bot.desk import Desk
from bot.payloads import Press
from gate.errors import IllegalMove
from gate.model import Route
from gate.verbs.freezing import Scope

USAGE = (
    "Say what: /gate {verb} everything, /gate {verb} agent NAME, or /gate {verb} session ID; then why."
    " Nothing was changed."
)
WHY = "Say why, after what is meant: the log keeps it. Nothing was lifted."
MAY_NOT_FREEZE = "You are not among the approvers, so you cannot freeze anything. Nothing was changed."
MAY_NOT_LIFT = "Lifting a freeze needs one of the policy's operators. Nothing was changed."


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
        scope, id_, reason = _meant(words, "freeze") if words else ("everything", "", "")
        desk = self._desk
        entries = await desk.run(desk.service.freezers)
        eligible = await desk.eligibility.among(entries, press.who, MAY_NOT_FREEZE)
        fresh = await desk.run(
            desk.service.freeze_for,
            scope,
            id_,
            person=eligible.person,
            satisfies=eligible.satisfies,
            route=self._route(press),
            reason=reason,
        )
        desk.wake.set()
        what = _named(scope, id_)
        if not fresh:
            return f"{what} was frozen already{'; it has your reason now' if reason else ''}."
        return f"{what} is frozen: nothing but declared reads runs there until an operator lifts it."

    async def lift(self, press: Press, words: Sequence[str]) -> str:
        """Lift the freeze that was named.

        Returns:
            What to tell who typed it.

        Raises:
            NotEligible: They are no operator, or the policy names none.
            IllegalMove: What was typed names nothing, or that is not frozen, or the reason is missing.
        """
        scope, id_, reason = _meant(words, "unfreeze")
        if not reason:
            raise IllegalMove(WHY, code="usage")
        desk = self._desk
        operators = await desk.run(desk.service.operators)
        entries = operators or await desk.run(desk.service.freezers)
        eligible = await desk.eligibility.among(entries, press.who, MAY_NOT_LIFT)
        await desk.run(
            desk.service.unfreeze_for,
            scope,
            id_,
            person=eligible.person,
            satisfies=eligible.satisfies,
            route=self._route(press),
            reason=reason,
        )
        desk.wake.set()
        what = "everything" if scope == "everything" else f"the {scope} {id_}"
        return f"The freeze of {what} is lifted. What it blocked stays blocked."

    def _route(self, press: Press) -> Route:
        return Route(app=press.app, api_host=self._desk.api_host, channel=press.channel, via="command")


def _meant(words: Sequence[str], verb: str) -> tuple[Scope, str, str]:
    """Return scope, id and reason of what was typed.

    Raises:
        IllegalMove: It names nothing.
    """
    scope = words[0].lower() if words else ""
    if scope == "everything":
        return "everything", "", " ".join(words[1:])
    if scope in ("agent", "session") and len(words) > 1:
        return cast("Scope", scope), words[1], " ".join(words[2:])
    raise IllegalMove(USAGE.format(verb=verb), code="usage")


def _named(scope: Scope, id_: str) -> str:
    return "Everything" if scope == "everything" else f"The {scope} {id_}"
