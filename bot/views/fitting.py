"""Leave out of a message what does not fit into it, so that Slack takes it, however much a call brings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bot.views.text import Block, fixed, width

MOST_BLOCKS = 50
MOST_TEXT = 13_000
"""Characters of all texts of a message together; Slack refuses more than about 13,200."""
LEFT_OUT = "*Not all of it fits here*: “View everything” shows the rest."


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a message.

    Attributes:
        blocks: What it is made of; nothing for an empty piece.
        needed: Whether the message says too little without it.
    """

    blocks: Sequence[Block]
    needed: bool = True


def if_room(blocks: Sequence[Block]) -> Part:
    """Return a piece that may be left out."""
    return Part(blocks, needed=False)


def fitted(parts: Sequence[Part]) -> list[Block]:
    """Return the blocks of a message in their order, without those pieces that do not fit.

    Args:
        parts: Its pieces. All that are needed must fit by themselves; of the others the first come first.

    Returns:
        The blocks, with a word at the end where a piece was left out.
    """
    note = {"type": "context", "elements": [fixed(LEFT_OUT)]}
    needed = [block for each in parts if each.needed for block in each.blocks]
    blocks, text = len(needed) + 1, _text([*needed, note])
    shown: list[Block] = []
    whole = True
    for each in parts:
        if not each.needed:
            more, wider = blocks + len(each.blocks), text + _text(each.blocks)
            if more > MOST_BLOCKS or wider > MOST_TEXT:
                whole = False
                continue
            blocks, text = more, wider
        shown += each.blocks
    return shown if whole else [*shown, note]


def _text(blocks: Sequence[Block]) -> int:
    """Return how much text stands in blocks, as Slack counts it."""
    return sum(width(each) for each in _texts(blocks))


def _texts(value: Any) -> Iterator[str]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        yield value["text"]
    for each in inner:
        yield from _texts(each)
