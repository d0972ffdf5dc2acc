"""What stands around a call: evidence, earlier calls, what was denied before, what like it waits."""

from __future__ import annotations

from collections.abc import Sequence

from bot.views import blocks
from bot.views.text import (
    Block,
    Shown,
    abridged,
    apart,
    clip,
    date,
    fixed,
    link,
    named,
    one_line,
    rich_text,
    visible,
    words_of,
)
from gate.lifecycle import State
from gate.model import Decision, Evidence, HoldRecord, PastCall

EVIDENCE = 3
_HELD = {
    State.SUCCEEDED: "approved, ran",
    State.FAILED: "approved, ran and failed",
    State.RUNNING: "approved, runs now",
    State.IN_DOUBT: "approved, nobody knows how it ended",
    State.BLOCKED: "approved, then blocked",
    State.PENDING: "waits",
}
_ALLOWED = {
    State.SUCCEEDED: "allowed, ran",
    State.FAILED: "allowed, ran and failed",
    State.RUNNING: "allowed, runs now",
    State.IN_DOUBT: "allowed, nobody knows how it ended",
}


def outcome_words(past: PastCall) -> str:
    """Return the verdict on an earlier call and what became of it."""
    told = (_HELD if past.held else _ALLOWED).get(past.state)
    return told or past.state.value.replace("_", " ")


def past_elements(
    past: PastCall, limit: int = 120, *, dated: bool = True, ending: bool = True
) -> list[Block]:
    """Return an earlier call as rich_text elements: what, how it ended, by whom, when, and why.

    Args:
        past: The call.
        limit: Widest description.
        dated: Whether it says when.
        ending: Whether it says in words how it ended; not where that is said before it.
    """
    ended = f": {outcome_words(past)}" if ending else ""
    line = [rich_text(Shown(f"{clip(apart(one_line(past.described)), limit)}{ended}"))]
    line += [rich_text(Shown(" by ")), named(past.by)] if past.by else []
    line += [rich_text(Shown(" ")), date(past.ended_at or past.at)] if dated else []
    told = past.state not in (State.SUCCEEDED, State.PENDING, State.RUNNING)
    return line + (
        [rich_text(Shown(f" ({clip(apart(one_line(past.reason)), 160)})"))] if told and past.reason else []
    )


def evidence_line(evidence: Evidence, limit: int = 280) -> list[Block]:
    """Return the rich_text elements of one evidence line: weight, text and the real target of its link."""
    line = [
        rich_text(Shown(f"{evidence.weight}: "), bold=evidence.weight == "strong"),
        rich_text(apart(one_line(evidence.text)) or Shown(" "), limit),
    ]
    source = link(evidence.url)
    return line if source is None else [*line, rich_text(Shown(" ")), source]


def evidence_blocks(record: HoldRecord, most: int = EVIDENCE, limit: int = 280) -> list[Block]:
    """Return the evidence as a list with a count of what is left out."""
    if not record.evidence:
        return []
    items = [evidence_line(each, limit) for each in record.evidence[:most]]
    more = len(record.evidence) - most
    items += [[rich_text(Shown(f"and {more} more"))]] if more > 0 else []
    return [blocks.list_of([rich_text(Shown("Evidence"), bold=True)], items)]


def before_blocks(record: HoldRecord) -> list[Block]:
    """Return a card's short list of what came before: the identical call, the last one, the last denial."""
    items = _identical(record) + _last(record) + _denied(record) + _similar(record)
    return [blocks.list_of([rich_text(Shown("Before this"), bold=True)], items)] if items else []


def _identical(record: HoldRecord) -> list[list[Block]]:
    if record.identical is None:
        return []
    return [[rich_text(Shown("the identical call: ")), *past_elements(record.identical, 80)]]


def _known(record: HoldRecord) -> set[str]:
    return {record.identical.action_id} if record.identical else set()


def _last(record: HoldRecord) -> list[list[Block]]:
    past = [each for each in record.history if each.action_id not in _known(record)]
    if not past:
        return []
    more = [rich_text(Shown(f", and {len(past) - 1} more in this session"))] if len(past) > 1 else []
    return [[rich_text(Shown("last call: ")), *past_elements(past[0], 80, dated=False), *more]]


def _denied(record: HoldRecord) -> list[list[Block]]:
    past = [each for each in record.denied if each.action_id not in _known(record)]
    if not past:
        return []
    more = [rich_text(Shown(f", and {len(past) - 1} more denials"))] if len(past) > 1 else []
    return [[rich_text(Shown("this agent was denied: ")), *past_elements(past[0], 80, ending=False), *more]]


def _similar(record: HoldRecord) -> list[list[Block]]:
    count = len(record.similar)
    if not count:
        return []
    what = "one more call" if count == 1 else f"{count} more calls"
    return [[rich_text(one_line(f"{what} of {record.name} wait{'s' * (count == 1)} for an answer now"), 200)]]


def note_blocks(record: HoldRecord, limit: int = 500) -> list[Block]:
    """Return the agent's own words, marked as unverified."""
    if not record.note:
        return []
    said = abridged(visible(record.note), limit)
    return [blocks.prose(rich_text(Shown("The agent says, unverified:"), bold=True)), *blocks.long_text(said)]


def listed(title: str, past: Sequence[PastCall]) -> list[Block]:
    """Return every one of these calls under a title; nothing for none."""
    if not past:
        return []
    return [
        blocks.context(fixed(f"*{title}*")),
        blocks.list_of([], [past_elements(each, 400) for each in past]),
    ]


def comment_blocks(record: HoldRecord, most: int) -> list[Block]:
    """Return what people said with their answers, the newest of them."""
    said = [decision for decision in record.decisions if decision.comment][-most:]
    return [_comment(decision) for decision in said]


def _comment(decision: Decision) -> Block:
    said = rich_text(Shown(f": “{abridged(words_of(decision.comment), 300)}”"))
    return blocks.prose(named(decision.person.user), said)
