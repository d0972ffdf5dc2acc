"""A card fits into one message of Slack's, also where a call brings the most of everything at once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from bot import names
from bot.views.card import Place, card, card_text, must_view
from bot.views.fitting import LEFT_OUT, MOST_BLOCKS, Part, fitted, if_room
from bot.views.inbox import list_blocks
from bot.views.text import fixed
from bot.waiting import MORE
from gate.lifecycle import State
from gate.model import (
    Approver,
    BudgetCall,
    BudgetState,
    Change,
    Decision,
    Edit,
    Evidence,
    Freeze,
    HandOver,
    HoldRecord,
    PastCall,
    Person,
    Principal,
    Requirement,
    Ruling,
)
from tests.bot.bot_fixtures import spell
from tests.bot.records import ALICE, NOW, refund
from tests.bot.slack_limits import check_message

LONG = "w" * 5000
PEOPLE = tuple(Person("T0LOCAL", f"U0D{number}") for number in range(5))
LATER = HandOver(timedelta(minutes=5), tuple(Approver("user", f"U0LATER{number}") for number in range(9)))


def past(digit: int) -> PastCall:
    """Return an earlier call with long words."""
    words: dict[str, Any] = {"described": LONG, "reason": LONG, "by": "U0BOB"}
    return PastCall(
        "a" * 15 + str(digit), "mail.send", state=State.DENIED, held=True, at=NOW, ended_at=NOW, **words
    )


def need(number: int) -> Requirement:
    """Return a requirement of many people."""
    many = tuple(Approver("user", f"U0MANY{number}{each}") for each in range(9))
    rule = f"rules/{number}" + "x" * 60
    return Requirement((rule,), many, 3, ("C0APPROVALS",), distinct=True, hand_over=LATER, hand_over_at=NOW)


def ruling(number: int) -> Ruling:
    """Return a reason with a budget that many calls have used."""
    calls = tuple(BudgetCall("a1", LONG, NOW, {"EUR": Decimal(4999)}) for _ in range(9))
    state = BudgetState(
        digest="d", terms="t", bucket="=s", per="by this agent", kind="money", limits={"EUR": Decimal(5000)},
        window=timedelta(hours=24), charged={"EUR": Decimal(1)}, waiting={}, adds={}, calls=calls,
    )  # fmt: skip
    missing, rule = ("m" * 200,), f"rules/{number}" + "x" * 60
    return Ruling(rule, "require_approval", LONG, "refunds.yml:9", missing, None, state)


def most(state: State, changes: int = 8, edits: int = 5) -> HoldRecord:
    """Return a hold with the most of everything that a card shows uncut, and more of what it cuts."""
    decisive = {f"d{number}": f"{number}" + "v" * 194 for number in range(20)}
    others = {f"o{number}" + "n" * 100: LONG for number in range(30)}
    changed = tuple(Change(f"args.o{number}" + "n" * 100, LONG, LONG) for number in range(changes))
    return refund(
        state=state, described=LONG, agent=LONG, session=LONG, target=LONG, note=LONG, end_reason=LONG,
        result=f'"{LONG}"', arguments=decisive | others, decisive=tuple(f"args.{name}" for name in decisive),
        on_behalf_of=Principal("outside", LONG), not_shown=("p" * 50,) * 20,
        rulings=tuple(map(ruling, range(5))), requirements=tuple(map(need, range(6))),
        decisions=tuple(Decision(each, "approve", LONG[:2000], NOW, 1) for each in PEOPLE),
        evidence=(Evidence(LONG, "strong", "https://shop.example/" + "a" * 300),) * 5,
        history=(past(1), past(2)), denied=(past(3), past(4)), identical=past(5), similar=(past(6),),
        edits=tuple(Edit(version + 2, ALICE, NOW, changed, PEOPLE) for version in range(edits)),
    )  # fmt: skip


@pytest.mark.parametrize("state", State)
def test_a_hold_with_the_most_of_everything_fits_its_card(state: State) -> None:
    """Slack takes it in every state; what does not fit is said to stand in the full view."""
    record = most(state)
    check_message(card(record, Place(local=True)), card_text(record))
    assert LEFT_OUT in spell(card(record))


def test_what_decides_and_the_answers_are_never_left_out() -> None:
    """Twenty long decisive values stand whole, with the last change, the buttons and the terms."""
    record = most(State.PENDING)
    said = spell(card(record))
    assert not must_view(record)
    assert all(f"{number}" + "v" * 194 in said for number in range(20))
    assert all(piece in said for piece in (names.APPROVE, names.DENY, names.VIEW, "Answer by", "Changed by"))
    assert "The agent says" not in said


@pytest.mark.parametrize("length", [2700, 2950, 3500])
@pytest.mark.parametrize("seen_first", [False, True])
def test_values_that_fill_the_most_blocks_leave_room_for_the_rest(length: int, seen_first: bool) -> None:
    """Many values that look like none, and one longer than a block, beside a hidden one that decides."""
    odd = {f"d{number}": "a" + " " * 9 + "b" for number in range(19)} | {"long": "q" * length}
    record = replace(
        most(State.PENDING),
        arguments=odd, decisive=tuple(f"args.{name}" for name in odd), view_required=seen_first,
    )  # fmt: skip
    check_message(card(record), card_text(record))
    assert must_view(record) or all(text in spell(card(record)) for text in ("q" * 2000, "d18"))


def test_the_terms_say_what_they_leave_out() -> None:
    """Five requirements that are all handed over later keep the line that says whether the agent waits.

    What nobody is shown has a count, too.
    """
    needs = tuple(replace(need(number), hand_over_at=NOW + timedelta(minutes=5)) for number in range(5))
    said = spell(card(replace(most(State.PENDING), requirements=needs)))
    pieces = (
        "The agent is waiting",
        "and 1 more requirements",
        "may answer as well",
        "4 more hand-overs",
    )
    assert all(piece in said for piece in pieces)


def test_the_longest_list_fits_into_one_message() -> None:
    """Rows and freezes of the longest words, and all that a list may have to say of what it lacks."""
    freezes = tuple(Freeze("session", LONG[:200], LONG[:200], LONG, NOW) for _ in range(20))
    lacking = MORE.format(most=1000) + "w" * 300
    shown = list_blocks([most(State.PENDING)] * 600, [most(State.APPROVED)] * 400, freezes, lacking=lacking)
    check_message(shown, "1,000 holds")


def test_a_card_with_room_says_nothing_of_it() -> None:
    """An ordinary hold's card shows all of it."""
    assert LEFT_OUT not in spell(card(refund()))


def test_what_comes_first_is_kept_first() -> None:
    """A large piece that is left out leaves room to smaller ones after it, in their order."""
    one = {"type": "section", "text": fixed("x")}
    parts = [Part([one]), if_room([one] * MOST_BLOCKS), if_room([{**one, "block_id": "b"}]), Part([one])]
    assert [each.get("block_id") for each in fitted(parts)] == [None, "b", None, None]
