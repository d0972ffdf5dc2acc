"""``gate stats`` over a real store, and ``--try`` of the backtest that it offers."""

from __future__ import annotations

import shlex
from datetime import datetime, timedelta
from pathlib import Path

from gate.cli.exits import Exit
from gate.service import Service
from tests.cli.cli_kit import Filled, read, run, said
from tests.kit import act, answer, post, service


def test_the_numbers_of_a_store(filled: Filled) -> None:
    """As JSON, with every part, and as tables."""
    found = read("stats", *filled.words())
    assert (found["holds"], found["approved"], found["denied"], found["waiting"]) == (3, 1, 1, 1)
    (rule,) = found["rules"]
    assert (rule["rule"], rule["held"], rule["rate"], rule["candidate"]) == ("desk/large", 3, 0.5, "")
    assert "amount approved 600.00 EUR, denied 500.00 EUR" in [each["text"] for each in rule["ranges"]]
    assert [(each["user"], each["answers"], each["quick"]) for each in found["people"]] == [("U0ALICE", 2, 2)]
    assert found["agents"] == [
        {"agent": "desk", "held": 3, "approved": 1, "changed": 0, "denied": 1, "unanswered": 0}
    ]
    assert found["deciding"]["count"] == 2
    assert sum(found["hours"]) == sum(found["days"].values()) == 3
    text = said("stats", *filled.words(), COLUMNS="200")
    assert "1 approved, 1 denied, 0 expired unanswered, 1 waiting, 0 ended otherwise." in text
    for part in ("desk/large", "50%", "Time to decide: median", "UNDER 3 S", "Busiest hours, UTC", "AGENT"):
        assert part in text


def test_a_time_without_holds_is_said(filled: Filled) -> None:
    """Without empty tables."""
    text = said("stats", *filled.words(), "--until", "2001-01-01", "--since", "2000-01-01")
    start = "0 holds from 2000-01-01 00:00:00 UTC to 2001-01-01 00:00:00 UTC: the store begins only at 20"
    assert text.startswith(start)
    assert text.count("\n") == 1


def test_a_store_without_a_policy_has_numbers(db: Path) -> None:
    """All are nothing; that no policy is in force is none of their business."""
    Service(db, kind="cli", create=True).close()
    assert said("stats", "--db", db).endswith(": the store is empty.\n")
    found = read("stats", "--db", db)
    assert (found["holds"], found["begins"], found["a_day"], found["rules"]) == (0, None, None, [])


def test_holds_a_day_are_those_of_what_is_known(filled: Filled) -> None:
    """A store of a few seconds has no number a day; from a day on it counts from when the store begins."""
    found = read("stats", *filled.words())
    assert found["a_day"] is None
    begins = found["begins"][:19].replace("T", " ")
    first = said("stats", *filled.words()).splitlines()[0]
    assert first.startswith(f"3 holds from {begins} UTC, when the store begins, to ")
    assert "a day" not in first
    later = f"{datetime.fromisoformat(found['begins']) + timedelta(days=2):%Y-%m-%dT%H:%M:%SZ}"
    words = ("stats", *filled.words(), "--until", later)
    assert said(*words).splitlines()[0].endswith(", 1.5 a day.")
    assert 1.49 < read(*words)["a_day"] < 1.51
    whole = (*words, "--since", found["begins"])
    assert said(*whole).splitlines()[0].startswith(f"3 holds from {begins} UTC to ")


def test_the_offered_command_runs_as_it_stands(tmp_path: object) -> None:
    """A rule that was never approved: the command tries to block it, on the same store."""
    db = str(tmp_path) + "/gate.db"
    gate = service(db, clock=None)
    for number in range(2):
        hold = gate.submit(act("desk.fire", who=f"bob {number}")).record
        post(gate)
        answer(gate, hold.id, said="deny")
    gate.close()
    (rule,) = read("stats", "--db", db)["rules"]
    assert rule["candidate"] == "block"
    assert f"(block?): 0 of 2 approved\n    {rule['command']}" in said("stats", "--db", db)
    command, *words = shlex.split(rule["command"])
    assert command == "gate"
    assert "2 verdicts would change: 2 from require_approval to block." in said(*words)


def test_try_takes_another_answer_for_rules_of_the_files_too(filled: Filled, tmp_path: object) -> None:
    """Twice if need be; what is no rule or no answer is a usage error."""
    words = ("policy", "backtest", *filled.words())
    found = read(*words, "--try", "desk/large=allow", "--try", "desk/small=block")
    changed = {(each["before"], each["after"]): each["calls"] for each in found["changed"]}
    assert changed == {("require_approval", "allow"): 3, ("allow", "block"): 1}
    for wrong in ("desk/none=allow", "desk/large=hold", "desk/large"):
        result = run(*words, "--try", wrong)
        assert result.exit_code == Exit.USAGE, wrong
        assert wrong.partition("=")[0] in result.output


def test_a_time_that_ends_before_it_begins_is_a_usage_error(filled: Filled) -> None:
    """For the numbers and for the backtest."""
    for words in (("stats",), ("policy", "backtest", "--try", "desk/large=allow")):
        result = run(*words, *filled.words(), "--since", "1d", "--until", "2d")
        assert result.exit_code == Exit.USAGE
        assert "lies after --until" in result.output
