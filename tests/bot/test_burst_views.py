"""What a burst adds up to, and its card and forms under hostile arguments."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.views.burst import LISTED, card, card_text, deny_form, freeze_form, loaded
from bot.views.totals import Totals, totals
from gate.lifecycle import State
from gate.model import Burst, BurstHold, HoldRecord, Principal, ResolvedEffect
from tests.bot.records import MARK, NASTY, NOW, hostile, texts
from tests.bot.slack_limits import check_message, check_view, text_objects

MONEY = ResolvedEffect("write", False, True, amount="args.amount", currency="args.currency")
NONE = ResolvedEffect("write", False, True)
few = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def _hold(effect: ResolvedEffect = MONEY, *, hidden: tuple[str, ...] = (), **arguments: Any) -> BurstHold:
    return BurstHold("a" * 16, "pay.out", "Pay", arguments, hidden, effect, NOW, True, "n" * 22)


def _burst(pending: tuple[BurstHold, ...], **changes: Any) -> Burst:
    given: dict[str, Any] = {
        "id": "b" * 16, "store": "s" * 16, "session": "s1", "agent": "support",
        "on_behalf_of": Principal("outside", "customer cus_81"), "channel": "C0APPROVALS", "ts": "1.1",
        "opened_at": NOW, "closed_at": None, "count": 5, "window": timedelta(minutes=10), "pending": pending,
        "ended": {}, "frozen": False,
    }  # fmt: skip
    return Burst(**(given | changes))


def _sum(*holds: BurstHold) -> Totals:
    return totals(holds)


def test_money_adds_up_by_currency_and_exactly() -> None:
    """Decimals keep their digits, codes are read as written, cents become units of their currency."""
    found = _sum(
        _hold(amount={"$decimal": "0.10"}, currency="EUR"),
        _hold(amount=0.2, currency="eur"),
        _hold(amount=5, currency="USD"),
        _hold(
            ResolvedEffect("write", False, True, amount="args.cents", currency="JPY", unit="minor"), cents=70
        ),
        _hold(
            ResolvedEffect("write", False, True, amount="args.cents", currency="EUR", unit="minor"), cents=70
        ),
    )
    assert found.sums == {"EUR": Decimal("1.00"), "JPY": Decimal(70), "USD": Decimal(5)}
    assert found.unread == 0


def test_what_cannot_be_read_is_counted_apart_and_never_as_nothing() -> None:
    """Missing, text, hidden and in no currency: none of them hides in a sum."""
    found = _sum(
        _hold(currency="EUR"),
        _hold(amount="lots", currency="EUR"),
        _hold(amount=9, currency="EUR", hidden=("args.amount",)),
        _hold(amount=7, currency=None),
        _hold(NONE, amount=1000),
    )
    assert (found.unread, found.sums) == (3, {"": Decimal(7)})


def test_recipients_are_counted_once_whatever_their_spelling() -> None:
    """Lists count each; case and space make nobody twice; a hidden one is said, and other texts are none."""
    found = _sum(
        _hold(NONE, to=["A@x.example", "b@x.example"], subject="to c@x.example"),
        _hold(NONE, recipientEmail=" a@x.example "),
        _hold(NONE, customer="(hidden)", hidden=("args.customer",)),
        _hold(NONE, amount=5, total="x"),
    )
    assert (found.recipients, found.hidden) == (2, True)
    assert found.names == (("pay.out", 4),)


@pytest.mark.parametrize("over", [False, True])
def test_long_bursts_are_listed_with_a_count(over: bool) -> None:
    """A card stays a card, however many calls wait."""
    many = tuple(_hold(amount=n, currency="EUR", to=f"{n}@x.example") for n in range(300))
    burst = _burst(many, closed_at=NOW if over else None, ended=dict.fromkeys(State, 3), frozen=True)
    check_message(card(burst), card_text(burst))
    assert (f"and {300 - LISTED} more" in str(card(burst))) != over


@few
@given(hostile(), st.lists(texts, min_size=3, max_size=3))
def test_hostile_bursts_stay_within_limits_and_out_of_markup(record: HoldRecord, given: list[str]) -> None:
    """Slack takes card and forms, and no text of others stands where Slack would read it as markup."""
    marked = [f"{MARK}{each}" for each in given]
    hold = BurstHold(
        record.id, f"a.{marked[0]}", marked[1], dict(record.arguments) | {"to": marked[2]}, record.hidden,
        MONEY, NOW, True, record.nonce,
    )  # fmt: skip
    burst = _burst(
        (hold,) * 30, session=marked[0], agent=marked[1], on_behalf_of=Principal("outside", marked[2])
    )
    check_message(card(burst), card_text(burst))
    check_view(deny_form(burst))
    check_view(freeze_form(burst))
    assert len(deny_form(replace(burst, pending=(hold,) * 2000))["private_metadata"]) <= 3000
    for drawn in (card(burst), deny_form(burst), freeze_form(burst)):
        assert not [text for text in text_objects(drawn, "mrkdwn") if MARK in text]
    assert not any(nasty in card_text(burst) for nasty in NASTY[:2])


def test_the_form_remembers_what_it_is_about_and_nothing_else_is_read() -> None:
    """It gives back where it was opened and a mark for each call; anything else is refused as old."""
    form = deny_form(_burst((_hold(amount=1), replace(_hold(amount=2), nonce="z" * 22))))
    origin, marks = loaded(form["private_metadata"])
    assert (origin.reference.hold, origin.channel) == ("b" * 16, "C0APPROVALS")
    assert marks == {"nnnnnn", "zzzzzz"}
    plain = freeze_form(_burst((_hold(amount=1),)))["private_metadata"]
    for forged in ("", "null", "[]", "[" * 9000, '["x", "nnnnnn"]', '["[]", 5]', plain):
        with pytest.raises(ValueError, match=r"version|Expecting"):
            loaded(forged)
