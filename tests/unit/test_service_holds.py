"""The verbs on a hold: submit, decide, claim, settle, and every end."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from gate.clock import FakeClock
from gate.errors import CallIdReused, IllegalMove, NoSession, NotEligible
from gate.lifecycle import State
from gate.model import Evidence, Notice, Principal
from gate.service import Service
from gate.verbs.claim import End
from tests.kit import ALICE, ASKER, BOB, CAROL, POLICY, act, answer, kinds, policy, post, service


def _forward(gate: Service, **span: float) -> None:
    clock = gate.clock
    assert isinstance(clock, FakeClock)
    clock.advance(timedelta(**span))


def _held(gate: Service, **arguments: Any) -> str:
    submission = gate.submit(act(**arguments))
    assert submission.kind == "held"
    return submission.record.id


def test_allowed_call_runs_and_settles() -> None:
    """An allowed call is running at once, and settles with its result."""
    gate = service()
    done = gate.submit(act(amount=5, to="bob"))
    assert (done.kind, done.record.state) == ("run", State.RUNNING)
    gate.settle(done.record.id, End(True, '"ok"'))
    record = gate.action(done.record.id)
    assert (record.state, record.code, record.result) == (State.SUCCEEDED, "ran", '"ok"')
    assert kinds(gate, done.record.id) == ["submit", "settle"]


def test_blocked_call_ends_without_a_card() -> None:
    """A blocked call is ended, with its reason, and nobody is asked."""
    gate = service()
    post(gate)
    done = gate.submit(act(amount=5000, to="bob"))
    assert (done.kind, done.record.state, done.record.code) == ("ended", State.BLOCKED, "blocked")
    assert done.record.reason == "Never above a thousand."
    assert post(gate) == []


def test_held_call_is_claimed_once_after_approval() -> None:
    """One approval lets the call run once; a second claim does not run it."""
    gate = service()
    hold = _held(gate)
    assert not gate.claim(hold, act()).run
    assert answer(gate, hold, comment="fine").state == State.APPROVED
    claimed = gate.claim(hold, act())
    assert (claimed.run, claimed.record) == (True, gate.action(hold))
    again = gate.claim(hold, act())
    assert (again.run, again.record.state) == (False, State.RUNNING)
    gate.settle(hold, End(True, "1"))
    assert gate.action(hold).decisions[0].comment == "fine"


def test_claim_runs_only_the_approved_call() -> None:
    """A claim with other arguments is refused, and the approval stays for the right ones."""
    gate = service()
    hold = _held(gate)
    answer(gate, hold)
    with pytest.raises(IllegalMove, match="not the one that was approved"):
        gate.claim(hold, act(amount=51, to="bob"))
    assert gate.claim(hold, act()).run


def test_denial_ends_the_hold_and_stands() -> None:
    """A denial ends the hold; nobody can approve it after that."""
    gate = service()
    hold = _held(gate)
    assert answer(gate, hold, said="deny", comment="no claim").state == State.DENIED
    with pytest.raises(IllegalMove, match="already denied by alice") as caught:
        answer(gate, hold, BOB)
    assert caught.value.code == "already_decided"
    assert not gate.claim(hold, act()).run


def test_quorum_needs_different_people() -> None:
    """Two approvals of one person are one; two people meet a quorum of two."""
    gate = service()
    hold = _held(gate, name="desk.fire", who="x")
    assert answer(gate, hold, ALICE).state == State.PENDING
    with pytest.raises(IllegalMove, match="already"):
        answer(gate, hold, ALICE)
    assert answer(gate, hold, BOB).state == State.APPROVED


def test_an_approver_may_turn_approval_into_denial() -> None:
    """Who approved may deny the same version until it is claimed, also as a stop after approval."""
    gate = service()
    first, second = _held(gate, name="desk.fire", who="x"), _held(gate)
    answer(gate, first, ALICE)
    assert answer(gate, first, ALICE, "deny").state == State.DENIED
    answer(gate, second, ALICE)
    assert answer(gate, second, ALICE, "deny").state == State.DENIED
    assert not gate.claim(second, act()).run


def test_no_stop_after_the_claim() -> None:
    """Once the call runs, a denial comes too late and says so."""
    gate = service()
    hold = _held(gate)
    answer(gate, hold)
    gate.claim(hold, act())
    with pytest.raises(IllegalMove, match="already running"):
        answer(gate, hold, BOB, "deny")


def test_strangers_do_not_count() -> None:
    """Somebody who is no approver is refused, recorded, and changes nothing."""
    gate = service()
    hold = _held(gate)
    with pytest.raises(NotEligible):
        answer(gate, hold, CAROL)
    assert gate.hold(hold).state == State.PENDING
    assert "refused" in kinds(gate, hold)


@pytest.mark.parametrize("team", [None, "T0LOCAL", "T0GRID"])
def test_the_person_acted_for_may_not_approve(team: str | None) -> None:
    """Who the agent acts for is refused even though they are among the approvers, whatever team it named."""
    gate = service()
    asker = Principal("person", "U0ALICE", team)
    gate.open_session("s2", agent="desk", on_behalf_of=asker)
    asked = act(session="s2")
    hold = gate.submit(replace(asked, on_behalf_of=asker)).record.id
    with pytest.raises(NotEligible) as caught:
        answer(gate, hold, ALICE)
    assert caught.value.code == "asked_for"
    assert answer(gate, hold, BOB).state == State.APPROVED


def test_stale_nonce_records_nothing() -> None:
    """A button of another version, or another store, decides nothing."""
    gate = service()
    hold = _held(gate)
    with pytest.raises(IllegalMove) as caught:
        answer(gate, hold, nonce="0" * 16)
    assert caught.value.code == "changed"
    with pytest.raises(IllegalMove) as caught:
        answer(gate, hold, store="elsewhere")
    assert caught.value.code == "other_store"
    assert gate.hold(hold).decisions == ()


def test_unanswered_hold_expires_at_its_deadline() -> None:
    """At the deadline itself an answer is late, whether or not a sweep came by."""
    gate = service()
    hold = _held(gate)
    post(gate)
    _forward(gate, hours=1)
    with pytest.raises(IllegalMove) as caught:
        answer(gate, hold)
    assert caught.value.code == "late"
    assert gate.action(hold).code == "expired_unanswered"
    assert gate.sweep() == 0


def test_unposted_hold_ends_undelivered() -> None:
    """A hold whose card Slack did not accept in time is undelivered, not expired."""
    gate = service()
    hold = _held(gate)
    _forward(gate, minutes=10)
    assert gate.sweep() == 1
    assert gate.action(hold).code == "not_delivered_in_time"


def test_unused_approval_expires() -> None:
    """An approval that is not used in time runs nothing."""
    gate = service()
    hold = _held(gate)
    post(gate)
    answer(gate, hold)
    _forward(gate, minutes=30)
    assert not gate.claim(hold, act()).run
    assert gate.action(hold).code == "expired_unused"


def test_sweep_ends_many_and_only_what_is_due() -> None:
    """A sweep ends all that is due, in batches, and leaves the rest."""
    gate = service()
    for number in range(20):
        _held(gate, amount=100 + number, to="bob")
    post(gate)
    _forward(gate, minutes=59)
    late = _held(gate, amount=99, to="bob")
    _forward(gate, minutes=2)
    assert gate.sweep() == 20
    assert gate.action(late).state == State.PENDING


def test_freeze_stops_submit_approve_and_claim_but_not_reads() -> None:
    """While frozen nothing but declared reads runs, and a pending hold can only be denied."""
    gate = service()
    pending, approved = _held(gate), _held(gate, amount=60, to="bob")
    answer(gate, approved)
    assert gate.freeze("everything", by="cli:root", reason="incident")
    assert gate.submit(act(amount=5, to="bob")).record.code == "frozen"
    assert gate.submit(act("desk.get_order", id="1")).kind == "run"
    with pytest.raises(IllegalMove) as caught:
        answer(gate, pending)
    assert caught.value.code == "frozen"
    assert gate.claim(approved, act(amount=60, to="bob")).record.code == "frozen"
    assert answer(gate, pending, said="deny").state == State.DENIED
    gate.unfreeze("everything", by="cli:root", reason="over")
    assert gate.action(approved).state == State.BLOCKED


def test_a_block_applied_elsewhere_stops_the_claim(db: Any) -> None:
    """A new revision applied by another process decides the next claim here."""
    gate = service(db)
    hold = _held(gate)
    answer(gate, hold)
    other = service(db, text=None)
    other.apply(
        policy(POLICY.replace("lte: 1000}}, then: require_approval", "lte: 1000}}, then: block")), by="cli:x"
    )
    assert gate.claim(hold, act()).record.state == State.BLOCKED


def test_a_removed_approver_no_longer_counts(db: Any) -> None:
    """An approver whom the newest revision dropped cannot answer an older hold; given decisions stand."""
    gate = service(db)
    hold = _held(gate)
    other = service(db, text=None)
    other.apply(policy(POLICY.replace("U0ALICE, U0BOB, S0FINANCE", "U0BOB, S0OTHER")), by="cli:x")
    with pytest.raises(NotEligible):
        answer(gate, hold, ALICE)
    assert answer(gate, hold, BOB).state == State.APPROVED


def test_a_larger_quorum_applies_at_once(db: Any) -> None:
    """The quorum is the larger of the hold's and the newest revision's."""
    gate = service(db)
    hold = _held(gate)
    service(db, text=None).apply(
        policy(POLICY.replace("reason: Above ten.", "reason: More., quorum: 2")), by="cli:x"
    )
    assert answer(gate, hold, ALICE).state == State.PENDING
    assert answer(gate, hold, BOB).state == State.APPROVED


def test_the_same_call_id_is_the_same_action() -> None:
    """A call id finds its action in every state; with other arguments it is refused and nothing runs."""
    gate = service()
    hold = gate.submit(act(call_id="c1")).record.id
    assert gate.submit(act(call_id="c1")).record.id == hold
    with pytest.raises(CallIdReused):
        gate.submit(act(call_id="c1", amount=51, to="bob"))
    answer(gate, hold)
    assert gate.claim(hold, act(call_id="c1")).run
    assert gate.submit(act(call_id="c1")).kind == "joined"
    gate.settle(hold, End(True, "7"))
    ended = gate.submit(act(call_id="c1"))
    assert (ended.kind, ended.record.result) == ("ended", "7")


def test_a_poll_without_call_id_finds_its_hold() -> None:
    """The same call without a waiter re-attaches; beside a live waiter it is a hold of its own."""
    gate = service()
    first = gate.submit(act(), wait=False)
    second = gate.submit(act(), wait=False)
    assert second.record.id == first.record.id
    waiting = gate.submit(act())
    assert waiting.record.id == first.record.id
    beside = gate.submit(act())
    assert (beside.kind, beside.record.id == first.record.id) == ("held", False)
    assert gate.hold(beside.record.id).identical is not None


def test_a_repeat_soon_after_denial_gets_the_denial() -> None:
    """Within ask_again_after the old denial answers; later, or with new evidence, people are asked again."""
    gate = service()
    hold = _held(gate)
    answer(gate, hold, said="deny")
    repeat = gate.submit(act())
    assert (repeat.kind, repeat.record.id) == ("ended", hold)
    gate.add_evidence("s1", [Evidence("The claim was verified.")])
    again = gate.submit(act())
    assert again.kind == "held"
    answer(gate, again.record.id, said="deny")
    _forward(gate, seconds=60)
    assert gate.submit(act()).kind == "held"


def test_sessions_keep_their_owner() -> None:
    """A call in an unknown, ended or foreign session is refused and recorded."""
    gate = service()
    with pytest.raises(NoSession):
        gate.submit(act(session="nowhere"))
    with pytest.raises(NoSession, match="cannot change hands"):
        gate.open_session("s1", agent="other", on_behalf_of=ASKER)
    hold = _held(gate)
    assert gate.end_session("s1") == 1
    assert gate.action(hold).code == "session_ended"
    with pytest.raises(NoSession, match="ended"):
        gate.submit(act())
    assert kinds(gate).count("refused") == 2


def test_failed_delivery_ends_the_hold() -> None:
    """A card that Slack refuses for good ends the hold with the reason."""
    gate = service()
    hold = _held(gate)
    (card,) = [notice for notice in gate.lease_notices() if notice.kind == "card"]
    gate.notice_failed(card, error="channel_not_found")
    assert gate.action(hold).code == "delivery_failed"


def test_no_card_overtakes_an_older_one_of_its_session() -> None:
    """While a card is posted or has to be tried again, the next ones of its session wait; others do not."""
    gate = service()
    gate.open_session("s2", agent="desk", on_behalf_of=ASKER)
    made = [
        gate.submit(act(session=each, amount=50 + n), wait=False).record.id
        for n, each in enumerate(("s1", "s1", "s2"))
    ]
    first, other = [each for each in gate.lease_notices() if each.kind == "card"]
    assert [first.hold, other.hold] == [made[0], made[2]]
    gate.notice_retry(first, after=timedelta(seconds=5), error="http_500")
    assert gate.lease_notices() == []
    _forward(gate, seconds=5)
    (again,) = gate.lease_notices()
    gate.notice_done(again.id, channel=again.channel, ts="1.1")
    assert [each.hold for each in gate.lease_notices()] == [made[1]]


def test_leased_notices_are_nobody_elses() -> None:
    """A leased notice is not leased again before its lease ends."""
    gate = service()
    _held(gate)
    assert gate.lease_notices()
    assert gate.lease_notices() == []
    _forward(gate, seconds=31)
    assert gate.lease_notices()


def _leased_cards(gate: Service) -> list[Notice]:
    return [notice for notice in gate.lease_notices() if notice.kind == "card"]


def test_who_held_a_lease_that_ran_out_decides_nothing() -> None:
    """Another has the notice since: it is neither given back nor given up for them, nor once it is posted."""
    gate = service()
    hold = _held(gate)
    (late,) = _leased_cards(gate)
    _forward(gate, seconds=31)
    (card,) = _leased_cards(gate)
    gate.notice_retry(late, after=timedelta(), error="http_500")
    gate.notice_failed(late, error="channel_not_found")
    assert _leased_cards(gate) == []
    assert gate.action(hold).state is State.PENDING
    gate.notice_done(card.id, channel="C0APPROVALS", ts="5.5")
    gate.notice_failed(card, error="channel_not_found")
    assert gate.action(hold).state is State.PENDING


def test_what_was_posted_counts_after_the_lease_too() -> None:
    """The message stands, whoever has the notice by then, so it is a card of the hold; none is asked for."""
    gate = service()
    hold = _held(gate)
    (late,) = _leased_cards(gate)
    _forward(gate, seconds=31)
    (again,) = _leased_cards(gate)
    for notice, ts in ((late, "5.5"), (again, "6.6"), (late, "5.5")):
        gate.notice_done(notice.id, channel="C0APPROVALS", ts=ts)
    assert [card.ts for card in gate.hold(hold).cards] == ["5.5", "6.6"]
    _forward(gate, seconds=31)
    assert _leased_cards(gate) == []


def test_a_card_posted_after_the_end_is_refreshed() -> None:
    """A card that was under way while the hold ended is learnt and brought up to date."""
    gate = service()
    hold = _held(gate)
    (card,) = [notice for notice in gate.lease_notices() if notice.kind == "card"]
    gate.cancel(hold, by="cli:x", reason="wrong")
    post(gate)
    gate.notice_done(card.id, channel="C0APPROVALS", ts="5.5")
    assert gate.hold(hold).cards[0].ts == "5.5"
    assert "refresh" in [notice.kind for notice in gate.lease_notices()]


def test_the_full_view_must_be_opened_where_a_decisive_value_is_hidden() -> None:
    """A hidden decisive value needs the view opened by that very person; a denial does not."""
    text = POLICY.replace("{args.amount: {gt: 10, lte: 1000}}", "{args.password: {exists: true}}")
    gate = service(text=text)
    hold = _held(gate, amount=50, to="bob", password="hunter2hunter2")
    with pytest.raises(IllegalMove) as caught:
        answer(gate, hold, ALICE)
    assert caught.value.code == "view_required"
    gate.record_view(hold, nonce=gate.hold(hold).nonce, person=BOB)
    with pytest.raises(IllegalMove):
        answer(gate, hold, ALICE)
    assert answer(gate, hold, BOB).state == State.APPROVED


def test_nothing_redacted_is_stored(db: Any) -> None:
    """A secret argument stands in no file of the store."""
    gate = service(db)
    _held(gate, amount=50, to="bob", password="hunter2hunter2")
    gate.close()
    assert all(b"hunter2" not in path.read_bytes() for path in db.parent.iterdir())


def test_required_comment_is_asked_for() -> None:
    """Where the policy asks for a comment, an answer without one is not recorded."""
    gate = service(text=POLICY.replace("deny: optional", "deny: required"))
    hold = _held(gate)
    with pytest.raises(IllegalMove) as caught:
        answer(gate, hold, said="deny", comment="  ")
    assert caught.value.code == "comment_required"
    assert answer(gate, hold, said="deny", comment="no").state == State.DENIED


def test_nobody_approves_before_it_is_known_who_asked() -> None:
    """While an address is not looked up yet, nobody can answer, since they might be the one acted for."""
    gate = service()
    asked = Principal("email", "alice@example.com")
    gate.open_session("s2", agent="desk", on_behalf_of=asked)
    hold = gate.submit(replace(act(session="s2"), on_behalf_of=asked)).record.id
    with pytest.raises(NotEligible) as caught:
        answer(gate, hold, BOB)
    assert caught.value.code == "lookup_failed"
    gate.who_asked(hold, ALICE)
    with pytest.raises(NotEligible):
        answer(gate, hold, ALICE)
    assert answer(gate, hold, BOB).state == State.APPROVED


def test_unknown_asker_ends_the_hold() -> None:
    """An address that belongs to no single member ends the hold undelivered."""
    gate = service()
    hold = _held(gate)
    gate.who_asked(hold, None)
    assert gate.action(hold).code == "cannot_tell_who_asked"


def test_replaced_files_do_not_come_back_by_a_restart(db: Any) -> None:
    """A start with files that were replaced keeps the newer revision; going back is explicit."""
    first = service(db)
    newer = policy(POLICY + "\n# newer\n")
    first.apply(newer, by="cli:x")
    again = service(db)
    assert again.policy().revision == newer.revision
    assert again.apply(policy(), by="cli:x")
    assert first.policy().revision == policy().revision


def test_a_start_that_replaces_another_policy_says_so(db: Any, caplog: Any) -> None:
    """One loud line where a policy was in force and is not any more; none at the first start and the next."""
    service(db)
    service(db)
    assert [each for each in caplog.records if "replace the policy" in each.getMessage()] == []
    service(db, text=POLICY + "\n# another project's\n")
    (told,) = (each for each in caplog.records if "replace the policy" in each.getMessage())
    assert told.levelname == "WARNING"
    assert policy().revision[:12] in told.getMessage()
    assert "GATE_DB" in told.getMessage()


def test_a_denied_call_is_remembered_with_its_comment() -> None:
    """The next card's history tells what the person said, not what the rule says."""
    gate = service()
    first = _held(gate)
    answer(gate, first, said="deny", comment="No claim on file.")
    gate.add_evidence("s1", [Evidence("Something new.")])
    again = gate.hold(_held(gate))
    assert again.identical is not None
    assert again.identical.reason == again.history[0].reason == "No claim on file."
