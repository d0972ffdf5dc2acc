"""``gate policy backtest`` over the log of a real store."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gate.cli.exits import Exit
from gate.clock import FakeClock, SystemClock
from gate.model import Action, Effect, Parameters
from gate.service import Service
from gate.verbs.claim import End
from tests.cli.cli_kit import COMMAND, Filled, read, run, said
from tests.kit import ASKER, POLICY, act, answer, post, service

LOOSER = POLICY.replace("lte: 10}", "lte: 600}").replace("gt: 10, lte: 1000", "gt: 600, lte: 1000")
SINCE = ("--since", "2000-01-01")


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Return a file with the policy that the store's calls were judged by."""
    path = tmp_path / "desk.yml"
    path.write_text(POLICY)
    return path


def _backtest(policy: Path, db: Path, *words: str) -> Any:
    return read("policy", "backtest", "--policy", policy, "--db", db, *SINCE, *words)


def test_the_policy_in_force_changes_nothing(desk: Path, filled: Filled) -> None:
    """Every recorded call gets the verdict it got, by the same rules, and as many cards."""
    found = _backtest(desk, filled.db)
    assert (found["calls"], found["changed"], found["changes"]) == (5, [], [])
    assert all(each["before"] == each["after"] for each in found["rules"])
    assert found["cards"] == {"before": 3, "after": 3, "a_day_more": None}
    assert found["not_decidable"] == []
    assert "0 verdicts would change." in said("policy", "backtest", "--policy", desk, *filled.words(), *SINCE)


def test_a_looser_policy_shows_what_would_run_and_what_people_thought_of_it(
    desk: Path, filled: Filled
) -> None:
    """Changed calls with both answers, counts by rule, fewer cards, and the ranges of what was answered."""
    desk.write_text(LOOSER)
    found = _backtest(desk, filled.db)
    assert {each["id"]: (each["before"], each["after"]) for each in found["changes"]} == {
        filled.denied: ("require_approval", "allow"),
        filled.failed: ("require_approval", "allow"),
    }
    assert found["changed"] == [{"before": "require_approval", "after": "allow", "calls": 2}]
    assert {"rule": "desk/small", "before": 1, "after": 3} in found["rules"]
    assert found["cards"] == {"before": 3, "after": 1, "a_day_more": None}
    texts = [(each["rule"], each["text"]) for each in found["ranges"]]
    assert ("desk/small", "amount approved 600.00 EUR, denied 500.00 EUR") in texts
    text = said("policy", "backtest", "--policy", desk, *filled.words(), *SINCE, COLUMNS="200")
    assert "2 verdicts would change: 2 from require_approval to allow." in text
    assert "Cards: 3 then, 1 with this policy (2 fewer)." in text
    later = f"{SystemClock().now() + timedelta(days=2):%Y-%m-%dT%H:%M:%SZ}"
    words = ("--until", later)
    assert _backtest(desk, filled.db, *words)["cards"]["a_day_more"] == -1.0
    assert "Cards: 1.5 a day then, 0.5 with this policy (1.0 a day fewer)." in said(
        "policy", "backtest", "--policy", desk, *filled.words(), *SINCE, *words
    )
    assert "desk/small: amount approved 600.00 EUR, denied 500.00 EUR" in text


def test_a_rule_on_a_value_that_the_log_hides_is_not_decidable(desk: Path, filled: Filled) -> None:
    """The call with a token is reported; the others are decided."""
    desk.write_text(
        POLICY + "  - {id: token, match: desk.pay, when: {args.api_token: {regex: 'x.*', optional: true}},"
        " then: block, reason: Why.}\n"
    )
    found = _backtest(desk, filled.db)
    assert [(each["id"], each["rules"], each["paths"]) for each in found["not_decidable"]] == [
        (filled.failed, ["desk/token"], ["args.api_token"])
    ]
    assert found["calls"] == 4
    text = said("policy", "backtest", "--policy", desk, *filled.words(), *SINCE)
    assert "Not decidable: 1 call. desk/token would read args.api_token, hidden in the log." in text


def _recorded(db: Path) -> Service:
    """Return a service whose log has calls with exact values, facts, code effects and two sessions."""
    gate = service(db, clock=FakeClock())
    gate.open_session("s2", agent="desk", on_behalf_of=ASKER)
    for session in ("s1", "s2"):
        for amount in (Decimal("4.10"), 5):
            submission = gate.submit(act(session=session, amount=amount, to="bob"))
            gate.settle(submission.record.id, End(True))
    return gate


BUDGET = """
budgets:
  - {id: run, match: desk.pay, sum: effect.amount, limit: {EUR: 15}, per: %s, window: 1h}
"""


@pytest.mark.parametrize(
    ("per", "changed"), [("session", 0), ("agent", 1), ("args.to", 1), ("on_behalf_of", 1)]
)
def test_budgets_count_the_calls_of_the_log(desk: Path, db: Path, per: str, changed: int) -> None:
    """18.20 EUR in all, 9.10 a session: exact, in order, by session, agent, argument and person."""
    gate = _recorded(db)
    desk.write_text(POLICY + BUDGET % per)
    found = read(
        "policy", "backtest", "--policy", desk, "--db", db, "--since", "2000-01-01", "--until", "2100-01-01"
    )
    assert len(found["changes"]) == changed
    assert all(each["after_rules"] == ["desk/run"] for each in found["changes"])
    gate.close()


def test_a_held_call_of_the_log_is_charged_when_it_started(desk: Path, db: Path) -> None:
    """An approved call counts from its claim, one that was never started does not."""
    gate = service(db, clock=FakeClock())
    for claimed in (True, False):
        call = act(amount=12, to="bob" if claimed else "dora")
        ident = gate.submit(call).record.id
        post(gate)
        answer(gate, ident)
        if claimed:
            assert gate.claim(ident, call).run
            gate.settle(ident, End(True))
    gate.settle(gate.submit(act(amount=3, to="eve")).record.id, End(True))
    after = gate.submit(act(amount=Decimal("0.5"), to="eve")).record.id
    desk.write_text(POLICY + BUDGET % "agent")
    found = read(
        "policy", "backtest", "--policy", desk, "--db", db, "--since", "2000-01-01", "--until", "2100-01-01"
    )
    assert [each["id"] for each in found["changes"] if "desk/run" in each["after_rules"]] == [after]
    gate.close()


def test_the_log_knows_what_the_tool_takes_and_declares(desk: Path, db: Path) -> None:
    """A condition on an argument that the tool does not have is false, and the code's effect counts."""
    gate = service(db, clock=FakeClock())
    takes = Parameters(frozenset({"amount", "to"}))
    call = Action(
        "desk.send", {"amount": 5, "to": "bob"}, "desk", "s1", ASKER, parameters=takes, effect=Effect("read")
    )
    gate.submit(call)
    gate.close()
    rule = "  - {id: %s, match: desk.send, when: {%s}, then: block, reason: Why.}\n"
    for when, after in (("args.cc: x", "require_approval"), ("effect.risk: read", "block")):
        desk.write_text(POLICY + rule % ("r", when))
        words = ("--since", "2000-01-01", "--until", "2100-01-01")
        found = read("policy", "backtest", "--policy", desk, "--db", db, *words)
        assert [each["after"] for each in found["changes"]] == (
            [] if after == "require_approval" else [after]
        )


def test_the_time_that_counts(desk: Path, filled: Filled) -> None:
    """By default the last 30 days; an end in the past leaves nothing."""
    assert read("policy", "backtest", "--policy", desk, *filled.words())["calls"] == 5
    nothing = _backtest(desk, filled.db, "--until", "2001-01-01")
    assert (nothing["calls"], nothing["rules"]) == (0, [])
    assert "0 calls from" in said(
        "policy", "backtest", "--policy", desk, *filled.words(), "--until", "2001-01-01"
    )


def test_as_many_changes_are_listed_as_asked_for(desk: Path, filled: Filled) -> None:
    """The rest is counted."""
    desk.write_text(LOOSER)
    text = said("policy", "backtest", "--policy", desk, *filled.words(), *SINCE, "--limit", "1")
    assert "… and 1 more" in text
    assert filled.denied in text
    assert filled.failed not in text


def test_nothing_is_changed(desk: Path, filled: Filled) -> None:
    """The log is the same before and after."""
    before = said("audit", "verify", *filled.words())
    _backtest(desk, filled.db)
    assert said("audit", "verify", *filled.words()) == before


def test_a_policy_that_does_not_load_and_a_store_that_is_not_there(desk: Path, tmp_path: Path) -> None:
    """End with 3 and 4."""
    assert run("policy", "backtest", "--policy", desk, "--db", tmp_path / "none.db").exit_code == Exit.STORE
    desk.write_text("default: maybe\n")
    assert run("policy", "backtest", "--policy", desk, "--db", tmp_path / "none.db").exit_code == Exit.POLICY


def _stderr(words: list[str], *, terminal: bool) -> bytes:
    """Return what a process of its own writes to standard error, which is a terminal or a pipe."""
    ours, theirs = pty.openpty() if terminal else os.pipe()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        written = b""
        while part := _read(ours):
            written += part
        assert process.stdout is not None
        json.loads(process.stdout.read())
    os.close(ours)
    return written


def _read(end: int) -> bytes:
    try:
        return os.read(end, 4096)
    except OSError:  # a terminal whose other end is closed
        return b""


def test_the_bar_shows_on_a_terminal_only(desk: Path, filled: Filled) -> None:
    """A pipe gets not one byte of it, and standard output stays JSON either way."""
    words = ["policy", "backtest", "--policy", str(desk), *filled.words(), *SINCE, "--json"]
    assert b"Reading the log" in _stderr(words, terminal=True)
    assert _stderr(words, terminal=False) == b""


def test_a_tool_that_neither_the_log_nor_a_catalogue_describes_is_named_once(tmp_path: Path) -> None:
    """Every name counts as one of its parameters; where the policy lists them, nothing is said."""
    gate = service(tmp_path / "gate.db")
    for number in range(2):
        gate.submit(replace(act(amount=5, to=f"bob {number}"), parameters=None))
    gate.close()
    policy = tmp_path / "desk.yml"
    for text, told in (
        (POLICY, 1),
        (POLICY.replace("amount: args", "params: [amount, to], amount: args"), 0),
    ):
        policy.write_text(text)
        result = run("policy", "backtest", "--policy", policy, "--db", tmp_path / "gate.db", *SINCE)
        assert result.exit_code == Exit.OK
        assert result.stderr.count("the parameters of desk.pay are not known here") == told
