"""Edit and approve: open the form with the values that may be changed, and record what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot import names
from bot.answers import Answers
from bot.deciding import Deciding
from bot.desk import Desk
from bot.early import check_unfrozen
from bot.edited import given
from bot.forms import MISSING, TOO_LONG, answered, errors, window
from bot.payloads import Press, input_value
from bot.references import Origin
from bot.views import edits, modals
from bot.views.card import is_cut
from bot.views.text import Block
from gate.errors import BadEdit, IllegalMove
from gate.lifecycle import State
from gate.model import Field, HoldRecord, Person

TITLE = "Edit and approve"
APPROVED = "It is approved already: it can be stopped, but not changed any more."
VIEW_FIRST = "Open View everything first: not every value stands whole on the card. Then edit."
NOTHING_TO_CHANGE = "Nothing in this call may be changed. Approve it as it is, or deny it and say why."
NOT_APPROVED = (
    "The call is changed, and you have not approved it yet: a value that decides does not stand on the card."
    " Open View everything there, then approve."
)


class Editing:
    """Turn presses and forms into changed calls.

    Args:
        desk: What the bot works with.
        answers: How people are told.
        deciding: Finds holds and judges people.
    """

    def __init__(self, desk: Desk, answers: Answers, deciding: Deciding) -> None:
        self._desk, self._answers, self._deciding = desk, answers, deciding

    async def ask(self, press: Press) -> None:
        """Open the form for a change; look things up afterwards."""
        await self._deciding.in_window(press, TITLE, self._draw)

    async def submit(self, press: Press) -> Block:
        """Record what a form says; an empty answer closes the form, and the card says the rest."""
        return await answered(self._submit(press))

    async def _draw(self, press: Press, view: str) -> bool:
        origin, record = await self._deciding.found(press)
        eligible = await self._deciding.able(press, origin, record)
        if record.state is not State.PENDING:
            raise IllegalMove(APPROVED, code="already_decided")
        await check_unfrozen(self._desk, record)
        await self._want_seen(record, eligible.person)
        fields = await self._desk.run(self._desk.service.fields, record.id)
        if not fields:
            raise IllegalMove(NOTHING_TO_CHANGE, code="not_editable")
        form = await self._desk.run(edits.edit_form, record, origin, fields, editor=press.who.user)
        return await self._answers.update(view, form)

    async def _want_seen(self, record: HoldRecord, person: Person) -> None:
        """Refuse early whoever has to open the full view first."""
        await self._deciding.want_view(record)
        run, viewed = self._desk.run, self._desk.service.viewed
        if await run(is_cut, record) and not await run(viewed, record.id, person):
            raise IllegalMove(VIEW_FIRST, code="view_required")

    async def _submit(self, press: Press) -> Block:
        origin, record = await self._deciding.found(press)
        comment = input_value(press.values, modals.COMMENT_BLOCK, names.COMMENT).strip()
        if len(comment) > modals.COMMENT_LIMIT:
            return errors(TOO_LONG)
        if not comment and modals.comment_required(record, "approve"):
            return errors(MISSING)
        fields = await self._desk.run(self._desk.service.fields, record.id)
        changes = given(record, fields, press.values)
        try:
            approved = await self._edit(press, origin, record, changes, comment)
        except BadEdit as fault:
            return _wrong(fault, _drawn(fields, press), changes)
        return {} if approved else window("Changed", NOT_APPROVED)

    async def _edit(
        self, press: Press, origin: Origin, record: HoldRecord, changes: Mapping[str, object], comment: str
    ) -> bool:
        """Change the call, and tell whether that counts as the person's approval, too."""
        eligible = await self._deciding.eligible(press, origin, record)
        after = await self._desk.run(
            self._desk.service.edit,
            record.id,
            store=origin.reference.store,
            nonce=origin.reference.nonce,
            person=eligible.person,
            satisfies=eligible.satisfies,
            changes=changes,
            route=self._deciding.route(press, origin),
            comment=comment,
        )
        self._desk.wake.set()
        return any(each.person == eligible.person for each in after.decisions)


def _drawn(fields: Sequence[Field], press: Press) -> list[Field]:
    """Return the fields that have an input in a form; Slack shows an error nowhere else."""
    return [each for each in fields if edits.block_of(each.path) in (press.values or {})]


def _wrong(fault: BadEdit, fields: Sequence[Field], changes: Mapping[str, object]) -> Block:
    """Show what is wrong under the inputs it came from; what is about the call, under what was changed."""
    found = edits.problems(fault.problems)
    if not found:
        path = next(iter(changes), fields[0].path if fields else "")
        found = {edits.block_of(path) if path else modals.COMMENT_BLOCK: str(fault)}
    return {"response_action": "errors", "errors": found}
