"""What is said in a card's thread to those who are still needed, and to those it was handed over to."""

from __future__ import annotations

from collections.abc import Sequence

from bot.views import blocks, words
from bot.views.text import Block
from gate.model import Approver, HoldRecord, Requirement
from gate.policy.policyset import handed_to


def reminder(record: HoldRecord, needed: Sequence[Approver]) -> tuple[list[Block], str]:
    """Return blocks and notification line of a reminder.

    Args:
        record: The pending hold.
        needed: Whose answer it still needs, of those who can give one.
    """
    whom = words.approver_words(needed) if needed else "Nobody who is left can answer."
    sentence = f"*Still waiting for an answer*: {whom}{'.' if needed else ''} {words.deadline_line(record)}"
    return [blocks.say(sentence)], f"Still waiting for an answer: {whom}"


def handed_over(record: HoldRecord, need: Requirement) -> tuple[list[Block], str]:
    """Return blocks and notification line for those to whom a requirement was handed over.

    Args:
        record: The pending hold.
        need: The requirement, with them among its approvers.
    """
    whom = words.approver_words(handed_to(need))
    sentence = f"*Not answered in time.* {whom} may answer now as well. {words.deadline_line(record)}"
    return [blocks.say(sentence)], f"Not answered in time; may answer now as well: {whom}"
