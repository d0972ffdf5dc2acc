"""The two answers to a call in doubt: it ran, it did not run."""

from __future__ import annotations

from bot import names
from bot.answers import Answers
from bot.deciding import Deciding
from bot.desk import Desk
from bot.forms import answered, errors
from bot.payloads import Press, input_value
from bot.views import doubt, modals
from bot.views.text import Block
from gate.errors import IllegalMove
from gate.lifecycle import State
from gate.model import HoldRecord

TOO_LONG = f"A comment has at most {modals.COMMENT_LIMIT} characters; nothing was recorded."


class Doubting:
    """Turn presses and forms into what people say of calls in doubt.

    Args:
        desk: What the bot works with.
        answers: How people are told.
        deciding: Finds holds and judges people.
    """

    def __init__(self, desk: Desk, answers: Answers, deciding: Deciding) -> None:
        self._desk, self._answers, self._deciding = desk, answers, deciding

    async def ask(self, press: Press) -> None:
        """Open the form for one of the two answers."""
        await self._deciding.in_window(press, doubt.ANSWERS[press.action == names.RAN], self._draw)

    async def submit(self, press: Press) -> Block:
        """Record what a form says; an empty answer closes the form, and the card says the rest."""
        return await answered(self._submit(press))

    async def _draw(self, press: Press, view: str) -> bool:
        origin, record = await self._deciding.found(press)
        await self._deciding.eligible(press, origin, record)
        _check(record)
        form = await self._desk.run(doubt.form, record, origin, ran=press.action == names.RAN)
        return await self._answers.update(view, form)

    async def _submit(self, press: Press) -> Block:
        origin, record = await self._deciding.found(press)
        comment = input_value(press.values, modals.COMMENT_BLOCK, names.COMMENT).strip()
        if len(comment) > modals.COMMENT_LIMIT:
            return errors(TOO_LONG)
        eligible = await self._deciding.eligible(press, origin, record)
        await self._desk.run(
            self._desk.service.annotate,
            record.id,
            store=origin.reference.store,
            person=eligible.person,
            satisfies=eligible.satisfies,
            ran=press.action == names.RAN_FORM,
            comment=comment,
            route=self._deciding.route(press, origin),
        )
        self._desk.wake.set()
        return {}


def _check(record: HoldRecord) -> None:
    """Refuse early what the store would refuse anyway."""
    if record.state is not State.IN_DOUBT:
        raise IllegalMove(
            f"It is not in doubt any more: it is {record.state.value.replace('_', ' ')}.",
            code="already_decided",
        )
