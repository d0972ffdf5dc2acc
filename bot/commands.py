"""``/gate``: the second way to see and decide holds, for when buttons do not arrive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.answers import Answers, said
from bot.deciding import Answer, Deciding
from bot.desk import Desk
from bot.forms import TOO_LONG
from bot.homes import visible_budgets, visible_freezes
from bot.payloads import Press
from bot.references import Origin, Reference, code_of
from bot.switches import Switches
from bot.views import inbox, modals
from bot.views.text import Block
from bot.waiting import open_holds
from gate.errors import Fault, IllegalMove, NotEligible
from gate.lifecycle import State
from gate.model import HoldRecord

UNSEEN = (
    "No hold that you may see goes by '{id}', so nothing was recorded. /gate holds lists those that wait;"
    " give an id, or at least six characters that only it begins with."
)
"""Said of what does not exist and of what somebody may not see, so that they learn nothing by asking."""

HIDING = ("not_eligible", "guest", "stranger", "asked_for")
"""Why somebody may not see a hold, where saying so would tell that there is one."""

OTHER_CODE = (
    "That code does not belong to this hold as it stands now; nothing was recorded."
    " Type /gate show {id} and look again."
)

VIEW_FIRST = (
    "Nothing was recorded yet: a value that decides does not stand in what /gate show tells. Read it in the"
    " window that opens, to its last page; then approve there, or type this again."
)
NO_VIEW = (
    "Nothing was recorded: a value that decides does not stand in what /gate show tells, and the window that"
    " shows it did not open. Type this again, or open “View everything” on the card or in the home tab."
)

LACKING = {"show": "an ID", "approve": "an ID and its 4-digit CODE (/gate show ID tells it)", "deny": "an ID"}
"""What a verb that came alone is short of."""


class Commands:
    """Answer the slash command.

    Args:
        desk: What the bot works with.
        answers: How people are told.
        deciding: From an answer to a decision.
    """

    def __init__(self, desk: Desk, answers: Answers, deciding: Deciding) -> None:
        self._desk, self._answers, self._deciding = desk, answers, deciding
        self._switches = Switches(desk)

    async def answer(self, press: Press) -> None:
        """Do what was typed and tell only who typed it."""
        verb, _, rest = press.value.strip().partition(" ")
        try:
            blocks, text = await self._do(press, verb.lower(), rest.split())
        except Fault as fault:
            blocks, text = said(str(fault)), str(fault)
        await self._answers.whisper(press, blocks, text)

    async def _do(self, press: Press, verb: str, words: Sequence[str]) -> tuple[list[Block], str]:
        if verb == "holds":
            return await self._list(press)
        if verb == "show" and words:
            return await self._show(press, words[0])
        if verb == "approve" and len(words) >= 2:
            return await self._approve(press, words[0], words[1], " ".join(words[2:]))
        if verb == "deny" and words:
            return await self._deny(press, words[0], " ".join(words[1:]))
        if verb == "freeze":
            return _both(await self._switches.freeze(press, words))
        if verb == "unfreeze":
            return _both(await self._switches.lift(press, words))
        if verb == "budgets":
            return await self._budgets(press)
        return [*_misread(verb), *inbox.help_blocks()], "How to use /gate"

    async def _list(self, press: Press) -> tuple[list[Block], str]:
        every, more = await open_holds(self._desk)
        listed = await self._desk.eligibility.sorted(every, press.who)
        freezes = await visible_freezes(self._desk, press.who)
        draw, lacking = inbox.list_blocks, f"{more} {listed.lacking}".strip()
        shown = await self._desk.run(draw, listed.mine, listed.others, freezes, lacking=lacking)
        return shown, _counted(len(listed.mine) + len(listed.others))

    async def _budgets(self, press: Press) -> tuple[list[Block], str]:
        every = await self._desk.run(self._desk.service.budgets_spent)
        seen = await visible_budgets(self._desk, every, press.who)
        return inbox.budget_blocks(seen), f"{len(seen)} budgets"

    async def _show(self, press: Press, id_: str) -> tuple[list[Block], str]:
        record = await self._found(press, id_)
        await self._want_sight(press, record, id_)
        return await self._desk.run(inbox.show_blocks, record, self._desk.place), record.name

    async def _approve(self, press: Press, id_: str, code: str, comment: str) -> tuple[list[Block], str]:
        record = await self._answerable(press, id_)
        if code != code_of(record):
            fault = IllegalMove(OTHER_CODE.format(id=record.id), code="changed")
            await self._deciding.refused(press, _origin(press, record), fault)
            raise fault
        try:
            after = await self._decide(press, record, Answer("approve", comment))
        except IllegalMove as fault:
            if fault.code != "view_required":
                raise
            return await self._show_everything(press, record)
        more = " More approvals are needed." if after is State.PENDING else " It may run once, now."
        return _both(f"Your approval is recorded.{more}")

    async def _show_everything(self, press: Press, record: HoldRecord) -> tuple[list[Block], str]:
        """Open the full view for who typed, since there may be no card with its button."""

        async def draw(press: Press, view: str) -> bool:
            person = await self._desk.eligibility.may_see(record, press.who)
            return await self._deciding.show_page(view, _origin(press, record), record, person)

        view = await self._answers.open(press, modals.loading("Everything"))
        if view is None:
            return _both(NO_VIEW)
        await self._deciding.in_window(replace(press, view=view), "Everything", draw)
        return _both(VIEW_FIRST)

    async def _deny(self, press: Press, id_: str, comment: str) -> tuple[list[Block], str]:
        record = await self._answerable(press, id_)
        await self._decide(press, record, Answer("deny", comment))
        return _both("Your denial is recorded. The agent receives it with your comment; nothing ran.")

    async def _answerable(self, press: Press, id_: str) -> HoldRecord:
        """Return a hold that who typed may answer, before anything else is said of it.

        Raises:
            NotEligible: They may see it, but not answer it; that is recorded.
            IllegalMove: They may not see it, or there is none; the words are the same.
        """
        record = await self._found(press, id_)
        try:
            await self._deciding.eligible(press, _origin(press, record), record)
        except NotEligible:
            await self._want_sight(press, record, id_)
            raise
        return record

    async def _found(self, press: Press, id_: str) -> HoldRecord:
        """Return the hold that an id names; without one, say what would be said of who typed beside any.

        Raises:
            NotEligible: There is none, and they count nowhere.
            IllegalMove: There is none.
        """
        try:
            return await self._desk.run(self._desk.service.hold, id_)
        except IllegalMove as fault:
            if fault.code != "unknown_hold":
                raise
            await self._desk.eligibility.counts(press.who)
            raise _unseen(id_) from None

    async def _want_sight(self, press: Press, record: HoldRecord, id_: str) -> None:
        try:
            await self._desk.eligibility.may_see(record, press.who)
        except NotEligible as fault:
            if fault.code not in HIDING:
                raise
            raise _unseen(id_) from None

    async def _decide(self, press: Press, record: HoldRecord, answer: Answer) -> State:
        if len(answer.comment) > modals.COMMENT_LIMIT:
            raise IllegalMove(TOO_LONG, code="comment_too_long")
        return await self._deciding.decide(press, _origin(press, record), record, answer)


def _unseen(id_: str) -> IllegalMove:
    return IllegalMove(UNSEEN.format(id=id_[:40]), code="unknown_hold")


def _origin(press: Press, record: HoldRecord) -> Origin:
    return Origin(Reference.of(record), press.channel, via="command")


def _both(sentence: str) -> tuple[list[Block], str]:
    return said(sentence), sentence


def _misread(verb: str) -> list[Block]:
    """Return what was not understood, and nothing where help was asked for."""
    if verb in ("", "help"):
        return []
    lacking = LACKING.get(verb)
    why = f"/gate {verb} needs {lacking}" if lacking else f"there is no /gate {verb[:40]}"
    return said(f"Nothing was done: {why}.")


def _counted(holds: int) -> str:
    return f"{holds} hold{'s' * (holds != 1)}"
