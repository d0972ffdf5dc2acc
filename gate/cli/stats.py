"""``gate stats``: how much is asked, how people answer, and which rules could be changed."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import click

from gate.cli import output, shapes
from gate.cli.commands import Verb
from gate.cli.options import check_span, db_option, json_option, opened, same_store, time_option
from gate.stats import Stats, collect

_DAYS = timedelta(days=30)
_SHOWN_DAYS = 14
_SHOWN_RANGES = 4


@click.command("stats", cls=Verb, short_help="Say how much people are asked, and how they answer.")
@time_option("--since", "Holds asked for from then on", default="30d")
@time_option("--until", "Holds asked for before then", default="now")
@db_option
@json_option
def stats_command(since: datetime | None, until: datetime | None, db: Path | None, as_json: bool) -> None:
    """Say how much people are asked, how they answer, and which rules could be changed.

    Holds a day and a rule; how often what it held was approved as it came, or changed first, and between
    which values; how long people took, and who answered within three seconds of the card; what nobody
    answered; the busiest hours; denials by agent. A rule that is nearly always approved, or never, is named
    with the command that tries another answer on last month's calls. Nothing is changed.
    """
    with opened(db) as service:
        end = until or service.clock.now()
        start = since or end - _DAYS
        check_span(start, end)
        found = collect(service, start, end, options=same_store())
    if as_json:
        output.emit(stats_json(found))
    else:
        _show(found)


def stats_json(found: Stats) -> dict[str, Any]:
    """Return the numbers as JSON; spans in seconds."""
    told: dict[str, Any] = shapes.as_json(found)
    told["a_day"] = None if found.a_day is None else round(found.a_day, 3)
    told["rules"] = [
        shapes.as_json(each)
        | {
            "rate": None if each.rate is None else round(each.rate, 4),
            "ranges": [shapes.as_json(one) | {"text": str(one)} for one in each.ranges],
        }
        for each in found.rules
    ]
    told["deciding"] = {
        "count": found.deciding.count,
        "median": _seconds(found.deciding.median),
        "p90": _seconds(found.deciding.p90),
    }
    return told


def _seconds(span: timedelta | None) -> float | None:
    return None if span is None else round(span.total_seconds(), 3)


def _show(found: Stats) -> None:
    output.say(_total(found))
    if not found.holds:
        return
    changed = f"{found.changed} changed and approved, " if found.changed else ""
    output.say(
        f"{found.approved} approved, {changed}{found.denied} denied, "
        f"{found.unanswered} expired unanswered, {found.waiting} waiting, {found.ended} ended otherwise."
    )
    _show_rules(found)
    _show_ranges(found)
    _show_candidates(found)
    _show_people(found)
    _show_days(found)
    _show_agents(found)


def _total(found: Stats) -> str:
    """Say how many holds there were, from when on that is known, and how many a day where a day is."""
    holds, until = shapes.count(found.holds, "hold"), shapes.moment(found.until)
    since, begins = shapes.moment(found.since), shapes.moment(found.begins)
    a_day = "" if found.a_day is None else f", {found.a_day:.1f} a day"
    if found.begins is None:
        return f"{holds} from {since} to {until}: the store is empty."
    if found.begins <= found.since:
        return f"{holds} from {since} to {until}{a_day}."
    if found.begins >= found.until:
        return f"{holds} from {since} to {until}: the store begins only at {begins}."
    return f"{holds} from {begins}, when the store begins, to {until}{a_day}."


def _show_rules(found: Stats) -> None:
    output.say()
    output.show_table(
        ("RULE", "HELD", "APPROVED", "CHANGED", "DENIED", "UNANSWERED", "RATE", "AT"),
        [
            (
                each.rule,
                each.held,
                each.approved,
                each.changed,
                each.denied,
                each.unanswered,
                "" if each.rate is None else f"{each.rate:.0%}",
                each.place or "no longer in the policy",
            )
            for each in found.rules
        ],
    )


def _show_ranges(found: Stats) -> None:
    ranges = [(each.rule, one) for each in found.rules for one in each.ranges[:_SHOWN_RANGES]]
    if ranges:
        output.say()
        output.say("What people answered:")
        for rule, one in ranges:
            output.say(f"{rule}: {one}", indent=2)


def _show_candidates(found: Stats) -> None:
    if not found.candidates:
        return
    output.say()
    output.say("Rules to think about, each with what tries it on last month's calls:")
    for each in found.candidates:
        said = f"{each.approved} of {each.closed} approved{f', {each.changed} changed' * bool(each.changed)}"
        output.say(f"{each.rule} ({each.candidate}?): {said}", indent=2)
        output.say(each.command, indent=4)


def _show_people(found: Stats) -> None:
    deciding = found.deciding
    if deciding.median is not None and deciding.p90 is not None:
        output.say()
        output.say(
            f"Time to decide: median {_span(deciding.median)}, nine of ten within {_span(deciding.p90)}."
        )
    if found.people:
        output.say()
        output.show_table(
            ("APPROVER", "ID", "ANSWERS", "UNDER 3 S"),
            [
                (each.name, each.user, each.answers, f"{each.quick} ({each.quick / each.answers:.0%})")
                for each in found.people
            ],
        )


def _span(span: timedelta) -> str:
    seconds = span.total_seconds()
    return f"{seconds:.1f} s" if seconds < 60 else shapes.span(span)


def _show_days(found: Stats) -> None:
    busiest = sorted(range(24), key=lambda hour: (-found.hours[hour], hour))[:3]
    named = [f"{hour:02}–{(hour + 1) % 24:02} ({found.hours[hour]})" for hour in busiest if found.hours[hour]]
    output.say()
    output.say(f"Busiest hours, UTC: {', '.join(named)}.")
    days = list(found.days.items())
    output.say()
    output.show_table(("DAY (UTC)", "HOLDS"), days[-_SHOWN_DAYS:])
    if len(days) > _SHOWN_DAYS:
        output.say(f"… and {len(days) - _SHOWN_DAYS} days before; --json has all")


def _show_agents(found: Stats) -> None:
    output.say()
    output.show_table(
        ("AGENT", "HELD", "APPROVED", "CHANGED", "DENIED", "UNANSWERED"),
        [
            (each.agent, each.held, each.approved, each.changed, each.denied, each.unanswered)
            for each in found.agents
        ],
    )
