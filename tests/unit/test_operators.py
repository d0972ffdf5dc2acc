"""Operators and the kill switch in Slack: any approver freezes, an operator lifts, and the log knows who."""

from __future__ import annotations

from typing import Any

import pytest

from gate.errors import IllegalMove, NotEligible
from gate.model import Approver, Person
from gate.policy.load import load_texts
from gate.service import Service
from tests.kit import ALICE, CAROL, POLICY, ROUTE, act, kinds, policy, post, service
from tests.policy_kit import only_problem

OPERATED = POLICY.replace(
    "default: require_approval", "operators: [U0OLGA, S0OPS]\ndefault: require_approval", 1
)
OLGA = Person("T0LOCAL", "U0OLGA", "olga")


def _as(person: Person, *groups: str) -> dict[str, Any]:
    return {"person": person, "satisfies": frozenset({person.user, *groups}), "route": ROUTE}


def _refused(gate: Service) -> list[tuple[str, str]]:
    bodies = [record.body for record in gate.records()]
    return [(body["verb"], body["code"]) for body in bodies if body["kind"] == "refused"]


def test_operators_are_read_like_approvers_names_included() -> None:
    """Users, groups, channels and names of the file may stand there."""
    text = "names: {olga: U0OLGA}\noperators: [olga, S0OPS, {members_of: C0OPS}]\ndefault: block\n"
    found = load_texts({"a.yml": text}).operators
    assert [str(each) for each in found] == ["U0OLGA", "S0OPS", "members_of:C0OPS"]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("operators: []\n", "at least one"),
        ("operators: [olga]\n", "not an approver"),
        ("operators: U0OLGA\n", "must be a list"),
        ("operators: [U0OLGA, U0OLGA]\n", "listed twice"),
    ],
)
def test_wrong_operators_are_located_errors(written: str, said: str) -> None:
    """An empty list, an unknown name, a bare text and a double entry do not load."""
    problem = only_problem(f"version: 1\n{written}default: block\n")
    assert problem.startswith("a.yml:2:")
    assert said in problem


def test_one_file_of_a_set_has_the_operators() -> None:
    """A second list is an error that names the first file."""
    one = "default: block\noperators: [U0OLGA]\n"
    assert load_texts({"a.yml": one, "b.yml": "default: block\n"}).operators == (Approver("user", "U0OLGA"),)
    with pytest.raises(Exception, match=r"b\.yml:2:\d+: operators: stand in a\.yml already"):
        load_texts({"a.yml": one, "b.yml": one})


def test_any_approver_freezes_and_an_operator_lifts() -> None:
    """What an approver freezes is blocked until an operator lifts it; the log has both with their route."""
    gate = service(text=OPERATED)
    assert gate.freeze_for("session", "s1", **_as(ALICE), reason="Odd calls.")
    assert gate.submit(act(amount=5, to="bob")).record.code == "frozen"
    with pytest.raises(NotEligible, match="operators"):
        gate.unfreeze_for("session", "s1", **_as(ALICE))
    gate.unfreeze_for("session", "s1", **_as(OLGA), reason="Looked.")
    assert gate.submit(act(amount=5, to="bob")).kind == "run"
    found = {record.body["kind"]: record.body for record in gate.records()}
    assert (found["freeze"]["actor"], found["freeze"]["reason"]) == ("T0LOCAL/U0ALICE", "Odd calls.")
    assert found["unfreeze"]["actor"] == "T0LOCAL/U0OLGA"
    assert found["unfreeze"]["route"]["api_host"] == "127.0.0.1"
    assert _refused(gate) == [("unfreeze", "not_eligible")]


def test_an_operator_who_approves_nothing_may_freeze_too() -> None:
    """Stopping is open to everybody the policy trusts with anything, through groups too."""
    gate = service(text=OPERATED)
    assert gate.freeze_for("everything", **_as(Person("T0LOCAL", "U0DAN", ""), "S0OPS"))
    assert gate.freezes()[0].reason == "No reason was given."


def test_a_stranger_freezes_nothing() -> None:
    """The refusal says so, is recorded, and nothing is frozen."""
    gate = service(text=OPERATED)
    with pytest.raises(NotEligible, match="cannot freeze"):
        gate.freeze_for("everything", **_as(CAROL))
    assert gate.freezes() == []
    assert _refused(gate) == [("freeze", "not_eligible")]


def test_without_operators_only_the_command_line_lifts() -> None:
    """Even an approver is told so; the command line still can."""
    gate = service()
    gate.freeze_for("everything", **_as(ALICE), reason="Stop.")
    with pytest.raises(NotEligible, match="gate unfreeze") as refused:
        gate.unfreeze_for("everything", **_as(ALICE))
    assert refused.value.code == "no_operators"
    assert len(gate.freezes()) == 1
    gate.unfreeze("everything", by="cli:root", reason="Looked.")
    assert gate.freezes() == []


def test_operators_count_by_the_policy_in_force() -> None:
    """Somebody whom the newest revision does not name any more lifts nothing."""
    gate = service(text=OPERATED)
    gate.freeze_for("everything", **_as(OLGA), reason="Stop.")
    gate.apply(policy(OPERATED.replace("U0OLGA", "U0OTTO")), by="cli:root")
    with pytest.raises(NotEligible):
        gate.unfreeze_for("everything", **_as(OLGA))
    assert len(gate.freezes()) == 1


def test_lifting_what_is_not_frozen_is_said_and_recorded() -> None:
    """An operator who names the wrong thing learns so."""
    gate = service(text=OPERATED)
    with pytest.raises(IllegalMove, match="There is no freeze of"):
        gate.unfreeze_for("agent", "desk", **_as(OLGA))
    assert _refused(gate) == [("unfreeze", "not_frozen")]
    with pytest.raises(IllegalMove, match="Name what to freeze"):
        gate.freeze_for("agent", "", **_as(OLGA))


def test_a_second_freeze_replaces_the_reason_and_keeps_the_time() -> None:
    """Agents read the newest reason; a freeze without one keeps what stands. Each is in the log."""
    gate = service(text=OPERATED)
    assert gate.freeze_for("agent", "desk", **_as(ALICE), reason="Odd calls.")
    (first,) = gate.freezes()
    assert not gate.freeze_for("agent", "desk", **_as(OLGA), reason="Stolen key.")
    assert not gate.freeze("agent", "desk", by="cli:root", reason="")
    (now,) = gate.freezes()
    assert (now.reason, now.by, now.at) == ("Stolen key.", "T0LOCAL/U0OLGA", first.at)
    blocked = gate.submit(act(amount=5, to="bob")).record
    assert "Stolen key." in blocked.reason
    assert kinds(gate).count("freeze") == 3


def test_whoever_may_not_is_recorded_in_short_and_without_secrets() -> None:
    """A refusal keeps who wanted what and why not; of a long name its beginning, and no secret in it."""
    gate, fault = service(text=OPERATED), NotEligible("You may not.", code="not_eligible")
    token = "xoxb-" + "1234567890-" * 2 + "AbCdEfGhIjKlMnOpQrStUvWx"
    for name in ("s1", f"{token} {'x ' * 5_000}"):
        gate.refuse_switch("freeze", "session", name, person=CAROL, fault=fault, route=ROUTE)
    short, long = [record.body for record in gate.records() if record.body["kind"] == "refused"]
    assert (short["actor"], short["verb"], short["scope"]) == ("T0LOCAL/U0CAROL", "freeze", "session")
    assert (short["id"], short["reason"], short["route"]["app"]) == ("s1", "You may not.", "A0GATE")
    assert token[10:] not in str(long)
    assert len(long["id"]) == 200
    assert gate.freezes() == []


def test_the_channels_of_open_cards_are_told_once() -> None:
    """A freeze and its end are said where people look at cards of what is frozen, and nowhere else."""
    gate = service(text=OPERATED)
    gate.submit(act(amount=50, to="bob"), wait=False)
    post(gate)
    gate.freeze_for("session", "other", **_as(ALICE), reason="Elsewhere.")
    assert [each.kind for each in post(gate)] == []
    gate.freeze_for("session", "s1", **_as(ALICE), reason="Odd calls")
    gate.freeze_for("session", "s1", **_as(ALICE), reason="Odder calls.")
    told = post(gate)
    assert [(each.kind, each.channel) for each in told] == [("refresh", ""), ("announce", "C0APPROVALS")]
    assert "The session s1 is frozen by alice (U0ALICE): Odd calls. Only" in told[1].text
    gate.unfreeze_for("session", "s1", **_as(OLGA), reason="Looked.")
    assert "No longer frozen, by olga (U0OLGA): the session s1. Looked." in post(gate)[1].text
