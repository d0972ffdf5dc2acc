"""Letters that run from right to left move no digit and no word of another value on a card."""

from __future__ import annotations

import json
import sys
import unicodedata
from dataclasses import replace
from typing import Any

import pytest

from bot.references import Origin, Reference
from bot.views import card, everything, home, inbox, modals, story, whole
from bot.views import text as t
from bot.views.sentence import brief, described
from gate.lifecycle import State
from gate.model import PastCall
from gate.redact import describe
from tests.bot.records import NOW, REFUND, refund
from tests.bot.slack_limits import check_message

FSI, PDI = "\u2068", "\u2069"
ALEF = "\u05d0\u05d1\u05d2"
TEMPLATE = "Pay {args.amount} from {args.source} to {args.target}"
ARGUMENTS: dict[str, Any] = {"amount": 400, "source": ALEF, "target": "55"}
LINE = f"Pay 400 from {ALEF} to 55"
KEPT = f"Pay {FSI}400{PDI} from {FSI}{ALEF}{PDI} to {FSI}55{PDI}"


def _record(line: str = LINE, template: str | None = TEMPLATE, **arguments: Any) -> Any:
    return refund(
        described=line,
        arguments=arguments or ARGUMENTS,
        effect=replace(REFUND.effect, describe=template),
        decisive=(),
    )


def test_every_letter_that_runs_left_is_known_or_spelled() -> None:
    """By Unicode's own table: strong letters from right to left, and the digits of their scripts."""
    missed = [
        hex(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.bidirectional(chr(code)) in ("R", "AL", "AN")
        and not t.runs_left(chr(code))
        and t.visible(chr(code)) == chr(code)
    ]
    assert missed == []


def test_each_value_of_the_line_is_kept_apart() -> None:
    """The digits of one value stay where they are beside the letters of another."""
    assert described(_record()) == KEPT
    assert describe(TEMPLATE, "x", ARGUMENTS) == LINE


def test_a_line_without_such_letters_is_as_it_was() -> None:
    """Nothing is added to it."""
    assert described(REFUND) == REFUND.described
    assert FSI not in json.dumps(card.card(REFUND), ensure_ascii=False)


@pytest.mark.parametrize("value", [f"{ALEF}{PDI} 9", f"{FSI}{ALEF}", f"\u202e{ALEF}", f"\ue000{ALEF}\ue000"])
def test_no_value_leaves_its_isolate(value: str) -> None:
    """What would end it is spelled, as every control is."""
    line = describe(TEMPLATE, "x", {**ARGUMENTS, "source": value})
    shown = described(_record(line, **{**ARGUMENTS, "source": value}))
    assert shown == f"Pay {FSI}400{PDI} from {FSI}{t.one_line(value)}{PDI} to {FSI}55{PDI}"
    assert (shown.count(FSI), shown.count(PDI)) == (3, 3)


@pytest.mark.parametrize("template", [None, "Send {args.amount}", "\ue000{args.source}"])
def test_a_line_that_is_not_the_templates_is_kept_together(template: str | None) -> None:
    """Nothing of ours beside it is moved."""
    assert described(_record(template=template)) == f"{FSI}{LINE}{PDI}"


def test_every_place_that_shows_the_line_keeps_its_values_apart() -> None:
    """Card, notification, home tab, list, forms, the full view and its file."""
    record = _record()
    origin = Origin(Reference.of(record))
    shown = {
        "card": card.card(record),
        "everything": everything.everything(record, origin),
        "approve": modals.approve_form(record, origin),
        "deny": modals.deny_form(record, origin),
        "home": home.home(home.HomePage(mine=(record,))),
        "list": inbox.list_blocks([record], []),
        "file": whole.whole_text(record),
    }
    assert [name for name, view in shown.items() if KEPT not in json.dumps(view, ensure_ascii=False)] == []
    assert KEPT in card.card_text(record)
    check_message(card.card(record), card.card_text(record))


def test_a_notification_keeps_reduced_values_apart() -> None:
    """What is taken out of them leaves the isolates whole."""
    record = _record(arguments={}, amount=400, source=f"{ALEF}{PDI}*", target="55")
    assert brief(record) == f"Pay {FSI}400{PDI} from {FSI}{ALEF}…{PDI} to {FSI}55{PDI}"


@pytest.mark.parametrize("limit", range(12, 40))
def test_an_isolate_that_is_cut_is_ended(limit: int) -> None:
    """What follows the cut is not drawn into it, and the text stays within its limit."""
    cut = t.clip(described(_record()), limit)
    assert t.width(cut) <= limit
    assert cut.count(FSI) == cut.count(PDI)


def test_an_earlier_call_is_kept_apart_from_what_is_said_of_it() -> None:
    """How it ended, and when, stays behind it."""
    past = PastCall("a" * 16, "orders.lookup", LINE, State.SUCCEEDED, NOW, "")
    assert f"{FSI}{LINE}{PDI}: " in json.dumps(story.past_elements(past), ensure_ascii=False)
