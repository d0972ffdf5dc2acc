"""``gate policy backtest``: what another policy would have answered to the calls of the log."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

import click
from rich.console import Console
from rich.progress import Progress

from gate.cli import output, shapes
from gate.cli.check import Tools, asks, read_tools, tell_untold
from gate.cli.commands import Verb, Whole
from gate.cli.options import (
    check_span,
    db_option,
    json_option,
    opened,
    policy_option,
    required_policy,
    time_option,
)
from gate.model import Action
from gate.policy.backtest import Logged, LoggedCall, Result, longest_window, replay
from gate.policy.load import load_path
from gate.policy.policyset import PolicySet
from gate.policy.trying import Other, with_answer

MOST = 1000
"""How many changed calls are named at most."""

_DAYS = timedelta(days=30)


def _tried(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> tuple[tuple[str, Other], ...]:
    """Read ``RULE=allow`` and ``RULE=block``."""
    found: list[tuple[str, Other]] = []
    for each in given:
        rule, _, answer = each.rpartition("=")
        if not rule or answer not in ("allow", "block"):
            raise click.BadParameter(f"{each!r} is not RULE=allow or RULE=block.", context, option)
        found.append((rule, cast(Other, answer)))
    return tuple(found)


@click.command("backtest", cls=Verb)
@policy_option
@click.option(
    "--try",
    "tried",
    multiple=True,
    metavar="RULE=ANSWER",
    callback=_tried,
    help="Let a rule, budget or default answer allow or block instead.  [default policy: the one in force]",
)
@time_option("--since", "Calls from then on; before it budgets are only filled", default="30d")
@time_option("--until", "Calls before then", default="now")
@click.option(
    "--tools",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Catalogue from 'gate tools export', for calls whose tool the log does not describe.",
)
@click.option(
    "--limit",
    type=Whole(0, MOST),
    default=20,
    show_default=True,
    metavar="N",
    help="Changed calls to list.",
)
@db_option
@json_option
def backtest_command(
    policy: Path | None,
    tried: tuple[tuple[str, Other], ...],
    since: datetime | None,
    until: datetime | None,
    tools: Path | None,
    limit: int,
    db: Path | None,
    as_json: bool,
) -> None:
    """Replay the log's calls through a policy.

    In order and with budgets: which verdicts would change, how many calls each rule answers, how many cards
    a day more or fewer, and between which values people approved and denied. A call that ran is charged when
    it ran, unless the policy blocks it. What was redacted in the log is never guessed: a verdict that rests
    on it is reported as not decidable. Nothing runs, and the store is not changed.
    """
    known = read_tools(tools)
    files = None if tried and policy is None else load_path(required_policy(policy))
    with opened(db) as service, _progress() as progress:
        loaded = _with_answers(files or service.policy(), tried)
        end = until or service.clock.now()
        start = since or end - _DAYS
        check_span(start, end)
        calls = service.logged(start - longest_window(loaded), end, progress)
        bare: dict[str, Action] = {}
        found = replay(_described(calls, known, bare), loaded, since=start, most=MOST)
    if as_json:
        output.emit(_json(found, start, end, loaded.revision))
    else:
        _show(found, start, end, limit)
    names = [name for name, each in bare.items() if loaded.known(each).params is None and asks(loaded, name)]
    tell_untold(names, what="--tools FILE")


def _with_answers(policy: PolicySet, tried: Iterable[tuple[str, Other]]) -> PolicySet:
    for rule, answer in tried:
        try:
            policy = with_answer(policy, rule, answer)
        except ValueError as error:
            raise click.UsageError(f"--try: {error}.") from None
    return policy


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """Show a bar while the log is read, on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda done, all_: None
        return
    with Progress(console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task("Reading the log", total=None)
        yield lambda done, all_: bar.update(task, completed=done, total=all_)


def _described(calls: Iterable[Logged], known: Tools, bare: dict[str, Action]) -> Iterator[Logged]:
    """Add what a catalogue knows of tools that the log does not describe; note those that nobody does."""
    for entry in calls:
        if not isinstance(entry, LoggedCall) or entry.action.parameters is not None:
            yield entry
            continue
        name = entry.action.name
        effect = entry.action.effect or known.effects.get(name)
        action = replace(entry.action, parameters=known.parameters.get(name), effect=effect)
        if action.parameters is None:
            bare[name] = action
        yield replace(entry, action=action)


def _json(found: Result, start: datetime, end: datetime, revision: str) -> dict[str, Any]:
    days = found.days(start, end)
    rules = sorted({*found.before, *found.after})
    return {
        "revision": revision,
        "since": shapes.as_json(start),
        "until": shapes.as_json(end),
        "days": round(days, 3),
        "calls": found.calls,
        "changed": [{"before": a, "after": b, "calls": n} for (a, b), n in sorted(found.changed.items())],
        "changes": shapes.as_json(found.changes),
        "rules": [{"rule": each, "before": found.before[each], "after": found.after[each]} for each in rules],
        "cards": {"before": found.held_before, "after": found.held_after, "a_day_more": _more(found, days)},
        "ranges": [shapes.as_json(each) | {"text": str(each)} for each in found.ranges],
        "not_decidable": shapes.as_json(found.unclear),
        "left_out": dict(found.left_out),
        "stopped": found.stopped,
        "inexact_budgets": dict(found.inexact),
    }


def _more(found: Result, days: float) -> float | None:
    """Return how many cards a day there would be more; None where the calls are of less than a day."""
    return round((found.held_after - found.held_before) / days, 3) if days >= 1 else None


def _show(found: Result, start: datetime, end: datetime, limit: int) -> None:
    days = found.days(start, end)
    output.say(f"{shapes.count(found.calls, 'call')} from {_day(start)} to {_day(end)}, {_span(days)}.")
    _show_changes(found, limit)
    _show_rules(found)
    _show_cards(found, days)
    _show_ranges(found)
    _show_unknown(found)


def _span(days: float) -> str:
    return f"{days:.1f} days of them" if days >= 1 else "all of less than a day"


def _day(at: datetime) -> str:
    return shapes.moment(at)


def _show_changes(found: Result, limit: int) -> None:
    total = sum(found.changed.values())
    ways = ", ".join(f"{n} from {a} to {b}" for (a, b), n in found.changed.most_common())
    output.say(f"{shapes.count(total, 'verdict')} would change" + (f": {ways}." if ways else "."))
    rows = [
        (
            each.id,
            shapes.moment(each.at, zone=False),
            each.name,
            each.before,
            each.after,
            ", ".join(each.after_rules),
        )
        for each in found.changes[:limit]
    ]
    if rows:
        output.say()
        output.show_table(("ID", "AT (UTC)", "CALL", "THEN", "NOW", "BY"), rows, whole=("ID", "CALL"))
        if total > len(rows):
            output.say(f"… and {total - len(rows)} more")


def _show_rules(found: Result) -> None:
    rules = sorted({*found.before, *found.after})
    if rules:
        output.say()
        output.show_table(
            ("RULE", "THEN", "NOW"), [(each, found.before[each], found.after[each]) for each in rules]
        )


def _show_cards(found: Result, days: float) -> None:
    more = found.held_after - found.held_before
    said = "more" if more > 0 else "fewer"
    output.say()
    if days < 1:
        counts = f"{found.held_before} then, {found.held_after} with this policy"
        output.say(f"Cards: {counts} ({f'{abs(more)} {said}' if more else 'as many'}).")
    else:
        counts = f"{found.held_before / days:.1f} a day then, {found.held_after / days:.1f} with this policy"
        output.say(f"Cards: {counts} ({f'{abs(more) / days:.1f} a day {said}' if more else 'as many'}).")


def _show_ranges(found: Result) -> None:
    if found.ranges:
        output.say()
        output.say("What people answered, by the rule that would decide:")
        for each in found.ranges:
            output.say(f"{each.rule}: {each}", indent=2)


def _show_unknown(found: Result) -> None:
    for rule, count in sorted(found.left_out.items()):
        output.say(f"Left out: {shapes.count(count, 'call')} that {rule} answered, not a policy.")
    if found.stopped:
        calls = shapes.count(found.stopped, "allowed call")
        output.say(
            f"{calls} of these never began: stopped by a freeze, or begun too late. No budget counts that."
        )
    for rule, count in sorted(found.inexact.items()):
        output.say(
            f"The numbers of {rule} lack {shapes.count(count, 'call')} whose values are hidden in the log."
        )
    if not found.unclear:
        return
    rules = sorted({rule for each in found.unclear for rule in each.rules})
    paths = sorted({path for each in found.unclear for path in each.paths})
    output.say(
        f"Not decidable: {shapes.count(len(found.unclear), 'call')}. {', '.join(rules)} would read "
        f"{', '.join(paths)}, hidden in the log."
    )
