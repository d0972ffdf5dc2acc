"""Read rows of cases: what another system was asked, what it answers, and what ours must answer.

A row has an ``id``, ``theirs`` (run, hold, block or error, of its last call), perhaps ``right`` where
theirs is known to be wrong, a ``policy`` (a name under ``policies``, or its text) and either ``problem``,
for which it must not load, or ``calls``, judged in order, budgets empty before the first. A call has the
keys of ``gate check``, ``expect``, perhaps ``quorum`` and ``times`` (so often in a row), or instead a
``raw`` line with an ``error`` that it must end in. With ``import: kortix`` or ``import: phrony`` the policy
is a file of that system, which is imported first. A whole file of rows may say ``beside``: the example
policy that judges its calls together with each row's own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from gate.errors import PolicyError
from gate.model import Approver
from gate.policy.calls import UnreadableCall, WrittenCall, load_calls
from gate.policy.importers import kortix, phrony
from gate.policy.importers.draft import People
from gate.policy.load import load_texts
from gate.policy.policyset import PolicySet
from gate.policy.source import read_text
from gate.policy.spending import Rehearsal

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "policies" / "examples"
HEAD = "version: 1\napprovals: {channel: C0APPROVALS, approvers: [U0ALICE, U0BOB, U0CAROL]}\n"
PEOPLE = People("C0APPROVALS", tuple(Approver("user", each) for each in ("U0ALICE", "U0BOB", "U0CAROL")))
IMPORTS: Mapping[str, Callable[[str], str]] = {
    "kortix": lambda text: kortix.import_text(text, "kortix.yaml", PEOPLE),
    "phrony": lambda text: phrony.import_texts({"policies.yaml": text}, PEOPLE),
}
STRICTNESS = {"run": 0, "hold": 1, "block": 2, "error": 2}
WORDS = {"allow": "run", "require_approval": "hold", "block": "block"}


@dataclass(frozen=True, slots=True)
class Row:
    """One case as a row of ours; see the module."""

    id: str
    theirs: str
    policy: str
    right: str = ""
    problem: str = ""
    imported: str = ""
    beside: str = ""
    calls: tuple[Mapping[str, Any], ...] = ()


@dataclass(slots=True)
class Answered:
    """What ours answered.

    Attributes:
        words: One word for each call, or ``error`` alone where the policy does not load.
        wrong: What came out otherwise than the row says.
    """

    words: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def rows() -> Iterator[Row]:
    """Yield the rows of every file beside this one."""
    for path in sorted(HERE.glob("*.yml")):
        document = read_text(path.read_text(encoding="utf-8"), path.name)
        assert not document.problems, "\n".join(map(str, document.problems))
        named, beside = document.value.get("policies", {}), document.value.get("beside", "")
        for raw in document.value["rows"]:
            yield _row(raw, named, beside)


def _row(raw: Mapping[str, Any], named: Mapping[str, str], beside: str) -> Row:
    return Row(
        id=raw["id"],
        theirs=raw["theirs"],
        policy=named.get(raw["policy"], raw["policy"]),
        right=raw.get("right", ""),
        problem=raw.get("problem", ""),
        imported=raw.get("import", ""),
        beside=beside,
        calls=tuple(raw.get("calls", ())),
    )


def answer(row: Row) -> Answered:
    """Ask ours what a row asks."""
    try:
        policy = load(row)
    except PolicyError as error:
        found = Answered(["error"])
        if not row.problem or row.problem not in str(error):
            found.wrong.append(f"does not load: {error}")
        return found
    if row.problem:
        return Answered([], [f"loads in spite of: {row.problem}"])
    return judge(policy, row.calls)


def load(row: Row) -> PolicySet:
    """Load the policy of a row, imported first where it is a foreign one."""
    if row.imported:
        return load_texts({"case.yml": IMPORTS[row.imported](row.policy)})
    written = {line.partition(":")[0] for line in row.policy.split("\n")}
    head = [line for line in HEAD.splitlines(keepends=True) if line.partition(":")[0] not in written]
    texts = {row.beside: (EXAMPLES / row.beside).read_text(encoding="utf-8")} if row.beside else {}
    return load_texts({**texts, "case.yml": "".join(head) + row.policy})


def judge(policy: PolicySet, calls: tuple[Mapping[str, Any], ...]) -> Answered:
    """Judge the calls of a row in order, and compare each answer with what is expected."""
    found = Answered()
    calls = tuple(call for call in calls for _ in range(call.get("times", 1)))
    lines = [each["raw"] if "raw" in each else to_json(_written(each)) for each in calls]
    rehearsal = Rehearsal(policy)
    for written, call in zip(load_calls("\n".join(lines), table=True), calls, strict=True):
        word, wrong = _one(rehearsal, written, call)
        found.words.append(word)
        found.wrong += [wrong] if wrong else []
    return found


def _written(call: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in call.items() if key not in ("quorum", "error", "times")}


def _one(
    rehearsal: Rehearsal, written: WrittenCall | UnreadableCall, call: Mapping[str, Any]
) -> tuple[str, str]:
    if isinstance(written, UnreadableCall):
        return "error", "" if written.code == call.get("error") else written.message
    verdict = rehearsal.judge(written.action, written.at)
    word = WORDS[verdict.answer]
    if verdict.answer != written.expect:
        return word, f"expected {written.expect}, got {verdict.answer}: {verdict.reason}"
    if written.rules is not None and sorted(written.rules) != sorted(verdict.rules):
        return word, f"expected {written.rules}, got {verdict.rules}"
    quorum = max((need.quorum for need in verdict.requirements), default=None)
    if "quorum" in call and call["quorum"] != quorum:
        return word, f"expected {call['quorum']} approvals, got {quorum}"
    return word, ""


def to_json(value: Any) -> str:
    """Write a value as JSON with all digits of its numbers."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(key)}: {to_json(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(to_json, value)) + "]"
    return str(value) if isinstance(value, Decimal) else json.dumps(value)
