"""Every view stays within Slack's limits and keeps text of others out of markup, whatever the arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.references import Origin, Reference
from bot.views import doubt, nudge
from bot.views.card import Place, card, card_text, must_view
from bot.views.edits import edit_form
from bot.views.everything import MOST_PAGES, everything, fits_view, paged
from bot.views.home import HomePage, home
from bot.views.inbox import budget_blocks, list_blocks, show_blocks
from bot.views.modals import approve_form, deny_form, told
from bot.views.values import decisive_values
from gate.lifecycle import State
from gate.model import Decision, Evidence, Field, Freeze, HoldRecord, PastCall
from gate.model.overview import Answered
from tests.bot.gallery import SPENT
from tests.bot.records import BOB, MARK, NASTY, NOW, hostile, refund, texts
from tests.bot.slack_limits import check_message, check_view, objects, text_objects

DENIED = Decision(BOB, "deny", "no", NOW, 1)
thorough = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def origin(record: HoldRecord, page: int = 0) -> Origin:
    """Return where a modal about this record was opened from."""
    return Origin(Reference.of(record), "C0APPROVALS", "1.2", page)


def _page(record: HoldRecord) -> HomePage:
    """Return a home tab full of this record's texts."""
    said = record.decisions[0] if record.decisions else DENIED
    past = [*record.history, *record.denied, *record.similar]
    return HomePage(
        (record,) * 13,
        (record,) * 6,
        tuple(Answered(each, said) for each in past[:5]),
        tuple(replace(SPENT[0], rule="a/b", whose=record.session) for _ in range(3)),
        tuple(Freeze("agent", record.agent, record.session, record.end_reason, NOW) for _ in range(2)),
        ids=frozenset({"U0ALICE"}),
    )


HUGE: dict[str, dict[str, Any]] = {
    "one megabyte": {"a": "x" * 1_000_000},
    "a megabyte of line breaks": {"a": "\n" * 300_000},
    "hidden characters": {"a": "\u200b" * 200_000},
    "five hundred keys": {f"key {n}": n for n in range(500)},
    "three hundred recipients": {"to": [f"person{n}@rival.example" for n in range(300)]},
    "long names": {"k" * 3000: "v", "<!channel>" * 50: 1},
    "astral": {"a": "😀" * 20_000},
    "nasty": {f"{n}": text for n, text in enumerate(NASTY)},
}


@thorough
@given(hostile())
def test_hostile_cards_stay_within_limits(record: HoldRecord) -> None:
    """Slack takes the card in every state, whatever stands in it."""
    check_message(card(record, Place(local=True)), card_text(record))


@thorough
@given(hostile())
def test_hostile_modals_stay_within_limits(record: HoldRecord) -> None:
    """Slack takes each modal and the home tab, whatever stands in them."""
    check_view(deny_form(record, origin(record)))
    check_view(approve_form(record, origin(record)))
    check_view(doubt.form(record, origin(record), ran=True))
    check_view(edit_form(record, origin(record), [Field("args.amount", "text")]))
    page = _page(record)
    check_view(home(page, local=True))
    check_message(budget_blocks(page.budgets), "x")
    check_message(list_blocks([record] * 3, [record], page.freezes), "x")
    check_message(show_blocks(record, Place(local=True)), "x")
    pages = paged(record)
    for number in range(len(pages.pages)):
        check_view(everything(record, origin(record, number), pages))


@pytest.mark.parametrize("arguments", HUGE.values(), ids=HUGE.keys())
@pytest.mark.parametrize("state", [State.PENDING, State.DENIED])
def test_huge_calls_stay_within_limits(arguments: dict[str, Any], state: State) -> None:
    """Slack takes the card and every page of a call of any size."""
    record = refund(arguments=arguments, decisive=(), state=state)
    check_message(card(record), card_text(record))
    pages = paged(record)
    for page in range(len(pages.pages)):
        check_view(everything(record, origin(record, page), pages))


@pytest.mark.parametrize("arguments", HUGE.values(), ids=HUGE.keys())
def test_a_cut_value_is_said_and_stands_whole_in_the_view(arguments: dict[str, Any]) -> None:
    """A card that does not show every decisive value says so, and the pages do show it."""
    record = refund(arguments=arguments, decisive=())
    if not fits_view(record):
        return
    values = decisive_values(record)
    seen = "".join(
        found["text"]
        for page in paged(record).pages[: paged(record).decisive]
        for found in objects(list(page))
        if found.get("type") == "text"
    )
    assert all(value.text in seen for value in values)
    on_card = str(card(record))
    if not must_view(record):
        assert all(repr(str(value.text))[1:-1] in on_card for value in values)


def test_what_no_view_can_show_is_known() -> None:
    """A call whose decisive values need more pages than anybody reads is told apart."""
    record = refund(arguments={"a": "\n".join(["word"] * 400_000)}, decisive=())
    assert not fits_view(record)
    assert len(paged(record).pages) == MOST_PAGES


@thorough
@given(st.lists(texts, min_size=1, max_size=4), st.sampled_from(list(State)))
def test_no_text_of_others_reaches_markup(parts: list[str], state: State) -> None:
    """Arguments, notes, names and reasons never stand in a mrkdwn field or raw in the notification."""
    mark = MARK + parts[0][:300] + MARK
    past = PastCall("p" * 16, mark, mark, State.DENIED, NOW, mark, held=True, by=mark, ended_at=NOW)
    spoilt = refund(
        described=mark,
        arguments={mark: mark, "amount": mark},
        agent=mark,
        session=mark,
        target=mark,
        note=mark,
        end_reason=mark,
        result=mark,
        state=state,
        evidence=(Evidence(mark, "weak", mark),),
        history=(past,),
        identical=replace(past, action_id="i" * 16),
        denied=(past,),
        similar=(past,),
        decisions=(replace(DENIED, said="approve", comment=mark),),
    )
    views = [
        card(spoilt),
        everything(spoilt, origin(spoilt)),
        deny_form(spoilt, origin(spoilt)),
        approve_form(spoilt, origin(spoilt)),
        home(_page(spoilt)),
        budget_blocks(_page(spoilt).budgets),
        list_blocks([spoilt]),
        show_blocks(spoilt, Place()),
        doubt.form(spoilt, origin(spoilt), ran=True),
        edit_form(spoilt, origin(spoilt), [Field("args.amount", "text")]),
        nudge.reminder(spoilt, spoilt.requirements[0].approvers)[0],
        told("x", mark),
    ]
    assert not [text for view in views for text in text_objects(view, "mrkdwn") if MARK in text]
    assert not set(card_text(spoilt)) & set("<>`*_~")
    assert not [each for view in views for each in objects(view) if each.get("type") == "emoji"]


def test_the_longest_lists_stay_within_limits() -> None:
    """Lists of more than anybody reads are cut with a count, within Slack's limits."""
    long = refund(described="d" * 1000, session="s" * 1000, agent="a" * 1000)
    many = _page(long)
    many = replace(
        many, mine=(long,) * 200, others=(long,) * 200, budgets=SPENT * 100, freezes=many.freezes * 50
    )
    check_view(home(many, local=True))
    check_message(budget_blocks(many.budgets), "x")
    check_message(list_blocks(many.mine, many.others, many.freezes), "x")
