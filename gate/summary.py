"""The week in a few lines, for people who would not look at numbers by themselves."""

from __future__ import annotations

from datetime import datetime, timedelta

from gate.service import Service
from gate.stats import RuleStats, Stats, collect
from gate.values import on_one_line

WEEK = timedelta(days=7)
MONTH = timedelta(days=30)
_MOST = 3


def post_due(service: Service, channel: str) -> bool:
    """Have the summary of the week posted where it is Monday 09:00 UTC, or later and not posted yet.

    Safe to call again and again, by several bots: each Monday has one summary.

    Args:
        service: The open store.
        channel: Where.

    Returns:
        Whether one will be posted.
    """
    due = service.summary_due()
    return due is not None and service.post_summary(due, channel=channel, text=text(service, due))


def text(service: Service, until: datetime) -> str:
    """Return the summary of the week before a time; nothing that agents or approvers wrote stands in it."""
    week = collect(service, until - WEEK, until, values=False)
    month = collect(service, until - MONTH, until, values=False)
    last = until - timedelta(microseconds=1)
    lines = [f"The approval gate, {until - WEEK:%d %b} to {last:%d %b %Y}: {_holds(week)}"]
    lines += [*_deciding(week), *_busiest(week), *_denials(week), *_candidates(month)]
    return "\n".join(lines)


def _holds(week: Stats) -> str:
    if not week.holds:
        return "nothing was held."
    other = week.waiting + week.ended
    more = f", {other} waiting or ended otherwise" if other else ""
    calls = f"{week.holds:,} call{'s' * (week.holds != 1)} held"
    changed = f"{week.changed:,} changed and approved, " if week.changed else ""
    said = (
        f"{week.approved:,} approved, {changed}{week.denied:,} denied, {week.unanswered:,} expired unanswered"
    )
    return f"{calls}: {said}{more}."


def _deciding(week: Stats) -> list[str]:
    median, p90 = week.deciding.median, week.deciding.p90
    if median is None or p90 is None:
        return []
    quick, answers = (sum(getattr(each, key) for each in week.people) for key in ("quick", "answers"))
    hasty = f" {quick} of {answers} answers came within three seconds of the card." if quick else ""
    return [f"Half were decided within {_span(median)}, nine of ten within {_span(p90)}.{hasty}"]


def _span(span: timedelta) -> str:
    seconds = round(span.total_seconds())
    if seconds < 120:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 7200 else f"{seconds // 3600} h"


def _busiest(week: Stats) -> list[str]:
    if not week.holds:
        return []
    hour = max(range(24), key=lambda each: week.hours[each])
    return [f"Busiest hour: {hour:02}–{(hour + 1) % 24:02} UTC ({week.hours[hour]})."]


def _denials(week: Stats) -> list[str]:
    denied = [f"{on_one_line(each.agent)} ({each.denied})" for each in week.agents if each.denied][:_MOST]
    return [f"Denials by agent: {', '.join(denied)}."] if denied else []


def _candidates(month: Stats) -> list[str]:
    """Name the rules that might answer otherwise, by the last thirty days: a week says too little."""
    found = month.candidates[:_MOST]
    more = len(month.candidates) - len(found)
    return [*map(_candidate, found), *([f"… and {more} more: gate stats"] if more else [])]


def _candidate(each: RuleStats) -> str:
    changed = f", {each.changed} changed" if each.changed else ""
    said = f"{each.approved} of {each.closed} approved{changed} in 30 days"
    return f"{each.rule} might {each.candidate} ({said}): {each.command}"
