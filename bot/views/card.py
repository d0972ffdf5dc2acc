"""The card of a hold: what would happen first, then who, why, the decisive values and the buttons."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from bot import names
from bot.references import Reference
from bot.views import blocks, words
from bot.views.budgets import budget_lines, lets_pass
from bot.views.text import (
    Block,
    Shown,
    clip,
    fixed,
    flat,
    lines,
    link,
    mention,
    notification,
    one_line,
    plain,
    preformatted,
    reduced,
    rich_text,
    visible,
    width,
)
from bot.views.text import shown as spelled
from bot.views.values import (
    Value,
    decisive_values,
    fits_card,
    other_values,
)
from gate.lifecycle import OPEN, State
from gate.model import Evidence, HoldRecord, PastCall, Ruling
from gate.redact import describe
from gate.redact import plain as plain_value

REASONS = 3
OTHERS = 8
EVIDENCE = 3
COMMENTS = 5
CUT_VALUES = 8


@dataclass(frozen=True, slots=True)
class Place:
    """Where cards are shown, as far as they must say so.

    Attributes:
        local: Whether this is the local workspace, not Slack.
        staging: Whether ``GATE_CHANNEL`` replaced the policy's channels.
    """

    local: bool = False
    staging: bool = False


def card(record: HoldRecord, place: Place = Place()) -> list[Block]:
    """Return the blocks of a hold's card in its present state.

    Args:
        record: The hold, redacted.
        place: Where the card is shown.

    Returns:
        At most 50 blocks within Slack's limits, whatever the arguments are.
    """
    top = [*_what(record), _who(record, place)]
    middle = _open(record) if record.state is State.PENDING else _closed(record)
    return [*top, *middle, *_rest(record)]


def card_text(record: HoldRecord) -> str:
    """Return the notification line of a card: describe with every value reduced, within 300."""
    line = describe(record.effect.describe, record.name, record.arguments, write=_reduced)
    lead = "Approval needed" if record.state is State.PENDING else _state_word(record)
    return f"{lead}: {notification(line, 250)}"


def _reduced(value: Any) -> str:
    return reduced(plain_value(value))


def _state_word(record: HoldRecord) -> str:
    return record.state.value.replace("_", " ").capitalize()


def _what(record: HoldRecord) -> list[Block]:
    line = one_line(record.described)
    return [blocks.header(line), *([blocks.section(line, 600)] if width(line) > 150 else [])]


def _who(record: HoldRecord, place: Place) -> Block:
    asks = plain(one_line(f"{record.agent} asks{', for' if record.on_behalf_of else ''}"), 150)
    parts = [asks, *_for_whom(record)]
    parts += [plain(one_line(f"on {record.target}"), 200)] if record.target else []
    effect = words.effect_words(record)
    parts += [fixed(effect)] if effect else []
    parts += [fixed("*Local workspace, not Slack*")] if place.local else []
    parts += [fixed("*Staging*: `GATE_CHANNEL` replaced the policy's channels")] if place.staging else []
    return blocks.context(*parts)


def _for_whom(record: HoldRecord) -> list[Block]:
    whom = record.on_behalf_of
    if whom is None:
        return []
    if whom.kind == "person":
        return [fixed(mention(whom.id))]
    known = [fixed(f"({mention(record.asked_by.user)})")] if record.asked_by else []
    return [plain(one_line(whom.id), 200), *known]


def _why(record: HoldRecord) -> list[Block]:
    asking = [ruling for ruling in record.rulings if ruling.answer == "require_approval"] or [*record.rulings]
    told = [line for each in asking[:REASONS] for line in (_because(each), *budget_lines(each))]
    more = [f"and {len(asking) - REASONS} more reasons"] if len(asking) > REASONS else []
    return [blocks.section(lines(*told, *more), 1500)] if told else []


def _because(ruling: Ruling) -> str:
    extra = "; ".join(item for item in ruling.missing if item not in ruling.reason)
    reason = f"{ruling.reason or 'the policy asks for approval'}{f' ({extra})' if extra else ''}"
    return f"Held because: {clip(one_line(reason), 300)} ({ruling.rule})"


def _open(record: HoldRecord) -> list[Block]:
    values = decisive_values(record)
    return [*_why(record), *_decisive(record, values), _buttons(record), _terms(record)]


def _decisive(record: HoldRecord, values: tuple[Value, ...]) -> list[Block]:
    shown = _uncut(values) if fits_card(values) else _cut(values)
    if must_view(record):
        shown.append(blocks.say(f"*Open {_MENU} before you approve*: {_why_view(record, values)}"))
    return shown


_MENU = "View everything in the ⋯ menu"


def must_view(record: HoldRecord) -> bool:
    """Tell whether the card cannot show every decisive value, so that the full view must be opened first."""
    return record.view_required or not fits_card(decisive_values(record))


def _why_view(record: HoldRecord, values: tuple[Value, ...]) -> str:
    return "decisive values are cut here." if not fits_card(values) else "a decisive value is hidden."


def _uncut(values: tuple[Value, ...]) -> list[Block]:
    short = [(value.label, value.text) for value in values if value.short]
    shown = [blocks.fields(short[at : at + 10]) for at in range(0, len(short), 10)]
    for value in values:
        if not value.short:
            shown.extend(blocks.named_text(value.label, value.text))
    return shown


def _cut(values: tuple[Value, ...]) -> list[Block]:
    return [_listing(values, CUT_VALUES, 200)]


def _listing(values: tuple[Value, ...], most: int, limit: int) -> Block:
    told = [f"{clip(value.label, 60)}: {clip(flat(value.text), limit)}" for value in values[:most]]
    more = [f"… and {len(values) - most} more"] if len(values) > most else []
    return preformatted(lines(*told, *more))


def _buttons(record: HoldRecord) -> Block:
    reference = str(Reference.of(record))
    sure = blocks.confirm("Approve this call?", _once(record), "Approve")
    approve = blocks.button(
        "Approve", names.APPROVE, reference, style="" if words.careful(record) else "primary", confirm=sure
    )
    deny = blocks.button("Deny", names.DENY, reference)
    return blocks.actions(approve, *_and_more(record, reference), deny, _more(record))


def _and_more(record: HoldRecord, reference: str) -> list[Block]:
    """Return the button that also lets the next calls pass, where a budget offers it."""
    count = lets_pass(record)
    if not count:
        return []
    sure = blocks.confirm(
        f"Approve, and {count} more unseen?",
        lines(
            clip(one_line(record.described), 150),
            "",
            f"Runs once, now. The next {count} that would be over the budget run without asking anybody.",
        ),
        "Approve",
    )
    return [blocks.button(f"Approve and let {count} more pass", names.APPROVE_MORE, reference, confirm=sure)]


def _once(record: HoldRecord) -> Shown:
    return lines(clip(one_line(record.described), 240), "", "Runs once, now.")


def _more(record: HoldRecord) -> Block:
    options = [("View everything", names.VIEW)]
    if record.state is State.PENDING:
        options.append(("Approve with a comment", names.APPROVE_WITH_COMMENT))
    reference = str(Reference.of(record))
    return blocks.overflow(names.MORE, [(label, f"{action}|{reference}") for label, action in options])


def _terms(record: HoldRecord) -> Block:
    needed = words.requirements_line(record.requirements, 4)
    waits = "The agent is waiting." if record.waiting else "The agent is not waiting at the moment."
    return blocks.context(
        fixed(words.deadline_line(record.expires_at)),
        fixed(f"{needed}. {words.approvals_line(record)}"),
        fixed(waits),
    )


def _closed(record: HoldRecord) -> list[Block]:
    shown = [blocks.say(words.standing_line(record)), *_comments(record), *_result(record)]
    values = decisive_values(record)
    shown += _cut(values) if values else []
    return [*shown, _closed_buttons(record)]


def _closed_buttons(record: HoldRecord) -> Block:
    if record.state not in OPEN:
        return blocks.actions(blocks.button("View everything", names.VIEW, str(Reference.of(record))))
    sure = blocks.confirm(
        "Stop this call?",
        Shown("It was approved and has not started. It will not run."),
        "Stop it",
        style="danger",
    )
    stop = blocks.button("Stop", names.STOP, str(Reference.of(record)), style="danger", confirm=sure)
    return blocks.actions(stop, _more(record))


def _comments(record: HoldRecord) -> list[Block]:
    said = [decision.comment for decision in record.decisions if decision.comment][-COMMENTS:]
    return [blocks.section(Shown(f"“{clip(visible(comment), 250)}”"), 300) for comment in said]


def _result(record: HoldRecord) -> list[Block]:
    shown = [blocks.section(visible(f"Because: {record.end_reason}"), 500)] if _tells_reason(record) else []
    if record.result is not None:
        returned = clip(_returned(record.result), 500)
        shown += [blocks.context(plain(Shown("Returned"))), preformatted(returned)]
    return shown


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


def _rest(record: HoldRecord) -> list[Block]:
    return [
        *_others(record),
        *_evidence(record),
        *_history(record),
        *_note(record),
        *_not_shown(record),
    ]


def _others(record: HoldRecord) -> list[Block]:
    values = other_values(record)
    if not values:
        return []
    return [_listing(values, OTHERS, 140)]


def _evidence(record: HoldRecord) -> list[Block]:
    if not record.evidence:
        return []
    items = [evidence_line(each) for each in record.evidence[:EVIDENCE]]
    more = len(record.evidence) - EVIDENCE
    items += [[rich_text(Shown(f"and {more} more"), 40)]] if more > 0 else []
    return [blocks.list_of([rich_text(Shown("Evidence"), 20, bold=True)], items)]


def evidence_line(evidence: Evidence, limit: int = 280) -> list[Block]:
    """Return the rich_text elements of one evidence line: weight, text and a link where there is one."""
    line = [rich_text(one_line(f"{evidence.weight}: {evidence.text}"), limit)]
    source = link(evidence.url)
    return line if source is None else [*line, rich_text(Shown(" "), 1), source]


def _history(record: HoldRecord) -> list[Block]:
    elements = []
    if record.identical is not None:
        elements.append(plain(Shown(f"The identical call before: {past_line(record.identical)}"), 300))
    known = record.identical.action_id if record.identical else ""
    past = [each for each in record.history if each.action_id != known]
    if past:
        tail = f" · and {len(past) - 1} more calls" if len(past) > 1 else ""
        elements.append(plain(Shown(f"Before this: {past_line(past[0])}{tail}"), 300))
    return [blocks.context(*elements)] if elements else []


def past_line(past: PastCall) -> Shown:
    """Return one earlier call as a line: what it was and how it ended."""
    reason = f" ({clip(one_line(past.reason), 80)})" if past.reason else ""
    return Shown(f"{clip(one_line(past.described), 120)}: {past.state.value.replace('_', ' ')}{reason}")


def _note(record: HoldRecord) -> list[Block]:
    if not record.note:
        return []
    return [
        blocks.context(plain(Shown("The agent says, unverified"))),
        preformatted(clip(visible(record.note), 500)),
    ]


def _not_shown(record: HoldRecord) -> list[Block]:
    if not record.not_shown:
        return []
    return [blocks.context(plain(one_line(f"Not shown: {', '.join(record.not_shown)}"), 300))]
