"""The card of a hold: what would happen first, then who, why, the decisive values and the buttons."""

from __future__ import annotations

from dataclasses import dataclass

from bot import names
from bot.references import Reference
from bot.views import blocks, edits, story, words
from bot.views.budgets import lets_pass, numbers_lines, used_by_lines
from bot.views.closing import closed
from bot.views.fitting import Part, fitted, if_room
from bot.views.sentence import brief, described
from bot.views.text import (
    Block,
    Shown,
    apart,
    clip,
    fixed,
    flat,
    lines,
    named,
    notified,
    one_line,
    plain,
    rich_text,
    width,
)
from bot.views.values import Value, decisive_values, fits_card, listing, other_values, uncut
from gate.lifecycle import MAX_EDITS, State
from gate.model import HoldRecord, Ruling

REASONS = 3
REASON_WIDTH = 300
OTHERS = 8
OTHER_WIDTH = 160
CUT_VALUES = 8
COMMENTS = 3
HIDDEN, HIDDEN_WIDTH = 8, 50
ID_DIGITS = 8
"""Characters of a hold's id that its card shows; commands take them."""
IN_BURST = "*One of a burst*: another card in this channel lists what waits of this session, with totals."


@dataclass(frozen=True, slots=True)
class Place:
    """Where cards are shown, as far as they must say so.

    Attributes:
        local: Whether this is the local workspace, not Slack.
    """

    local: bool = False


def card(record: HoldRecord, place: Place = Place()) -> list[Block]:
    """Return the blocks of a hold's card in its present state.

    Args:
        record: The hold, redacted.
        place: Where the card is shown.

    Returns:
        At most 50 blocks within Slack's limits, whatever the arguments are.
    """
    top = Part([*_what(record), _who(record)])
    pending = record.state is State.PENDING
    rest = _open(record, place) if pending else [*closed(record), Part([_mark(record, place)])]
    return fitted([top, *rest])


def card_text(record: HoldRecord) -> str:
    """Return the notification line of a card: describe with every value reduced, within 300."""
    lead = "Approval needed" if record.state is State.PENDING else _state_word(record)
    return f"{lead}: {notified(brief(record), 250)}"


def must_view(record: HoldRecord) -> bool:
    """Tell whether the card cannot show every decisive value, so that the full view must be opened first."""
    return record.view_required or not fits_card(decisive_values(record))


def is_cut(record: HoldRecord) -> bool:
    """Tell whether any value does not stand whole on the card: once it is changed, another may decide."""
    others = other_values(record)
    whole = all(width(value.compact or flat(value.text)) <= OTHER_WIDTH for value in others)
    return must_view(record) or len(others) > OTHERS or not whole


def _state_word(record: HoldRecord) -> str:
    return record.state.value.replace("_", " ").capitalize()


def _what(record: HoldRecord) -> list[Block]:
    line = described(record)
    return [blocks.header(line), *([blocks.section(line, 600)] if width(line) > 150 else [])]


def _who(record: HoldRecord) -> Block:
    """Return who asks, for whom and where; under it what makes the call serious."""
    serious = [rich_text(Shown(each), bold=bold) for each, bold in words.effect_words(record)]
    parted = [piece for each in serious for piece in (rich_text(Shown(" · ")), each)][1:]
    return blocks.prose(*who_asks(record), *([rich_text(Shown("\n"))] if parted else []), *parted)


def who_asks(record: HoldRecord) -> list[Block]:
    """Return who asks, for whom and where, as rich_text elements."""
    on = [rich_text(Shown(f", on {apart(one_line(record.target))}"), 200)] if record.target else []
    agent = rich_text(one_line(record.agent), 150, bold=True)
    return [agent, rich_text(Shown(" asks")), *_for_whom(record), *on]


def _for_whom(record: HoldRecord) -> list[Block]:
    whom = record.on_behalf_of
    if whom is None:
        return []
    if whom.kind == "person":
        return [rich_text(Shown(" for ")), named(whom.id)]
    known = [rich_text(Shown(" ")), named(record.asked_by.user)] if record.asked_by else []
    return [rich_text(Shown(f" for {apart(one_line(whom.id))}"), 200), *known]


def _open(record: HoldRecord, place: Place) -> list[Part]:
    values = decisive_values(record)
    unseen = record.view_required or not fits_card(values)
    asked = [*_decisive(values, unseen=unseen), *_buttons(record, unseen=unseen)]
    return [
        Part(_why(record)),
        *edits.parts_of_card(record),
        Part([*asked, _terms(record), _mark(record, place)]),
        if_room(story.comment_blocks(record, COMMENTS)),
        if_room(_others(record)),
        if_room(_used(record)),
        if_room(story.evidence_blocks(record)),
        if_room(story.before_blocks(record)),
        if_room(story.note_blocks(record)),
        Part(_not_shown(record)),
    ]


def _asking(record: HoldRecord) -> list[Ruling]:
    return [ruling for ruling in record.rulings if ruling.answer == "require_approval"] or [*record.rulings]


def _why(record: HoldRecord) -> list[Block]:
    told = why_lines(record, REASONS)
    if not told:
        return []
    why = rich_text(lines(*told), 1500)
    return [blocks.prose(rich_text(Shown("Held because: "), bold=True), why)]


def why_lines(record: HoldRecord, most: int) -> list[str]:
    """Return why a hold was made, a line each, with a count of the reasons left out."""
    asking = _asking(record)
    told = [line for each in asking[:most] for line in (_because(each), *numbers_lines(each))]
    return [*told, *([f"and {len(asking) - most} more reasons"] if len(asking) > most else [])]


def _because(ruling: Ruling) -> str:
    extra = "; ".join(item for item in ruling.missing if item not in ruling.reason)
    reason = f"{ruling.reason or 'the policy asks for approval'}{f' ({extra})' if extra else ''}"
    return f"{clip(apart(one_line(reason)), REASON_WIDTH)} ({ruling.rule})"


def _decisive(values: tuple[Value, ...], *, unseen: bool) -> list[Block]:
    shown = uncut(values) if fits_card(values) else [listing(values, CUT_VALUES, 300)]
    if unseen:
        shown.append(blocks.say(f"*Open “View everything” before you approve*: {_why_view(values)}"))
    return shown


def _why_view(values: tuple[Value, ...]) -> str:
    return "decisive values are cut here." if not fits_card(values) else "a decisive value is hidden."


def _buttons(record: HoldRecord, *, unseen: bool) -> list[Block]:
    """Return the answers in one row; where everything must be seen first, that comes first."""
    reference = str(Reference.of(record))
    view = blocks.button("View everything", names.VIEW, reference, style="primary" if unseen else "")
    deny = blocks.button("Deny", names.DENY, reference)
    approve, more = approve_button(record, unseen=unseen), _and_more(record, reference)
    row = [view, approve, deny] if unseen else [approve, deny, view]
    return [blocks.actions(*row, *more, *_other_ways(record, reference))]


def _other_ways(record: HoldRecord, reference: str) -> list[Block]:
    """Return the other ways to approve: changed, where that may be, and with a comment."""
    comment = blocks.button("Approve with a comment", names.APPROVE_WITH_COMMENT, reference)
    if not record.editable or len(record.edits) >= MAX_EDITS:
        return [comment]
    return [blocks.button("Edit and approve", names.EDIT, reference), comment]


def approve_button(record: HoldRecord, *, unseen: bool = False) -> Block:
    """Return the button that approves; neither it nor its confirmation is green where that would mislead.

    Args:
        record: The hold.
        unseen: Whether a value that decides does not stand beside the button.
    """
    careful = words.careful(record)
    sure = blocks.confirm("Approve this call?", _once(record), "Approve", style="danger" if careful else "")
    style = "" if careful or unseen else "primary"
    return blocks.button("Approve", names.APPROVE, str(Reference.of(record)), style=style, confirm=sure)


def _and_more(record: HoldRecord, reference: str) -> list[Block]:
    """Return the button that also lets the next calls pass, where a budget offers it."""
    count = lets_pass(record)
    if not count:
        return []
    sure = blocks.confirm(
        f"Approve, and {count} more unseen?",
        lines(
            clip(described(record), 150),
            "",
            f"Runs once, now. The next {count} that would be over the budget run without asking anybody.",
        ),
        "Approve",
        style="danger",
    )
    return [blocks.button(f"Approve and let {count} more pass", names.APPROVE_MORE, reference, confirm=sure)]


def _once(record: HoldRecord) -> Shown:
    return lines(clip(described(record), 240), "", "Runs once, now.")


def _terms(record: HoldRecord) -> Block:
    waits = "The agent is waiting." if record.waiting else "The agent is not waiting at the moment."
    told = [
        words.deadline_line(record),
        *words.needs_lines(record),
        *words.hand_over_lines(record),
        waits,
    ]
    return blocks.context(*(fixed(each) for each in told))


def _mark(record: HoldRecord, place: Place) -> Block:
    """Return what tells one hold from another that looks the same, and what place this is."""
    parts = [plain(one_line(f"Hold {record.id[:ID_DIGITS]} of session {record.session}"), 150)]
    parts += [fixed(IN_BURST)] if record.in_burst else []
    parts += [fixed("*Local workspace, not Slack*")] if place.local else []
    staging = any(each.staging for each in record.requirements)
    parts += [fixed("*Staging*: `GATE_CHANNEL` replaced the policy's channels")] if staging else []
    return blocks.context(*parts)


def _others(record: HoldRecord) -> list[Block]:
    values = other_values(record)
    if not values:
        return []
    return [
        blocks.prose(rich_text(Shown("Other arguments"), bold=True)),
        listing(values, OTHERS, OTHER_WIDTH),
    ]


def _used(record: HoldRecord) -> list[Block]:
    told = [line for each in _asking(record)[:REASONS] for line in used_by_lines(each)]
    return [blocks.context(*(plain(line, 300) for line in told))] if told else []


def _not_shown(record: HoldRecord) -> list[Block]:
    """Return what nobody is shown, by name, with a count of the names left out."""
    if not record.not_shown:
        return []
    named = ", ".join(clip(apart(one_line(each)), HIDDEN_WIDTH) for each in record.not_shown[:HIDDEN])
    more = len(record.not_shown) - HIDDEN
    return [blocks.context(plain(Shown(f"Not shown: {named}{f' and {more} more' if more > 0 else ''}"), 500))]
