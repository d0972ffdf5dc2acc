"""``gate policy explain``: how a policy comes to its verdict on one call."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from gate.cli import output, shapes
from gate.cli.check import Tools, known_tools, read_tools, tell_untold
from gate.cli.commands import Verb
from gate.cli.options import json_option, opened, policy_option, required_policy
from gate.digest import snapshot
from gate.errors import ActionError
from gate.model import Action, Requirement
from gate.policy.calls import UnreadableCall, load_calls
from gate.policy.explain import (
    BudgetTold,
    ConditionTold,
    Explanation,
    FileTold,
    RuleTold,
    explain_call,
    with_nothing_spent,
)
from gate.policy.load import load_path
from gate.policy.policyset import PolicySet
from gate.policy.reading import Sign
from gate.values import format_duration

_SIGNS = frozenset(sign.value for sign in Sign)
_MARKS = {"true": "✓", "false": "✗", "unknown": "?", "": "–"}


@click.command("explain", cls=Verb)
@click.option(
    "--call",
    "written",
    required=True,
    metavar="CALL",
    help="""The call as JSON or YAML: '{"action": "payments.issue_refund", "args": {"amount": 400}}'.""",
)
@policy_option
@click.option(
    "--tools", type=click.Path(path_type=Path), metavar="FILE", help="Catalogue from 'gate tools export'."
)
@click.option(
    "--db",
    type=click.Path(path_type=Path, dir_okay=False, readable=False),
    metavar="FILE",
    help="A store that says what budgets have used and, without --tools, what tools take.",
)
@json_option
def explain_command(
    written: str, policy: Path | None, tools: Path | None, db: Path | None, as_json: bool
) -> None:
    """Explain the verdict on one call.

    It shows each rule of every file that covers it, each condition with the value it read, whether it was
    true, false or unknown, and why; each budget with its numbers; and which file decided what the tool does.
    The call is written as for 'gate check'. Nothing runs and nothing is recorded.
    """
    loaded = load_path(required_policy(policy))
    known = read_tools(tools) if tools is not None or db is None else _of_store(db)
    call = _read(written, known.parameters)
    action = replace(call.action, effect=known.effects.get(call.action.name))
    told = _explained(loaded, action, db)
    if as_json:
        output.emit(_json(told))
    else:
        _show(told, action.name)
    if not told.parameters_known and told.files:
        tell_untold([action.name], what="--db FILE or --tools FILE")


def _of_store(db: Path) -> Tools:
    """Return what a store's catalogue knows of tools."""
    with opened(db) as service:
        return known_tools(service.tools())


def _explained(policy: PolicySet, action: Action, db: Path | None) -> Explanation:
    if db is None:
        return explain_call(policy, action, with_nothing_spent)
    with opened(db) as service:
        return explain_call(policy, action, service.spent)


def _read(written: str, parameters: Any) -> Any:
    """Return the one call that is written; anything else is a usage error."""
    calls = list(load_calls(_on_one_line(written), tools=parameters))
    if len(calls) != 1 or isinstance(calls[0], UnreadableCall):
        said = (
            calls[0].message if calls and isinstance(calls[0], UnreadableCall) else "write exactly one call"
        )
        raise click.UsageError(f"--call cannot be judged: {said}.")
    try:
        snapshot(calls[0].action.arguments)
    except ActionError as error:
        raise click.UsageError(f"--call cannot be judged: {error}") from None
    return calls[0]


def _on_one_line(written: str) -> str:
    """Return JSON as one line, and anything else as a YAML list of one call."""
    try:
        json.loads(written)
    except (ValueError, RecursionError):
        return f"- {written}"
    return " ".join(written.splitlines())


def _json(told: Explanation) -> dict[str, Any]:
    verdict = told.verdict
    return {
        "verdict": verdict.answer,
        "rules": list(verdict.rules),
        "reasons": [ruling.reason for ruling in verdict.rulings if ruling.reason],
        "requirements": [_requirement(each) for each in verdict.requirements],
        "revision": verdict.revision,
        "parameters_known": told.parameters_known,
        "effects": shapes.as_json(told.effects),
        "files": shapes.as_json(told.files),
    }


_ASKED = ("approvers", "quorum", "rules", "channels", "expires_in", "remind_before", "hand_over")


def _requirement(need: Requirement) -> dict[str, Any]:
    return {key: shapes.as_json(getattr(need, key)) for key in _ASKED}


def _asks(need: Requirement) -> str:
    """Say who is asked, where and until when, who is reminded, and who may answer later."""
    where, time = ", ".join(need.channels), format_duration(need.expires_in)
    said = f"Asks {shapes.requirement(need)} in {where}, for {time}"
    if need.remind_before:
        said += f"; reminds them {' and '.join(map(format_duration, need.remind_before))} before the end"
    if need.hand_over is not None:
        others = ", ".join(map(str, need.hand_over.approvers))
        said += f"; after {format_duration(need.hand_over.after)}, {others} may answer as well"
    return f"{said}."


def _show(told: Explanation, name: str) -> None:
    verdict = told.verdict
    output.say(f"{name}: {verdict.answer}, by {', '.join(verdict.rules)}", style="bold")
    for ruling in verdict.rulings:
        if ruling.reason:
            output.say(ruling.reason, indent=2)
    for need in verdict.requirements:
        output.say(_asks(need), indent=2)
    if told.effects:
        output.say()
        output.show_table(
            ("EFFECT", "VALUE", "DECIDED BY"), [(e.key, e.value, e.source) for e in told.effects]
        )
    for file in told.files:
        _show_file(file)


def _show_file(file: FileTold) -> None:
    output.say()
    output.say(f"{file.file} ({file.resolve}, default {file.default})", style="bold")
    for rule in file.rules:
        _show_rule(rule)
    for budget in file.budgets:
        _show_budget(budget)


def _show_rule(rule: RuleTold) -> None:
    about = "" if rule.matched else f": not about this action ({', '.join(rule.match)})"
    said = about or (": applies" if rule.applies else ": does not apply" if rule.reached else ": not reached")
    output.say(f"{_MARKS[rule.truth]} {rule.rule} ({rule.then}, {rule.place}){said}", indent=2)
    if rule.condition is not None:
        _show_condition(rule.condition, 6)


def _show_budget(told: BudgetTold) -> None:
    whose = f" {told.per}" if told.per else ""
    output.say(
        f"{'✓' if told.over else '✗'} {told.budget} ({told.then}, {told.place}): "
        f"{'over' if told.over else 'not over' if told.adds else 'does not count this call'}",
        indent=2,
    )
    numbers = f"; {told.used} used, this call adds {told.adds}" if told.adds else ""
    output.say(f"at most {told.limit} in {told.window}{whose}{numbers}", indent=6)
    for why in told.whys:
        output.say(why, indent=6)
    if told.condition is not None:
        _show_condition(told.condition, 6)


def _show_condition(told: ConditionTold, indent: int) -> None:
    given = "" if told.value in _SIGNS else "the call has "
    value = f" – {given}{told.value}" if told.value else ""
    output.say(f"{_MARKS[told.truth]} {told.text}{value}: {told.truth}", indent=indent)
    for why in () if told.parts else told.whys:
        output.say(why, indent=indent + 4)
    for part in told.parts:
        _show_condition(part, indent + 2)
