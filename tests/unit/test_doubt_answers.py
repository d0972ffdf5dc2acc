"""It ran, it did not run: what people say of a call in doubt; it changes nothing but what is told."""

from __future__ import annotations

from typing import Any

import pytest

from gate.errors import IllegalMove, NotEligible
from gate.lifecycle import State
from gate.model import HoldRecord, Person
from gate.results import outcome_of
from gate.service import Service
from gate.verbs.claim import End
from tests.kit import ALICE, BOB, CAROL, POLICY, ROUTE, act, answer, kinds, policy, post, service

OPERATED = POLICY.replace("default: require_approval", "operators: [U0OLGA]\ndefault: require_approval", 1)
OLGA = Person("T0LOCAL", "U0OLGA", "olga")


def _doubtful(gate: Service, *, amount: int = 50, call_id: str | None = None) -> str:
    """Return an action whose run was interrupted; above ten it was held and approved before."""
    action = act(amount=amount, to="bob", call_id=call_id)
    found = gate.submit(action, wait=False)
    if found.kind == "held":
        answer(gate, found.record.id)
        assert gate.claim(found.record.id, action).run
    gate.doubt(found.record.id, reason="KeyboardInterrupt came while it ran.")
    return found.record.id


def _say(gate: Service, action: str, person: Person = ALICE, *, ran: bool, **more: Any) -> HoldRecord:
    options = {"store": gate.store_id, "satisfies": frozenset({person.user}), "route": ROUTE} | more
    return gate.annotate(action, person=person, ran=ran, **options)


def _codes(gate: Service, action: str) -> list[str]:
    return [each.body["code"] for each in gate.records(action=action) if each.body["kind"] == "refused"]


@pytest.mark.parametrize(("ran", "words"), [(True, "says that it ran"), (False, "says that it did not run")])
def test_an_approver_says_what_became_of_it(ran: bool, words: str) -> None:
    """The record, the log, the card and its thread have it; the state does not move."""
    gate = service()
    action = _doubtful(gate)
    post(gate)
    record = _say(gate, action, ran=ran, comment="Looked in the bank.")
    assert record.state == State.IN_DOUBT
    assert record.annotation is not None
    assert (record.annotation.ran, record.annotation.person) == (ran, ALICE)
    (log,) = [each.body for each in gate.records(action=action) if each.body["kind"] == "annotate"]
    assert (log["actor"], log["comment"]) == ("T0LOCAL/U0ALICE", "Looked in the bank.")
    assert log["said"] == ("ran" if ran else "did not run")
    told = post(gate)
    assert [each.kind for each in told] == ["refresh", "reply"]
    assert f"alice (U0ALICE) {words}: “Looked in the bank.”" in told[1].text


@pytest.mark.parametrize(
    ("ran", "sentence"),
    [(True, "Do not repeat it."), (False, "if it is still needed, make it as a new call")],
)
def test_the_agent_that_asks_again_is_told(ran: bool, sentence: str) -> None:
    """The same call id gets InDoubt still, with what the person said and what to do; nothing runs."""
    gate = service()
    action = _doubtful(gate, call_id="c1")
    before = outcome_of(gate.action(action))
    assert "a person" in str(before)
    assert "has looked" not in str(before)
    _say(gate, action, ran=ran, comment="Looked in the bank.")
    again = gate.submit(act(amount=50, to="bob", call_id="c1"))
    assert again.kind == "ended"
    told = outcome_of(again.record)
    assert told.code == "interrupted"  # type: ignore[union-attr]
    assert "A person has looked and says that it" in str(told)
    assert 'with the comment: "Looked in the bank."' in str(told)
    assert sentence in str(told)
    assert kinds(gate, action).count("claim") == 1


def test_nothing_is_revived_and_a_new_call_shows_the_old_one() -> None:
    """The approval stays used up; doing it again is a new hold whose card shows the old one."""
    gate = service()
    action = _doubtful(gate)
    _say(gate, action, ran=False)
    assert not gate.claim(action, act(amount=50, to="bob")).run
    again = gate.submit(act(amount=50, to="bob"), wait=False)
    assert (again.kind, again.record.id == action) == ("held", False)
    identical = gate.hold(again.record.id).identical
    assert identical is not None
    assert (identical.state, identical.reason) == (State.IN_DOUBT, "a person says that it did not run")


def test_a_late_settle_replaces_what_was_said() -> None:
    """The process that ran it knows better; afterwards nobody is asked any more."""
    gate = service()
    action = _doubtful(gate)
    _say(gate, action, ran=False)
    gate.settle(action, End(ok=True, result="1"))
    record = gate.hold(action)
    assert (record.state, record.annotation) == (State.SUCCEEDED, None)
    with pytest.raises(IllegalMove, match="not in doubt any more"):
        _say(gate, action, ran=True)
    assert _codes(gate, action) == ["already_decided"]


def test_another_word_replaces_the_first_and_both_are_logged() -> None:
    """A mistake can be mended; saying the same again is refused with who said it."""
    gate = service()
    action = _doubtful(gate)
    _say(gate, action, ran=True)
    with pytest.raises(IllegalMove, match="alice has said the same"):
        _say(gate, action, BOB, ran=True)
    _say(gate, action, BOB, ran=False)
    found = gate.hold(action).annotation
    assert found is not None
    assert (found.ran, found.person) == (False, BOB)
    assert kinds(gate, action).count("annotate") == 2


@pytest.mark.parametrize("state", ["pending", "approved"])
def test_only_what_is_in_doubt_is_answered(state: str) -> None:
    """A hold that has not started has no such answer."""
    gate = service()
    hold = gate.submit(act(), wait=False).record.id
    if state == "approved":
        answer(gate, hold)
    with pytest.raises(IllegalMove, match=state):
        _say(gate, hold, ran=True)


def test_who_could_not_decide_says_nothing() -> None:
    """A stranger, an operator who is no approver, the person acted for, another store: all are refused."""
    gate = service(text=OPERATED)
    action = _doubtful(gate)
    for person in (CAROL, OLGA):
        with pytest.raises(NotEligible):
            _say(gate, action, person, ran=True)
    asker = Person("T0LOCAL", "U0ASKER", "asker")
    with pytest.raises(NotEligible, match="acts for you"):
        _say(gate, action, asker, ran=True, satisfies=frozenset({"S0FINANCE"}))
    with pytest.raises(IllegalMove, match="another installation"):
        _say(gate, action, ran=True, store="other")
    assert _codes(gate, action) == ["not_eligible", "not_eligible", "asked_for", "other_store"]
    assert gate.hold(action).annotation is None


def test_an_approver_who_was_taken_off_the_policy_says_nothing() -> None:
    """As for decisions, the newest revision counts too."""
    gate = service()
    action = _doubtful(gate)
    gate.apply(policy(POLICY.replace("U0ALICE, ", "")), by="cli:root")
    with pytest.raises(NotEligible):
        _say(gate, action, ran=True)


def test_an_allowed_call_in_doubt_is_asked_about_among_operators() -> None:
    """It gets a card of its own in the policy's channel, for operators alone; a late settle closes it."""
    gate = service(text=OPERATED)
    action = _doubtful(gate, amount=5)
    (notice,) = [each for each in gate.lease_notices(limit=10) if each.hold]
    assert (notice.kind, notice.hold) == ("doubt", action)
    record = gate.ask_operators(action)
    assert record is not None
    assert (record.version, record.state) == (0, State.IN_DOUBT)
    assert record.requirements[0].channels == ("C0APPROVALS",)
    assert [str(each) for each in record.requirements[0].approvers] == ["U0OLGA"]
    assert (record.described, record.arguments) == ("Pay 5 to bob", {"amount": 5, "to": "bob"})
    gate.notice_done(notice.id, channel="C0APPROVALS", ts="1.1")
    gate.learn_card(action, channel="C0APPROVALS", ts="1.1", version=0)
    with pytest.raises(NotEligible, match="operators"):
        _say(gate, action, ALICE, ran=True)
    after = _say(gate, action, OLGA, ran=True)
    assert after.annotation is not None
    assert [each.kind for each in post(gate)] == ["refresh", "reply"]
    gate.settle(action, End(ok=True))
    assert gate.hold(action).state == State.SUCCEEDED
    assert "Known after all" in post(gate)[-1].text


def test_operators_of_the_newest_revision_count_too() -> None:
    """Who is no operator any more answers for nothing."""
    gate = service(text=OPERATED)
    action = _doubtful(gate, amount=5)
    assert gate.ask_operators(action)
    gate.apply(policy(OPERATED.replace("U0OLGA", "U0OTTO")), by="cli:root")
    for person in (OLGA, Person("T0LOCAL", "U0OTTO", "otto")):
        with pytest.raises(NotEligible):
            _say(gate, action, person, ran=True)


def test_without_operators_an_allowed_call_stays_unanswered() -> None:
    """There is nobody to ask, so there is no card, and nobody may say anything."""
    gate = service()
    action = _doubtful(gate, amount=5)
    assert gate.ask_operators(action) is None
    with pytest.raises(NotEligible):
        _say(gate, action, ALICE, ran=True)
    with pytest.raises(IllegalMove):
        gate.hold(action)


def test_an_interrupted_read_is_no_doubt() -> None:
    """A declared read that was interrupted failed, and nobody is asked."""
    gate = service(text=OPERATED)
    read = gate.submit(act("desk.get_orders", id=1)).record.id
    gate.doubt(read, reason="KeyboardInterrupt came while it ran.")
    assert gate.action(read).state == State.FAILED
    assert [each.kind for each in post(gate) if each.hold] == []
    assert gate.ask_operators(read) is None
