"""The modals: deny, approve with a comment, and the short answers that replace them."""

from __future__ import annotations

from collections.abc import Sequence

from bot import names
from bot.references import Origin
from bot.views import blocks
from bot.views.sentence import described
from bot.views.text import Block, Shown, lines, one_line, plain
from gate.lifecycle import State
from gate.model import HoldRecord, Said

COMMENT_LIMIT = 2000
HINT = (
    "The agent reads this word for word and may repeat it to the customer."
    " Notes among colleagues: reply in the thread."
)
WANTED = "A reason, or your own words: the policy asks for one of them."
OTHER = "Other"
REASONS = (
    "Wrong amount or recipient",
    "Not enough evidence",
    "Against our rules",
    "A person will do it",
    OTHER,
)
MOST_RADIO = 10
"""Most reasons that stand open, one tap away; more go into a list to choose from."""
COMMENT_BLOCK = "comment"
REASON_BLOCK = "reason"


def modal(title: str, content: Sequence[Block], *, callback: str = names.NOTHING, meta: str = "") -> Block:
    """Return a modal without a submit button."""
    return {
        "type": "modal",
        "callback_id": callback,
        "title": plain(Shown(title), 24),
        "close": plain(Shown("Close"), 24),
        "private_metadata": meta,
        "blocks": list(content),
    }


def told(title: str, *sentences: str) -> Block:
    """Return a modal that only says something; any text may stand in it."""
    return modal(title, [blocks.section(one_line(sentence)) for sentence in sentences])


def loading(title: str) -> Block:
    """Return the modal that opens at once, before anything is looked up."""
    return told(title, "Looking it up…", "If nothing follows, close this window and press again.")


def recording() -> Block:
    """Return the modal that stands while an answer takes longer than Slack waits."""
    return told("Recording…", "Your answer is being recorded. This window tells you how it went.")


def reasons_of(record: HoldRecord) -> tuple[str, ...]:
    """Return the quick reasons offered on denial: the policy's, or the built-in ones."""
    own = [reason for each in record.requirements for reason in each.deny_reasons]
    return tuple(dict.fromkeys(own))[:100] or REASONS


def comment_required(record: HoldRecord, said: Said) -> bool:
    """Tell whether any requirement wants a comment with this answer."""
    return any(said in each.comment_required for each in record.requirements)


def deny_form(record: HoldRecord, origin: Origin) -> Block:
    """Return the modal that asks why; nothing is preselected.

    Args:
        record: The hold; an approved one is stopped rather than denied.
        origin: Where the modal was opened from.
    """
    stop = record.state is State.APPROVED
    title, submit = ("Stop this call", "Stop it") if stop else ("Deny this call", "Deny")
    asked = WANTED if comment_required(record, "deny") else "A reason, or your own words, if you like."
    content = [
        blocks.section(described(record), 600),
        *reasons_input(reasons_of(record), asked),
        comment_input(optional=True),
    ]
    return form_modal(title, submit, content, names.DENY_FORM, origin)


def approve_form(record: HoldRecord, origin: Origin, *, more: int = 0) -> Block:
    """Return the modal that takes a comment with an approval.

    Args:
        record: The hold.
        origin: Where it was opened from.
        more: How many more calls the approval lets pass; 0 for this one alone.
    """
    unseen = [f"The next {more} that would be over the budget run without asking anybody."] if more else []
    what = blocks.section(lines(described(record), "", "Runs once, now.", *unseen), 900)
    optional = not comment_required(record, "approve")
    form = names.APPROVE_MORE_FORM if more else names.APPROVE_FORM
    return form_modal("Approve this call", "Approve", [what, comment_input(optional=optional)], form, origin)


def form_modal(title: str, submit: str, content: list[Block], callback: str, origin: Origin) -> Block:
    """Return a modal with a submit button that remembers where it was opened from."""
    made = modal(title, content, callback=callback, meta=origin.dump())
    return made | {"submit": plain(Shown(submit), 24), "close": plain(Shown("Go back"), 24)}


def reasons_input(given: Sequence[str], asked: str) -> list[Block]:
    """Return the quick reasons; no input, since Slack would call it optional where one of two is wanted."""
    reasons = [one_line(reason) for reason in given]
    few = len(reasons) <= MOST_RADIO
    choice = blocks.radio(names.REASON, reasons) if few else blocks.select(names.REASON, reasons)
    return [blocks.say(f"*Reason*\n{asked}"), {**blocks.actions(choice), "block_id": REASON_BLOCK}]


def comment_input(*, optional: bool, hint: str = HINT) -> Block:
    """Return the input for somebody's own words."""
    element = {
        "type": "plain_text_input",
        "action_id": names.COMMENT,
        "multiline": True,
        "max_length": COMMENT_LIMIT,
    }
    made = _input(COMMENT_BLOCK, "Comment", element, optional=optional)
    return made | {"hint": plain(Shown(hint), 2000)}


def _input(block_id: str, label: str, element: Block, *, optional: bool) -> Block:
    return {
        "type": "input",
        "block_id": block_id,
        "label": plain(Shown(label), 2000),
        "element": element,
        "optional": optional,
    }
