"""The card of a hold that is decided or over: how it stands, who said what, what the run returned."""

from __future__ import annotations

import json

from bot import names
from bot.references import Reference
from bot.views import blocks, doubt, edits, story, words
from bot.views.fitting import Part
from bot.views.text import Block, Shown, abridged, fixed, preformatted, visible, words_of
from bot.views.text import shown as spelled
from bot.views.values import decisive_values, listing
from gate.lifecycle import MAX_EDITS, OPEN, State
from gate.model import HoldRecord

COMMENTS = 5
VALUES = 8


def closed(record: HoldRecord) -> list[Part]:
    """Return what a card says instead of its question, with the button that is left at the end."""
    values = decisive_values(record)
    shown = [listing(values, VALUES, 200)] if values else []
    return [
        Part([blocks.say(words.standing_line(record))]),
        *edits.parts_of_card(record, MAX_EDITS),
        Part([*story.comment_blocks(record, COMMENTS), *_result(record), *doubt.said(record)]),
        Part([*shown, _buttons(record)]),
    ]


def _buttons(record: HoldRecord) -> Block:
    view = blocks.button("View everything", names.VIEW, str(Reference.of(record)))
    if record.state not in OPEN:
        return blocks.actions(*doubt.buttons(record), view)
    sure = blocks.confirm(
        "Stop this call?",
        Shown("It was approved and has not started. It will not run."),
        "Stop it",
        style="danger",
    )
    stop = blocks.button("Stop", names.STOP, str(Reference.of(record)), style="danger", confirm=sure)
    return blocks.actions(stop, view)


def _result(record: HoldRecord) -> list[Block]:
    told: list[Block] = []
    if _tells_reason(record):
        told.append(blocks.section(Shown(f"Because: {words_of(record.end_reason)}"), 500))
    if record.result is not None:
        told += [blocks.context(fixed("Returned")), preformatted(abridged(_returned(record.result), 500))]
    return told


def _returned(result: str) -> Shown:
    """Write a result as the arguments are written; what is no JSON stands as it is."""
    try:
        return spelled(json.loads(result))
    except ValueError:
        return visible(result)


def _tells_reason(record: HoldRecord) -> bool:
    """Tell whether the card's first words leave out why it ended, or what it raised."""
    told = (*OPEN, State.RUNNING, State.DENIED, State.EXPIRED, State.SUCCEEDED)
    return bool(record.end_reason) and record.state not in told
