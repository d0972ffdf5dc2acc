"""Run a test table: written calls and the answers that a policy set must give to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gate.model import Parameters
from gate.policy.calls import UnreadableCall, WrittenCall, load_calls
from gate.policy.policyset import PolicySet
from gate.policy.spending import Rehearsal


@dataclass(frozen=True, slots=True)
class RowResult:
    """How one row of a table came out.

    Attributes:
        id: Id of the row.
        line: Line it begins in, from 1; 0 where the table as a whole is meant.
        passed: Whether the set answered as the row says.
        message: What differs; empty where it passed.
        answer: What the set answered; empty where the row cannot be judged.
        rules: The rules that answered.
    """

    id: str
    line: int
    passed: bool
    message: str = ""
    answer: str = ""
    rules: tuple[str, ...] = ()


def run_table(
    path: str | Path, policy: PolicySet, tools: Mapping[str, Parameters] | None = None
) -> list[RowResult]:
    """Run the table in a file; see ``run_table_text``. A file that cannot be read is one failed row."""
    try:
        text = Path(path).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        return [RowResult("table", 0, False, f"{path} cannot be read: {said}")]
    return run_table_text(text, policy, tools)


def run_table_text(
    text: str, policy: PolicySet, tools: Mapping[str, Parameters] | None = None
) -> list[RowResult]:
    """Run a table.

    Args:
        text: A YAML list of calls, each with ``expect`` and optional ``rules``.
        policy: The set that must answer so.
        tools: What known tools take, by action name; None closes no list of parameters.

    Returns:
        One result per row, in order; budgets are empty before the first row, and each allowed row is charged.
    """
    rehearsal = Rehearsal(policy)
    return [_run(call, rehearsal) for call in load_calls(text, tools=tools, table=True)]


def _run(call: WrittenCall | UnreadableCall, rehearsal: Rehearsal) -> RowResult:
    if isinstance(call, UnreadableCall):
        return RowResult(call.id, call.line, False, call.message)
    if call.expect is None:
        return RowResult(
            call.id, call.line, False, "expect must be written: allow, require_approval or block"
        )
    verdict = rehearsal.judge(call.action, call.at)
    wrong = _difference(call, verdict.answer, verdict.rules)
    return RowResult(call.id, call.line, not wrong, wrong, verdict.answer, verdict.rules)


def _difference(call: WrittenCall, answer: str, rules: tuple[str, ...]) -> str:
    by = ", ".join(rules)
    if answer != call.expect:
        return f"expected {call.expect}, got {answer} by {by}"
    if call.rules is not None and sorted(call.rules) != sorted(rules):
        return f"expected {call.expect} by {', '.join(call.rules) or 'no rule'}, got it by {by}"
    return ""


def untold_tools(
    text: str, policy: PolicySet, tools: Mapping[str, Parameters] | None = None
) -> tuple[str, ...]:
    """Return the actions of a text whose parameters are not known: every name counts as one of theirs.

    Args:
        text: Written calls; see ``gate.policy.calls.load_calls``.
        policy: The set, whose ``params`` count as known.
        tools: What known tools take, by action name.
    """
    calls = [
        each.action for each in load_calls(text, tools=tools, table=True) if isinstance(each, WrittenCall)
    ]
    unknown = [each.name for each in calls if each.parameters is None and policy.known(each).params is None]
    return tuple(dict.fromkeys(unknown))
