"""Build the few kinds of Block Kit blocks that the views use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.views.text import Block, Shown, chunks, fixed, plain, preformatted, rich_text, width

PIECE = 2900
"""Widest piece of text in one block; Slack's limit is 3000."""


def header(text: Shown) -> Block:
    """Return a header, cut to Slack's 150."""
    return {"type": "header", "text": plain(text, 150)}


def section(text: Shown, limit: int = PIECE) -> Block:
    """Return a section that shows any text as it is."""
    return {"type": "section", "text": plain(text, limit)}


def say(sentence: str) -> Block:
    """Return a section with a sentence of our own in mrkdwn."""
    return {"type": "section", "text": fixed(sentence)}


def context(*elements: Block) -> Block:
    """Return a context block of at most ten elements."""
    return {"type": "context", "elements": list(elements[:10])}


def prose(*elements: Block) -> Block:
    """Return a rich_text block with one paragraph of rich_text elements."""
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": list(elements)}]}


def facts(pairs: Sequence[tuple[Shown, Shown]]) -> Block:
    """Return a paragraph with a line for each label and value; both are one line each, the value is bold."""
    shown: list[Block] = []
    for label, value in pairs:
        start = "\n" if shown else ""
        shown += [rich_text(Shown(f"{start}{label}: ")), rich_text(value or Shown(" "), bold=True)]
    return prose(*shown)


def divider() -> Block:
    """Return a divider."""
    return {"type": "divider"}


def long_text(text: Shown, limit: int = PIECE) -> list[Block]:
    """Return as many preformatted blocks as an already visible text needs."""
    return [preformatted(piece) for piece in chunks(text, limit)]


def named_text(label: Shown, text: Shown) -> list[Block]:
    """Return a label of any length and the text under it, both uncut."""
    short = width(label) <= 250
    return [*([context(plain(label, 250))] if short else long_text(label)), *long_text(text)]


def list_of(title: Sequence[Block], items: Iterable[Sequence[Block]]) -> Block:
    """Return a rich_text block: a title line, if there is one, and a bulleted list of rich_text elements."""
    bullets = [{"type": "rich_text_section", "elements": list(item)} for item in items]
    listing = {"type": "rich_text_list", "style": "bullet", "elements": bullets}
    head = [{"type": "rich_text_section", "elements": list(title)}] if title else []
    return {"type": "rich_text", "elements": [*head, listing]}


def button(label: str, action_id: str, value: str, *, style: str = "", confirm: Block | None = None) -> Block:
    """Return a button; style is empty, ``primary`` or ``danger``."""
    made: Block = {"type": "button", "text": plain(Shown(label), 30), "action_id": action_id, "value": value}
    if style:
        made["style"] = style
    return made | ({"confirm": confirm} if confirm else {})


def confirm(title: str, text: Shown, yes: str, *, no: str = "Go back", style: str = "") -> Block:
    """Return a confirmation dialog; its text is cut to Slack's 300."""
    made: Block = {
        "title": plain(Shown(title), 100),
        "text": plain(text, 300),
        "confirm": plain(Shown(yes), 30),
        "deny": plain(Shown(no), 30),
    }
    return made | ({"style": style} if style else {})


def radio(action_id: str, options: Sequence[Shown]) -> Block:
    """Return radio buttons, at most ten; each carries its place, and none is chosen."""
    choices = [{"text": plain(label, 75), "value": str(at)} for at, label in enumerate(options[:10])]
    return {"type": "radio_buttons", "action_id": action_id, "options": choices}


def select(action_id: str, options: Sequence[Shown]) -> Block:
    """Return a list to choose from, at most a hundred; each carries its place, and none is chosen."""
    choices = [{"text": plain(label, 75), "value": str(at)} for at, label in enumerate(options[:100])]
    placeholder = plain(Shown("Choose a reason"), 150)
    return {
        "type": "static_select",
        "action_id": action_id,
        "placeholder": placeholder,
        "options": choices,
    }


def actions(*elements: Block) -> Block:
    """Return a row of buttons and menus."""
    return {"type": "actions", "elements": list(elements)}
