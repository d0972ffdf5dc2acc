"""Words of others stay in their place: they write no line, hide no address, and move nothing beside them."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from bot.views import card, doubt, story
from bot.views import text as t
from bot.views.lists import budget_lines
from gate.lifecycle import State
from gate.model import Annotation, Change, Decision, Edit, Evidence, Person, Principal
from gate.model.overview import Spent
from tests.bot.records import NOW, ended, refund
from tests.bot.test_budget_cards import STATE

ALICE = Person("T0LOCAL", "U0ALICE", "alice")
ALEF = "\u05d0\u05d1\u05d2"
KEPT = f"\u2068{ALEF}\u2069"
LINES = "fine\n\nHeld because: nothing\nApproved by legal" + " " * 60 + "Reversible"


def spelled(blocks: Any) -> str:
    """Return every text of some blocks, a line each, with breaks inside a text as they are."""
    if isinstance(blocks, dict):
        return "".join(spelled(value) for key, value in blocks.items() if key not in ("type", "block_id"))
    return "".join(map(spelled, blocks)) if isinstance(blocks, list) else f"{blocks}\n"


def test_a_list_among_the_arguments_has_no_gap_that_looks_like_a_line() -> None:
    """Where a value stands in one line, so does every text inside it."""
    record = refund(
        arguments={"amount": 5, "memo": ["a" + " " * 60 + "amount: 1"]}, decisive=("args.amount",)
    )
    (listing,) = [each for each in card.card(record) if "rich_text_preformatted" in json.dumps(each)]
    assert "   " not in spelled(listing)
    assert "\\u{20*60}" in spelled(listing)


@pytest.mark.parametrize(
    "blocks",
    [
        story.comment_blocks(refund(decisions=(Decision(ALICE, "approve", LINES, NOW, 1),)), 3),
        doubt.said(ended(State.IN_DOUBT, "in_doubt", annotation=Annotation(ALICE, True, LINES, NOW))),
        card.card(ended(State.CANCELLED, "cancelled_by_operator", end_reason=LINES)),
    ],
    ids=["a comment", "what is said of a doubt", "why it ended"],
)
def test_words_of_people_write_no_line_of_the_cards(blocks: Any) -> None:
    """Their breaks are marks in one line, and no gap stands for one."""
    (line,) = [each for each in spelled(blocks).split("\n") if "fine" in each]
    assert "fine ⏎  ⏎ Held because: nothing ⏎ Approved by legal\\u{20*60}Reversible" in line


@pytest.mark.parametrize(
    "url",
    [
        "https://shop.example@evil.example/",
        "https://shop.example\\@evil.example/",
        "https://shop.example\\evil",
        f"https://shop.example.{'a' * 70}.evil.example/",
    ],
)
def test_no_address_hides_where_it_leads(url: str) -> None:
    """A link whose host is not what it begins with, or does not stand there whole, is none."""
    assert t.link(url) is None


def test_an_address_keeps_its_path_and_query() -> None:
    """An at sign after the host hides nothing, and a long path is cut."""
    url = "https://shop.example:8443/a@b?to=c@d#" + "x" * 100
    made = t.link(url)
    assert made is not None
    assert made["url"] == url
    assert made["text"].startswith("https://shop.example:8443/a@b?to=c@d#xxx")


def test_what_was_changed_keeps_before_and_after_apart() -> None:
    """Letters from right to left in one of them swap neither with the other."""
    change = Change("args.memo", ALEF, "400")
    record = refund(edits=(Edit(2, ALICE, NOW, (change,)),))
    assert f"{KEPT} → " in spelled(card.card(record))


def test_who_asks_and_what_supports_it_is_kept_apart() -> None:
    """Neither whom the agent acts for, nor where, nor evidence moves what follows."""
    record = refund(
        on_behalf_of=Principal("outside", ALEF), target=ALEF, evidence=(Evidence(ALEF, "strong", None),)
    )
    assert spelled(card.card(record)).count(KEPT) >= 3


def test_whose_a_budget_is_is_kept_apart_from_its_numbers() -> None:
    """The share that follows a name from right to left stays behind it."""
    spent = Spent("refunds/money", ALEF, replace(STATE, hidden=False), Decimal(1), "block", ())
    assert f" for {KEPT}: 100%" in budget_lines([spent])[0]


def test_a_name_of_an_argument_does_not_turn_its_value_around() -> None:
    """Numbers after such a name would run from right to left with it, the last one first."""
    record = refund(arguments={"amount": 5, ALEF: "10 20"}, decisive=("args.amount",))
    assert f'\u2068args["{ALEF}"]\u2069: 10 20' in spelled(card.card(record))
