"""A call in doubt: what people said of it, the two answers, and the form that takes one."""

from __future__ import annotations

from bot import names
from bot.references import Origin, Reference
from bot.views import blocks, modals, words
from bot.views.sentence import described
from bot.views.text import Block, Shown, lines, mention, moment, words_of
from gate.lifecycle import State
from gate.model import HoldRecord

HINT = "How you know. The agent reads this word for word."
NOTHING_MOVES = (
    "This is recorded and told to the agent. Nothing is run again for it: doing it again is a new call."
)
STILL = "It may still be running: nobody has proof that its process is dead."
ANSWERS = {True: "It ran", False: "It did not run"}


def said(record: HoldRecord) -> list[Block]:
    """Return what a person said of a call in doubt, or who is asked; nothing for any other call."""
    found = record.annotation
    if record.state is not State.IN_DOUBT:
        return []
    if found is None:
        return [blocks.say(_asked(record))]
    told = blocks.say(f"*{ANSWERS[found.ran]}*, says {mention(found.person.user)} {moment(found.at)}.")
    comment = [blocks.section(Shown(f"“{words_of(found.comment)}”"), 600)] if found.comment else []
    return [told, *comment]


def _asked(record: HoldRecord) -> str:
    """Say in mrkdwn who may tell what became of a call; an operator where nobody was asked before it ran."""
    whom = list(dict.fromkeys(each for need in record.requirements for each in need.approvers))
    allowed = "" if record.version else "Nobody was asked before it started, since the policy allows it. "
    return f"{allowed}*Did it run?* {words.approver_words(whom)} can say so."


def buttons(record: HoldRecord) -> list[Block]:
    """Return the answers that can be given: both, or only the one that nobody gave yet."""
    if record.state is not State.IN_DOUBT:
        return []
    given = record.annotation
    reference = str(Reference.of(record))
    actions = {True: names.RAN, False: names.NOT_RUN}
    return [
        blocks.button(ANSWERS[ran], actions[ran], reference)
        for ran in (True, False)
        if given is None or given.ran != ran
    ]


def may_still_run(record: HoldRecord) -> bool:
    """Tell whether it was doubted without proof that its process is dead."""
    return record.end_reason.endswith("it may still be running.")


def form(record: HoldRecord, origin: Origin, *, ran: bool) -> Block:
    """Return the modal that takes one of the two answers, with how the person knows.

    Args:
        record: The call in doubt.
        origin: Where it was opened from.
        ran: Which answer.
    """
    warning = [blocks.say(f"*{STILL}*")] if may_still_run(record) and not ran else []
    what = blocks.section(lines(described(record), "", Shown(NOTHING_MOVES)), 900)
    return modals.form_modal(
        ANSWERS[ran],
        ANSWERS[ran],
        [what, *warning, modals.comment_input(optional=True, hint=HINT)],
        names.RAN_FORM if ran else names.NOT_RUN_FORM,
        origin,
    )
