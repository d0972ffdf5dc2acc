"""Time the largest calls that are judged: ``python -m bench.large [--rounds N] [--only TEXT] [--json]``.

A call may hold 1 MB and 20,000 values; every value is another one, so nothing that is remembered helps. After
the calls come their floors: bare copies, JSON, hashes and commits of the same values.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import logging
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

from bench import hostile
from gate import Gate
from gate.digest import action_digest, snapshot
from gate.model import Action, Parameters
from gate.policy.evaluate import evaluate
from gate.policy.load import load_texts
from gate.policy.policyset import PolicySet
from gate.redact import redact

COUNT = hostile.COUNT
TARGET_MS = 50
HEAD = "version: 1\nname: large\ndefault: block\napprovals: {channel: C0APPROVALS, approvers: [U0ALICE]}\n"
AMOUNT = "actions: {desk.run: {risk: write, amount: args.v}}\n"
MEMBERS = [f"member-{number}" for number in range(50)]
CONDITIONS: Mapping[str, Any] = {
    "eq": {"eq": "order-1"},
    "in": {"in": MEMBERS},
    "in path": {"in": {"path": "facts.l"}},
    "glob": {"glob": "*-wanted-*"},
    "regex": {"regex": "[a-z]+-[0-9]+x"},
    "contains": {"contains": "wanted"},
}
PLACE: Mapping[str, Any] = {"number": 7, "city": "Lyon", "open": True}


def main() -> None:
    """Print the time of the process and on the clock that each kind of work takes."""
    parser = argparse.ArgumentParser(prog="python -m bench.large", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="only the work whose name holds this text")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    logging.getLogger("gate").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), options.rounds, options.only)
    print(json.dumps(found, indent=2) if options.json else table(found))


def measure(folder: Path, rounds: int, only: str = "") -> dict[str, dict[str, float]]:
    """Return the least and median time of the process and the median on the clock of each work, in ms."""
    works = [*judgements(), *writings(), *calls(folder), *floors(folder)]
    gc.collect()
    gc.freeze()  # a process that takes calls does not hold all of these: collecting them is no part of a call
    return {name: _row([_timed(work) for _ in range(rounds)]) for name, work in works if only in name}


def table(found: Mapping[str, Mapping[str, float]]) -> str:
    """Return the figures as a table; what takes longer than the target is marked."""
    lines = [f"{'':48}{'cpu least ms':>14}{'cpu p50 ms':>14}{'wall p50 ms':>14}"]
    for name, row in found.items():
        slow = "  *" if row["cpu_p50_ms"] >= TARGET_MS else ""
        lines.append(
            f"{name:48}{row['cpu_least_ms']:>14,.2f}{row['cpu_p50_ms']:>14,.2f}{row['wall_p50_ms']:>14,.2f}{slow}"
        )
    return "\n".join([*lines, f"* over {TARGET_MS} ms"])


Work = tuple[str, Callable[[], object]]


def values() -> dict[str, Any]:
    """Return the large values by name."""
    return {
        "1 MB text": "All good words of a note. " * 38_400,
        "64 KB text": "All good words of a note. " * 2_500,
        "1 MB text, not ASCII": "Schöne Wörter einer Notiz. " * 34_000,
        "19,900 texts": [f"order-{number}" for number in range(COUNT)],
        "19,900 texts, not ASCII": [f"Größe-{number}" for number in range(COUNT)],
        "19,900 numbers": list(range(COUNT)),
    }


def judgements() -> Iterator[Work]:
    """Yield the pure judgement of each large value under each operator."""
    for name, value in values().items():
        for word, condition in CONDITIONS.items():
            if "numbers" not in name or word in ("in", "in path"):
                members = list(range(-50, 0)) if "numbers" in name else MEMBERS
                used = {"in": members} if word == "in" else condition
                yield f"{name}: {word}", _judged(_policy({"args.v": used}), value, {"l": members})
    money = _policy({"effect.amount": {"lte": 100_000}}, AMOUNT)
    yield "19,900 numbers: money", _judged(money, values()["19,900 numbers"], {})
    number = _policy({"args.v": {"gte": 0}})
    yield "19,900 numbers: gte", _judged(number, values()["19,900 numbers"], {})
    for name, value in hostile.values().items():
        for word in ("eq", "glob", "regex"):
            yield f"{name}: {word}", _judged(_policy({"args.v": CONDITIONS[word]}), value, {})
        yield f"{name}: gte", _judged(number, value, {})


def _policy(when: Mapping[str, Any], more: str = "") -> PolicySet:
    rule = {"id": "r", "match": "desk.run", "when": when, "then": "allow"}
    return load_texts({"large.yml": HEAD + more + "rules:\n  - " + json.dumps(rule) + "\n"})


def _action(value: Any, facts: Mapping[str, Any]) -> Action:
    return Action(
        "desk.run", {"v": value}, "bench", "s1", facts=dict(facts), parameters=Parameters(frozenset({"v"}))
    )


def _judged(policy: PolicySet, value: Any, facts: Mapping[str, Any]) -> Callable[[], object]:
    action = _action(value, facts)
    return lambda: evaluate(policy, action)


def writings() -> Iterator[Work]:
    """Yield what is done with every call beside judging: the copy, the digest and what people see."""
    for name, value in _written().items():
        arguments, action = {"v": value}, _action(value, {})
        yield f"{name}: snapshot", partial(snapshot, arguments)
        yield f"{name}: digest", partial(action_digest, b"k" * 32, action)
        yield f"{name}: redact", partial(redact, arguments)


def _written() -> dict[str, Any]:
    return values() | {"4,970 objects": [PLACE] * (COUNT // 4)} | hostile.values()


def calls(folder: Path) -> Iterator[Work]:
    """Yield a whole allowed call with each large value."""
    for number, (name, value) in enumerate(_written().items()):
        policy = folder / f"{number}.yml"
        policy.write_text(HEAD + "rules:\n  - {id: r, match: desk.run, then: allow}\n")
        tool = Gate(policy=policy, db=folder / f"{number}.db", agent="bench").guard("desk.run")(_run)
        yield f"{name}: whole call", partial(tool, value)


def floors(folder: Path) -> Iterator[Work]:
    """Yield the least that a call with each large value needs in plain Python: see ``_least``."""
    rows = sqlite3.connect(folder / "floor.db", isolation_level=None)
    rows.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE rows (text)")
    for name, value in _written().items():
        yield f"{name}: floor", partial(_least, rows, value)


def _least(rows: sqlite3.Connection, value: Any) -> None:
    """Take a copy, give another one away, write JSON for digest, people and log, hash two, commit twice."""
    taken = _copy(value)
    digested, shown, recorded = (json.dumps(taken, ensure_ascii=False) for _ in range(3))
    for text in (digested, recorded):
        hashlib.sha256(text.encode()).hexdigest()
    for texts in ([shown, recorded], [""]):
        rows.execute("BEGIN IMMEDIATE")
        rows.executemany("INSERT INTO rows VALUES (?)", [(text,) for text in texts])
        rows.execute("COMMIT")
    _copy(value)


def _copy(value: Any) -> Any:
    """Return a value as plain JSON, looking at each part once and at nothing else."""
    kind = type(value)
    if kind is dict:
        return {key: _copy(each) for key, each in value.items()}
    if kind is list or kind is tuple:
        return [_copy(each) for each in value]
    if kind in _JSON:
        return value
    names = getattr(kind, "__annotations__", ())
    return {name: _copy(getattr(value, name)) for name in names} if names else str(value)


_JSON = {str, int, float, bool, type(None)}


def _run(v: Any) -> str:
    return "done"


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return the time of the process and on the clock that one run takes, in seconds."""
    wall, cpu = perf_counter(), process_time()
    work()
    return process_time() - cpu, perf_counter() - wall


def _row(took: list[tuple[float, float]]) -> dict[str, float]:
    cpu, wall = [each[0] * 1e3 for each in took], [each[1] * 1e3 for each in took]
    return {"cpu_least_ms": min(cpu), "cpu_p50_ms": median(cpu), "wall_p50_ms": median(wall)}


if __name__ == "__main__":
    main()
