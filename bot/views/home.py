"""The App Home: what waits for this person, as a second way to answer."""

from __future__ import annotations

from collections.abc import Sequence

from bot import names
from bot.references import Reference
from bot.views import blocks, words
from bot.views.text import Block, Shown, fixed, one_line
from gate.lifecycle import State
from gate.model import HoldRecord

MOST = 20


def home(records: Sequence[HoldRecord], *, local: bool = False) -> Block:
    """Return the home tab of somebody who may see these holds.

    Args:
        records: Open holds this person may see, oldest first; at most 20 are shown.
        local: Whether this is the local workspace, not Slack.
    """
    top = [blocks.header(Shown("Waiting for an answer"))]
    top += [blocks.context(fixed("*Local workspace, not Slack*"))] if local else []
    rows = [block for record in records[:MOST] for block in _row(record)]
    more = len(records) - MOST
    rows += [blocks.section(Shown(f"and {more} more; see /gate holds."))] if more > 0 else []
    return {"type": "home", "blocks": [*top, *(rows or [blocks.section(Shown("Nothing waits for you."))])]}


def _row(record: HoldRecord) -> list[Block]:
    pending = record.state is State.PENDING
    terms = words.deadline_line(record) if pending else words.standing_line(record)
    reference = str(Reference.of(record))
    look = blocks.button("View everything", names.VIEW, reference)
    return [
        blocks.section(one_line(record.described), 600),
        blocks.context(fixed(terms)),
        blocks.actions(look),
    ]
