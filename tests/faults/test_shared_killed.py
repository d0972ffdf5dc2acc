"""A process that dies amid a transaction of several threads: nobody was told, or ran, what is not there."""

from __future__ import annotations

import signal
from decimal import Decimal
from multiprocessing.process import BaseProcess
from pathlib import Path

from gate.policy.load import load_texts
from gate.service import Service
from tests.faults.invariants import Rules, lines
from tests.faults.judging import problems
from tests.faults.shared_program import CALLS, call_until_killed
from tests.faults.test_budget_races import ALICE, POLICY
from tests.forking import SERVER

LIMIT = 120
DEATHS = (
    ("after SAVEPOINT part", 3),
    ("before RELEASE part", 5),
    ("after RELEASE part", 9),
    ("before COMMIT", 4),
    ("after COMMIT", 6),
)
RULES = Rules({"desk/ask": ALICE, "desk/money": ALICE}, budget="desk/money", limit=Decimal(LIMIT))


def test_what_was_told_and_what_ran_is_there(tmp_path: Path) -> None:
    """Five processes of eight threads die at every step of a shared commit, beside one that does not."""
    db = tmp_path / "gate.db"
    Service(db, policy=load_texts({"desk.yml": POLICY.replace("EUR: 40", f"EUR: {LIMIT}")})).close()
    calm = _start(db, 0, "before COMMIT", 0)
    dying = [_start(db, number, *order) for number, order in enumerate(DEATHS, 1)]
    for each in dying:
        each.join()
        assert each.exitcode == -signal.SIGKILL
    calm.join()
    assert calm.exitcode == 0
    _judge(db)


def _start(db: Path, number: int, statement: str, at: int) -> BaseProcess:
    process = SERVER.Process(target=call_until_killed, args=(db, number, statement, at), daemon=True)
    process.start()
    return process


def _judge(db: Path) -> None:
    gate = Service(db)
    told = [each["action"] for each in lines(db.with_name("told"))]
    assert len(told) == len(gate.states(told)) > CALLS
    with gate.store.reader() as reader:
        (runs,) = reader.all("SELECT count(*) AS count FROM ledger")
        (total,) = reader.all("SELECT max(CAST(total AS INTEGER)) AS total FROM charges")
    assert total["total"] == 3 * runs["count"] <= LIMIT
    db.with_name("told").unlink()  # what it says of holds that are cancelled now is no end of theirs
    assert problems(gate, RULES) == []
    gate.close()
