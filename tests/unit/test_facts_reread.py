"""Facts: host values that rules read, of the session and of the call, looked up again before it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from gate import Blocked, Gate, Pending
from gate.errors import ActionError, GuardError, NoSession
from gate.lifecycle import State
from gate.policy.spending import Rehearsal
from tests.gate_kit import People, gate_on
from tests.kit import ALICE, ASKER, act, answer, kinds, service
from tests.policy_kit import call, load, rule, truth, written

POLICY = """
version: 1
name: desk
default: block
approvals: {channel: C0APPROVALS, approvers: [U0ALICE], comment: {approve: optional, deny: optional}}
rules:
  - {id: staging, match: desk.pay, when: {facts.environment: staging}, then: allow}
  - {id: small, match: desk.pay, when: {args.amount: {lte: {path: facts.order.total}}}, then: allow}
  - {id: production, match: desk.pay, when: {facts.environment: {eq: production, optional: true}},
     then: require_approval,
     reason: This is production.}
  - {id: shut, match: desk.pay, when: {facts.shut: {eq: true, optional: true}}, then: block,
     reason: It is shut.}
"""


@pytest.mark.parametrize(
    ("when", "facts", "expected"),
    [
        ({"facts.env": "prod"}, {"env": "prod"}, "true"),
        ({"facts.env": "prod"}, {"env": "dev"}, "false"),
        ({"facts.env": "prod"}, {}, "unknown"),
        ({"facts.env": "prod"}, {"env": None}, "unknown"),
        ({"facts.env": "prod"}, {"env": "PROD"}, "unknown"),
        ({"facts.env": {"exists": False}}, {}, "true"),
        ({"facts.order.total": {"lte": 5}}, {"order": {"total": Decimal("5.00")}}, "true"),
        ({"args.n": {"lte": {"path": "facts.total"}}}, {"total": 5}, "true"),
        ({"args.n": {"lte": {"path": "facts.total"}}}, {"total": 3}, "false"),
        ({"args.n": {"lte": {"path": "facts.total"}}}, {}, "unknown"),
        ({"args.n": {"lte": {"path": "facts.total"}}}, {"total": "5"}, "unknown"),
        ({"effect.amount": {"lte": {"path": "facts.total"}}}, {"total": 5}, "true"),
        ({"facts.vip": True}, {"vip": True}, "true"),
        ({"facts.vip": True}, {"vip": 1}, "unknown"),
    ],
)
def test_facts_are_read_like_arguments(when: dict[str, Any], facts: dict[str, Any], expected: str) -> None:
    """Absent and None are unknown, whatever the tool takes; types must fit; operands may be facts."""
    action = call({"n": 5}, params="n", facts=facts)
    assert truth(when, action, actions={"shop.run_it": {"risk": "write", "amount": "args.n"}}) == expected


def test_calls_of_a_file_bring_their_facts() -> None:
    """``gate check`` and tables judge what they say."""
    policy = load(written(rule("r", "allow", when={"facts.env": "dev"})))
    assert Rehearsal(policy).judge(call(facts={"env": "dev"})).answer == "allow"


def test_a_sessions_facts_are_replaced_when_it_is_opened_again() -> None:
    """A fact that is not given again is gone, for calls that wait too."""
    gate = service(text=POLICY)
    gate.open_session("s1", agent="desk", on_behalf_of=ASKER, facts={"environment": "staging"})
    assert gate.submit(act(amount=5, to="bob")).kind == "run"
    gate.open_session("s1", agent="desk", on_behalf_of=ASKER, facts={"environment": "production"})
    found = gate.submit(act(amount=6, to="bob"), wait=False)
    assert found.record.rules == ("desk/production",)
    gate.open_session("s1", agent="desk", on_behalf_of=ASKER)
    assert gate.submit(act(amount=7, to="bob"), wait=False).record.state == State.BLOCKED


def test_facts_replaced_by_another_process_count_at_the_next_call(tmp_path: Path) -> None:
    """No process judges by facts that its session has not any more."""
    one = service(tmp_path / "gate.db", text=POLICY)
    one.open_session("s1", agent="desk", on_behalf_of=ASKER, facts={"environment": "staging"})
    two = service(tmp_path / "gate.db", text=POLICY)
    two.open_session("s1", agent="desk", on_behalf_of=ASKER, facts={"environment": "production"})
    assert one.submit(act(amount=5, to="bob"), wait=False).kind == "held"
    one.open_session("s1", agent="desk", on_behalf_of=ASKER, facts={"environment": "staging"})
    assert two.submit(act(amount=6, to="bob"), wait=False).kind == "run"
    one.close()
    two.close()


def test_a_fact_that_changed_blocks_an_approved_call() -> None:
    """Session facts are read again in the transaction of the claim."""
    gate = service(text=POLICY)
    gate.open_session("s1", agent="desk", on_behalf_of=ASKER, facts={"environment": "production"})
    hold = gate.submit(act(amount=5, to="bob"), wait=False).record.id
    answer(gate, hold)
    gate.open_session(
        "s1", agent="desk", on_behalf_of=ASKER, facts={"environment": "production", "shut": True}
    )
    claimed = gate.claim(hold, act(amount=5, to="bob"))
    assert (claimed.run, claimed.record.state, claimed.record.reason) == (False, State.BLOCKED, "It is shut.")


def test_facts_are_no_part_of_the_digest() -> None:
    """The same call with other facts is the same call."""
    gate = service(text=POLICY)
    gate.open_session("s1", agent="desk", on_behalf_of=ASKER, facts={"environment": "production"})
    first = gate.submit(act(amount=5, to="bob"), wait=False)
    gate.open_session("s1", agent="desk", on_behalf_of=ASKER, facts={"environment": "production", "x": 1})
    again = gate.submit(act(amount=5, to="bob"), wait=False)
    assert (again.kind, again.record.id) == ("joined", first.record.id)


def test_secret_facts_do_not_reach_the_log() -> None:
    """What a key names as secret is hidden there, and still decides where the host looks it up each time."""
    gate = service(text=POLICY.replace("facts.environment: staging", "facts.api_key: sesame"))
    facts = {"api_key": "sesame", "tier": "gold"}
    assert gate.submit(replace(act(amount=5, to="bob"), facts=facts)).kind == "run"
    bodies = [record.body for record in gate.records() if record.body["kind"] != "policy"]
    assert "sesame" not in str(bodies)
    assert bodies[-1]["facts"] == {"api_key": "(hidden)", "tier": "gold"}


@pytest.mark.parametrize(
    ("facts", "path"),
    [
        ({"api_key": "sesame"}, r"facts\.api_key"),
        ({"tier": "gold", "customer": {"PIN": 4711}}, r"facts\.customer\.PIN"),
        ({"tokens": [], "logins": [{"password": "sesame"}]}, r"facts\.logins\.password"),
        ({"token": SecretStr("sesame")}, r"facts\.token"),
        ({"otp": "sk_live_4eC39HqLyjWDarjtT1zdp7dc"}, r"facts\.otp"),
        ({"secret": {"open": Decimal("1.5"), "token": Decimal("2.5")}}, r"facts\.secret\.token"),
    ],
)
def test_a_session_keeps_no_fact_named_like_a_secret(facts: dict[str, Any], path: str, db: Path) -> None:
    """The store would hide it, and no condition could read it: it is refused with its path, and why."""
    gate = service(db)
    before = kinds(gate)
    with pytest.raises(ActionError, match=rf"^{path}: it is named like a secret.*rename it.*Nothing ran\.$"):
        gate.open_session("s1", agent="desk", on_behalf_of=ASKER, facts=facts)
    with pytest.raises(ActionError):
        gate.open_session("s2", agent="desk", on_behalf_of=ASKER, facts=facts)
    assert kinds(gate) == before
    with pytest.raises(NoSession):
        gate.submit(act(session="s2"))
    gate.close()
    assert b"sesame" not in b"".join(each.read_bytes() for each in db.parent.iterdir())


def test_what_such_a_name_says_of_a_secret_is_kept() -> None:
    """Whether there is one, or what lies below such a name under an open one, is no secret and can decide."""
    gate = service(text=POLICY.replace("facts.environment: staging", "facts.otp.given: true"))
    facts = {"otp": {"given": True}, "password": None, "monkey": "x"}
    gate.open_session("s1", agent="desk", on_behalf_of=ASKER, facts=facts)
    assert gate.submit(act(amount=5, to="bob")).kind == "run"


# ---- guard(facts=…) ---------------------------------------------------------------------------------------


@pytest.fixture
def gate(tmp_path: Path) -> Any:
    """Return an open gate on the policy above."""
    with gate_on(tmp_path, text=POLICY) as made:
        yield made


class Host:
    """What the host says of a call, changed by the test."""

    def __init__(self) -> None:
        self.facts: Mapping[str, Any] | None = {"order": {"total": 100}}
        self.asked: list[dict[str, Any]] = []

    def look_up(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Say it, or raise."""
        self.asked.append(dict(arguments))
        if self.facts is None:
            raise RuntimeError("the shop is closed")
        return self.facts


def _guarded(gate: Gate, host: Host) -> Any:
    @gate.guard("desk.pay", facts=host.look_up)
    def pay(amount: int, to: str = "bob") -> str:
        return f"{amount} to {to}"

    return pay


def test_a_hook_is_asked_with_the_bound_arguments(gate: Gate) -> None:
    """Defaults included; what it returns decides."""
    host = Host()
    pay = _guarded(gate, host)
    assert pay(100) == "100 to bob"
    assert host.asked == [{"amount": 100, "to": "bob"}]
    with pytest.raises(Blocked):
        pay(101)


def test_a_hook_that_raises_or_returns_nonsense_makes_no_fact_known(gate: Gate) -> None:
    """An allow that needs the fact does not apply, and nothing else changes."""
    host = Host()
    pay = _guarded(gate, host)
    for told in (None, [1], {"order": {"total": object()}}):
        host.facts = told  # type: ignore[assignment]
        with pytest.raises(Blocked):
            pay(1)


@pytest.mark.parametrize("told", [None, [1], {"order": {"total": object()}}])
def test_a_hook_that_fails_lets_no_call_run(gate: Gate, told: Any) -> None:
    """Its silence is no answer: for no optional fact, none that must not be there, none of the session."""
    host = Host()
    host.facts = told
    pay = _guarded(gate, host)
    session = gate.session("s", on_behalf_of=None, facts={"environment": "staging", "shut": False})
    with session, pytest.raises(Blocked, match=r"facts\.shut is unreadable.*If it applies: It is shut"):
        pay(1)
    when = {"facts.reported": {"exists": False}}
    assert truth(when, call({"n": 5})) == "true"
    assert truth(when, call({"n": 5}, facts_lost=True)) == "unknown"


def test_what_a_hook_does_to_the_arguments_does_not_reach_the_tool(gate: Gate) -> None:
    """It gets a copy."""

    def spoil(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        arguments["items"].append("more")
        return {"environment": "staging"}

    @gate.guard("desk.pay", facts=spoil)
    def pay(items: list[str]) -> int:
        return len(items)

    assert pay(["one"]) == 1


def test_a_hook_is_asked_again_at_claim(gate: Gate) -> None:
    """What the host says when the call is about to run decides whether it does."""
    host = Host()
    host.facts = {"environment": "production"}
    pay = _guarded(gate, host)

    def shut(hold: Any) -> None:
        host.facts = {"environment": "production", "shut": True}
        answer(gate.service, hold, ALICE)

    people = People(gate, shut)
    with pytest.raises(Blocked, match="It is shut"):
        pay(5)
    people.done()
    assert len(host.asked) == 2


TENANT = ContextVar("TENANT", default="staging")
"""As a host has it for each of its requests; its default is the laxer one."""


def test_a_hook_of_a_coroutine_finds_the_context_of_its_caller(gate: Gate) -> None:
    """Context variables are the caller's, session and all, at submit, at claim and in a preview alike."""
    found: list[tuple[str, str]] = []

    def look_up(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        found.append((TENANT.get(), gate._session().id))
        return {"environment": TENANT.get()}

    @gate.guard("desk.pay", facts=look_up)
    async def pay(amount: int) -> int:
        return amount

    async def main() -> int:
        TENANT.set("production")
        with gate.session("s", on_behalf_of=None):
            assert (await gate.preview_async(pay, 5)).answer == "require_approval"
            return await pay(5)

    people = People(gate, lambda hold: answer(gate.service, hold, ALICE))
    assert asyncio.run(main()) == 5
    people.done()
    assert found == 3 * [("production", "s")]
    assert TENANT.get() == "staging"


def test_a_calls_facts_go_before_those_of_its_session(gate: Gate) -> None:
    """Both are read; the hook's value stands where both have one."""
    host = Host()
    host.facts = {"environment": "staging"}
    pay = _guarded(gate, host)
    with gate.session("s", on_behalf_of=None, facts={"environment": "production"}):
        assert pay(500) == "500 to bob"
        host.facts = {}
        with pytest.raises(Pending):
            gate.call(wait=0)
            pay(500)


def test_a_preview_asks_the_hook_and_runs_nothing(gate: Gate) -> None:
    """The verdict comes with the facts as of now, and options for the next call stay with it."""
    host = Host()
    pay = _guarded(gate, host)
    gate.call(id="c1")
    assert gate.preview(pay, 100).answer == "allow"
    assert gate.preview(pay, 101).answer == "block"
    assert [record.body["kind"] for record in gate.service.records()].count("submit") == 0
    pay(100)
    assert gate.service.records()[-2].body["call_id"] == "c1"


def test_a_coroutine_is_no_hook(gate: Gate) -> None:
    """It would have to be awaited where nothing can wait."""

    async def later(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        return {}

    with pytest.raises(GuardError, match="facts= takes a def"):
        gate.guard("desk.pay", facts=later)  # type: ignore[arg-type]
