"""Budgets in the store: charged once, judged again at claim, kept over restarts, seen by new policies."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gate.clock import FakeClock
from gate.errors import IllegalMove
from gate.lifecycle import State
from gate.model import HoldRecord, Submission
from gate.service import Service
from gate.verbs import backfill
from gate.verbs.claim import End
from tests.kit import ALICE, ASKER, BOB, CAROL, POLICY, act, answer, kinds, policy, post, service

MONEY = (
    "{id: money, match: desk.pay, sum: effect.amount, limit: {EUR: 20}, per: agent, window: 24h, headroom: 2}"
)
SENDS = "{id: sends, match: desk.send, limit: 2, per: session, window: 1h}"
READABLE = (
    POLICY.replace("  - {id: huge,", "  - {id: pays, match: desk.pay, then: allow}\n  - {id: huge,")
    .replace("huge, match: desk.pay", "huge, match: desk.huge")
    .replace("large, match: desk.pay", "large, match: desk.large")
)
"""No rule holds a payment, so only a budget does."""

SEND_RULE = "  - {id: mails, match: desk.send, then: allow}\n"


def _text(*budgets: str, base: str = POLICY) -> str:
    return base + SEND_RULE + ("budgets:\n" + "".join(f"  - {each}\n" for each in budgets) if budgets else "")


def _gate(*budgets: str, base: str = POLICY, **options: Any) -> Service:
    return service(text=_text(*budgets, base=base), **options)


_PEOPLE = itertools.count()


def _pay(gate: Service, amount: Any = 9, to: str | None = None, **keys: Any) -> Submission:
    """Pay somebody; each call another person, so that none finds an earlier one again."""
    whom = f"p{next(_PEOPLE)}" if to is None else to
    return gate.submit(act(amount=amount, to=whom, **keys), wait=False)


def _send(gate: Service, text: str = "hi", **keys: Any) -> Submission:
    return gate.submit(act("desk.send", text=text, **keys), wait=False)


def _forward(gate: Service, **span: float) -> None:
    assert isinstance(gate.clock, FakeClock)
    gate.clock.advance(timedelta(**span))


def _used(gate: Service, amount: Any = 1) -> str:
    """Return how the money budget stands, by what a call that is over it is told."""
    ruling = gate.preview(act(amount=1000, to="x")).rulings[-1]
    assert ruling.budget is not None
    return ", ".join(f"{n} {unit}" for unit, n in ruling.budget.charged.items()) or "nothing"


def _spent(gate: Service) -> str:
    """Return how much the budgets count, by what people are shown of them."""
    spent = [f"{n} {unit}" for each in gate.budgets_spent() for unit, n in each.state.charged.items()]
    return ", ".join(spent) or "nothing"


def _held(gate: Service, amount: Any = 9, **keys: Any) -> HoldRecord:
    found = _pay(gate, amount, **{"to": "bob"} | keys)
    assert found.kind == "held"
    return gate.hold(found.record.id)


# ---- charging ---------------------------------------------------------------------------------------------


def test_allowed_calls_are_charged_at_once_and_the_next_one_over_is_held() -> None:
    """Two payments of nine pass a limit of twenty; the third waits, with the numbers and who used it."""
    gate = _gate(MONEY)
    first, second = _pay(gate), _pay(gate)
    assert (first.kind, second.kind) == ("run", "run")
    hold = _held(gate)
    (ruling,) = hold.rulings
    assert ruling.rule == "desk/money"
    assert ruling.reason == (
        "The budget desk/money allows 20 EUR in 1d by this agent: 18 EUR used, this call adds 9 EUR."
    )
    assert ruling.budget is not None
    assert [each.action_id for each in ruling.budget.calls] == [second.record.id, first.record.id]
    assert [each.rules for each in hold.requirements] == [("desk/money",)]
    assert _pay(gate, 2).kind == "run"  # exactly at the limit
    assert _pay(gate, 0.01).kind == "held"


def test_a_held_call_is_charged_once_when_it_is_claimed() -> None:
    """While it waits it shows as waiting; when it runs it is charged, and settling adds nothing."""
    gate = _gate(MONEY)
    hold = _held(gate, 15)
    assert _used(gate) == "nothing"
    state = gate.preview(act(amount=1000, to="x")).rulings[-1].budget
    assert state is not None
    assert {unit: str(n) for unit, n in state.waiting.items()} == {"EUR": "15"}
    answer(gate, hold)
    assert _used(gate) == "nothing"
    assert gate.claim(hold.id, act(amount=15, to="bob")).run
    assert _used(gate) == "15 EUR"
    assert not gate.claim(hold.id, act(amount=15, to="bob")).run
    gate.settle(hold.id, End(True, "1"))
    assert _used(gate) == "15 EUR"


def test_what_does_not_run_is_never_charged() -> None:
    """Blocked, denied, expired, cancelled and undelivered calls leave no charge and nothing waiting."""
    gate = _gate(MONEY)
    assert _pay(gate, 5000).record.state == State.BLOCKED
    answer(gate, _held(gate, 11), said="deny")
    gate.cancel(_held(gate, 12).id, by="cli:x", reason="no")
    gate.undeliver(_held(gate, 13).id, code="nobody_can_approve", reason="no")
    late = _held(gate, 14)
    post(gate)
    _forward(gate, hours=2)
    gate.sweep()
    assert gate.action(late.id).state == State.EXPIRED
    state = gate.preview(act(amount=1000, to="x")).rulings[-1].budget
    assert state is not None
    assert (dict(state.charged), dict(state.waiting)) == ({}, {})


def test_what_a_freeze_stops_before_it_begins_is_charged_no_more() -> None:
    """Its charge is taken back once, out of every window and out of new budgets; what ran stays charged."""
    gate = _gate(MONEY)
    _pay(gate, 4)
    _forward(gate, hours=1)
    call = act(amount=9, to="stopped")
    stopped = gate.submit(call, wait=False)
    _pay(gate, 3)
    assert _used(gate) == "16 EUR"
    gate.freeze("everything", by="cli:alice", reason="Look first.")
    assert gate.begin(stopped.record, call).state == State.BLOCKED
    with pytest.raises(IllegalMove):
        gate.begin(stopped.record, call)
    gate.unfreeze("everything", by="cli:alice", reason="Looked.")
    assert _used(gate) == "7 EUR"
    gate.apply(policy(_text(MONEY.replace("per: agent", "per: everything"))), by="cli:alice")
    assert _used(gate) == "7 EUR"
    _forward(gate, hours=23)
    assert _used(gate) == "3 EUR"
    assert (_pay(gate, 9).kind, _pay(gate, 8).kind, _pay(gate, 1).kind) == ("run", "run", "held")


def test_what_a_freeze_stops_while_a_new_budget_is_filled_is_not_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was read as running, and is stopped before its charge is written, is not charged there."""
    gate = _gate()
    call = act(amount=9, to="stopped")
    stopped = gate.submit(call, wait=False)
    _pay(gate, 3)
    charges = backfill.charges

    def slowly(*args: Any) -> Any:
        found = charges(*args)
        gate.freeze("everything", by="cli:alice", reason="Look first.")
        assert gate.begin(stopped.record, call).state == State.BLOCKED
        gate.unfreeze("everything", by="cli:alice", reason="Looked.")
        return found

    with monkeypatch.context() as patched:
        patched.setattr(backfill, "charges", slowly)
        gate.apply(policy(_text(MONEY)), by="cli:alice")
    assert _spent(gate) == "3 EUR"


def test_a_failed_run_stays_charged() -> None:
    """It may have taken effect."""
    gate = _gate(MONEY)
    done = _pay(gate)
    gate.settle(done.record.id, End(False, error="ValueError"))
    assert _used(gate) == "9 EUR"


def test_a_rejoined_call_is_charged_once() -> None:
    """The same call id is the same call, however often it is sent."""
    gate = _gate(MONEY)
    for _ in range(3):
        _pay(gate, to="bob", call_id="c1")
    assert _used(gate) == "9 EUR"


def test_an_unreadable_amount_is_held_and_then_weighs_as_the_whole_limit() -> None:
    """After it ran, nothing more passes until the window has gone by."""
    gate = _gate(MONEY, base=READABLE)
    hold = _held(gate, "nine")
    assert hold.rulings[-1].reason.startswith("Could not be decided: ")
    assert ". The budget desk/money allows 20 EUR in 1d" in hold.rulings[-1].reason
    answer(gate, hold)
    assert gate.claim(hold.id, act(amount="nine", to="bob")).run
    assert _pay(gate, 1).kind == "held"
    _forward(gate, hours=24)
    assert _pay(gate, 1).kind == "run"


def test_what_a_budget_may_be_over_is_said_after_what_is_sure() -> None:
    """Its own reason, which may not be so, stands behind what could not be read."""
    gate = _gate(MONEY.replace("headroom: 2", "reason: Too much for a day."), base=READABLE)
    reason = _held(gate, "nine").rulings[-1].reason
    assert reason.startswith("Could not be decided: amount is no number")
    assert reason.endswith(" If it is over: Too much for a day.")


def test_a_window_rolls_by() -> None:
    """What was charged a window ago is free again at that very instant."""
    gate = _gate(SENDS)
    assert [_send(gate, str(n)).kind for n in range(3)] == ["run", "run", "held"]
    _forward(gate, minutes=59, seconds=59)
    assert _send(gate, "4").kind == "held"
    _forward(gate, seconds=1)
    assert [_send(gate, str(n)).kind for n in range(5, 8)] == ["run", "run", "held"]


def test_a_new_session_does_not_reset_what_an_agent_used() -> None:
    """Per agent all its sessions count; per session each has its own."""
    gate = _gate(MONEY, SENDS)
    _pay(gate), _pay(gate), _send(gate), _send(gate)
    gate.open_session("s2", agent="desk", on_behalf_of=ASKER)
    assert _pay(gate, session="s2").kind == "held"
    assert _send(gate, session="s2").kind == "run"


def test_a_budget_that_blocks_asks_nobody() -> None:
    """Over it the call ends at once, with its reason."""
    gate = _gate(SENDS.replace("}", ", then: block, reason: Two mails are enough.}"))
    post(gate)
    _send(gate), _send(gate)
    ended = _send(gate)
    assert (ended.kind, ended.record.state, ended.record.code) == ("ended", State.BLOCKED, "blocked")
    assert ended.record.reason == "Two mails are enough."
    assert post(gate) == []


def test_the_log_tells_what_each_call_used() -> None:
    """Charged and added, by budget; who was over."""
    gate = _gate(MONEY)
    _pay(gate), _pay(gate), _pay(gate)
    told = [record.body["budgets"] for record in gate.records() if record.body["kind"] == "submit"]
    assert told[1] == [{"budget": "desk/money", "over": False, "charged": {"EUR": "9"}, "adds": {"EUR": "9"}}]
    assert told[2][0]["over"] is True


# ---- claim ------------------------------------------------------------------------------------------------


def _approved_then_used(gate: Service) -> HoldRecord:
    """Return a hold of a rule that was approved, with the money budget used up since."""
    hold = _held(gate, 11)
    assert [each.rules for each in hold.requirements] == [("desk/large",)]
    assert answer(gate, hold).state == State.APPROVED
    _pay(gate), _pay(gate)
    return hold


CAROLS = MONEY.replace("headroom: 2", "approvers: [U0CAROL, U0ALICE], channel: C0MONEY")


def test_a_claim_that_would_exceed_a_budget_waits_for_people_again() -> None:
    """Its requirement is added; the approval stands; the deadline does not move; people are told."""
    gate = _gate(CAROLS)
    before = _approved_then_used(gate)
    post(gate)
    claimed = gate.claim(before.id, act(amount=11, to="bob"))
    assert (claimed.run, claimed.record.state) == (False, State.PENDING)
    hold = gate.hold(before.id)
    assert [each.rules for each in hold.requirements] == [("desk/large",), ("desk/money",)]
    assert hold.expires_at == before.expires_at
    assert hold.use_by is None
    assert [each.said for each in hold.decisions] == ["approve"]
    assert hold.rulings[-1].budget is not None
    assert hold.nonce != before.nonce
    kinds = [(each.kind, each.channel) for each in post(gate)]
    assert ("card", "C0MONEY") in kinds
    assert ("card", "C0APPROVALS") not in kinds
    assert {"refresh", "reply", "count"} <= {kind for kind, _ in kinds}


def test_only_an_approval_given_after_the_numbers_were_shown_counts_for_them() -> None:
    """Who approved before is asked again, on the new card; then it runs, and is charged once."""
    gate = _gate(CAROLS)
    before = _approved_then_used(gate)
    gate.claim(before.id, act(amount=11, to="bob"))
    with pytest.raises(IllegalMove) as caught:
        answer(gate, before)  # the old card's button
    assert caught.value.code == "changed"
    hold = answer(gate, before.id, ALICE, comment="again")
    assert hold.state == State.APPROVED
    assert gate.claim(hold.id, act(amount=11, to="bob")).run
    assert _used(gate) == "29 EUR"


def test_a_second_claim_does_not_add_the_requirement_twice() -> None:
    """Once people have decided about the budget, it may be used up further and the call still runs."""
    gate = _gate(MONEY)
    hold = _approved_then_used(gate)
    gate.claim(hold.id, act(amount=11, to="bob"))
    assert [each.rules for each in gate.hold(hold.id).requirements] == [("desk/large",), ("desk/money",)]
    answer(gate, hold.id, BOB)
    assert _pay(gate, 2).kind == "run"
    assert gate.claim(hold.id, act(amount=11, to="bob")).run


def test_a_claim_over_a_budget_that_blocks_is_blocked() -> None:
    """An approval does not reach past a budget that asks nobody."""
    gate = _gate(MONEY.replace("headroom: 2", "then: block, reason: Used up."))
    hold = _approved_then_used(gate)
    claimed = gate.claim(hold.id, act(amount=11, to="bob"))
    assert (claimed.run, claimed.record.state, claimed.record.reason) == (False, State.BLOCKED, "Used up.")
    assert _used_or_blocked(gate) == "18 EUR"


def test_a_budget_that_blocks_now_blocks_what_was_approved_over_it() -> None:
    """People have let the call pass; where the policy of now asks nobody about it, it does not run."""
    gate = _gate(CAROLS)
    _pay(gate), _pay(gate)
    hold = gate.hold(_pay(gate, 5, "bob").record.id)
    assert [each.rules for each in hold.requirements] == [("desk/money",)]
    assert answer(gate, hold, ALICE).state == State.APPROVED
    blocks = MONEY.replace("headroom: 2", "then: block, reason: Used up.")
    gate.apply(policy(_text(blocks)), by="cli:x")
    claimed = gate.claim(hold.id, act(amount=5, to="bob"))
    assert (claimed.run, claimed.record.state, claimed.record.reason) == (False, State.BLOCKED, "Used up.")


def _used_or_blocked(gate: Service) -> str:
    budget = gate.preview(act(amount=500, to="x")).rulings[-1].budget
    assert budget is not None
    return ", ".join(f"{n} {unit}" for unit, n in budget.charged.items())


def test_a_hold_that_waits_again_past_its_deadline_ends_at_once() -> None:
    """The deadline is that of the submit, and it has gone by."""
    gate = _gate(MONEY)
    hold = _held(gate, 11)
    post(gate)
    _forward(gate, minutes=50)
    answer(gate, hold)
    _pay(gate), _pay(gate)
    _forward(gate, minutes=20)
    claimed = gate.claim(hold.id, act(amount=11, to="bob"))
    assert (claimed.run, claimed.record.code) == (False, "expired_unanswered")


def test_the_waiter_stays_where_the_hold_waits_again() -> None:
    """The agent still waits, and the card says so."""
    gate = _gate(MONEY)
    found = gate.submit(act(amount=11, to="bob"))
    answer(gate, found.record.id)
    _pay(gate), _pay(gate)
    gate.claim(found.record.id, act(amount=11, to="bob"), waiter=found.waiter)
    assert gate.hold(found.record.id).waiting


# ---- policies that change ---------------------------------------------------------------------------------


def test_a_new_budget_sees_what_already_ran() -> None:
    """A limit that comes into force later counts the runs before it, held ones included."""
    gate = _gate()
    _pay(gate), _pay(gate)
    hold = _held(gate, 11)
    answer(gate, hold)
    gate.claim(hold.id, act(amount=11, to="bob"))
    gate.apply(policy(_text(MONEY, SENDS)), by="cli:x")
    assert _used(gate) == "29 EUR"
    assert _pay(gate, 1).kind == "held"
    assert _send(gate).kind == "run"


def test_a_renamed_budget_and_a_changed_limit_see_what_already_ran() -> None:
    """Neither a new id nor a new limit, window or answer resets a count."""
    gate = _gate(MONEY)
    _pay(gate), _pay(gate)
    renamed = MONEY.replace("id: money", "id: cash").replace("EUR: 20", "EUR: 19").replace("24h", "48h")
    gate.apply(policy(_text(renamed)), by="cli:x")
    hold = _held(gate, 2)
    assert hold.rulings[0].rule == "desk/cash"
    assert hold.rulings[0].budget is not None
    assert str(hold.rulings[0].budget.charged["EUR"]) == "18"


@pytest.mark.parametrize(
    ("now", "used"),
    [
        ("amount: args.cents, unit: minor", "0.18 EUR"),
        ("amount: none", "nothing"),
        ("amount: args.amount, reversible: true", "18 EUR"),
    ],
)
def test_effects_declared_anew_count_what_already_ran(now: str, used: str) -> None:
    """A budget that stays as it is counts earlier runs by the effects declared now, like a renamed one."""
    declared = "desk.pay: {risk: write, amount: args.amount,"
    assert declared in POLICY
    gate = _gate(MONEY)
    for to in ("ann", "ben"):
        gate.submit(act(amount=9, cents=9, to=to), wait=False)
    assert _spent(gate) == "18 EUR"
    gate.apply(policy(_text(MONEY, base=POLICY.replace("amount: args.amount", now))), by="cli:x")
    assert _spent(gate) == used


def test_what_is_declared_of_other_actions_leaves_a_budget_alone() -> None:
    """Its counts stand, and so does its headroom: it counts no such action."""
    base = POLICY.replace("actions:\n", "actions:\n  desk.other: {risk: destructive}\n")
    (before,), (after,) = (policy(_text(MONEY, base=text)).budgets for text in (POLICY, base))
    assert base != POLICY
    assert (before.digest, before.terms) == (after.digest, after.terms)


def test_a_budget_that_was_taken_out_and_comes_back_sees_what_ran_meanwhile() -> None:
    """Its old totals have a gap, so they are made anew from the ledger."""
    gate = _gate(MONEY)
    _pay(gate)
    gate.apply(policy(_text()), by="cli:x")
    _pay(gate)
    gate.apply(policy(_text(MONEY)), by="cli:x")
    assert _used(gate) == "18 EUR"


def test_a_new_budget_by_a_hidden_value_still_tells_people_apart() -> None:
    """The ledger keeps a fingerprint, not the value, and new calls meet their own past."""
    base = POLICY.replace("rules:\n", "redact: [args.to]\nrules:\n")
    gate = _gate(base=base)
    _pay(gate, to="bob"), _pay(gate, to="bob"), _pay(gate, to="carol")
    per_person = "{id: each, match: desk.pay, limit: 2, per: args.to, window: 24h}"
    gate.apply(policy(_text(per_person, base=base)), by="cli:x")
    assert _pay(gate, 1, to="BOB ").kind == "held"
    assert _pay(gate, 1, to="carol").kind == "run"
    with gate.store.reader() as reader:
        rows = [*reader.all("SELECT * FROM ledger"), *reader.all("SELECT * FROM series")]
    assert "carol" not in str(rows)


@pytest.mark.parametrize("redact", ["", "redact: [args.total]\n"])
def test_a_new_budget_counts_what_reads_like_an_amount_and_was_declared_by_nobody(redact: str) -> None:
    """Hidden or not, such a run takes the whole limit, as it would have when it ran."""
    base = READABLE.replace("match: desk.pay, then: allow", 'match: "desk.pa*", then: allow')
    base = base.replace("rules:\n", f"{redact}rules:\n", 1)
    gate = _gate(base=base)
    assert gate.submit(act("desk.pass", total=5), wait=False).kind == "run"
    gate.apply(policy(_text(MONEY.replace("match: desk.pay", 'match: "desk.pa*"'), base=base)), by="cli:x")
    assert _pay(gate, 1).kind == "held"


def test_a_new_budget_reads_the_amounts_of_the_past_exactly() -> None:
    """Decimals, floats and large numbers come back from the ledger as they were."""
    gate = _gate()
    for amount in (Decimal("0.10"), 0.2, 7):
        assert _pay(gate, amount).kind == "run"
    gate.apply(policy(_text(MONEY)), by="cli:x")
    assert _used(gate) == "7.30 EUR"


def test_a_thousand_runs_are_counted_in_pages(tmp_path: Path) -> None:
    """More runs than one page holds are all counted, none twice."""
    gate = _gate(db=tmp_path / "gate.db", durability="normal")
    for number in range(1203):
        gate.submit(act("desk.send", text=str(number)), wait=False)
    gate.apply(
        policy(_text("{id: all, match: desk.send, limit: 1202, per: everything, window: 1h}")), by="cli:x"
    )
    budget = gate.preview(act("desk.send", text="x")).rulings[-1].budget
    assert budget is not None
    assert {unit: int(n) for unit, n in budget.charged.items()} == {"": 1203}
    assert len(budget.calls) == 10
    assert budget.more


def test_budgets_survive_a_restart(tmp_path: Path) -> None:
    """Another process counts on from what the store has."""
    clock = FakeClock()
    gate = _gate(MONEY, db=tmp_path / "gate.db", clock=clock)
    _pay(gate), _pay(gate)
    gate.close()
    again = service(tmp_path / "gate.db", text=_text(MONEY), clock=clock)
    assert _pay(again).kind == "held"
    again.close()


def test_what_no_window_reaches_is_forgotten_and_the_rest_still_counts() -> None:
    """The ledger is kept for 35 days before the last run of an earlier day, or for any longer window ever."""
    gate = _gate(MONEY)
    _pay(gate)
    _forward(gate, days=20)
    _pay(gate)
    _forward(gate, days=15)
    _pay(gate)
    assert _swept(gate, days=1) == [2, 2, 1]
    gate.apply(policy(_text(MONEY.replace("24h", "20d"))), by="cli:x")
    assert _used(gate) == "18 EUR"
    gate.apply(policy(_text(MONEY.replace("24h", "60d"))), by="cli:x")
    gate.apply(policy(_text(MONEY)), by="cli:x")
    _forward(gate, days=39)
    _pay(gate)
    assert _swept(gate, days=1) == [3, 3, 1]
    _forward(gate, days=20)
    _pay(gate)
    assert _swept(gate, days=1) == [2, 2, 1]
    assert _swept(gate, days=400) == [2, 2, 1]


def _swept(gate: Service, **span: float) -> list[int]:
    """Sweep some time later, and return how many runs, charges and series are left."""
    _forward(gate, **span)
    gate.sweep()
    with gate.store.reader() as reader:
        return [len(reader.all(f"SELECT * FROM {table}")) for table in ("ledger", "charges", "series")]


def test_forgetting_much_holds_up_no_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a sweep has forgotten for a second, the next one goes on with it, however soon it comes."""
    times = itertools.count()
    monkeypatch.setattr("gate.service.outbox.monotonic", lambda: float(next(times)) / 2)
    gate = _gate("{id: each, match: desk.pay, limit: 5000, per: args.to, window: 24h}")
    for number in range(120):
        _pay(gate, 1, to=f"customer {number}")
    _forward(gate, days=36)
    _pay(gate, 1)
    assert [_swept(gate, days=1), *(_swept(gate) for _ in range(3))] == [
        [1, 71, 71], [1, 21, 21], [1, 1, 1], [1, 1, 1],
    ]  # fmt: skip


# ---- headroom ---------------------------------------------------------------------------------------------


def test_headroom_lets_that_many_more_pass_and_charges_them() -> None:
    """Two more run after the approval; the third is held again."""
    gate = _gate(MONEY)
    _pay(gate), _pay(gate)
    hold = answer(gate, _held(gate), headroom=True)
    assert hold.decisions[0].headroom
    assert [_pay(gate).kind for _ in range(3)] == ["run", "run", "held"]
    assert _used(gate) == "36 EUR"
    told = [record.body for record in gate.records() if record.body["kind"] == "headroom"]
    assert [(each["budget"], each["lets_pass"]) for each in told] == [("desk/money", 2)]


def test_the_call_that_was_approved_takes_nothing_of_its_headroom() -> None:
    """People approved this one and let two more pass: after it has started, two more run."""
    gate = _gate(MONEY)
    _pay(gate), _pay(gate)
    hold = answer(gate, _held(gate), headroom=True)
    assert gate.claim(hold.id, act(**hold.arguments)).run
    assert [_pay(gate).kind for _ in range(3)] == ["run", "run", "held"]


def test_an_approval_without_headroom_lets_only_its_own_call_pass() -> None:
    """The plain button stays what it is."""
    gate = _gate(MONEY)
    _pay(gate), _pay(gate)
    hold = answer(gate, _held(gate))
    assert not hold.decisions[0].headroom
    assert _pay(gate).kind == "held"


def test_headroom_ends_with_the_window() -> None:
    """What was let pass and not used is gone after a window."""
    gate = _gate(MONEY)
    _pay(gate), _pay(gate)
    answer(gate, _held(gate), headroom=True)
    _forward(gate, hours=23, minutes=59)
    assert _pay(gate).kind == "run"  # those of yesterday still count
    _forward(gate, minutes=1)
    _pay(gate)
    assert _pay(gate).kind == "held"


def test_headroom_is_bound_to_the_terms_it_was_given_under() -> None:
    """A stricter limit takes back what was let pass under the old one."""
    gate = _gate(MONEY)
    _pay(gate), _pay(gate)
    answer(gate, _held(gate), headroom=True)
    gate.apply(policy(_text(MONEY.replace("EUR: 20", "EUR: 15"))), by="cli:x")
    assert _pay(gate).kind == "held"


def test_headroom_does_not_reach_what_cannot_be_read() -> None:
    """An unreadable amount is held whatever was let pass."""
    gate = _gate(MONEY, base=READABLE)
    _pay(gate), _pay(gate)
    answer(gate, _held(gate), headroom=True)
    assert _pay(gate, "nine").kind == "held"


@pytest.mark.parametrize("order", [0, 1])
def test_headroom_is_that_of_the_budget_whose_approvers_gave_it(order: int) -> None:
    """Another budget that says the same, and asks others, lets nothing pass for it."""
    hers = MONEY.replace("id: money", "id: hers, approvers: [U0CAROL]")
    gate = _gate(*(MONEY, hers)[:: 1 - 2 * order])
    _pay(gate), _pay(gate)
    hold = _held(gate)
    answer(gate, hold, ALICE, headroom=True)
    assert answer(gate, hold.id, CAROL).state == State.APPROVED
    assert gate.hold(_pay(gate).record.id).requirements[0].rules == ("desk/hers",)


def test_a_denial_after_all_takes_headroom_back() -> None:
    """Stop means stop for what was let pass too."""
    gate = _gate(MONEY)
    _pay(gate), _pay(gate)
    hold = answer(gate, _held(gate), headroom=True)
    answer(gate, hold, BOB, "deny")
    assert _pay(gate).kind == "held"


@pytest.mark.parametrize(
    "end",
    [
        lambda gate, hold: gate.cancel(hold, by="cli:x", reason="no"),
        lambda gate, hold: gate.end_session("s1"),
        lambda gate, hold: gate.renew_key(by="cli:x"),
    ],
)
def test_a_hold_that_is_taken_back_takes_its_headroom_with_it(
    end: Callable[[Service, str], object],
) -> None:
    """What was approved and is cancelled before it ran lets nothing pass any more, and the log says so."""
    gate = _gate(MONEY)
    _pay(gate), _pay(gate)
    hold = answer(gate, _held(gate), headroom=True)
    end(gate, hold.id)
    gate.open_session("s2", agent="desk", on_behalf_of=ASKER)
    assert _pay(gate, session="s2").kind == "held"
    assert "headroom_revoked" in kinds(gate, hold.id)


def test_an_adopted_copy_lets_nothing_pass(tmp_path: Path) -> None:
    """What was let pass before the copy may have been used up since, so people are asked again."""
    gate = _gate(MONEY, db=tmp_path / "gate.db")
    _pay(gate), _pay(gate)
    hold = answer(gate, _held(gate), headroom=True)
    assert gate.claim(hold.id, act(amount=9, to="bob")).run
    gate.adopt(by="cli:x", anyway=True)
    assert _pay(gate).kind == "held"
    assert kinds(gate, hold.id)[-1] == "headroom_revoked"
    gate.close()


def test_headroom_needs_as_many_people_as_the_budget() -> None:
    """One of two approvers who lets more pass is not enough."""
    gate = _gate(MONEY.replace("headroom: 2", "headroom: 2, quorum: 2"))
    _pay(gate), _pay(gate)
    first = _held(gate)
    answer(gate, first, ALICE, headroom=True)
    assert answer(gate, first.id, BOB).state == State.APPROVED
    second = _held(gate, 8)
    answer(gate, second, ALICE, headroom=True)
    assert answer(gate, second.id, BOB, headroom=True).state == State.APPROVED
    assert [_pay(gate, 7).kind for _ in range(3)] == ["run", "run", "held"]


def test_where_no_budget_offers_headroom_it_is_refused_and_recorded() -> None:
    """Nothing is approved by a button that means nothing here."""
    gate = _gate(MONEY.replace(", headroom: 2", ""))
    _pay(gate), _pay(gate)
    hold = _held(gate)
    with pytest.raises(IllegalMove) as caught:
        answer(gate, hold, headroom=True)
    assert caught.value.code == "no_headroom"
    assert gate.hold(hold.id).decisions == ()
    assert gate.records()[-1].body["code"] == "no_headroom"


def test_headroom_is_used_up_at_claim_too() -> None:
    """A call that a rule held takes one when it is claimed over the budget."""
    gate = _gate(MONEY.replace("headroom: 2", "headroom: 1"))
    ruled = _held(gate, 11)
    answer(gate, ruled)
    _pay(gate), _pay(gate)
    answer(gate, _held(gate), headroom=True)
    assert gate.claim(ruled.id, act(amount=11, to="bob")).run
    assert _pay(gate).kind == "held"


# ---- preview ----------------------------------------------------------------------------------------------


def test_a_preview_says_what_a_submit_would_answer_and_writes_nothing(tmp_path: Path) -> None:
    """The same verdict, and not one byte of the store changes."""
    gate = _gate(MONEY, db=tmp_path / "gate.db")
    _pay(gate), _pay(gate)

    def everything() -> list[Any]:
        with gate.store.reader() as reader:
            tables = [
                row["name"] for row in reader.all("SELECT name FROM sqlite_master WHERE type = 'table'")
            ]
            return [reader.all(f"SELECT * FROM {table}") for table in tables]

    before = everything()
    seen = [gate.preview(act(amount=amount, to="bob")) for amount in (2, 3, 5000)]
    assert [each.answer for each in seen] == ["allow", "require_approval", "block"]
    assert everything() == before
    assert _pay(gate, 3).record.rules == seen[1].rules
    gate.freeze("everything", by="cli:x", reason="stop")
    assert gate.preview(act(amount=1, to="bob")).rules == ("gate/freeze",)
    gate.close()


def test_many_buckets_and_runs_are_forgotten_in_one_sweep() -> None:
    """More buckets and more runs than one batch holds go together; what is still within a window stays."""
    gate = _gate("{id: each, match: desk.pay, limit: 5000, per: args.to, window: 24h}")
    for number in range(620):
        _pay(gate, 1, to=f"customer {number % 310}")
    _forward(gate, days=36)
    _pay(gate, 1, to="customer 1"), _pay(gate, 1, to="bob")
    assert _swept(gate, days=1) == [2, 2, 2]
    with gate.store.reader() as reader:
        assert [row["total"] for row in reader.all("SELECT total FROM charges")] == ["3", "1"]
