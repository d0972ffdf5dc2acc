"""Answer a submitted form: within two seconds, with the result or with a window that is updated to it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Sequence

from bot import names
from bot.deciding import Answer, Deciding
from bot.payloads import Press, input_value, place_in
from bot.views import modals
from bot.views.text import Block
from gate.errors import Fault
from gate.model import HoldRecord, Said

log = logging.getLogger("bot")

FAILED = "Something went wrong, and your answer may not have been recorded. Look at the card."
TOO_LONG = f"A comment has at most {modals.COMMENT_LIMIT} characters; nothing was recorded."
LONGEST_REASON = 200
"""Room for the quick reason that stands before a comment."""
MISSING = "The policy asks for a comment here."
NO_REASON = "Choose a reason above, or write your own words here: the policy asks for one of them."
ONLY_OTHER = '"Other" alone tells the agent nothing: write your own words here.'


class Forms:
    """Turn submitted forms into decisions.

    Args:
        deciding: From a press to a decision.
    """

    def __init__(self, deciding: Deciding) -> None:
        self._deciding = deciding

    async def submit(self, press: Press) -> Block:
        """Record what a form says.

        Args:
            press: The submitted form.

        Returns:
            The answer for Slack: errors beside the inputs, or the window that says what went wrong; empty
            where the answer is recorded, which closes the form: the card says the rest.
        """
        return await answered(self._submit(press))

    async def _submit(self, press: Press) -> Block:
        origin, record = await self._deciding.found(press)
        approves = press.action in (names.APPROVE_FORM, names.APPROVE_MORE_FORM)
        said: Said = "approve" if approves else "deny"
        more = press.action == names.APPROVE_MORE_FORM
        answer = Answer(said, _comment(press, record, said), headroom=more)
        if len(answer.comment) > modals.COMMENT_LIMIT + LONGEST_REASON:
            return errors(TOO_LONG)
        if not answer.comment and modals.comment_required(record, said):
            return errors(MISSING if approves else lacking(press))
        await self._deciding.decide(press, origin, record, answer)
        return {}


def _comment(press: Press, record: HoldRecord, said: Said) -> str:
    """Return the words of a form: the quick reason, the comment, or both."""
    return words_of(press, modals.reasons_of(record) if said == "deny" else ())


def words_of(press: Press, reasons: Sequence[str]) -> str:
    """Return what a form says in words; "Other" alone is no words.

    Args:
        press: The submitted form.
        reasons: The quick reasons that it offered.
    """
    written = input_value(press.values, modals.COMMENT_BLOCK, names.COMMENT).strip()
    at = place_in(input_value(press.values, modals.REASON_BLOCK, names.REASON), len(reasons))
    quick = "" if at is None else reasons[at]
    if quick == modals.OTHER:
        return written
    return ": ".join(piece for piece in (quick, written) if piece)


def lacking(press: Press) -> str:
    """Return what a denial that says nothing in words lacks.

    Args:
        press: The submitted form.
    """
    return ONLY_OTHER if input_value(press.values, modals.REASON_BLOCK, names.REASON) else NO_REASON


async def answered(submission: Awaitable[Block]) -> Block:
    """Return what Slack is answered for a form, whatever becomes of it; nothing is raised.

    Args:
        submission: Records the form, and gives the answer where that went well.
    """
    try:
        return await submission
    except Fault as fault:
        if fault.code == "comment_required":
            return errors(str(fault))
        return window(title_of(fault), str(fault))
    except Exception:
        log.exception("A form could not be recorded")
        return window("Not recorded", FAILED)


def title_of(fault: Fault) -> str:
    """Return the title above why an answer changed nothing; one that was given before may stand."""
    return "Decided already" if fault.code == "already_decided" else "Not recorded"


def errors(message: str) -> Block:
    """Return the answer that shows what is wrong beside the comment."""
    return {"response_action": "errors", "errors": {modals.COMMENT_BLOCK: message}}


def window(title: str, sentence: str) -> Block:
    """Return the answer that puts a sentence in the place of the form."""
    return {"response_action": "update", "view": modals.told(title, sentence)}
