"""Outcomes are distinct, keep what they know, and say what the agent may read."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from gate import outcomes
from gate.errors import GateError
from gate.model import Decision, Person
from gate.outcomes import CLASSES, Details, Outcome, Ran, Refusal, Refused, outcome, ran
from gate.sentences import SENTENCES

AT = datetime(2026, 1, 1, tzinfo=UTC)
ALICE = Decision(Person("T1", "U1", "Alice"), "approve", "", AT, 1)
BOB = Decision(Person("T1", "U2", "Bob"), "deny", 'No "damage" {claim}.', AT, 1)
KNOWN = Details("abc", "pay.refund", ("refunds/over-250",), "Above the limit.", (ALICE, BOB))

CODES = {
    "Blocked": "blocked frozen too_many_pending no_policy",
    "Denied": "denied",
    "Expired": "expired_unanswered expired_unused",
    "Cancelled": "cancelled_by_operator session_ended caller_gone key_renewed store_adopted edit_not_taken",
    "Undelivered": "not_delivered_in_time delivery_failed nobody_can_approve cannot_tell_who_asked"
    " too_large_to_show",
    "Pending": "pending",
    "InDoubt": "in_doubt interrupted",
    "Failed": "failed",
    "ResultNotKept": "result_not_kept",
}


def test_every_code_has_its_class_and_its_sentence() -> None:
    """The codes of the design are all there, each with one class and one sentence, and no others."""
    designed = {code: name for name, codes in CODES.items() for code in codes.split()}
    assert {code: leaf.__name__ for code, leaf in CLASSES.items()} == designed
    assert set(SENTENCES) == {*designed, "ran"}


@pytest.mark.parametrize("code", sorted(CLASSES))
def test_outcomes_survive_pickling_and_copying(code: str) -> None:
    """A pickled, copied or deeply copied outcome is the same outcome."""
    made = outcome(code, KNOWN)
    for twin in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
        assert type(twin) is type(made)
        assert twin == made
        assert (twin.code, twin.rules, twin.decisions) == (code, KNOWN.rules, KNOWN.decisions)
        assert str(twin) == twin.message_for_agent == made.message_for_agent


@pytest.mark.parametrize("code", sorted(CLASSES))
def test_the_sentence_says_whether_anything_ran(code: str) -> None:
    """A refusal says that nothing ran; no other outcome does, and none lacks the tool's name."""
    made = outcome(code, KNOWN)
    assert ("Nothing ran." in str(made)) == isinstance(made, Refused)
    assert "pay.refund" in str(made)
    assert ("may have taken effect" in str(made)) == (code in {"in_doubt", "interrupted", "failed"})


@pytest.mark.parametrize("code", sorted(CLASSES))
def test_the_sentence_tells_the_agent_not_to_find_another_way(code: str) -> None:
    """Whatever did not simply run tells the agent not to repeat it or not to look for another way."""
    said = str(outcome(code, KNOWN)).lower()
    assert "do not repeat" in said or "do not look for another way" in said


@pytest.mark.parametrize(("words", "read"), [("no claim", '"no claim". '), ("No claim.", '"No claim." ')])
def test_a_comment_ends_before_the_next_sentence(words: str, read: str) -> None:
    """A comment stands word for word, and what the gate says after it begins a sentence of its own."""
    known = replace(KNOWN, decisions=(replace(BOB, comment=words),))
    assert f"with the comment: {read}Nothing ran." in str(outcome("denied", known))


def test_a_reason_ends_before_the_next_sentence() -> None:
    """A reason without a full stop gets one, and one with its own gets no second."""
    for reason in ("Above 250 EUR", "Above 250 EUR."):
        known = replace(KNOWN, reason=reason, decisions=())
        assert "Reason: Above 250 EUR. Nothing ran." in str(outcome("blocked", known))


def test_a_code_of_another_class_is_refused() -> None:
    """An outcome cannot be made with a code that is not its own."""
    with pytest.raises(ValueError, match="Denied has no code 'blocked'"):
        outcomes.Denied("blocked", KNOWN)


def test_refusals_are_apart_from_the_rest() -> None:
    """Refused means surely nothing ran: pending, in doubt, failed and not kept are no refusals."""
    refused = {name for name in CODES if issubclass(getattr(outcomes, name), Refused)}
    assert refused == {"Blocked", "Denied", "Expired", "Cancelled", "Undelivered"}
    assert issubclass(Outcome, GateError)


def test_comments_reach_the_agent_word_for_word() -> None:
    """Comments stand in the sentence as they were written, braces and quotes included."""
    assert 'A person denied with the comment: "No "damage" {claim}."' in str(outcome("denied", KNOWN))
    assert str(outcome("denied", KNOWN)).startswith("A person denied pay.refund.")
    assert "It was held because: Above the limit." in str(outcome("denied", KNOWN))


def test_a_doubt_gives_its_own_reason() -> None:
    """Why nobody knows the end is no reason for which the call was held; an allowed one never was."""
    said = str(outcome("in_doubt", Details("abc", "pay.refund", reason="the process that ran it has died.")))
    assert "Reason: the process that ran it has died." in said
    assert "held" not in said


def test_names_are_told_only_where_the_policy_says_so() -> None:
    """The agent reads "a person" unless the policy tells names."""
    assert "Bob" not in str(outcome("denied", KNOWN))
    named = outcome("denied", Details("abc", "pay.refund", decisions=(BOB,), named=True))
    assert str(named).startswith("Bob denied pay.refund.")


def test_a_run_tells_who_approved_and_what_they_said() -> None:
    """A run that people approved says so once, with their comments; an allowed one only that it ran."""
    fine = Decision(Person("T1", "U1"), "approve", "Within policy.", AT, 1)
    made = ran("re_1", Details("abc", "pay.refund", decisions=(fine, ALICE)))
    assert made.message_for_agent == (
        '2 people approved pay.refund, and it ran once. A person approved with the comment: "Within policy."'
    )
    assert ran(1, Details("abc", "pay.refund")).message_for_agent == "pay.refund ran."
    assert (
        pickle.loads(pickle.dumps(made))
        == made
        == Ran("re_1", True, "abc", made.decisions, (), made.message_for_agent)
    )


def test_a_refusal_is_false_text_that_carries_its_outcome() -> None:
    """A returned refusal is a text that is false, equal to its message, and keeps its outcome."""
    made = outcome("denied", KNOWN)
    text = Refusal(made)
    assert isinstance(text, str)
    assert not text
    assert text == str(made)
    for twin in (pickle.loads(pickle.dumps(text)), copy.copy(text), copy.deepcopy(text)):
        assert twin == text
        assert twin.outcome == made


def test_a_failed_call_names_its_error() -> None:
    """Failed tells class and text of what the tool raised."""
    made = outcome("failed", Details("abc", "pay.refund", error="ValueError: no such charge"))
    assert isinstance(made, outcomes.Failed)
    assert made.error == "ValueError: no such charge"
    assert "pay.refund ran and raised ValueError: no such charge." in str(made)
