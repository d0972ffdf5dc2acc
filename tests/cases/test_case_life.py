"""Cases about the life of a hold, run through the real verbs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from gate import Denied, Gate, Pending, Ran
from gate.clock import FakeClock
from gate.errors import ActionError, CallIdReused, IllegalMove, NoSession, PolicyError, StoreError
from gate.lifecycle import State
from gate.model import Action, Said
from gate.policy.load import load_path
from gate.service import Service
from tests.gate_kit import People, gate_on, log_of, people
from tests.kit import ALICE, ASKER, BOB, CAROL, POLICY, ROUTE, act, answer, kinds, policy, post, service


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    """Return a gate with a default session on a store of its own."""
    with gate_on(tmp_path) as made:
        yield made


def approved(gate: Service, action: Action) -> str:
    """Hold a call, let Alice approve it, and return its id."""
    hold = gate.submit(action, wait=False).record.id
    assert answer(gate, hold).state == State.APPROVED
    return hold


def _into(paid: list[int]) -> Callable[[int], None]:
    def pay(amount: int) -> None:
        paid.append(amount)

    return pay


def _paid(amount: int) -> str:
    return "paid"


def forward(gate: Service, **time: float) -> None:
    """Let time pass."""
    assert isinstance(gate.clock, FakeClock)
    gate.clock.advance(timedelta(**time))


# ---- one approval, one run of that very call --------------------------------------------------------------


def test_a_held_call_does_nothing_until_approved_and_then_runs_once() -> None:
    """Held: nothing runs and the hold can be read at once; approved: one claim, and never a second."""
    gate = service()
    submission = gate.submit(act(), wait=False)
    hold = submission.record.id
    assert gate.hold(hold).state == State.PENDING, "whoever is told of a hold finds it"
    assert not gate.claim(hold, act()).run
    answer(gate, hold)
    forward(gate, minutes=29)
    assert gate.claim(hold, act()).run
    assert gate.action(hold).state == State.RUNNING, "while it runs it says so"
    assert not gate.claim(hold, act()).run
    assert kinds(gate, hold).count("claim") == 1


CHANGES = {
    "another number": {"amount": 51, "to": "bob"},
    "a number as text": {"amount": "50", "to": "bob"},
    "one cent less": {"amount": 49.99, "to": "bob"},
    "a thousand times as much": {"amount": 999.5, "to": "bob"},
    "another currency": {"amount": 50, "to": "bob", "currency": "BHD"},
    "another recipient": {"amount": 50, "to": "eve"},
    "an argument more": {"amount": 50, "to": "bob", "sql": "DROP TABLE customers"},
    "an argument less": {"amount": 50},
}


@pytest.mark.parametrize("changed", CHANGES.values(), ids=CHANGES)
def test_an_approval_is_good_for_no_other_arguments(changed: dict[str, Any]) -> None:
    """Whatever changes in the arguments: the approval runs nothing else; the other call is judged anew."""
    gate = service()
    hold = approved(gate, act(amount=50, to="bob"))
    with pytest.raises(IllegalMove):
        gate.claim(hold, act(**changed))
    again = gate.submit(act(**changed), wait=False)
    assert (again.kind == "held" and again.record.id != hold) or again.record.state == State.BLOCKED
    assert gate.claim(hold, act(amount=50, to="bob")).run, "a refused attempt uses nothing up"


def test_an_approval_is_good_for_no_other_target() -> None:
    """The same arguments for another account are another call."""
    gate = service()
    mine = replace(act(), target="account 1")
    hold = approved(gate, mine)
    with pytest.raises(IllegalMove):
        gate.claim(hold, replace(mine, target="account 2"))
    assert gate.submit(replace(mine, target="account 2"), wait=False).record.id != hold


def test_the_order_of_keys_is_no_change() -> None:
    """The same arguments in another order are the same call, and its approval is used."""
    gate = service()
    hold = approved(gate, act(amount=50, to="bob"))
    again = gate.submit(act(to="bob", amount=50), wait=False)
    assert (again.kind, again.record.id) == ("joined", hold)
    assert gate.claim(hold, act(to="bob", amount=50)).run


@pytest.mark.parametrize(
    "thief",
    [
        {"agent": "other", "session": "s2"},
        {"session": "s3"},
        {"agent": "other"},
        {"session": "s4", "on_behalf_of": None},
    ],
    ids=["another agent", "another session", "another agent in this session", "for nobody"],
)
def test_an_approval_belongs_to_who_asked(thief: dict[str, Any]) -> None:
    """Another agent, session or person acted for cannot use it, and trying does not use it up."""
    gate = service()
    gate.open_session("s2", agent="other", on_behalf_of=ASKER)
    gate.open_session("s3", agent="desk", on_behalf_of=ASKER)
    gate.open_session("s4", agent="desk", on_behalf_of=None)
    hold = approved(gate, act())
    stolen = replace(act(), **thief)
    with pytest.raises(IllegalMove):
        gate.claim(hold, stolen)
    try:
        assert gate.submit(stolen, wait=False).record.id != hold
    except NoSession:
        assert thief == {"agent": "other"}
    assert gate.claim(hold, act()).run


def test_a_call_id_with_other_arguments_runs_nothing() -> None:
    """An id that stands for another call is refused; the call that it stands for goes on waiting."""
    gate = service()
    hold = gate.submit(act(call_id="c1"), wait=False).record.id
    with pytest.raises(CallIdReused):
        gate.submit(act(amount=51, to="bob", call_id="c1"), wait=False)
    assert gate.action(hold).state == State.PENDING


def test_calls_of_one_turn_are_not_taken_for_each_other(gate: Gate) -> None:
    """Different calls one after the other, without ids: each runs itself; a denial is of one call."""
    done: list[Any] = []

    @gate.guard("desk.get_order")
    def get_order(order: str) -> str:
        done.append(order)
        return "an order"

    @gate.guard("desk.pay")
    def pay(amount: int) -> str:
        done.append(amount)
        return "paid"

    bob = people(gate, "deny", "No.", BOB)
    assert (get_order("ORD-1"), pay(10)) == ("an order", "paid")
    with pytest.raises(Denied):
        pay(400)
    bob.done()
    assert pay(9) == "paid"
    assert done == ["ORD-1", 10, 9]


def test_two_holds_answered_crosswise_do_not_mix() -> None:
    """Of two calls that wait side by side each gets its own answer, in whichever order they come."""
    for first in (0, 1):
        gate = service()
        calls = [act(amount=400, to="bob"), act(amount=900, to="bob")]
        holds = [gate.submit(each, wait=False).record.id for each in calls]
        answers: list[Said] = ["approve", "deny"]
        for which in (first, 1 - first):
            answer(gate, holds[which], said=answers[which])
        assert gate.claim(holds[0], calls[0]).run
        assert not gate.claim(holds[1], calls[1]).run
        assert [gate.action(each).state for each in holds] == [State.RUNNING, State.DENIED]


def test_two_approved_holds_both_run() -> None:
    """The second decision of a session is delivered like the first, beside a read that ran at once."""
    gate = service()
    calls = [act(amount=400, to="bob"), act(amount=900, to="bob")]
    holds = [gate.submit(each, wait=False).record.id for each in calls]
    assert gate.submit(act("desk.get_order", order="1")).kind == "run"
    for hold in holds:
        answer(gate, hold)
    assert all(gate.claim(hold, call).run for hold, call in zip(holds, calls, strict=True))


# ---- what people say --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("said", "comment"), [("approve", "Only this once."), ("deny", "Wrong amount.")])
def test_the_agent_reads_the_comment(gate: Gate, said: Said, comment: str) -> None:
    """What a person wrote reaches the agent word for word, with an approval as with a denial."""
    paid: list[int] = []
    pay = gate.guard("desk.pay")(_into(paid))
    alice = people(gate, said, comment)
    outcome = gate.outcome(pay, 50)
    alice.done()
    assert isinstance(outcome, Ran if said == "approve" else Denied)
    assert comment in outcome.message_for_agent
    assert paid == ([50] if said == "approve" else [])
    assert outcome.decisions[0].person == ALICE


def test_a_denial_without_a_comment_is_a_denial(gate: Gate) -> None:
    """Where the policy asks for no comment, a denial without one is told as what it is, not as an error."""
    paid: list[int] = []
    pay = gate.guard("desk.pay")(_into(paid))
    bob = people(gate, "deny", "", BOB)
    with pytest.raises(Denied, match="Nothing ran"):
        pay(50)
    bob.done()
    assert paid == []


def test_the_running_tool_knows_who_approved(gate: Gate) -> None:
    """The decision is there inside the tool, and the tool is called with the original arguments."""
    seen: list[Any] = []

    @gate.guard("desk.pay")
    def pay(amount: int, to: str) -> None:
        seen.append((amount, to, gate.decisions()))

    alice = people(gate, comment="Fine.")
    pay(50, to="bob")
    alice.done()
    amount, to, (decision,) = seen[0]
    assert (amount, to, decision.person, decision.comment) == (50, "bob", ALICE, "Fine.")


def test_what_the_tool_raises_is_the_tools_own(gate: Gate) -> None:
    """An approved call that fails raises its own exception, and the hold ends as failed."""
    raised = ValueError("bad amount")

    def fail(amount: int) -> None:
        raise raised

    pay = gate.guard("desk.pay")(fail)
    alice = people(gate)
    with pytest.raises(ValueError) as caught:
        pay(50)
    alice.done()
    assert caught.value is raised
    assert log_of(gate)[-1] == "settle"
    assert gate.service.holds(None)[0].state == State.FAILED


@pytest.mark.parametrize("said", ["maybe", "", None, "Approve", "approve "])
def test_an_answer_that_is_none_decides_nothing(said: Any) -> None:
    """Only the two answers count; anything else is refused and leaves the hold as it is."""
    gate = service()
    hold = gate.submit(act(), wait=False).record.id
    with pytest.raises(IllegalMove, match="neither approve nor deny"):
        answer(gate, hold, said=said)
    assert gate.hold(hold).state == State.PENDING
    assert gate.hold(hold).decisions == ()


def test_an_answer_to_nothing_is_said() -> None:
    """A hold that does not exist cannot be decided."""
    gate = service()
    record = gate.hold(gate.submit(act(), wait=False).record.id)
    with pytest.raises(IllegalMove) as caught:
        answer(gate, replace(record, id="0123456789abcdef"))
    assert caught.value.code == "unknown_hold"


@pytest.mark.parametrize("route", ["socket", "http", "home", "command"])
def test_the_full_view_is_needed_by_every_way(route: Any) -> None:
    """Where a hidden value decides, no way of answering approves without the view; denying needs none."""
    gate = service()
    call = act("desk.do", password="hunter22")
    hold = gate.submit(call, wait=False).record.id
    way = replace(ROUTE, via=route)
    with pytest.raises(IllegalMove) as caught:
        answer(gate, hold, route=way)
    assert caught.value.code == "view_required"
    assert gate.hold(hold).state == State.PENDING
    assert answer(gate, hold, said="deny", route=way).state == State.DENIED


# ---- silence and ends -------------------------------------------------------------------------------------


def test_silence_is_never_consent() -> None:
    """Unanswered, half answered or approved and unused: past the deadline nothing runs, and it is expired."""
    gate = service()
    unanswered = gate.submit(act(), wait=False).record.id
    half = gate.submit(act("desk.fire", who="x"), wait=False).record.id
    post(gate)
    answer(gate, half)
    forward(gate, hours=1)
    for hold, call in ((unanswered, act()), (half, act("desk.fire", who="x"))):
        assert not gate.claim(hold, call).run
        with pytest.raises(IllegalMove) as caught:
            answer(gate, hold, BOB)
        assert caught.value.code == "late"
        assert gate.action(hold).code == "expired_unanswered"
    unused = approved(gate, act(amount=60, to="bob"))
    forward(gate, minutes=30)
    assert not gate.claim(unused, act(amount=60, to="bob")).run
    assert gate.action(unused).code == "expired_unused"
    assert gate.submit(act(amount=60, to="bob"), wait=False).record.id == unused, "asked again at once"
    forward(gate, minutes=2)
    assert gate.submit(act(amount=60, to="bob"), wait=False).kind == "held", "asked again later: a new card"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("expires_in: 1h", "expires_in: 1h, on_timeout: approve"),
        ("expires_in: 1h", "expires_in: 1h, timeout: {default: allow}"),
        ("expires_in: 1h", "expires_in: tomorrow-ish"),
        ("expires_in: 1h", "expires_in: 0s"),
        ("risk: write", "risk: ruinous"),
        ("then: block", "then: aprove"),
        ("approvers: [U0ALICE, U0BOB, S0FINANCE]", "approvers: []"),
        ("approvers: [U0ALICE, U0BOB, S0FINANCE], ", ""),
        ("approvers: [U0ALICE, U0BOB, S0FINANCE]", 'approvers: ["@alice"]'),
        ("approvers: [U0ALICE, U0BOB, S0FINANCE]", "approvers: [alice]"),
    ],
)
def test_a_policy_that_is_not_understood_does_not_load(old: str, new: str) -> None:
    """No wish for consent by silence, no bad span, risk, answer, version or approver is passed over."""
    assert old in POLICY
    with pytest.raises(PolicyError):
        policy(POLICY.replace(old, new))


def test_a_policy_that_is_not_there_does_not_load(tmp_path: Path) -> None:
    """A missing file is an error, not an empty policy."""
    with pytest.raises(PolicyError):
        load_path(tmp_path / "nowhere")


@pytest.mark.parametrize("approve_first", [False, True])
def test_an_ended_session_takes_its_holds_along(approve_first: bool) -> None:
    """A session that ends cancels what it waits for, whether approved or not; later answers are refused."""
    gate = service()
    hold = gate.submit(act(), wait=False).record.id
    if approve_first:
        answer(gate, hold)
    assert gate.end_session("s1") == 1
    assert gate.action(hold).code == "session_ended"
    assert gate.holds() == []
    assert not gate.claim(hold, act()).run
    with pytest.raises(IllegalMove):
        answer(gate, hold, BOB)


def test_a_cancelled_call_is_neither_denied_nor_expired() -> None:
    """What an operator takes back has its own state and code."""
    gate = service()
    hold = gate.submit(act(), wait=False).record.id
    gate.cancel(hold, by="cli:x", reason="wrong queue")
    assert (gate.action(hold).state, gate.action(hold).code) == (State.CANCELLED, "cancelled_by_operator")
    assert not gate.claim(hold, act()).run


def test_asking_while_it_waits_gives_pending(gate: Gate) -> None:
    """Without waiting the caller is told that it is pending, again and again, and nothing runs."""
    paid: list[int] = []
    pay = gate.guard("desk.pay", wait=0)(_into(paid))
    for _ in range(3):
        with pytest.raises(Pending):
            pay(50)
    assert len(gate.service.holds()) == 1
    assert paid == []


def test_a_gate_that_closes_releases_and_leaves(tmp_path: Path) -> None:
    """Closing releases who waits with Pending; the hold stays, and its approval is used afterwards."""

    def pay(gate: Gate) -> str:
        with gate.session("c1", on_behalf_of=None):
            return str(gate.guard("desk.pay")(_paid)(50))

    first = gate_on(tmp_path)
    first.open()
    closing = People(first, lambda hold: first.close())
    with pytest.raises(Pending):
        pay(first)
    closing.done()
    with gate_on(tmp_path) as again:
        (hold,) = again.service.holds()
        assert answer(again.service, hold).state == State.APPROVED
        assert pay(again) == "paid"


# ---- restarts, other policies, other stores ---------------------------------------------------------------


@pytest.mark.parametrize(("said", "code"), [("approve", "running"), ("deny", "denied"), (None, "expired")])
def test_a_restart_loses_nothing(db: Path, said: Said | None, code: str) -> None:
    """A hold outlives the process: it is decided afterwards, or its own deadline ends it."""
    clock = FakeClock()
    first = service(db, clock=clock)
    hold = first.submit(act(), wait=False).record.id
    post(first)
    first.close()
    again = Service(db, clock=clock)
    if said is None:
        forward(again, hours=1)
        again.sweep()
    else:
        answer(again, hold, said=said, comment="no claim")
    again.claim(hold, act())
    assert again.action(hold).state == code
    assert again.verify().ok


def test_an_approval_outlives_a_restart(db: Path) -> None:
    """An approved call is run by the process that comes after, once."""
    first = service(db)
    hold = approved(first, act())
    first.close()
    again = service(db, text=None)
    assert again.submit(act(), wait=False).record.id == hold
    assert again.claim(hold, act()).run


def test_the_newest_policy_counts_at_every_step(db: Path) -> None:
    """Sessions do not keep an old revision: a block stops an approved call, a relaxed policy does not."""
    gate = service(db)
    hold, other = approved(gate, act()), approved(gate, act(amount=60, to="bob"))
    gate.apply(policy(POLICY.replace("lte: 10}}", "lte: 55}}")), by="cli:x")
    assert gate.claim(hold, act()).run
    gate.apply(policy(POLICY.replace("gt: 1000", "gt: 55")), by="cli:x")
    assert not gate.claim(other, act(amount=60, to="bob")).run
    assert gate.action(other).code == "blocked"


def test_the_same_policy_again_changes_nothing(db: Path) -> None:
    """A revision is the content: applied twice it is one; an older one comes back only when asked for."""
    gate = service(db)
    newer = policy(POLICY + "\n# newer\n")
    assert gate.apply(newer, by="cli:x")
    assert not gate.apply(newer, by="cli:x")
    gate.apply(policy(), by="cli:x")
    assert gate.policy().revision == policy().revision


def test_a_decision_that_cannot_be_written_is_none(db: Path) -> None:
    """Where the store is gone under the gate, nobody's approval counts and nothing runs."""
    gate = service(db)
    hold = gate.submit(act(), wait=False).record.id
    record = gate.hold(hold)
    away = db.with_name("away.db")
    os.rename(db, away)
    with pytest.raises(StoreError):
        answer(gate, record)
    with pytest.raises(StoreError):
        gate.claim(hold, act())
    os.rename(away, db)
    assert gate.hold(hold).state == State.PENDING


# ---- freezes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["delete", "create", "update", "execute", "transact", "get", "query"])
def test_frozen_nothing_runs_that_is_not_declared_a_read(verb: str) -> None:
    """Whatever it is called: under a freeze it is blocked, unless the policy declares it a read."""
    gate = service(text=POLICY.replace("default: require_approval", "default: allow"))
    gate.freeze("everything", by="cli:x", reason="alarm")
    assert gate.submit(act(f"app.{verb}", x=1)).record.code == "frozen"
    reading = service(
        text=POLICY.replace("default: require_approval", "default: allow").replace("desk.get_*", "*.*")
        .replace("  desk.pay: {risk: write, amount: args.amount, currency: EUR, "
                 'describe: "Pay {args.amount} to {args.to}"}\n', "")
    )  # fmt: skip
    reading.freeze("everything", by="cli:x", reason="alarm")
    assert reading.submit(act(f"app.{verb}", x=1)).kind == "run"


def test_a_frozen_read_is_still_judged() -> None:
    """A declared read passes the freeze, not the policy: what holds it without a freeze holds it then."""
    text = POLICY + (
        "budgets:\n  - {id: many, match: desk.get_all, sum: args.n, limit: 100, per: session, window: 1h,\n"
        "     reads: true, then: require_approval, reason: Many.}\n"
    )
    gate = service(text=text)
    gate.freeze("everything", by="cli:x", reason="alarm")
    assert gate.submit(act("desk.get_all", n=100)).kind == "run"
    assert gate.submit(act("desk.get_all", n=500), wait=False).kind == "held"


def test_what_did_not_run_is_not_charged() -> None:
    """A call that a freeze or the policy stopped counts in no budget."""
    text = POLICY + (
        "budgets:\n  - {id: some, match: desk.pay, sum: args.amount, limit: 10, per: session, window: 1h,\n"
        "     then: block, reason: Enough.}\n"
    )
    gate = service(text=text)
    gate.freeze("everything", by="cli:x", reason="alarm")
    assert gate.submit(act(amount=9, to="x")).record.code == "frozen"
    gate.unfreeze("everything", by="cli:x", reason="over")
    assert gate.submit(act(amount=5000, to="x")).record.code == "blocked"
    assert gate.submit(act(amount=10, to="x")).kind == "run"
    assert gate.submit(act(amount=1, to="x")).record.code == "blocked"


def test_a_freeze_beats_an_approval_and_ends_it() -> None:
    """Frozen between approval and run: blocked, and the approval does not come back with the thaw."""
    gate = service()
    hold = approved(gate, act())
    gate.freeze("agent", "desk", by="cli:x", reason="alarm")
    assert not gate.claim(hold, act()).run
    gate.unfreeze("agent", "desk", by="cli:x", reason="over")
    assert not gate.claim(hold, act()).run
    assert gate.action(hold).code == "frozen"
    assert gate.submit(act(amount=5, to="x")).kind == "run", "thawed, new calls run"


# ---- the log ----------------------------------------------------------------------------------------------


def test_the_log_tells_what_happened_in_order() -> None:
    """Blocked: one record with rules, reason, revision and input. Denied: asked, answered by a person."""
    gate = service()
    blocked = gate.submit(act("desk.delete_all", x=1)).record.id
    (record,) = [each.body for each in gate.records(action=blocked)]
    assert (record["kind"], record["verdict"], record["rules"]) == ("submit", "block", ["desk/never"])
    assert record["reasons"] == ["Not for agents."]
    assert record["revision"] == gate.policy().revision
    assert record["input"] == {"x": 1}
    assert record["digest"]
    hold = gate.submit(act(), wait=False).record.id
    answer(gate, hold, CAROL, said="deny", satisfies=frozenset({"U0ALICE"}), comment="No.")
    bodies = [each.body for each in gate.records(action=hold)]
    assert [each["kind"] for each in bodies] == ["submit", "deny"]
    assert bodies[1]["actor"] == "T0LOCAL/U0CAROL"


@pytest.mark.parametrize("arguments", ["not-an-object", ["a", 1], 7, None])
def test_arguments_that_are_no_arguments_are_refused(arguments: Any) -> None:
    """They never become an empty call that a person would approve."""
    gate = service()
    with pytest.raises(ActionError, match="args: must be values by parameter name"):
        gate.submit(Action("desk.do", arguments, "desk", "s1", ASKER), wait=False)
    assert gate.holds() == []


def test_what_was_interrupted_is_told_by_what_it_does() -> None:
    """An interrupted declared read has failed and may be asked for again; anything else is in doubt."""
    gate = service()
    read, write = gate.submit(act("desk.get_order", order="1")), gate.submit(act(amount=5, to="x"))
    held = approved(gate, act())
    assert gate.claim(held, act()).run
    for each in (read.record.id, write.record.id, held):
        gate.doubt(each, reason="The process died.")
    assert gate.action(read.record.id).state == State.FAILED
    for each in (write.record.id, held):
        assert gate.action(each).state == State.IN_DOUBT
    assert gate.submit(act("desk.get_order", order="1")).kind == "run"
    assert not gate.claim(held, act()).run, "an approval is not used again"
