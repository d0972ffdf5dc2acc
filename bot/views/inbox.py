"""What ``/gate`` answers: the list of holds, one hold with its code, and help."""

from __future__ import annotations

from collections.abc import Sequence

from bot.references import code_of
from bot.views import blocks
from bot.views.card import Place, card
from bot.views.lists import budget_lines, freeze_lines
from bot.views.sentence import described
from bot.views.text import Block, Shown, clip, fixed, moment, one_line, plain, rich_text
from gate.lifecycle import State
from gate.model import Freeze, HoldRecord
from gate.model.overview import Spent

MOST = 20
DESCRIBED = 170
"""Widest description in a list: twenty rows, some freezes and what is lacking fit into one message."""
HELP = (
    "`/gate holds` lists what waits for you · `/gate show ID` shows one with its code ·"
    " `/gate approve ID CODE` · `/gate deny ID your comment` · `/gate budgets` ·"
    " `/gate freeze everything why` (or `agent NAME`, `session ID`) lets nothing run but declared reads ·"
    " `/gate unfreeze …` lifts it, for operators · `/gate help`."
)


def help_blocks() -> list[Block]:
    """Return what the command can do."""
    return [blocks.say(HELP)]


def list_blocks(
    mine: Sequence[HoldRecord],
    others: Sequence[HoldRecord] = (),
    freezes: Sequence[Freeze] = (),
    *,
    lacking: str = "",
) -> list[Block]:
    """Return the open holds that somebody may see, oldest first.

    Args:
        mine: Those that they may answer.
        others: The others that they may see.
        freezes: The freezes in force.
        lacking: What Slack did not tell just now; empty where it told everything.
    """
    top = [blocks.section(one_line(lacking))] if lacking else []
    frozen = [blocks.say("*Frozen*"), *freeze_lines(freezes)] if freezes else []
    if not mine and not others:
        return [*top, *frozen, blocks.section(Shown("Nothing waits for you."))]
    shown = [*mine, *others][:MOST]
    rows = [block for at, record in enumerate(shown) for block in _row(record, mine=at < len(mine))]
    more = len(mine) + len(others) - len(shown)
    return [*top, *frozen, *rows, *([blocks.section(Shown(f"and {more} more."))] if more > 0 else [])]


def _row(record: HoldRecord, *, mine: bool) -> list[Block]:
    line = clip(described(record), DESCRIBED)
    state = (
        ("waits for you" if mine else "waits for others")
        if record.state is State.PENDING
        else record.state.value
    )
    until = record.expires_at if record.state is State.PENDING else record.use_by
    told = plain(one_line(f"{record.id} · {state} · {record.agent}, session {record.session}"), 250)
    terms = [told] + ([fixed(f"until {moment(until)}")] if until else [])
    return [blocks.section(line), blocks.context(*terms)]


def budget_blocks(spent: Sequence[Spent]) -> list[Block]:
    """Return how far budgets are used, the fullest first."""
    if not spent:
        return [blocks.section(Shown("No budget that you may see is used at the moment."))]
    lines = budget_lines(spent[:MOST])
    more = len(spent) - MOST
    rest = [blocks.section(Shown(f"and {more} more."))] if more > 0 else []
    return [blocks.list_of([], [[rich_text(clip(line, 400))] for line in lines]), *rest]


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
