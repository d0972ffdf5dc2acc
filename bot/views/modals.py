"""The modals: deny, approve with a comment, and the short answers that replace them."""

from __future__ import annotations

from collections.abc import Sequence

from bot import names
from bot.references import Origin
from bot.views import blocks
from bot.views.text import Block, Shown, lines, one_line, plain
from gate.lifecycle import State
from gate.model import HoldRecord, Said

COMMENT_LIMIT = 2000
HINT = (
    "The agent reads this word for word and may repeat it to the customer."
    " Notes among colleagues: reply in the thread."
)
WANTED = "The policy asks for one of them: a reason or a comment."
OTHER = "Other"
REASONS = (
    "Wrong amount or recipient",
    "Not enough evidence",
    "Against our rules",
    "A person will do it",
    OTHER,
)
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
    content = [blocks.section(one_line(record.described), 600), _reason_input(record), _comment_input(True)]
    if comment_required(record, "deny"):
        content.insert(1, blocks.context(plain(Shown(WANTED))))
    return _form(title, submit, content, names.DENY_FORM, origin)


def approve_form(record: HoldRecord, origin: Origin, *, more: int = 0) -> Block:
    """Return the modal that takes a comment with an approval.

    Args:
        record: The hold.
        origin: Where it was opened from.
        more: How many more calls the approval lets pass; 0 for this one alone.
    """
    unseen = [f"The next {more} that would be over the budget run without asking anybody."] if more else []
    what = blocks.section(lines(one_line(record.described), "", "Runs once, now.", *unseen), 900)
    optional = not comment_required(record, "approve")
    form = names.APPROVE_MORE_FORM if more else names.APPROVE_FORM
    return _form("Approve this call", "Approve", [what, _comment_input(optional)], form, origin)


def _form(title: str, submit: str, content: list[Block], callback: str, origin: Origin) -> Block:
    made = modal(title, content, callback=callback, meta=origin.dump())
    return made | {"submit": plain(Shown(submit), 24), "close": plain(Shown("Go back"), 24)}


def _reason_input(record: HoldRecord) -> Block:
    options = [
        {"text": plain(one_line(reason), 75), "value": str(index)}
        for index, reason in enumerate(reasons_of(record))
    ]
    element = {
        "type": "static_select",
        "action_id": names.REASON,
        "placeholder": plain(Shown("Choose a reason"), 150),
        "options": options,
    }
    return _input(REASON_BLOCK, "Reason", element, optional=True)


def _comment_input(optional: bool) -> Block:
    element = {
        "type": "plain_text_input",
        "action_id": names.COMMENT,
        "multiline": True,
        "max_length": COMMENT_LIMIT,
    }
    made = _input(COMMENT_BLOCK, "Comment", element, optional=optional)
    return made | {"hint": plain(Shown(HINT), 2000)}


def _input(block_id: str, label: str, element: Block, *, optional: bool) -> Block:
    return {
        "type": "input",
        "block_id": block_id,
        "label": plain(Shown(label), 2000),
        "element": element,
        "optional": optional,
    }
