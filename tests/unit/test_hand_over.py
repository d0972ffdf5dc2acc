"""Reminders and hand-over: planned with the hold, at their time, never loosening what people must meet."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from gate.clock import FakeClock
from gate.errors import IllegalMove, NotEligible
from gate.lifecycle import State
from gate.model import HandOver, Notice, Person, Requirement
from gate.policy.load import load_texts
from gate.policy.policyset import PolicySet
from gate.requirements import merge
from gate.service import Service
from tests.kit import ALICE, BOB, CAROL, POLICY, act, answer, kinds, policy, service, with_rule
from tests.policy_kit import only_problem

MINUTE = timedelta(minutes=1)
DAN = Person("T0LOCAL", "U0DAN", "dan")
ONLY = "approvers: [U0ALICE, U0BOB, S0FINANCE], expires_in: 1h"
TIMED = POLICY.replace(
    ONLY, ONLY + ", remind_before: [30m, 10m], hand_over: {after: 20m, approvers: [U0CAROL]}"
)
QUIET = POLICY
ALSO = "id: also, when: {args.amount: {gt: 10}}, reason: Also."
BOTH = with_rule(POLICY, f"{ALSO}, hand_over: {{after: 20m, approvers: [U0CAROL]}}")
"""Two rules with the same approvers, of which only one is handed over."""


def _clock(gate: Service) -> FakeClock:
    assert isinstance(gate.clock, FakeClock)
    return gate.clock


def _hold(gate: Service, **more: Any) -> str:
    """Return a hold whose card is posted."""
    hold = gate.submit(act(**more), wait=False).record.id
    for notice in gate.lease_notices(limit=100):
        gate.notice_done(notice.id, channel=notice.channel, ts=f"1.{notice.id}")
    return hold


def _due(gate: Service, kind: str) -> list[Notice]:
    """Return the notices of a kind that are due now; others are done."""
    found = gate.lease_notices(limit=100)
    for each in found:
        if each.kind != kind:
            gate.notice_done(each.id, channel=each.channel, ts=f"1.{each.id}")
    return [each for each in found if each.kind == kind]


def _needs(text: str, rule: str = "desk/large") -> Requirement:
    found = load_texts({"desk.yml": text}).requirement_of(rule)
    assert found is not None
    return found


def _approve(gate: Service, hold: str, person: Person, *entries: str) -> State:
    return answer(gate, hold, person, satisfies=frozenset({person.user, *entries})).state


def test_both_keys_are_read_with_their_times_in_order() -> None:
    """Reminders stand longest first; names of the file may stand in a hand-over."""
    text = TIMED.replace("name: desk", "name: desk\nnames: {carol: U0CAROL}").replace(
        "[U0CAROL]}", "[carol]}"
    )
    need = _needs(text.replace("[30m, 10m]", "[10m, 30m]"))
    assert need.remind_before == (30 * MINUTE, 10 * MINUTE)
    assert need.hand_over is not None
    assert (need.hand_over.after, [str(each) for each in need.hand_over.approvers]) == (
        20 * MINUTE,
        ["U0CAROL"],
    )
    assert "U0CAROL" in [str(each) for each in policy(TIMED).approvers()]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("remind_before: 1h", "must be a list"),
        ("remind_before: [soon]", "not a duration"),
        ("remind_before: [1h, 1h]", "different durations"),
        ("remind_before: [1h]", "1h before the end never comes: people have 1h"),
        ("hand_over: {after: 20m}", "approvers"),
        ("hand_over: {after: 1h, approvers: [U0CAROL]}", "never comes"),
        ("hand_over: {after: 20m, approvers: [U0ALICE]}", "among the approvers already"),
        ("hand_over: {after: 20m, approvers: [U0CAROL], to: x}", "not a key here"),
        ("hand_over: [U0CAROL]", "mapping"),
    ],
)
def test_what_could_never_come_does_not_load(written: str, said: str) -> None:
    """A reminder or hand-over at or before the start or after the end, and people who may answer already."""
    text = (
        "version: 1\ndefault: require_approval\n"
        f"approvals: {{channel: C0APPROVALS, approvers: [U0ALICE], expires_in: 1h, {written}}}\n"
    )
    assert said in only_problem(text)


def test_a_quorum_that_needs_the_hand_over_loads() -> None:
    """Two people are asked of one approver where the hand-over brings the second in time."""
    shared = "approvals: {channel: C0APPROVALS, approvers: [U0ALICE], quorum: 2%s}\n"
    handed = ", hand_over: {after: 1h, approvers: [U0BOB]}"
    assert load_texts({"a.yml": "default: require_approval\n" + shared % handed})
    assert "can never be met" in only_problem("default: require_approval\n" + shared % "")


def test_requirements_with_other_hand_overs_stay_apart() -> None:
    """Same approvers and same hand-over merge, with every reminder; any other hand-over stays apart."""
    timed, quiet = _needs(TIMED), _needs(QUIET)
    later = _needs(TIMED.replace("after: 20m", "after: 25m").replace("[30m, 10m]", "[5m]"))
    more = _needs(TIMED.replace("[30m, 10m]", "[5m, 30m]"), "desk/two")
    assert len(merge((timed, quiet))) == 2
    assert len(merge((timed, later))) == 2
    (merged,) = merge((timed, more))
    assert merged.remind_before == (30 * MINUTE, 10 * MINUTE, 5 * MINUTE)
    assert merged.hand_over == timed.hand_over


def test_reminders_are_due_at_their_times_and_posted_once() -> None:
    """Each is leased at its time, may be posted by one bot alone, and stands in the log."""
    gate = service(text=TIMED.replace(", hand_over: {after: 20m, approvers: [U0CAROL]}", ""))
    hold = _hold(gate)
    assert _due(gate, "remind") == []
    _clock(gate).advance(30 * MINUTE)
    (notice,) = _due(gate, "remind")
    assert notice.hold == hold
    assert gate.notice_begin(notice.id)
    assert not gate.notice_begin(notice.id)
    gate.notice_done(notice.id)
    _clock(gate).advance(20 * MINUTE)
    (last,) = _due(gate, "remind")
    assert last.id != notice.id
    assert kinds(gate, hold).count("remind") == 1


def test_a_try_that_surely_failed_is_made_again_and_another_is_not() -> None:
    """What Slack refused may be posted later; a bot that died while posting is not repeated."""
    gate = service(text=TIMED)
    _hold(gate)
    _clock(gate).advance(30 * MINUTE)
    (notice,) = _due(gate, "remind")
    assert gate.notice_begin(notice.id)
    gate.notice_retry(notice, after=timedelta(seconds=1), error="ratelimited")
    _clock(gate).advance(MINUTE)
    (again,) = _due(gate, "remind")
    assert gate.notice_begin(again.id)
    _clock(gate).advance(MINUTE)
    (third,) = _due(gate, "remind")
    assert third.id == notice.id
    assert not gate.notice_begin(third.id)


def test_of_two_reminders_that_are_late_only_the_last_is_posted() -> None:
    """After an outage people are reminded once, not for each time that went by."""
    gate = service(text=TIMED)
    _hold(gate)
    _clock(gate).advance(55 * MINUTE)
    found = _due(gate, "remind")
    assert [gate.notice_begin(each.id) for each in found] == [False, True]


@pytest.mark.parametrize("ended", ["approve", "deny", "cancel", "expire"])
def test_nobody_is_reminded_of_what_is_decided_or_over(ended: str) -> None:
    """Neither reminders nor hand-overs come once the hold is not pending any more."""
    gate = service(text=TIMED)
    hold = _hold(gate)
    if ended in ("approve", "deny"):
        answer(gate, hold, said=ended)  # type: ignore[arg-type]
    elif ended == "cancel":
        gate.cancel(hold, by="cli:root", reason="No.")
    _clock(gate).advance(timedelta(minutes=61 if ended == "expire" else 31))
    gate.sweep()
    found = [each for each in gate.lease_notices(limit=100) if each.kind in ("remind", "hand_over")]
    assert not any(gate.notice_begin(each.id) for each in found)
    assert not gate.hand_over(hold).done


def test_a_reminder_whose_time_is_past_at_the_call_is_left_out() -> None:
    """A rule with a shorter time to answer shares the reminders of another, as far as they still come."""
    text = with_rule(
        TIMED,
        f"{ALSO}, expires_in: 25m, remind_before: [5m], hand_over: {{after: 20m, approvers: [U0CAROL]}}",
    )
    gate = service(text=text)
    _hold(gate)
    assert _due(gate, "remind") == []
    _clock(gate).advance(15 * MINUTE)
    (ten,) = _due(gate, "remind")
    assert gate.notice_begin(ten.id)
    gate.notice_done(ten.id)
    _clock(gate).advance(5 * MINUTE)
    assert len(_due(gate, "remind")) == 1


def test_a_hold_is_handed_over_at_its_time_and_not_before() -> None:
    """Until then the others count for nothing; from then on they count as approvers do."""
    gate = service(text=TIMED)
    hold = _hold(gate)
    _clock(gate).advance(20 * MINUTE - timedelta(microseconds=1))
    with pytest.raises(NotEligible):
        _approve(gate, hold, CAROL)
    assert not gate.hand_over(hold).done
    _clock(gate).advance(timedelta(microseconds=1))
    (notice,) = _due(gate, "hand_over")
    assert gate.hand_over(hold).done
    assert gate.notice_begin(notice.id)
    record = gate.hold(hold)
    assert [str(each) for each in record.requirements[0].approvers] == [
        "U0ALICE",
        "U0BOB",
        "S0FINANCE",
        "U0CAROL",
    ]
    (log,) = [each.body for each in gate.records(action=hold) if each.body["kind"] == "hand_over"]
    assert (log["rules"], log["approvers"]) == (["desk/large"], ["U0CAROL"])
    assert _approve(gate, hold, CAROL) == State.APPROVED
    assert not gate.hand_over(hold).done


def test_the_clock_hands_over_even_where_no_bot_has_announced_it() -> None:
    """An answer that comes at the time counts; nobody has to post anything first."""
    gate = service(text=TIMED)
    hold = _hold(gate)
    _clock(gate).advance(20 * MINUTE)
    assert _approve(gate, hold, CAROL) == State.APPROVED
    assert kinds(gate, hold)[-2:] == ["hand_over", "approve"]


def test_who_could_answer_before_still_can() -> None:
    """A hand-over adds people and takes nobody away."""
    gate = service(text=TIMED)
    hold = _hold(gate)
    _clock(gate).advance(25 * MINUTE)
    assert gate.hand_over(hold).done
    assert _approve(gate, hold, BOB) == State.APPROVED


def test_whom_one_rule_adds_meets_no_other_rule() -> None:
    """Two rules with the same approvers: after the hand-over of one, its people alone do not approve."""
    gate = service(text=BOTH)
    hold = _hold(gate)
    assert len(gate.hold(hold).requirements) == 2
    _clock(gate).advance(25 * MINUTE)
    assert _approve(gate, hold, CAROL) == State.PENDING
    assert _approve(gate, hold, ALICE) == State.APPROVED


def test_the_quorum_stays_what_it_was() -> None:
    """Where two must approve, one of the added people is one of two."""
    gate = service(text=TIMED)
    hold = _hold(gate, name="desk.fire", who="x")
    _clock(gate).advance(20 * MINUTE)
    assert _approve(gate, hold, CAROL) == State.PENDING
    assert _approve(gate, hold, ALICE) == State.APPROVED


def test_who_approved_before_the_hand_over_counts_once() -> None:
    """An approval given before stands, and the same person is not a second one after it."""
    gate = service(text=TIMED)
    hold = _hold(gate, name="desk.fire", who="x")
    assert _approve(gate, hold, ALICE) == State.PENDING
    _clock(gate).advance(25 * MINUTE)
    with pytest.raises(IllegalMove, match="approved this already"):
        _approve(gate, hold, ALICE)
    record = gate.hold(hold)
    assert (record.state, len(record.decisions)) == (State.PENDING, 1)
    assert record.requirements[0].handed
    assert _approve(gate, hold, CAROL) == State.APPROVED


def test_what_is_met_is_not_handed_over() -> None:
    """Of two requirements only the one that still lacks somebody gets more people."""
    text = with_rule(TIMED, f"{ALSO}, approvers: [U0DAN], hand_over: {{after: 20m, approvers: [U0ERIN]}}")
    gate = service(text=text)
    hold = _hold(gate)
    assert _approve(gate, hold, DAN) == State.PENDING
    _clock(gate).advance(30 * MINUTE)
    gate.hand_over(hold)
    handed = {each.rules: each.handed for each in gate.hold(hold).requirements}
    assert handed == {("desk/also",): False, ("desk/large",): True}


def _applied(gate: Service, text: str) -> PolicySet:
    made = policy(text)
    gate.apply(made, by="cli:root")
    return made


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (QUIET, False),
        (TIMED.replace("after: 20m", "after: 50m"), False),
        (TIMED.replace("[U0CAROL]}", "[U0DAN]}"), False),
        (TIMED.replace("after: 20m", "after: 5m"), True),
    ],
    ids=["taken away", "later", "others", "sooner"],
)
def test_the_newest_revision_can_only_tighten(text: str, after: bool) -> None:
    """Where the policy of now does not hand it over, or later, or to others, the old ones do not count."""
    gate = service(text=TIMED)
    hold = _hold(gate)
    _applied(gate, text)
    _clock(gate).advance(25 * MINUTE)
    if after:
        assert _approve(gate, hold, CAROL) == State.APPROVED
        return
    for person in (CAROL, DAN):
        with pytest.raises(NotEligible):
            _approve(gate, hold, person)


def test_a_sooner_hand_over_of_a_newer_revision_waits_for_the_old_time() -> None:
    """The hold keeps the time that people were told."""
    gate = service(text=TIMED)
    hold = _hold(gate)
    _applied(gate, TIMED.replace("after: 20m", "after: 5m"))
    _clock(gate).advance(10 * MINUTE)
    with pytest.raises(NotEligible):
        _approve(gate, hold, CAROL)


def test_the_person_acted_for_is_not_let_in_by_a_hand_over() -> None:
    """Whom the agent acts for may not approve, whoever adds them."""
    gate = service(text=TIMED.replace("[U0CAROL]}", "[U0ASKER]}"))
    hold = _hold(gate)
    _clock(gate).advance(25 * MINUTE)
    with pytest.raises(NotEligible, match="acts for you"):
        _approve(gate, hold, Person("T0LOCAL", "U0ASKER", "asker"))


def test_merging_what_was_handed_over_with_what_was_not_keeps_its_people_and_time() -> None:
    """A changed call that the same rule holds again stays handed over, as one requirement."""
    need = _needs(TIMED)
    assert need.hand_over == HandOver(20 * MINUTE, need.hand_over.approvers)  # type: ignore[union-attr]
    gate = service(text=TIMED)
    hold = _hold(gate)
    _clock(gate).advance(25 * MINUTE)
    gate.hand_over(hold)
    (handed,) = gate.hold(hold).requirements
    for order in ((handed, need), (need, handed)):
        (merged,) = merge(order)
        assert (merged.handed, merged.hand_over_at) == (True, handed.hand_over_at)
        assert set(merged.approvers) == set(handed.approvers)


def test_nothing_is_handed_over_from_the_deadline_on() -> None:
    """A hold that nobody swept yet has ended at its deadline: nobody is added to it any more."""
    gate = service(text=TIMED)
    hold = _hold(gate)
    _clock(gate).advance(gate.hold(hold).expires_at - _clock(gate).now())
    assert not gate.hand_over(hold).done
    assert "hand_over" not in kinds(gate, hold)
