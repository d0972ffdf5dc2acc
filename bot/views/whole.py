"""A hold as one plain text: everything, uncut, for a file."""

from __future__ import annotations

from collections.abc import Iterator

from bot.views.budgets import budget_lines
from bot.views.sentence import described
from bot.views.story import outcome_words
from bot.views.text import Shown, apart, one_line, visible
from bot.views.values import Value, decisive_values, other_values
from gate.model import HoldRecord, PastCall


def whole_text(record: HoldRecord) -> str:
    """Return everything about a hold as text in which every character can be seen.

    Args:
        record: The hold, redacted.
    """
    return "\n".join(_lines(record)) + "\n"


def _lines(record: HoldRecord) -> Iterator[str]:
    yield described(record)
    yield one_line(f"{record.name}, hold {record.id}, version {record.version}, {record.state.value}")
    whom = record.on_behalf_of or "nobody"
    yield one_line(f"agent {record.agent}, session {record.session}, for {whom}")
    yield from _part("Decisive values", _values(decisive_values(record)))
    yield from _part("Other arguments", _values(other_values(record)))
    yield from _part("Why it is held", _why(record))
    evidence = (one_line(f"{each.weight}: {each.text} {each.url or ''}") for each in record.evidence)
    yield from _part("Evidence", evidence)
    yield from _part("Earlier calls of this session", map(_past, record.history))
    yield from _part("What this agent was denied before", map(_past, record.denied))
    yield from _part("The agent says, unverified", _quoted(record.note or ""))
    yield from _part("Hidden by redaction", map(one_line, record.hidden))
    yield from _part("Not shown", map(one_line, record.not_shown))
    yield from _part("Returned", _quoted(record.result) if record.result is not None else iter(()))


def _part(title: str, lines: Iterator[str] | Iterator[Shown]) -> Iterator[str]:
    """Yield a title and its lines; nothing for none."""
    told = list(lines)
    if told:
        yield ""
        yield f"== {title} =="
        yield from told


def _values(values: tuple[Value, ...]) -> Iterator[str]:
    for value in values:
        if value.short:
            yield f"{value.title}: {value.text}"
        else:
            yield f"{value.title}:"
            yield from _indented(value.text)


def _quoted(text: str) -> Iterator[str]:
    return _indented(visible(text)) if text else iter(())


def _indented(text: Shown) -> Iterator[str]:
    """Yield the lines of a text of others set in, so that none looks like a title or a value of its own."""
    return (f"  {line}" for line in text.split("\n"))


def _why(record: HoldRecord) -> Iterator[str]:
    for ruling in record.rulings:
        yield one_line(f"{ruling.rule}: {ruling.reason}")
        yield from budget_lines(ruling)


def _past(past: PastCall) -> str:
    what = apart(one_line(past.described))
    reason = f" ({apart(one_line(past.reason))})" if past.reason else ""
    return f"{past.at:%Y-%m-%d %H:%M UTC} {what}: {outcome_words(past)}{reason}"
