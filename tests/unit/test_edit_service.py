"""Changing a held call: its next version, who must approve it, and everything that refuses."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from enum import Enum
from functools import cached_property
from typing import Any

import pytest
from pydantic import BaseModel, PrivateAttr

from gate.clock import FakeClock
from gate.editing import Edited, EditNotTaken, edited
from gate.errors import BadEdit, CallIdReused, IllegalMove, NotEligible
from gate.lifecycle import State
from gate.model import Action, Person
from gate.service import Service
from gate.stats import collect
from gate.verbs.claim import End
from tests.kit import (
    ALICE,
    BOB,
    CAROL,
    EDITABLE,
    ROUTE,
    act,
    answer,
    change,
    kinds,
    policy,
    post,
    service,
    with_rule,
)


def _held(gate: Service, **arguments: Any) -> str:
    submission = gate.submit(act(**arguments))
    assert submission.kind == "held"
    return submission.record.id


def _edited(gate: Service, hold: str, call: Action) -> Edited:
    record = gate.action(hold)
    return edited(call, record.patch, record.version)


def _texts(gate: Service) -> list[str]:
    return [notice.text for notice in post(gate) if notice.kind == "reply"]


def test_an_edit_is_the_next_version_and_the_editors_approval() -> None:
    """A changed call has another digest, mark and sentence, and the one approval it needs is the editor's."""
    gate = service(text=EDITABLE)
    hold = _held(gate, amount=400, to="bob")
    before, digest = gate.hold(hold), gate.action(hold).digest
    after = change(gate, hold, amount=250)
    assert (after.state, after.version) == (State.APPROVED, 2)
    assert after.nonce != before.nonce
    assert gate.action(hold).digest != digest
    assert (after.arguments, after.described) == ({"amount": 250, "to": "bob"}, "Pay 250 to bob")
    assert [(each.person, each.said, each.version) for each in after.decisions] == [(ALICE, "approve", 2)]
    assert kinds(gate, hold) == ["submit", "edit", "approve"]
    assert [each.path for each in after.edits[0].changes] == ["args.amount"]


def test_only_the_changed_call_is_claimed() -> None:
    """The call as it was submitted does not run any more; with the change it runs, once."""
    gate = service(text=EDITABLE)
    call = act(amount=400, to="bob")
    hold = _held(gate, amount=400, to="bob")
    change(gate, hold, amount=250)
    assert not gate.claim(hold, call).run
    assert gate.action(hold).state == State.APPROVED
    taken = _edited(gate, hold, call)
    assert taken.action.arguments == {"amount": 250, "to": "bob"}
    assert call.arguments == {"amount": 400, "to": "bob"}
    assert gate.claim(hold, taken).run
    assert not gate.claim(hold, taken).run
    gate.settle(hold, End(True, "1"))
    assert gate.verify().ok


@pytest.mark.parametrize(
    "given",
    [
        act(amount=401, to="bob"),
        act(amount=400.0, to="bob"),
        act(amount=400, to="eve"),
        replace(act(amount=400, to="bob"), target="elsewhere"),
    ],
)
def test_a_claim_with_another_base_or_another_change_is_refused(given: Action) -> None:
    """What is claimed must be the submitted call with exactly the approved values."""
    gate = service(text=EDITABLE)
    hold = _held(gate, amount=400, to="bob")
    change(gate, hold, amount=250)
    with pytest.raises(IllegalMove, match="not the one that was approved"):
        gate.claim(hold, _edited(gate, hold, given))
    call = act(amount=400, to="bob")
    for patch in ({}, {"args.amount": 251}, {"args.amount": {"$decimal": "250"}}, {"args.to": "bob"}):
        with pytest.raises(IllegalMove, match="not the one that was approved"):
            gate.claim(hold, edited(call, patch, 2))
    assert gate.action(hold).state == State.APPROVED


def test_what_runs_is_the_submitted_call_with_the_approved_values_and_nothing_else() -> None:
    """Arguments that were changed after the approved values had been put in are not claimed."""
    gate = service(text=EDITABLE)
    call = act(amount=400, to="bob")
    hold = _held(gate, amount=400, to="bob")
    change(gate, hold, amount=250)
    taken = _edited(gate, hold, call)
    other = replace(taken, action=replace(taken.action, arguments={"amount": 250, "to": "eve"}))
    with pytest.raises(IllegalMove, match="with what was changed"):
        gate.claim(hold, other)
    assert gate.claim(hold, taken).run


def test_the_approvals_of_others_are_void_and_they_are_told() -> None:
    """Of a quorum of two, the first approval no longer counts once the second person changes the call."""
    gate = service(text=EDITABLE)
    hold = _held(gate, name="desk.fire", who="x")
    answer(gate, hold, ALICE)
    post(gate)
    after = change(gate, hold, BOB, who="y")
    assert (after.state, after.version) == (State.PENDING, 2)
    assert [each.person for each in after.decisions] == [BOB]
    assert after.edits[0].voided == (ALICE,)
    assert "The approval of alice (U0ALICE) is void" in _texts(gate)[0]
    assert answer(gate, hold, ALICE).state == State.APPROVED


def test_quorum_edits_of_two_people_each_start_anew() -> None:
    """Whoever changes what another changed has the only approval; both are needed for the last version."""
    gate = service(text=EDITABLE)
    hold = _held(gate, name="desk.fire", who="x")
    change(gate, hold, ALICE, who="y")
    after = change(gate, hold, BOB, who="z")
    assert (after.state, after.version, after.arguments) == (State.PENDING, 3, {"who": "z"})
    assert [each.person for each in after.decisions] == [BOB]
    assert answer(gate, hold, ALICE).state == State.APPROVED
    assert _edited(gate, hold, act("desk.fire", who="x")).action.arguments == {"who": "z"}


def test_an_old_mark_answers_who_changed_it_and_when() -> None:
    """Nobody approves, denies or changes a version that is no more; the answer names who changed it."""
    gate = service(text=EDITABLE)
    hold = _held(gate, name="desk.fire", who="x")
    old = gate.hold(hold)
    change(gate, hold, ALICE, who="y")
    for attempt in (
        lambda: answer(gate, old, BOB),
        lambda: answer(gate, old, BOB, "deny"),
        lambda: change(gate, old, BOB, who="z"),
    ):
        with pytest.raises(IllegalMove, match=r"changed by alice \(U0ALICE\) at 09:00:00 UTC") as caught:
            attempt()
        assert caught.value.code == "changed"
    assert gate.hold(hold).version == 2


HIGH = "id: high, when: {args.amount: {gt: 500}}, reason: High., editable: [args.amount]"
ADDS = with_rule(
    EDITABLE,
    "id: odd, when: {args.amount: {eq: 77}}, reason: Odd., KEYS, editable: [args.amount, args.to]",
)


def _refused(gate: Service, hold: str) -> list[str]:
    return [each.body["code"] for each in gate.records(action=hold) if each.body["kind"] == "refused"]


def test_a_change_needs_the_comment_that_a_rule_it_runs_into_asks_for() -> None:
    """The editor's approval is one of the changed call, so the comment its rules want comes with it."""
    gate = service(text=ADDS.replace("KEYS", "comment: {approve: required, deny: optional}"))
    hold = _held(gate, amount=400, to="bob")
    before = gate.hold(hold)
    with pytest.raises(IllegalMove, match="asks for a comment") as caught:
        change(gate, hold, amount=77)
    assert caught.value.code == "comment_required"
    assert gate.hold(hold) == before
    assert _refused(gate, hold) == ["comment_required"]
    more = {"changes": {"args.amount": 77}, "comment": "I know.", "route": ROUTE, "nonce": before.nonce}
    after = gate.edit(hold, store=before.store, person=ALICE, satisfies=frozenset({"U0ALICE"}), **more)  # type: ignore[arg-type]
    assert (after.state, after.version) == (State.APPROVED, 2)


def test_whom_the_agent_acts_for_cannot_change_a_call_into_one_that_they_may_not_approve() -> None:
    """A rule that lets them approve does not carry over to one that does not; the refusal is recorded."""
    text = ADDS.replace("KEYS", "on_behalf_of_may_approve: false")
    own = "approvals: {on_behalf_of_may_approve: true, "
    gate = service(text=text.replace("approvals: {", own).replace("[U0ALICE,", "[U0ASKER, U0ALICE,"))
    hold = _held(gate, amount=400, to="bob")
    with pytest.raises(NotEligible, match="acts for you"):
        change(gate, hold, Person("T0LOCAL", "U0ASKER"), amount=77)
    assert gate.hold(hold).version == 1
    assert _refused(gate, hold) == ["asked_for"]
    assert change(gate, hold, Person("T0LOCAL", "U0ASKER"), amount=250).state == State.APPROVED


def test_the_policy_may_block_the_changed_call_and_the_hold_stays() -> None:
    """A change into what is blocked is refused and recorded; the version before can still be approved."""
    gate = service(text=EDITABLE)
    hold = _held(gate, amount=400, to="bob")
    before = gate.hold(hold)
    with pytest.raises(BadEdit, match=r"desk/huge\): Never above a thousand") as caught:
        change(gate, hold, amount=5000)
    assert caught.value.code == "edit_blocked"
    assert gate.hold(hold) == before
    refused = [each.body for each in gate.records(action=hold) if each.body["kind"] == "refused"]
    assert refused[0]["changes"] == [{"path": "args.amount", "before": 400, "after": 5000}]
    assert answer(gate, before).state == State.APPROVED
    assert gate.claim(hold, act(amount=400, to="bob")).run


def test_requirements_are_those_of_before_and_those_of_the_changed_call() -> None:
    """Raising the amount asks the people of both rules; lowering it takes nobody away."""
    gate = service(text=with_rule(EDITABLE, f"{HIGH}, approvers: [U0CAROL], channel: C0HIGH"))
    hold = _held(gate, amount=400, to="bob")
    post(gate)
    up = change(gate, hold, ALICE, amount=600)
    assert up.state == State.PENDING
    assert [each.rules for each in up.requirements] == [("desk/large",), ("desk/high",)]
    assert [(each.kind, each.channel) for each in post(gate) if each.kind == "card"] == [("card", "C0HIGH")]
    down = change(gate, hold, CAROL, amount=20)
    assert [each.rules for each in down.requirements] == [("desk/large",), ("desk/high",)]
    assert answer(gate, hold, ALICE).state == State.APPROVED


def test_no_deadline_moves_later_and_a_shorter_one_counts() -> None:
    """A change leaves the time to answer as it is; a rule of the changed call may make it shorter."""
    gate = service(text=with_rule(EDITABLE, f"{HIGH}, expires_in: 5m"))
    hold = _held(gate, amount=400, to="bob")
    post(gate)
    clock = gate.clock
    assert isinstance(clock, FakeClock)
    clock.advance(timedelta(minutes=30))
    ends = gate.hold(hold).expires_at
    assert change(gate, hold, amount=300).expires_at == ends
    other = _held(gate, amount=450, to="bob")
    post(gate)
    assert change(gate, other, amount=900).expires_at == clock.now() + timedelta(minutes=5)


def test_a_rule_of_the_changed_call_may_have_a_repeat_asked_about_sooner() -> None:
    """The shortest ask_again_after counts, that of a rule which only the changed call runs into included."""
    gate = service(text=with_rule(EDITABLE, f"{HIGH}, approvers: [U0CAROL], ask_again_after: 0s"))
    same, changed = _held(gate, amount=400, to="bob"), _held(gate, amount=450, to="bob")
    change(gate, changed, amount=900)
    answer(gate, changed, CAROL, "deny")
    answer(gate, same, ALICE, "deny")
    assert gate.submit(act(amount=450, to="bob")).kind == "held"
    assert gate.submit(act(amount=400, to="bob")).kind == "ended"


def test_at_most_five_changes() -> None:
    """The sixth change is refused, whoever makes it; the call can still be approved as it is."""
    gate = service(text=EDITABLE)
    hold = _held(gate, name="desk.fire", who="x")
    for turn in range(5):
        change(gate, hold, (ALICE, BOB)[turn % 2], who=f"y{turn}")
    with pytest.raises(IllegalMove, match="changed 5 times") as caught:
        change(gate, hold, BOB, who="once more")
    assert caught.value.code == "too_many_edits"
    assert answer(gate, hold, BOB).state == State.APPROVED


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"args.reason": "x"}, "not_editable"),
        ({"args": {"amount": 1}}, "not_editable"),
        ({"args.amount.x": 1}, "not_editable"),
        ({"facts.x": 1}, "not_editable"),
        ({}, "no_change"),
        ({"args.amount": 400}, "no_change"),
        ({"args.amount": "400"}, "no_change"),
        ({"args.amount": "fifty"}, "bad_edit"),
        ({"args.amount": None}, "bad_edit"),
        ({"args.amount": True}, "bad_edit"),
        ({"args.amount": [250]}, "bad_edit"),
        ({"args.amount": 250.5}, "bad_edit"),
        ({"args.to": 5}, "bad_edit"),
        ({"args.to": "\ud800"}, "bad_edit"),
        ({"args.to": "sk_live_4eC39HqLyjWDarjtT1zdp7dc"}, "bad_edit"),
        ({"args.to": "x" * 20_001}, "bad_edit"),
    ],
)
def test_what_is_no_change_is_refused_with_its_code(changes: dict[str, Any], code: str) -> None:
    """A path that may not be changed, a value of another type, a secret or nothing new: the hold stays."""
    gate = service(text=EDITABLE)
    hold = gate.hold(_held(gate, amount=400, to="bob"))
    with pytest.raises(IllegalMove) as caught:
        gate.edit(
            hold.id,
            store=hold.store,
            nonce=hold.nonce,
            person=ALICE,
            satisfies=frozenset({"U0ALICE"}),
            changes=changes,
            route=ROUTE,
        )
    assert caught.value.code == code
    assert gate.hold(hold.id) == hold
    assert kinds(gate, hold.id) == ["submit", "refused"]


def test_problems_stand_by_their_paths() -> None:
    """Each wrong value has its own words, for the input that it came from."""
    gate = service(text=EDITABLE)
    with pytest.raises(BadEdit) as caught:
        change(gate, _held(gate, amount=400, to="bob"), amount="much", to=7)
    assert caught.value.problems == {"args.amount": "must be a whole number", "args.to": "must be a text"}


def test_a_secret_that_somebody_types_reaches_nothing() -> None:
    """A new value that reads like a key is in no record, no notice and no row of the store."""
    gate = service(text=EDITABLE)
    secret = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"
    with pytest.raises(BadEdit) as caught:
        change(gate, _held(gate, amount=400, to="bob"), to=f"pay {secret}")
    assert secret not in str(caught.value)
    assert secret not in json.dumps([each.body for each in gate.records()])
    assert secret not in "".join(notice.text for notice in post(gate))


def test_only_who_may_approve_may_change() -> None:
    """A stranger, and whoever the agent acts for, are refused before anything of the call is looked at."""
    gate = service(text=EDITABLE)
    hold = _held(gate, amount=400, to="bob")
    with pytest.raises(NotEligible):
        change(gate, hold, CAROL, amount="nonsense")
    assert gate.hold(hold).version == 1


def test_what_is_over_or_frozen_is_not_changed() -> None:
    """An approved, denied, expired or frozen hold answers what it is, and stays so."""
    gate = service(text=EDITABLE)
    approved, denied, frozen = (_held(gate, amount=amount, to="bob") for amount in (100, 200, 300))
    post(gate)
    answer(gate, approved)
    answer(gate, denied, said="deny")
    for hold, code in ((approved, "already_decided"), (denied, "already_decided")):
        with pytest.raises(IllegalMove) as caught:
            change(gate, hold, amount=50)
        assert caught.value.code == code
    gate.freeze("everything", by="cli:x", reason="stop")
    with pytest.raises(IllegalMove) as caught:
        change(gate, frozen, amount=50)
    assert caught.value.code == "frozen"
    gate.unfreeze("everything", by="cli:x", reason="go")
    clock = gate.clock
    assert isinstance(clock, FakeClock)
    clock.advance(timedelta(hours=1))
    with pytest.raises(IllegalMove) as caught:
        change(gate, frozen, amount=50)
    assert caught.value.code == "late"
    assert gate.hold(frozen).version == 1


def test_nothing_may_be_changed_where_one_rule_does_not_allow_it() -> None:
    """Of two rules that hold a call, both must name the path; a budget or default says nothing about it."""
    two = with_rule(EDITABLE, "id: also, reason: Also., editable: [args.to]")
    gate = service(text=two)
    hold = gate.hold(_held(gate, amount=400, to="bob"))
    assert hold.editable == ("args.to",)
    assert [each.path for each in gate.fields(hold.id)] == ["args.to"]
    budget = EDITABLE + "budgets:\n  - {id: few, limit: 0, per: agent, window: 1h}\n"
    assert service(text=budget).submit(act(amount=400, to="bob")).kind == "held"


def test_a_budget_holds_beside_a_rule_without_taking_the_change_away() -> None:
    """A call over a budget may be changed where its rule says so, and the budget counts the changed call."""
    text = EDITABLE + (
        "budgets:\n  - {id: money, match: desk.pay, sum: effect.amount, limit: {EUR: 300}, per: agent, "
        "window: 24h, approvers: [U0CAROL]}\n"
    )
    gate = service(text=text)
    hold = gate.hold(_held(gate, amount=400, to="bob"))
    assert [each.rules for each in hold.requirements] == [("desk/large",), ("desk/money",)]
    assert hold.editable == ("args.amount", "args.to")
    after = change(gate, hold, amount=200)
    assert [each.rules for each in after.requirements] == [("desk/large",), ("desk/money",)]
    assert answer(gate, after.id, CAROL).state == State.APPROVED
    assert gate.claim(after.id, _edited(gate, after.id, act(amount=400, to="bob"))).run
    assert gate.submit(act(amount=101, to="bob")).record.rules == ("desk/large", "desk/money")


def test_a_newer_policy_may_take_the_change_away() -> None:
    """What the revision in force lets nobody change any more is not changed, whatever the hold says."""
    gate = service(text=EDITABLE)
    hold = _held(gate, amount=400, to="bob")
    gate.apply(policy(EDITABLE.replace("editable: [args.amount, args.to]", "editable: [args.to]")), by="x")
    with pytest.raises(IllegalMove, match=r"only args\.to may be"):
        change(gate, hold, amount=250)
    assert [each.path for each in gate.fields(hold)] == ["args.to"]


def test_the_changed_call_is_judged_by_the_newest_policy() -> None:
    """A limit that came into force meanwhile blocks the change, not the hold."""
    gate = service(text=EDITABLE)
    hold = _held(gate, amount=400, to="bob")
    gate.apply(policy(EDITABLE.replace("gt: 1000", "gt: 300")), by="x")
    with pytest.raises(BadEdit):
        change(gate, hold, amount=350)
    assert change(gate, hold, amount=250).state == State.APPROVED


def test_a_repeat_of_the_submitted_call_is_the_changed_hold() -> None:
    """A hold is found by the call as it was submitted; the changed call is another one."""
    gate = service(text=EDITABLE)
    first = gate.submit(act(call_id="c1", amount=400, to="bob"), wait=False)
    change(gate, first.record.id, amount=250)
    again = gate.submit(act(call_id="c1", amount=400, to="bob"), wait=False)
    assert (again.kind, again.record.id, again.record.version) == ("joined", first.record.id, 2)
    with pytest.raises(CallIdReused):
        gate.submit(act(call_id="c1", amount=250, to="bob"), wait=False)
    assert gate.submit(act(amount=250, to="bob"), wait=False).record.id != first.record.id


def test_hidden_values_stay_hidden_in_every_version() -> None:
    """A secret of the call is in no version, though another value of it was changed; it runs with it."""
    secret = "hunter2hunter2"
    gate = service(text=EDITABLE)
    call = act(amount=400, to="bob", password=secret)
    hold = gate.submit(call, wait=False).record.id
    assert gate.fields(hold)[0].path == "args.amount"
    after = change(gate, hold, amount=250)
    assert after.arguments == {"amount": 250, "to": "bob", "password": "(hidden)"}
    assert after.hidden == ("args.password",)
    assert _edited(gate, hold, call).action.arguments["password"] == secret
    with gate.store.reader() as reader:
        everything = [json.dumps(row, default=str) for row in reader.all("SELECT * FROM versions, holds")]
    assert secret not in "".join(everything)


def test_what_is_hidden_cannot_be_changed() -> None:
    """A path that redaction hides is offered to nobody, even where a rule names it."""
    gate = service(text=EDITABLE.replace("editable: [args.amount, args.to]", "editable: [args.password]"))
    hold = gate.hold(gate.submit(act(amount=400, to="bob", password="hunter2hunter2"), wait=False).record.id)
    assert hold.editable == ()
    with pytest.raises(IllegalMove) as caught:
        change(gate, hold, password="x")
    assert caught.value.code == "not_editable"


def test_rules_that_read_hidden_values_hold_the_claim_until_they_are_asked() -> None:
    """What the host says of the new value is looked up at claim; a rule that then holds the call is asked."""
    text = with_rule(
        EDITABLE,
        "id: risky, when: {facts.risk: {eq: high}}, reason: Risky., approvers: [U0CAROL], "
        "editable: [args.amount, args.to]",
    )
    gate = service(text=text)
    calm = replace(act(amount=400, to="bob"), facts={"risk": "low"})
    hold = gate.submit(calm, wait=False).record.id
    assert change(gate, hold, ALICE, to="eve").state == State.APPROVED
    found = _edited(gate, hold, calm)
    risky = replace(found, action=replace(found.action, facts={"risk": "high"}))
    claimed = gate.claim(hold, risky)
    assert (claimed.run, claimed.record.state) == (False, State.PENDING)
    assert gate.hold(hold).requirements[-1].rules == ("desk/risky",)
    assert answer(gate, hold, CAROL).state == State.APPROVED
    assert gate.claim(hold, risky).run


def test_the_full_view_of_before_counts_for_what_one_changed_oneself() -> None:
    """Whoever opened the full view keeps it through their own change; another approver opens it again."""
    gate = service(text=EDITABLE)
    hold = _held(gate, name="desk.fire", who="x")
    gate.require_view(hold)
    with pytest.raises(IllegalMove) as caught:
        change(gate, hold, ALICE, who="y")
    assert caught.value.code == "view_required"
    gate.record_view(hold, nonce=gate.hold(hold).nonce, person=ALICE)
    after = change(gate, hold, ALICE, who="y")
    assert [each.person for each in after.decisions] == [ALICE]


def test_a_caller_that_is_behind_ends_no_later_version() -> None:
    """Where it cannot take a change that was changed again meanwhile, what was approved since stands."""
    gate = service(text=EDITABLE)
    hold = _held(gate, amount=400, to="bob")
    assert change(gate, hold, amount=250).state == State.APPROVED
    assert gate.not_taken(hold, 1, "no").state == State.APPROVED
    assert gate.not_taken(hold, 2, "no").code == "edit_not_taken"


def test_nobody_elses_look_counts_for_the_editor() -> None:
    """A change that makes a hidden value decisive waits for a look; the one of another person is theirs."""
    text = with_rule(
        EDITABLE,
        "id: noted, when: {args.amount: {gt: 500, lte: 1000}, args.note: {exists: true}}, reason: Noted., "
        "editable: [args.amount]",
    )
    gate = service(text=text)
    hold = _held(gate, amount=400, to="bob", note="sk_live_4eC39HqLyjWDarjtT1zdp7dc")
    before = gate.hold(hold).nonce
    gate.record_view(hold, nonce=before, person=ALICE)
    after = change(gate, hold, BOB, amount=600)
    assert (after.state, after.version, after.decisions) == (State.PENDING, 2, ())
    with pytest.raises(IllegalMove) as caught:
        answer(gate, hold, BOB)
    assert caught.value.code == "view_required"
    with pytest.raises(IllegalMove, match="changed meanwhile"):
        gate.record_view(hold, nonce=before, person=BOB)  # a look at the version before
    gate.record_view(hold, nonce=after.nonce, person=BOB)
    assert answer(gate, hold, BOB).state == State.APPROVED


def test_a_comment_is_the_editors_own() -> None:
    """Where the policy asks approvers for a comment, a change needs one, and the agent reads it."""
    gate = service(text=EDITABLE.replace("{approve: optional", "{approve: required"))
    hold = gate.hold(_held(gate, amount=400, to="bob"))
    options: dict[str, Any] = {
        "store": hold.store, "nonce": hold.nonce, "person": ALICE, "satisfies": frozenset({"U0ALICE"}),
        "changes": {"args.amount": 250}, "route": ROUTE,
    }  # fmt: skip
    with pytest.raises(IllegalMove) as caught:
        gate.edit(hold.id, **options)
    assert caught.value.code == "comment_required"
    assert gate.edit(hold.id, comment="half of it", **options).decisions[0].comment == "half of it"


def test_the_log_tells_the_whole_change() -> None:
    """Its record has who, what before and after, the new digest, and whose approval is void."""
    gate = service(text=EDITABLE)
    hold = _held(gate, name="desk.fire", who="x")
    answer(gate, hold, ALICE)
    change(gate, hold, BOB, who="y")
    body = next(each.body for each in gate.records(action=hold) if each.body["kind"] == "edit")
    assert body["actor"] == "T0LOCAL/U0BOB"
    assert body["changes"] == [{"path": "args.who", "before": "x", "after": "y"}]
    assert (body["version"], body["digest"]) == (2, gate.action(hold).digest)
    assert body["voided"] == ["T0LOCAL/U0ALICE"]
    assert body["move"] == {"from": "pending", "to": "pending"}


def test_a_decimal_stays_a_decimal() -> None:
    """The new value has the type of the old one, whoever spells it how."""
    gate = service(text=EDITABLE)
    call = act(amount=Decimal("400.00"), to="bob")
    hold = gate.submit(call, wait=False).record.id
    change(gate, hold, amount="250.50")
    value = _edited(gate, hold, call).action.arguments["amount"]
    assert (type(value), str(value)) == (Decimal, "250.50")


def test_what_the_tool_does_not_take_ends_the_hold_without_a_run() -> None:
    """Where the agent's side finds that a change cannot be made, the hold ends, says so, and nothing runs."""
    gate = service(text=EDITABLE)
    hold = _held(gate, amount=400, to="bob")
    change(gate, hold, amount=250)
    post(gate)
    record = gate.not_taken(hold, 2, "args.amount: no such")
    assert (record.state, record.code) == (State.CANCELLED, "edit_not_taken")
    assert "does not take what was changed: args.amount: no such" in _texts(gate)[-1]
    assert not gate.claim(hold, _edited(gate, hold, act(amount=400, to="bob"))).run
    assert gate.not_taken(hold, 2, "again").reason == record.reason


def test_an_edit_is_no_quick_answer() -> None:
    """Whoever changes a call has looked at it; who approves the new values within a second has not."""
    gate = service(text=EDITABLE)
    first, second = (_held(gate, name="desk.fire", who=who) for who in "xy")
    post(gate)
    clock = gate.clock
    assert isinstance(clock, FakeClock)
    clock.advance(timedelta(minutes=5))
    for hold in (first, second):
        change(gate, hold, ALICE, who="z")
        answer(gate, hold, BOB)
    people = collect(gate, clock.now() - timedelta(days=1), clock.now() + timedelta(days=1)).people
    assert {each.user: (each.answers, each.quick) for each in people} == {"U0ALICE": (2, 0), "U0BOB": (2, 2)}


class _Order(BaseModel):
    amount: int
    _cents: int = PrivateAttr(0)

    def model_post_init(self, context: object, /) -> None:
        self._cents = self.amount * 100


@dataclass
class _Line:
    amount: int

    @cached_property
    def cents(self) -> int:
        return self.amount * 100


class _Plain(BaseModel):
    amount: int


def test_a_value_in_a_model_that_keeps_what_it_worked_out_is_not_changed() -> None:
    """A cached or private value would stay as it was, and the tool might go by it; a plain model changes."""
    line = _Line(400)
    assert line.cents == 40_000
    text = EDITABLE.replace("editable: [args.who]", "editable: [args.order.amount]")
    for model, may in (
        (_Order(amount=400), False),
        (line, False),
        (_Line(400), True),
        (_Plain(amount=4), True),
    ):
        gate = service(text=text)
        call = act("desk.fire", order=model)
        hold = gate.submit(call).record.id
        assert bool(gate.fields(hold)) is may
        if not may:
            with pytest.raises(EditNotTaken, match="would not follow"):
                edited(call, {"args.order.amount": 250}, 2)


class _Level(Enum):
    ON = True
    TWO = 2


@pytest.mark.parametrize("given", [1, 2.0, [], {"a": 1}, "3"])
def test_a_member_is_chosen_by_its_name_or_by_its_very_value(given: object) -> None:
    """What only compares equal, or cannot be looked up at all, is no member; the hold stays as it was."""
    gate = service(text=EDITABLE)
    hold = _held(gate, name="desk.fire", who=_Level.TWO)
    with pytest.raises(BadEdit, match="must be one of"):
        change(gate, hold, who=given)
    assert gate.hold(hold).version == 1
    assert change(gate, hold, who="ON").arguments == {"who": True}


@pytest.mark.parametrize("given", [float("nan"), float("-inf"), "9" * 400, 10**400])
def test_a_number_that_no_float_holds_is_refused_in_words(given: object) -> None:
    """It says that it is too large, and what was there stays."""
    gate = service(text=EDITABLE)
    hold = _held(gate, name="desk.fire", who=1.5)
    with pytest.raises(BadEdit, match="too large"):
        change(gate, hold, who=given)
