"""What the card says, in which order, and which buttons it has."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot import names
from bot.references import Reference
from bot.views.card import Place, card, card_text, must_view
from bot.views.text import Shown
from bot.views.values import decisive_values
from gate.lifecycle import State
from gate.model import Decision, PastCall, ResolvedEffect
from tests.bot.records import ALICE, BOB, FINANCE, NOW, ended, refund
from tests.bot.slack_limits import check_message, objects


def said(blocks: list[dict[str, Any]]) -> str:
    """Return a card as one text."""
    return json.dumps(blocks, ensure_ascii=False)


def button(blocks: list[dict[str, Any]], action_id: str) -> dict[str, Any] | None:
    """Return the element with this action id, if there is one."""
    return next((found for found in objects(blocks) if found.get("action_id") == action_id), None)


def test_the_card_keeps_its_order() -> None:
    """What would happen comes first, then who, why, values, buttons, terms, the rest."""
    record = refund(note="please hurry", history=(PastCall("a", "b.c", "looked up", State.SUCCEEDED, NOW),))
    whole = said(card(record))
    order = [
        "Refund 400.00 EUR on ORD-1",
        '"support"',
        " asks",
        "customer cus_81",
        "cannot be undone",
        "leaves the company",
        "Held because: ",
        "Refund above the delegated limit.",
        "amount: ",
        '"400.00"',
        "gate:approve",
        "gate:deny",
        "gate:view",
        "Answer by",
        "<!subteam^S0FINANCE>",
        "The agent is waiting.",
        "Hold 01234567 of session conversation-4711",
        "reason: arrived damaged",
        "Order delivered 2026-02-20",
        "last call: ",
        "The agent says, unverified",
        "Not shown: ctx",
    ]
    places = [whole.find(piece) for piece in order]
    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("risk", "reversible", "style"),
    [
        ("write", True, "primary"),
        ("write", False, None),
        ("destructive", True, None),
        ("read", True, "primary"),
    ],
)
def test_approve_is_never_green_where_it_cannot_be_undone(
    risk: Any, reversible: bool, style: str | None
) -> None:
    """Destructive and irreversible calls have a plain Approve button."""
    record = refund(effect=ResolvedEffect(risk, reversible, False))
    approve = button(card(record), names.APPROVE)
    assert approve is not None
    assert approve.get("style") == style


def test_the_confirmation_repeats_what_would_happen() -> None:
    """The dialog before Approve says the describe line and that it runs once, now."""
    approve = button(card(refund()), names.APPROVE)
    assert approve is not None
    assert approve["confirm"]["text"]["text"] == "Refund 400.00 EUR on ORD-1\n\nRuns once, now."


def test_buttons_carry_the_version_and_nothing_else() -> None:
    """Every button names store, hold and version mark."""
    record = refund()
    for action_id in (names.APPROVE, names.DENY):
        found = button(card(record), action_id)
        assert found is not None
        assert Reference.parse(found["value"]) == Reference.of(record)


def test_decisive_values_are_whole_and_others_are_counted() -> None:
    """Eight other arguments stand on the card, then a number."""
    arguments = {"amount": 1} | {f"other{n}": n for n in range(12)}
    whole = said(card(refund(arguments=arguments, decisive=("args.amount",))))
    assert "other7: 7" in whole
    assert "other8" not in whole
    assert "and 4 more" in whole


@pytest.mark.parametrize("changes", [{"arguments": {"amount": "9" * 5000}}, {"view_required": True}])
def test_a_card_that_cannot_show_a_decisive_value_says_so(changes: dict[str, Any]) -> None:
    """A cut or hidden decisive value asks for the full view first."""
    record = refund(decisive=("args.amount",), **changes)
    assert must_view(record)
    assert "before you approve" in said(card(record))
    assert "before you approve" not in said(card(refund()))


def test_an_approved_call_can_be_stopped_until_it_starts() -> None:
    """Approved: a Stop button, no Approve. Running: neither."""
    approved = refund(
        state=State.APPROVED,
        use_by=NOW + timedelta(hours=1),
        decisions=(Decision(ALICE, "approve", "fine by me", NOW, 1),),
    )
    assert button(card(approved), names.STOP)
    assert not button(card(approved), names.APPROVE)
    assert "fine by me" in said(card(approved))
    running = refund(state=State.RUNNING, decisions=approved.decisions)
    assert not button(card(running), names.STOP)


DENIED = (Decision(BOB, "deny", "No damage claim on file for this order.", NOW, 1),)
APPROVED = (Decision(ALICE, "approve", "Damage claim verified.", NOW, 1, counts=frozenset({0})),)


@pytest.mark.parametrize(
    ("record", "pieces"),
    [
        (
            ended(State.DENIED, "denied", decisions=DENIED),
            ["*Denied.*", "<@U0BOB>", "No damage claim", "Nothing ran"],
        ),
        (
            ended(State.SUCCEEDED, "ran", decisions=APPROVED, result='"re_1"'),
            ["*Ran once.*", "<@U0ALICE>", "Damage claim verified.", "re_1"],
        ),
        (
            ended(State.FAILED, "failed", end_reason="ValueError: no"),
            ["may have taken effect", "ValueError: no"],
        ),
        (ended(State.EXPIRED, "expired_unanswered"), ["nobody answered in time", "Nothing ran"]),
        (ended(State.EXPIRED, "expired_unused"), ["did not start it in time", "Nothing ran"]),
        (ended(State.CANCELLED, "session_ended"), ["session has ended", "Nothing ran"]),
        (ended(State.UNDELIVERED, "delivery_failed"), ["Undelivered", "Nothing ran"]),
        (ended(State.BLOCKED, "frozen", decisions=APPROVED), ["frozen", "Nothing ran"]),
        (ended(State.IN_DOUBT, "in_doubt"), ["nobody knows how it ended"]),
    ],
)
def test_a_closed_card_says_how_it_ended(record: Any, pieces: list[str]) -> None:
    """Each end state tells who, the comment, the result, and whether anything ran; nothing can be pressed."""
    whole = card(record)
    check_message(whole, card_text(record))
    for piece in pieces:
        assert piece in said(whole).replace('\\"', '"')
    assert not button(whole, names.APPROVE)
    assert not button(whole, names.DENY)
    assert not button(whole, names.STOP)


def test_a_closed_card_says_nothing_twice() -> None:
    """Why a call was held is no reason that it ran; an expired card says why once; a result is bare."""
    ran = said(card(ended(State.SUCCEEDED, "ran", result='"re_1"', end_reason="Refund above the limit.")))
    assert "Because" not in ran
    assert '\\"re_1' not in ran
    expired = ended(State.EXPIRED, "expired_unanswered", end_reason="Nobody answered in time.")
    assert "Because" not in said(card(expired))
    assert "Because: The incident." in said(card(ended(State.BLOCKED, "frozen", end_reason="The incident.")))


def test_a_partial_quorum_shows_who_approved() -> None:
    """The terms name how many are needed and who has approved so far."""
    record = refund(requirements=(replace(FINANCE, quorum=2),), decisions=APPROVED)
    whole = said(card(record))
    assert "2 approvals from" in whole
    assert "1 so far, <@U0ALICE>. *1 more needed*" in whole


def test_a_local_card_says_what_it_is() -> None:
    """Cards of the local workspace and of a replaced channel say so."""
    whole = said(card(refund(requirements=(replace(FINANCE, staging=True),)), Place(local=True)))
    assert "Local workspace, not Slack" in whole
    assert "GATE_CHANNEL" in whole
    assert "GATE_CHANNEL" not in said(card(refund(), Place(local=True)))


def test_the_notification_reduces_every_value() -> None:
    """Values keep letters, digits and a few marks, sixty characters each; the template stays."""
    record = refund(arguments={"amount": "1" * 100, "currency": "<!here>", "order_id": "ORD-1"})
    assert card_text(record) == f"Approval needed: Refund {'1' * 59}… …here… on ORD-1"


def test_two_identical_calls_of_two_runs_can_be_told_apart() -> None:
    """The card says which hold of which session it is, with as much of the id as commands take."""
    one, two = (
        said(card(refund(id=id_, session=run))) for id_, run in (("a" * 16, "run-1"), ("b" * 16, "run-2"))
    )
    assert "Hold aaaaaaaa of session run-1" in one
    assert "Hold bbbbbbbb of session run-2" in two


def test_a_list_says_how_many_it_has() -> None:
    """Recipients are counted where they are shown, decisive or not."""
    arguments = {"to": ["a@x.example", "b@x.example"], "cc": ["c@x.example"]}
    whole = said(card(refund(arguments=arguments, decisive=("args.to",))))
    assert "to (2 items): " in whole
    assert "cc (1 item): " in whole


def test_several_requirements_say_who_is_still_needed() -> None:
    """A met requirement names who met it, the other is still needed, and nobody counts in both."""
    needs = (FINANCE, replace(FINANCE, approvers=FINANCE.approvers[1:], distinct=True))
    whole = said(card(refund(requirements=needs, decisions=APPROVED)))
    assert "One approval from <!subteam^S0FINANCE>, <@U0CAROL>: given by <@U0ALICE>." in whole
    assert "*Still needed*: one approval from <@U0CAROL> (people who count nowhere else)." in whole
    both = (replace(APPROVED[0], counts=frozenset({0, 1})),)
    assert "one more person, since somebody counts only once here" in said(
        card(refund(requirements=needs, decisions=both))
    )


@pytest.mark.parametrize(("reversible", "style"), [(True, None), (False, "danger")])
def test_the_confirmation_is_not_green_where_it_cannot_be_undone(reversible: bool, style: str | None) -> None:
    """Slack draws a confirmation green unless it is told otherwise."""
    approve = button(card(refund(effect=ResolvedEffect("write", reversible, False))), names.APPROVE)
    assert approve is not None
    assert approve["confirm"].get("style") == style


def test_a_closed_card_ends_with_its_button() -> None:
    """Nothing but the line that tells holds apart stands below it, and what was asked about is short."""
    blocks = card(ended(State.DENIED, "denied", decisions=DENIED))
    assert [each["type"] for each in blocks[-2:]] == ["actions", "context"]
    assert "Evidence" not in said(blocks)
    assert "4 min after the call" in said(
        card(ended(State.DENIED, "denied", decisions=(replace(DENIED[0], at=NOW + timedelta(minutes=4)),)))
    )


def test_what_this_agent_was_denied_before_is_said_with_when_by_whom_and_why() -> None:
    """A denial in whatever session stands on the card with its date, and that it is one stands there once."""
    past = PastCall("p" * 16, "a.b", "Refund 9 EUR", State.DENIED, NOW, "No claim.", True, "U0BOB", NOW)
    whole = said(card(refund(denied=(past, past))))
    assert "Refund 9 EUR: denied" not in whole
    for piece in (
        "this agent was denied: ",
        "Refund 9 EUR",
        "U0BOB",
        "(No claim.)",
        "1 more denials",
    ):
        assert piece in whole
    assert str(int(NOW.timestamp())) in whole


def test_the_first_button_is_the_view_where_it_must_be_opened() -> None:
    """Where a decisive value does not stand on the card, the way to it comes before the answers."""
    row = next(each for each in card(refund(view_required=True)) if each["type"] == "actions")
    assert [each["action_id"] for each in row["elements"]][:2] == [names.VIEW, names.APPROVE]
    assert row["elements"][0]["style"] == "primary"
    assert "style" not in row["elements"][1]


def test_a_value_with_a_wide_gap_stands_in_a_box_of_its_own() -> None:
    """Wrapped in a line of bold values it would look like two of them."""
    faked = "ORD-1" + " " * 60 + "amount: 5"
    record = refund(arguments={"order_id": faked, "amount": 400, "currency": "EUR"})
    values = {value.label: value for value in decisive_values(record)}
    assert not values[Shown("order_id")].short
    boxes = [block for block in card(record) if "rich_text_preformatted" in str(block)]
    assert faked in said(boxes)
