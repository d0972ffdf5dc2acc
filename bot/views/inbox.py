"""What ``/gate`` answers: the list of holds, one hold with its code, and help."""

from __future__ import annotations

from collections.abc import Sequence

from bot.references import code_of
from bot.views import blocks, words
from bot.views.text import Block, Shown, clip, fixed, flat, lines, moment, one_line, plain
from bot.views.values import decisive_values
from gate.lifecycle import State
from gate.model import HoldRecord

MOST = 20
HELP = (
    "`/gate holds` lists what waits for you · `/gate show ID` shows one with its code ·"
    " `/gate approve ID CODE` · `/gate deny ID your comment` · `/gate help`."
    " Freezing is done with `gate freeze` on the command line."
)


def help_blocks() -> list[Block]:
    """Return what the command can do."""
    return [blocks.say(HELP)]


def list_blocks(records: Sequence[HoldRecord]) -> list[Block]:
    """Return the open holds that somebody may see, newest last."""
    if not records:
        return [blocks.section(Shown("Nothing waits for you."))]
    shown = [block for record in records[:MOST] for block in _row(record)]
    more = len(records) - MOST
    return [*shown, *([blocks.section(Shown(f"and {more} more."))] if more > 0 else [])]


def _row(record: HoldRecord) -> list[Block]:
    line = clip(one_line(record.described), 200)
    state = "waits" if record.state is State.PENDING else record.state.value
    until = record.expires_at if record.state is State.PENDING else record.use_by
    terms = [plain(Shown(f"{record.id} · {state}"))] + ([fixed(f"until {moment(until)}")] if until else [])
    return [blocks.section(line), blocks.context(*terms)]


def show_blocks(record: HoldRecord) -> list[Block]:
    """Return one hold with its decisive values and the code that ``/gate approve`` takes."""
    told = [
        f"{clip(value.label, 60)}: {clip(flat(value.text), 400)}" for value in decisive_values(record)[:12]
    ]
    shown = [blocks.header(one_line(record.described)), *blocks.long_text(lines(*told))[:3]]
    if record.state is not State.PENDING:
        return [*shown, blocks.say(words.standing_line(record))]
    code = f"`/gate approve {record.id} {code_of(record)}` or `/gate deny {record.id} your comment`."
    terms = f"{words.deadline_line(record.expires_at)} {words.approvals_line(record)}"
    return [*shown, blocks.say(terms), blocks.say(code)]
