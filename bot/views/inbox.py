"""What ``/gate`` answers: the list of holds, one hold with its code, and help."""

from __future__ import annotations

from collections.abc import Sequence

from bot.references import code_of
from bot.views import blocks
from bot.views.card import Place, card
from bot.views.text import Block, Shown, clip, fixed, moment, one_line, plain
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


def show_blocks(record: HoldRecord, place: Place) -> list[Block]:
    """Return one hold as its card shows it, with the code that ``/gate approve`` takes in place of buttons.

    Args:
        record: The hold, redacted.
        place: Where it is shown.
    """
    shown = [block for block in card(record, place) if block["type"] != "actions"]
    if record.state is not State.PENDING:
        return shown
    code = f"`/gate approve {record.id} {code_of(record)}` or `/gate deny {record.id} your comment`."
    return [*shown, blocks.say(code)]
