"""Which results are kept for later callers, and what they are told."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.lifecycle import State
from gate.model import ActionRecord, Decision, Person
from gate.outcomes import CLASSES, Details, Outcome, Ran, outcome, ran
from gate.results import RESULT_BYTES, kept_result, outcome_of

AT = datetime(2026, 1, 1, tzinfo=UTC)


def nested(levels: int) -> list[Any]:
    """Return lists in a list, so many levels deep."""
    found: list[Any] = []
    for _ in range(levels - 1):
        found = [found]
    return found


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        2**70,
        1.0,
        -0.0,
        "é\U0001f600",
        [],
        {"a": [1, {"b": None}]},
        "x" * (RESULT_BYTES - 2),
        nested(64),
    ],
)
def test_plain_results_are_kept_and_read_back_equal(value: Any) -> None:
    """Plain JSON up to 64 KB reads back with the same types and values."""
    text = kept_result(value)
    assert text is not None
    assert repr(json.loads(text)) == repr(value)


class Text(str):
    """A text that is more than it shows."""


@pytest.mark.parametrize(
    "value",
    [
        (1,),
        {1: "x"},
        Decimal(1),
        b"x",
        float("nan"),
        float("inf"),
        Text("x"),
        object(),
        [{"a": {1}}],
        "\ud800",
        "x" * (RESULT_BYTES - 1),
        "é" * (RESULT_BYTES // 2),
        nested(65),
        nested(400),
        nested(5000),
    ],
)
def test_other_results_are_not_kept(value: Any) -> None:
    """What would not read back equal, or is too long or too deep, is not kept, and no error."""
    assert kept_result(value) is None


def test_a_cycle_is_not_kept() -> None:
    """A result that contains itself is not kept, and no error."""
    loop: list[Any] = []
    loop.append(loop)
    assert kept_result(loop) is None


def test_secrets_are_not_kept() -> None:
    """A result with a secret's name, or with a text that the arguments hid, is not kept."""
    assert kept_result({"token": "abc"}) is None
    assert kept_result({"note": "card 4111 1111"}, secrets=["4111 1111"]) is None
    assert kept_result({"note": "card"}, secrets=["4111 1111", "ca"]) is not None


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_whatever_is_kept_reads_back_equal(value: Any) -> None:
    """No result that is kept changes type or value on the way."""
    text = kept_result(value)
    assert text is None or repr(json.loads(text)) == repr(value)


def _record(state: State, code: str, **more: Any) -> ActionRecord:
    known: dict[str, Any] = {
        "id": "a1",
        "name": "desk.pay",
        "version": 1,
        "digest": "d",
        "rules": ("desk/large",),
        "reason": "Above.",
        "decisions": (),
        "name_approver": False,
        "expires_at": AT,
        "use_by": None,
        "result": None,
        "kept": False,
        "error": "",
        "late": False,
    }
    return ActionRecord(state=state, code=code, **(known | more))


@pytest.mark.parametrize("code", sorted(set(CLASSES) - {"pending", "result_not_kept"}))
def test_every_ended_record_has_the_outcome_of_its_code(code: str) -> None:
    """A stored end becomes the outcome that its code names."""
    state = {"blocked": State.BLOCKED, "failed": State.FAILED, "in_doubt": State.IN_DOUBT}.get(
        code, State.DENIED
    )
    ended = outcome_of(_record(state, code))
    assert isinstance(ended, CLASSES[code])
    assert (ended.code, ended.action_id, ended.rules) == (code, "a1", ("desk/large",))


@pytest.mark.parametrize("state", [State.PENDING, State.APPROVED])
def test_an_open_hold_is_pending(state: State) -> None:
    """Nothing ran yet while a hold is open."""
    assert outcome_of(_record(state, "pending")).code == "pending"


def test_a_run_elsewhere_is_not_pending() -> None:
    """Of an action that runs elsewhere nobody knows how it ends; never does it count as not run."""
    running = outcome_of(_record(State.RUNNING, ""))
    assert isinstance(running, Outcome)
    assert (running.code, running.shared) == ("in_doubt", True)
    assert "still running elsewhere" in str(running)


def test_a_stored_run_is_shared() -> None:
    """A caller that did not run the action gets the stored result, marked shared."""
    ended = outcome_of(_record(State.SUCCEEDED, "ran", result='{"a": 1}', kept=True))
    assert isinstance(ended, Ran)
    assert (ended.result, ended.kept, ended.shared) == ({"a": 1}, True, True)


def test_a_call_that_never_started_says_that_nothing_ran() -> None:
    """A failed call whose tool never began is told apart from one that may have taken effect."""
    told = str(outcome("failed", Details("a1", "desk.pay", error="never started")))
    assert "Nothing ran." in told
    assert "may have taken effect" not in told


def test_answers_from_a_local_workspace_say_so() -> None:
    """An outcome that a local workspace decided never looks like one from Slack."""
    local = Decision(Person("T0LOCAL", "U1"), "approve", "", AT, 1)
    slack = Decision(Person("T0ABC", "U1"), "deny", "", AT, 1)
    assert "local workspace" in ran(1, Details("a1", "desk.pay", decisions=(local,))).message_for_agent
    assert "local workspace" in str(outcome("denied", Details("a1", "desk.pay", decisions=(local,))))
    assert "local workspace" not in str(outcome("denied", Details("a1", "desk.pay", decisions=(slack,))))
