"""What ``gate stats`` counts: rates by rule, times to decide, quick answers, days, hours and agents."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from gate.clock import FakeClock
from gate.model import Action
from gate.policy.backtest import LoggedAnswer, LoggedCall, LoggedEdit
from gate.policy.evaluate import evaluate
from gate.policy.trying import with_answer
from gate.service import Service
from gate.stats import RuleStats, Stats, collect
from tests.kit import ALICE, BOB, EDITABLE, POLICY, act, answer, change, policy, post, service

SECOND = timedelta(seconds=1)


class Desk:
    """A store in memory whose clock the test moves."""

    def __init__(self, text: str = POLICY) -> None:
        self.clock = FakeClock()
        self.start, self.calls = self.clock.now(), 0
        self.gate: Service = service(text=text, clock=self.clock)

    def held(self, *, after: float = 60, said: Any = "approve", name: str = "desk.pay", **keys: Any) -> str:
        """Hold a call, show its card, and let somebody answer it so many seconds later; or nobody."""
        person, changed = keys.pop("person", ALICE), keys.pop("change", None)
        self.calls += 1
        arguments = keys or {"amount": 50, "to": "bob"}
        submission = self.gate.submit(act(name, call_id=str(self.calls), **arguments))
        assert submission.kind == "held"
        hold = submission.record.id
        post(self.gate)
        self.clock.advance(after * SECOND)
        if changed is not None:
            change(self.gate, hold, person, amount=changed)
        elif said:
            answer(self.gate, hold, person, said)
        else:
            self.gate.sweep()
        self.clock.advance(SECOND)
        return hold

    def stats(self) -> Stats:
        """Count everything so far."""
        return collect(self.gate, self.start, self.clock.now() + SECOND, options=" --db x")


@pytest.fixture
def desk() -> Desk:
    """Return an empty store."""
    return Desk()


def _rule(found: Stats, rule: str) -> RuleStats:
    (one,) = [each for each in found.rules if each.rule == rule]
    return one


def test_an_empty_store_has_nothing_to_tell(desk: Desk) -> None:
    """Nothing is divided by nothing, and nothing is a candidate."""
    found = desk.stats()
    assert (found.holds, found.rules, found.candidates, found.people, found.agents) == (0, (), (), (), ())
    assert (found.deciding.count, found.deciding.median, found.deciding.p90) == (0, None, None)
    assert found.hours == (0,) * 24
    assert len(found.days) == 1


def test_a_rule_that_is_nearly_always_approved_is_offered_to_be_let_go(desk: Desk) -> None:
    """Over 95% of at least fifty, silence counted as no approval, with the ranges and the command."""
    for number in range(48):
        desk.held(amount=20 + number, to="bob")
    desk.held(amount=900, to="bob", said="deny")
    assert _rule(desk.stats(), "desk/large").candidate == "", "98%, but of 49 only"
    desk.held(amount=70, to="bob")
    one = _rule(desk.stats(), "desk/large")
    assert (one.held, one.approved, one.denied, one.unanswered, one.rate) == (50, 49, 1, 0, 0.98)
    assert (one.candidate, one.place) == ("allow", "desk.yml:14")
    assert one.command == "gate policy backtest --try desk/large=allow --since 30d --db x"
    assert "amount approved 20.00–70.00 EUR, denied 900.00 EUR" in map(str, one.ranges)
    for _ in range(2):
        desk.held(amount=30, to="bob", said="", after=3601)
    one = _rule(desk.stats(), "desk/large")
    assert (one.unanswered, one.candidate) == (2, ""), "49 of 52 are less than 95%"


def test_what_people_changed_first_is_no_reason_to_let_a_rule_go() -> None:
    """Approved after an edit counts apart, with what was submitted; it makes no rule a candidate."""
    desk = Desk(EDITABLE)
    for number in range(50):
        desk.held(amount=100 + number, to="bob", said="", change=20)
    one = _rule(desk.stats(), "desk/large")
    assert (one.held, one.approved, one.changed, one.rate, one.candidate) == (50, 0, 50, 0.0, "")
    assert "amount changed 100.00–149.00 EUR" in map(str, one.ranges)
    for _ in range(3):
        desk.held(amount=50, to="bob")
    desk.held(amount=900, to="bob", said="deny")
    one = _rule(desk.stats(), "desk/large")
    assert (one.approved, one.changed, one.denied, one.candidate) == (3, 50, 1, "")
    assert "amount approved 50.00 EUR, changed 100.00–149.00 EUR, denied 900.00 EUR" in map(str, one.ranges)
    assert (desk.stats().approved, desk.stats().changed, desk.stats().agents[0].changed) == (3, 50, 50)
    assert desk.stats().deciding.count == 54


def test_the_log_tells_a_replay_what_a_call_was_changed_to() -> None:
    """The values that it had from the change on, between its submit and its approval."""
    desk = Desk(EDITABLE)
    hold = desk.held(amount=400, to="bob", said="", change=20)
    found = list(desk.gate.logged(desk.start, desk.clock.now() + SECOND, lambda done, all_: None))
    assert isinstance(found[0], LoggedCall)
    assert found[1:] == [LoggedEdit(hold, {"amount": 20, "to": "bob"}), LoggedAnswer(hold, "approved")]


def test_exactly_95_percent_is_not_enough(desk: Desk) -> None:
    """More than 95% is asked for."""
    for number in range(60):
        desk.held(amount=20, to="bob", said="deny" if number < 3 else "approve")
    one = _rule(desk.stats(), "desk/large")
    assert (one.rate, one.candidate) == (0.95, "")


def test_a_rule_that_was_never_approved_is_offered_to_block(desk: Desk) -> None:
    """What nobody answered says nothing about the rule."""
    desk.held(name="desk.fire", who="bob", said="", after=3601)
    assert _rule(desk.stats(), "desk/two").candidate == ""
    desk.held(name="desk.fire", who="bob", said="deny")
    one = _rule(desk.stats(), "desk/two")
    assert (one.candidate, one.rate) == ("block", 0.0)
    assert "--try desk/two=block" in one.command


def test_a_rule_that_the_policy_has_no_more_is_counted_and_no_candidate(desk: Desk) -> None:
    """There is nothing to try it on."""
    desk.held(said="deny")
    desk.gate.apply(policy(POLICY.replace("id: large", "id: renamed")), by="test")
    one = _rule(desk.stats(), "desk/large")
    assert (one.held, one.place, one.candidate, one.command) == (1, "", "", "")


def test_times_to_decide_are_those_from_the_card(desk: Desk) -> None:
    """Median and the ninth of ten; what was expired unanswered is not decided."""
    for number in range(1, 11):
        desk.held(after=number * 10)
    desk.held(said="", after=3601)
    found = desk.stats().deciding
    assert (found.count, found.median, found.p90) == (10, 50 * SECOND, 90 * SECOND)


def test_quick_answers_are_counted_by_person(desk: Desk) -> None:
    """Less than three seconds after Slack had accepted the card, denials too."""
    desk.held(after=2.9)
    desk.held(after=3)
    desk.held(after=1, said="deny")
    desk.held(after=100, person=BOB)
    people = {each.user: (each.answers, each.quick) for each in desk.stats().people}
    assert people == {"U0ALICE": (3, 2), "U0BOB": (1, 0)}


def test_days_and_hours_are_in_utc_and_days_without_holds_are_there(desk: Desk) -> None:
    """Each hold counts where it was asked for."""
    desk.held(after=1)
    desk.clock.advance(timedelta(days=2, hours=3))
    desk.held(after=1)
    found = desk.stats()
    assert list(found.days.values()) == [1, 0, 1]
    assert sum(found.hours) == 2
    assert found.hours[desk.start.hour] == 1


def test_agents_with_most_denials_come_first(desk: Desk) -> None:
    """By agent, with what became of their holds."""
    desk.held()
    desk.gate.open_session("s2", agent="other", on_behalf_of=None)
    hold = desk.gate.submit(Action("desk.pay", {"amount": 50, "to": "bob"}, "other", "s2")).record.id
    post(desk.gate)
    answer(desk.gate, hold, said="deny")
    found = desk.stats()
    assert [(each.agent, each.held, each.approved, each.denied) for each in found.agents] == [
        ("other", 1, 0, 1),
        ("desk", 1, 1, 0),
    ]


def test_each_hold_is_one_of_five(desk: Desk) -> None:
    """Approved (also where the call then failed or ran out), denied, unanswered, waiting, ended otherwise."""
    approved = desk.held()
    desk.clock.advance(timedelta(hours=1))
    desk.gate.sweep()
    assert desk.gate.hold(approved).code == "expired_unused"
    stopped = desk.held(amount=60, to="bob")
    answer(desk.gate, stopped, BOB, "deny")
    desk.held(said="", after=3601)
    waiting = desk.held(said="", amount=70, to="bob")
    cancelled = desk.held(said="", amount=80, to="bob")
    desk.gate.cancel(cancelled, by="test", reason="Why.")
    found = desk.stats()
    assert waiting
    counted = (found.holds, found.approved, found.denied, found.unanswered, found.waiting, found.ended)
    assert counted == (5, 1, 1, 1, 1, 1)


# ---- trying another answer --------------------------------------------------------------------------------


def test_a_rule_a_default_and_a_budget_can_be_tried_with_another_answer() -> None:
    """In a set of its own; the one in force stays as it is."""
    budget = "budgets:\n  - {id: b, limit: 0, per: agent, window: 1h, match: desk.pay}\n"
    before = policy(POLICY + budget)
    large = with_answer(before, "desk/large", "allow")
    assert evaluate(before, act(amount=50, to="bob")).answer == "require_approval"
    assert evaluate(large, act(amount=50, to="bob")).answer == "allow"
    assert evaluate(with_answer(before, "desk/large", "block"), act(amount=50, to="bob")).answer == "block"
    assert evaluate(with_answer(before, "desk/default", "allow"), act("desk.other", a=1)).answer == "allow"
    assert with_answer(before, "desk/b", "allow").budgets == ()
    assert with_answer(before, "desk/b", "block").budgets[0].ruling.answer == "block"
    assert before.budgets
    for unknown in ("desk/none", "other/large", "large"):
        with pytest.raises(ValueError, match="is no rule, budget or default"):
            with_answer(before, unknown, "allow")
