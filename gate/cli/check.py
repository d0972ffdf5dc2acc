"""``gate check``: what a policy would answer to written calls, before anybody relies on it."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from gate.catalogue import Tool
from gate.cli import output
from gate.cli.commands import Verb
from gate.cli.exits import Exit
from gate.cli.options import json_option, policy_option, required_policy
from gate.digest import snapshot
from gate.errors import ActionError, StoreError
from gate.model import Effect, Parameters, Requirement, Verdict
from gate.policy.calls import UnreadableCall, WrittenCall, load_calls
from gate.policy.load import load_path
from gate.policy.policyset import PolicySet
from gate.policy.spending import Rehearsal

ANSWERS = ("allow", "require_approval", "block")


@dataclass(frozen=True, slots=True)
class Tools:
    """What a file of ``gate tools export`` knows.

    Attributes:
        parameters: What each tool takes, by name.
        effects: What the code declares of each tool, by name.
    """

    parameters: Mapping[str, Parameters]
    effects: Mapping[str, Effect | None]


@click.command("check", cls=Verb)
@policy_option
@click.option(
    "--calls",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Calls: JSON Lines or YAML; - for standard input.",
)
@click.option(
    "--tools", type=click.Path(path_type=Path), metavar="FILE", help="Catalogue from 'gate tools export'."
)
@json_option
def check_command(policy: Path | None, calls: Path, tools: Path | None, as_json: bool) -> int:
    """Judge written calls, in order.

    Nothing runs and nothing is recorded.

    A verdict never changes the exit code; a call that cannot be judged ends with 1.
    """
    loaded = load_path(required_policy(policy))
    text, known = read_text_file(calls), read_tools(tools)
    answers = _judged(load_calls(text, tools=known.parameters), loaded, known)
    shown = list(_streamed(answers)) if as_json else list(answers)
    if not as_json:
        _show(shown)
    tell_untold(untold(shown, loaded), what="--tools FILE")
    return Exit.FAILED if any(isinstance(call, UnreadableCall) for call, _ in shown) else Exit.OK


Judged = tuple[WrittenCall | UnreadableCall, Verdict | None]


def _judged(
    calls: Iterable[WrittenCall | UnreadableCall], policy: PolicySet, known: Tools
) -> Iterator[Judged]:
    rehearsal = Rehearsal(policy)
    for call in calls:
        yield _judge(call, rehearsal, known)


def _judge(call: WrittenCall | UnreadableCall, rehearsal: Rehearsal, known: Tools) -> Judged:
    if isinstance(call, UnreadableCall):
        return call, None
    try:
        snapshot(call.action.arguments)
    except ActionError as error:
        return UnreadableCall(call.id, call.line, error.code, str(error)), None
    action = replace(call.action, effect=known.effects.get(call.action.name))
    return replace(call, action=action), rehearsal.judge(action, call.at)


def _streamed(answers: Iterable[Judged]) -> Iterator[Judged]:
    """Write each answer as it comes."""
    for call, verdict in answers:
        output.emit(answer_json(call, verdict))
        yield call, verdict


def answer_json(call: WrittenCall | UnreadableCall, verdict: Verdict | None) -> dict[str, Any]:
    """Return one line of ``gate check --json``."""
    if isinstance(call, UnreadableCall) or verdict is None:
        code, message = (call.code, call.message) if isinstance(call, UnreadableCall) else ("", "")
        return {"id": call.id, "line": call.line, "error": {"code": code, "message": message}}
    return {
        "id": call.id,
        "verdict": verdict.answer,
        "rules": list(verdict.rules),
        "reason": verdict.reason,
        "reasons": [ruling.reason for ruling in verdict.rulings if ruling.reason],
        "requirements": [_requirement(need) for need in verdict.requirements],
        "revision": verdict.revision,
    }


def _requirement(need: Requirement) -> dict[str, Any]:
    return {"approvers": list(map(str, need.approvers)), "quorum": need.quorum, "rules": list(need.rules)}


def _show(answers: list[Judged]) -> None:
    rows = [_row(call, verdict) for call, verdict in answers]
    output.show_table(("ID", "CALL", "VERDICT", "WHY"), rows, whole=("CALL", "VERDICT"))
    counts = Counter("error" if verdict is None else verdict.answer for _, verdict in answers)
    named = [f"{counts[answer]} {answer}" for answer in ANSWERS]
    bad = [f"{counts['error']} that cannot be judged"] if counts["error"] else []
    output.say()
    output.say(f"{len(answers)} call{'s' * (len(answers) != 1)}: {', '.join([*named, *bad])}.")


def _row(call: WrittenCall | UnreadableCall, verdict: Verdict | None) -> tuple[object, ...]:
    if isinstance(call, UnreadableCall) or verdict is None:
        message = call.message if isinstance(call, UnreadableCall) else ""
        return call.id, None, "error", f"line {call.line}: {message}"
    why = ", ".join(verdict.rules) + (f": {verdict.reason}" if verdict.reason else "")
    return call.id, call.action.name, verdict.answer, why


def untold(answers: Iterable[Judged], policy: PolicySet) -> list[str]:
    """Return the names of the calls whose tool's parameters are not known."""
    calls = [call for call, _ in answers if isinstance(call, WrittenCall)]
    unknown = [
        call.action.name
        for call in calls
        if call.action.parameters is None and policy.known(call.action).params is None
    ]
    return list(dict.fromkeys(name for name in unknown if asks(policy, name)))


def asks(policy: PolicySet, name: str) -> bool:
    """Tell whether any rule or budget about an action reads something, so that its parameters matter."""
    files = policy.covering(name)
    rules = any(rule.condition for each in files for rule in each.rules)
    return rules or any(budget.paths for each in files for budget in each.budgets)


def tell_untold(names: Iterable[str], *, what: str) -> None:
    """Say once which tools had no schema, on standard error."""
    known = sorted(names)
    if known:
        shown = ", ".join(known[:10]) + (f" and {len(known) - 10} more" if len(known) > 10 else "")
        output.complain(
            f"Note: the parameters of {shown} are not known here, so an argument that a rule reads and the "
            "call does not give counts as left out: never looser than what an agent gets, perhaps stricter. "
            f"To be answered as an agent is, give {what} (from 'gate tools export'), "
            "or list them in the policy, under actions, as params: [NAME, …]."
        )


def read_text_file(path: Path) -> str:
    """Return the text of a file, or of standard input for ``-``; what cannot be read is a usage error."""
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise click.UsageError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise click.UsageError(
            f"{path} is not UTF-8: byte {error.start} cannot be read. Save it as UTF-8."
        ) from None


def read_catalogue(path: Path) -> list[Tool]:
    """Return the tools in a file of ``gate tools export``; what is none is a usage error."""
    from gate.store import rows

    text = read_text_file(path)
    try:
        return [rows.load(Tool, json.dumps(each)) for each in json.loads(text)["tools"]]
    except (ValueError, KeyError, TypeError, RecursionError, StoreError):
        raise click.UsageError(f"{path} is no catalogue: write it with 'gate tools export > FILE'.") from None


def read_tools(path: Path | None) -> Tools:
    """Return what a file of ``gate tools export`` knows; nothing without a file."""
    return Tools({}, {}) if path is None else known_tools(read_catalogue(path))


def known_tools(found: Sequence[Tool]) -> Tools:
    """Return what a catalogue knows, by action name."""
    return Tools({tool.name: tool.parameters for tool in found}, {tool.name: tool.effect for tool in found})
