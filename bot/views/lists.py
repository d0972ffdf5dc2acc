"""Lines that the home tab and the command share: budgets and freezes."""

from __future__ import annotations

from collections.abc import Sequence

from bot.views import blocks
from bot.views.text import Block, Shown, apart, date, named, one_line, rich_text
from gate.model import Freeze
from gate.model.overview import Spent
from gate.policy.spending import amounts_words, limit_words
from gate.values import format_duration

FREEZES = 5
"""Most freezes named one by one."""


def budget_lines(spent: Sequence[Spent]) -> list[Shown]:
    """Return a line for each budget: whose, what is used of how much in which time, what waits."""
    return [_budget(each) for each in spent]


def _budget(each: Spent) -> Shown:
    state = each.state
    whose = f" for {apart(one_line(each.whose))}" if each.whose else f" {state.per}" if state.per else ""
    after = "then people are asked" if each.answer == "require_approval" else "then calls are blocked"
    if state.hidden:
        return Shown(f"{each.rule}{whose}: {each.share:.0%} used (its numbers are hidden); {after}.")
    waits = amounts_words(state.waiting, state.kind)
    waiting = f", {waits} waiting" if waits else ""
    used = amounts_words(state.charged, state.kind) or "nothing"
    window = format_duration(state.window)
    return Shown(
        f"{each.rule}{whose}: {each.share:.0%}, {used} of {limit_words(state)} in {window}{waiting}; {after}."
    )


def freeze_lines(freezes: Sequence[Freeze]) -> list[Block]:
    """Return a list of what is frozen, since when, by whom and why; nothing for nothing."""
    if not freezes:
        return []
    more = [[rich_text(Shown(f"and {len(freezes) - FREEZES} more"))]] if len(freezes) > FREEZES else []
    return [blocks.list_of([], [*map(_freeze, freezes[:FREEZES]), *more])]


def _freeze(each: Freeze) -> list[Block]:
    what = "everything" if each.scope == "everything" else f"the {each.scope} {each.id}"
    team, slash, user = each.by.partition("/")
    who = named(user) if slash and team else rich_text(one_line(each.by) or Shown("somebody"), 100)
    why = f": {each.reason.rstrip('. ')}" if each.reason else ""
    return [
        rich_text(one_line(what), 120, bold=True),
        rich_text(Shown(" since ")),
        date(each.at),
        rich_text(Shown(" by ")),
        who,
        rich_text(one_line(f"{why}."), 250),
    ]
