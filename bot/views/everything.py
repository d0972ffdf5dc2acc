"""The full view of a hold: every value, uncut, on as many pages as it takes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from bot import names
from bot.references import Origin, code_of
from bot.views import blocks, edits, story, words
from bot.views.budgets import budget_lines
from bot.views.modals import modal
from bot.views.sentence import described
from bot.views.text import Block, Shown, fixed, lines, mention, moment, one_line, plain, visible, width
from bot.views.values import Value, decisive_values, other_values
from gate.lifecycle import MAX_EDITS, State
from gate.model import HoldRecord, Ruling

PAGE_BLOCKS = 80
PAGE_BYTES = 150_000
MOST_PAGES = 12
VIEW_BYTES = 250_000
"""What one view of Slack's may hold; beyond it there is a file too."""
LIST_ITEMS = 40
MOST_NOTE = 20_000


@dataclass(frozen=True, slots=True)
class Pages:
    """The whole view, cut into pages.

    Attributes:
        pages: Blocks of each page, at least one page.
        decisive: How many pages, from the first, hold the decisive values.
        left_out: Whether less important content did not fit.
        large: Whether all of it is more than one view of Slack's may hold, so that a file is offered.
    """

    pages: tuple[tuple[Block, ...], ...]
    decisive: int
    left_out: bool
    large: bool = False


def fits_view(record: HoldRecord) -> bool:
    """Tell whether the full view can show every decisive value."""
    return len(_paged(list(_decisive(record)))) <= MOST_PAGES


def paged(record: HoldRecord) -> Pages:
    """Cut everything about a hold into pages; the decisive values come first."""
    first = list(_decisive(record))
    pages = _paged([*first, *_rest(record)])
    large = sum(len(json.dumps(page)) for page in pages) > VIEW_BYTES
    return Pages(tuple(pages[:MOST_PAGES]), len(_paged(first)), len(pages) > MOST_PAGES, large)


def everything(record: HoldRecord, origin: Origin, pages: Pages | None = None, *, told: str = "") -> Block:
    """Return the modal with one page of the full view.

    Args:
        record: The hold.
        origin: Where it was opened from, and which page to show.
        pages: The pages if they are known; None computes them.
        told: What became of the file that was asked for; empty for nothing.
    """
    made = pages or paged(record)
    page = min(max(origin.page, 0), len(made.pages) - 1)
    content = [*made.pages[page], *_footer(record, made, page, str(origin.reference), told)]
    return modal("Everything", content, meta=origin.dump())


def shows_all_decisive(pages: Pages, page: int) -> bool:
    """Tell whether somebody who has paged this far has seen every decisive value."""
    return page + 1 >= pages.decisive


def _footer(record: HoldRecord, pages: Pages, page: int, reference: str, told: str) -> list[Block]:
    foot = [blocks.divider(), *([blocks.say(told)] if told else [])]
    if len(pages.pages) > 1:
        cut = " The rest stands in the file alone." if pages.left_out and page + 1 == len(pages.pages) else ""
        foot.append(blocks.context(plain(Shown(f"Page {page + 1} of {len(pages.pages)}.{cut}"))))
    file = [blocks.button("Put it into a file", names.FILE, reference)] if pages.large else []
    pressed = [*_turns(pages, page, reference), *_answers(record, pages, page, reference), *file]
    return [*foot, blocks.actions(*pressed)] if pressed else foot


def _turns(pages: Pages, page: int, reference: str) -> list[Block]:
    back = [blocks.button("Back", names.PAGE_BACK, reference)] if page else []
    more = page + 1 < len(pages.pages)
    return back + ([blocks.button("Next", names.PAGE_NEXT, reference)] if more else [])


def _answers(record: HoldRecord, pages: Pages, page: int, reference: str) -> list[Block]:
    if not shows_all_decisive(pages, page):
        return []
    if record.state is State.PENDING:
        approve = blocks.button("Approve…", names.APPROVE_WITH_COMMENT, reference)
        return [approve, blocks.button("Deny…", names.DENY, reference)]
    return [blocks.button("Stop…", names.STOP, reference)] if record.state is State.APPROVED else []


def _paged(content: list[Block]) -> list[tuple[Block, ...]]:
    pages: list[list[Block]] = [[]]
    size = 0
    for block in content:
        weight = len(json.dumps(block))
        if pages[-1] and (len(pages[-1]) >= PAGE_BLOCKS or size + weight > PAGE_BYTES):
            pages.append([])
            size = 0
        pages[-1].append(block)
        size += weight
    return [tuple(page) for page in pages]


def _decisive(record: HoldRecord) -> Iterator[Block]:
    line = described(record)
    yield blocks.header(line)
    if width(line) > 150:
        yield from blocks.long_text(line)
    values = decisive_values(record)
    if values:
        yield blocks.context(fixed("*Decisive values*"))
    yield from _values(values)


def _values(values: tuple[Value, ...]) -> Iterator[Block]:
    """Yield short values together in one box, long ones each in their own."""
    box: list[Shown] = []
    for value in values:
        if value.short:
            box.append(Shown(f"{value.title}: {value.text}"))
            continue
        yield from _boxed(box)
        box = []
        yield from blocks.named_text(value.title, value.text)
    yield from _boxed(box)


def _boxed(box: list[Shown]) -> Iterator[Block]:
    if box:
        yield from blocks.long_text(lines(*box))


def _rest(record: HoldRecord) -> Iterator[Block]:
    others = other_values(record)
    if others:
        yield blocks.context(fixed("*Other arguments*"))
    yield from _values(others)
    if record.edits:
        yield blocks.context(fixed("*Changed before approval*"))
        yield from edits.edit_blocks(record, MAX_EDITS)
    yield from _people(record)
    yield from _reasons(record)
    yield from _lists(record)
    yield from _about(record)


def _people(record: HoldRecord) -> Iterator[Block]:
    yield blocks.context(fixed("*Who may answer*"))
    for line in words.needs_lines(record, 8):
        yield blocks.say(line)
    if record.state is State.PENDING:
        yield blocks.say(f"{words.deadline_line(record)} Code for typed answers: {code_of(record)}.")
    else:
        yield blocks.say(words.standing_line(record))
    for decision in record.decisions[-20:]:
        if decision.comment:
            yield blocks.context(fixed(f"{mention(decision.person.user)} said"))
            yield from blocks.long_text(visible(decision.comment))


def _reasons(record: HoldRecord) -> Iterator[Block]:
    yield blocks.context(fixed("*Why*"))
    told = [line for each in record.rulings for line in (one_line(_told(each)), *budget_lines(each))]
    yield from blocks.long_text(lines(*told))


def _told(ruling: Ruling) -> str:
    reason = "; ".join([ruling.reason or "no reason given", *ruling.missing])
    return f"{ruling.rule} ({ruling.place or 'the gate'}) {ruling.answer}: {reason}"


def _lists(record: HoldRecord) -> Iterator[Block]:
    yield from story.evidence_blocks(record, LIST_ITEMS, 1000)
    yield from story.listed("The identical call before", [record.identical] if record.identical else [])
    yield from story.listed("Earlier calls of this session", record.history[:LIST_ITEMS])
    yield from story.listed("What this agent was denied before", record.denied)
    yield from story.listed("Waiting for an answer now: the same action", record.similar)


def _about(record: HoldRecord) -> Iterator[Block]:
    yield from story.note_blocks(record, MOST_NOTE)
    yield blocks.context(fixed("*About this call*"))
    facts = {
        "action": record.name,
        "agent": record.agent,
        "session": record.session,
        "for": str(record.on_behalf_of) if record.on_behalf_of else "nobody",
        "on": record.target or "",
        "hidden": ", ".join(record.hidden),
        "not shown": ", ".join(record.not_shown),
        "id": f"{record.id}, version {record.version}",
        "policy": record.revision,
    }
    told = [one_line(f"{name}: {value}") for name, value in facts.items() if value]
    yield from blocks.long_text(lines(*told))
    yield blocks.say(f"Asked {moment(record.created_at)}.")
    if record.result is not None:
        yield blocks.context(fixed("*Returned*"))
        yield from blocks.long_text(visible(record.result))
