"""The App Home: what waits for this person, what they answered, budgets near their limit, what is frozen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from bot import names
from bot.references import Reference
from bot.views import blocks, words
from bot.views.card import ID_DIGITS, approve_button, who_asks, why_lines
from bot.views.lists import budget_lines, freeze_lines
from bot.views.sentence import described
from bot.views.story import past_elements
from bot.views.text import Block, Shown, clip, date, fixed, one_line, plain, rich_text
from bot.views.values import Value, decisive_values, fits_card
from gate.lifecycle import State
from gate.model import Freeze, HoldRecord
from gate.model.overview import Answered, Spent

MINE, OTHERS = 10, 5
BUDGETS = 10
ANSWERS = 5
VALUES = 8
"""Most decisive values of a hold that its row shows; with more, the way to an approval is the full view."""
NEAR = Decimal("0.8")
"""Part of its limit from which a budget is near it."""


@dataclass(frozen=True, slots=True)
class HomePage:
    """What one person's home tab shows.

    Attributes:
        mine: Open holds that they may answer, oldest first.
        others: Other open holds that they may see.
        answered: What they answered last, newest first.
        budgets: Budgets near their limit, the fullest first.
        freezes: The freezes in force.
        refusal: Why they see nothing; empty where they do.
        ids: Every user id they go by.
        lacking: What Slack did not tell just now; empty where it told everything.
    """

    mine: tuple[HoldRecord, ...] = ()
    others: tuple[HoldRecord, ...] = ()
    answered: tuple[Answered, ...] = ()
    budgets: tuple[Spent, ...] = ()
    freezes: tuple[Freeze, ...] = ()
    refusal: str = ""
    ids: frozenset[str] = frozenset()
    lacking: str = ""


def home(page: HomePage, *, local: bool = False) -> Block:
    """Return a home tab.

    Args:
        page: What it shows; long lists are cut to what one tab holds, with a count.
        local: Whether this is the local workspace, not Slack.
    """
    top = [blocks.context(fixed("*Local workspace, not Slack*"))] if local else []
    top += [blocks.section(one_line(page.lacking))] if page.lacking else []
    rest = [blocks.section(one_line(page.refusal))] if page.refusal else _sections(page)
    return {"type": "home", "blocks": [*top, *_frozen(page.freezes), *rest]}


def newest(answered: Sequence[Answered]) -> tuple[Answered, ...]:
    """Return the answers that a tab shows, newest first, of those that were kept under any id of a person."""
    return tuple(sorted(answered, key=lambda each: each.decision.at, reverse=True)[:ANSWERS])


def _sections(page: HomePage) -> list[Block]:
    done = [record for record in page.mine if _has_answered(record, page.ids)]
    mine = [record for record in page.mine if record not in done]
    return [
        *_holds("Waiting for you", mine, MINE, answers=True),
        *(
            _holds("Waiting for others", [*done, *page.others], OTHERS, answers=False)
            if done or page.others
            else []
        ),
        *_answered(page.answered),
        *_budgets(page.budgets),
    ]


def _has_answered(record: HoldRecord, ids: frozenset[str]) -> bool:
    mine = [each for each in record.decisions if each.person.user in ids and each.said == "approve"]
    return record.state is State.PENDING and bool(mine)


def _frozen(freezes: Sequence[Freeze]) -> list[Block]:
    if not freezes:
        return []
    told = freeze_lines(freezes)
    return [blocks.header(Shown("Frozen: only declared reads run")), *told, blocks.divider()]


def _holds(title: str, records: Sequence[HoldRecord], most: int, *, answers: bool) -> list[Block]:
    head = blocks.header(Shown(f"{title} ({len(records)})" if records else title))
    rows = [block for record in records[:most] for block in _row(record, answers=answers)]
    more = len(records) - most
    rows += [blocks.context(plain(Shown(f"and {more} more: type /gate holds")))] if more > 0 else []
    return [head, *(rows or [blocks.section(Shown("Nothing waits for you."))])]


def _row(record: HoldRecord, *, answers: bool) -> list[Block]:
    pending = record.state is State.PENDING
    asks = pending and answers
    values = decisive_values(record) if asks else ()
    whole = asks and _fits(record, values)
    terms = (
        [words.deadline_line(record), *words.needs_lines(record, 2)]
        if pending
        else [words.standing_line(record)]
    )
    what = plain(one_line(f"{record.agent}, session {record.session}, hold {record.id[:ID_DIGITS]}"), 200)
    return [
        blocks.prose(rich_text(described(record), 300, bold=True), *(_asked(record) if asks else [])),
        *([_decisive(values)] if whole and values else []),
        blocks.context(*(fixed(each) for each in terms), what),
        blocks.actions(*_pressed(record, answers=answers, whole=whole)),
        blocks.divider(),
    ]


def _asked(record: HoldRecord) -> list[Block]:
    """Return who asks, for whom and where, what makes it serious, why it is held: a line each."""
    serious = ", ".join(each for each, _ in words.effect_words(record))
    told = [serious, *why_lines(record, 2)]
    lines = [rich_text(Shown(f"\n{clip(one_line(line), 320)}")) for line in told if line]
    return [rich_text(Shown("\n")), *who_asks(record), *lines]


def _decisive(values: Sequence[Value]) -> Block:
    return blocks.facts([(value.title, value.text) for value in values])


def _fits(record: HoldRecord, values: tuple[Value, ...]) -> bool:
    """Tell whether everything that one must see before approving stands in a row of the tab."""
    if record.view_required or len(values) > VALUES:
        return False
    return all(value.short for value in values) and fits_card(values)


def _pressed(record: HoldRecord, *, answers: bool, whole: bool) -> list[Block]:
    """Return the buttons of a row; one approves where the row shows the ``whole`` of what decides."""
    reference = str(Reference.of(record))
    look = blocks.button("View everything", names.VIEW, reference)
    if not answers:
        return [look]
    if record.state is State.APPROVED:
        return [blocks.button("Stop…", names.STOP, reference), look]
    deny = blocks.button("Deny", names.DENY, reference)
    return [approve_button(record), deny, look] if whole else [look, deny]


def _answered(answered: Sequence[Answered]) -> list[Block]:
    if not answered:
        return []
    items = [_answer(each) for each in answered]
    return [blocks.header(Shown("Decided by you")), blocks.list_of([], items)]


def _answer(each: Answered) -> list[Block]:
    said = "Approved" if each.decision.said == "approve" else "Denied"
    when = [rich_text(Shown(f"{said} ")), date(each.decision.at), rich_text(Shown(": "))]
    which = rich_text(one_line(f" ({each.call.action_id[:ID_DIGITS]})"), 20)
    if each.decision.said == "deny" and each.call.state is State.DENIED:
        return [*when, *past_elements(replace(each.call, by=""), 150, dated=False, ending=False), which]
    return [*when, *past_elements(each.call, 150, dated=False), which]


def _budgets(budgets: Sequence[Spent]) -> list[Block]:
    if not budgets:
        return []
    shown = [clip(line, 400) for line in budget_lines(budgets[:BUDGETS])]
    return [
        blocks.header(Shown("Budgets near their limit")),
        blocks.list_of([], [[rich_text(line)] for line in shown]),
    ]
