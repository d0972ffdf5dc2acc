"""The form to change a call: an input for each type, within Slack's limits, and only real changes count."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given as given_
from hypothesis import settings
from hypothesis import strategies as st

from bot import names
from bot.edited import given
from bot.references import Origin, Reference
from bot.views import edits
from bot.views.card import card, card_text
from bot.views.everything import everything
from gate.lifecycle import State
from gate.model import Change, Edit, Field, HoldRecord
from gate.values import format_path
from tests.bot.records import ALICE, BOB, NOW, REFUND
from tests.bot.slack_limits import check_message, check_view, text_objects

ORIGIN = Origin(Reference.of(REFUND), "C0APPROVALS", "1.1")
LEVELS = {"enum": ["low", "high"], "type": "string"}


def held(value: Any) -> HoldRecord:
    """Return a hold with one argument."""
    return replace(REFUND, arguments={"v": value}, decisive=(), editable=("args.v",))


def element(value: Any, field: Field) -> dict[str, Any] | None:
    """Return the input's element in the form for one value; None where there is none."""
    view = edits.edit_form(held(value), ORIGIN, [field])
    check_view(view)
    found = [each for each in view["blocks"] if each.get("block_id") == edits.block_of(field.path)]
    return found[0]["element"] if found else None


@pytest.mark.parametrize(
    ("value", "field", "expected"),
    [
        (400, Field("args.v", "whole"), {"type": "number_input", "is_decimal_allowed": False,
                                         "initial_value": "400"}),
        ({"$int": "9007199254740993"}, Field("args.v", "whole"), {"initial_value": "9007199254740993"}),
        ({"$decimal": "400.00"}, Field("args.v", "decimal"), {"type": "number_input",
                                                              "is_decimal_allowed": True,
                                                              "initial_value": "400.00"}),
        ({"$decimal": "1E+3"}, Field("args.v", "decimal"), {"type": "plain_text_input"}),
        (1e-7, Field("args.v", "float"), {"type": "number_input", "initial_value": "0.0000001"}),
        (5, Field("args.v", "whole", schema={"type": "integer", "minimum": 1, "maximum": 9}),
         {"min_value": "1", "max_value": "9"}),
        ({"$decimal": "5"}, Field("args.v", "decimal", schema={"anyOf": [{"type": "number", "maximum": 9},
                                                                         {"type": "string"}]}),
         {"max_value": "9"}),
        ("bob", Field("args.v", "text"), {"type": "plain_text_input", "multiline": False,
                                          "initial_value": "bob"}),
        ("a\nb", Field("args.v", "text"), {"multiline": True, "initial_value": "a\nb"}),
        ("low", Field("args.v", "text", schema=LEVELS), {"type": "static_select"}),
        ("eur", Field("args.v", "enum", "m.C", {"EUR": "eur", "USD": "usd"}), {"type": "static_select"}),
        ("2026-11-29", Field("args.v", "date"), {"type": "datepicker", "initial_date": "2026-11-29"}),
        (True, Field("args.v", "flag"), {"type": "checkboxes"}),
        (["a", "b"], Field("args.v", "texts"), {"multiline": True, "initial_value": "a\nb"}),
        (None, Field("args.v", "whole", optional=True), {"type": "number_input"}),
    ],
)  # fmt: skip
def test_each_type_has_its_input(value: Any, field: Field, expected: dict[str, Any]) -> None:
    """Numbers, texts, choices, dates and flags have the input that fits, holding the present value."""
    found = element(value, field)
    assert found is not None
    assert {key: found.get(key) for key in expected} == expected
    assert given(held(value), [field], {}) == {}


@pytest.mark.parametrize("value", ["x" * 3001, "a\u202eb", "tail\u200b"])
def test_what_an_input_cannot_hold_as_it_is_has_none(value: str) -> None:
    """A text that is too long, or that nobody could see as it is, is named instead of being offered."""
    view = edits.edit_form(held(value), ORIGIN, [Field("args.v", "text")])
    assert not [each for each in view["blocks"] if each.get("block_id") == "edit:args.v"]
    assert "v" in view["blocks"][1]["elements"][0]["text"]


def state(kind: str, value: Any) -> dict[str, Any]:
    """Return the state of the one input as Slack sends it."""
    return {"edit:args.v": {names.FIELD: {"type": kind, **value}}}


@pytest.mark.parametrize(
    ("now", "field", "sent", "expected"),
    [
        ({"$decimal": "400.00"}, Field("args.v", "decimal"), {"value": "400"}, {}),
        ({"$decimal": "400.00"}, Field("args.v", "decimal"), {"value": "400.01"}, {"args.v": "400.01"}),
        ("a \nb\n", Field("args.v", "text"), {"value": "a\r\nb"}, {}),
        ("a", Field("args.v", "text"), {"value": "b"}, {"args.v": "b"}),
        ("a", Field("args.v", "text", optional=True), {"value": None}, {"args.v": None}),
        ("odd", Field("args.v", "text", optional=True, schema=LEVELS), {"selected_option": None}, {}),
        ("low", Field("args.v", "text", schema=LEVELS), {"selected_option": {"value": "1:high"}},
         {"args.v": "high"}),
        ("low", Field("args.v", "text", schema=LEVELS), {"selected_option": {"value": "0:low"}}, {}),
        ("eur", Field("args.v", "enum", "m.C", {"EUR": "eur", "USD": "usd"}),
         {"selected_option": {"value": "1:USD"}}, {"args.v": "USD"}),
        ("eur", Field("args.v", "enum", "m.C", {"EUR": "eur", "USD": "usd"}),
         {"selected_option": {"value": "0:EUR"}}, {}),
        (True, Field("args.v", "flag"), {"selected_options": []}, {"args.v": "false"}),
        (False, Field("args.v", "flag"), {"selected_options": [{"value": "on"}]}, {"args.v": "true"}),
        (None, Field("args.v", "flag", optional=True), {"selected_options": []}, {}),
        ("2026-11-29", Field("args.v", "date"), {"selected_date": "2026-12-01"}, {"args.v": "2026-12-01"}),
        ("2026-11-29", Field("args.v", "date"), {"selected_date": "2026-11-29"}, {}),
        (["a", "b"], Field("args.v", "texts"), {"value": "a"}, {"args.v": "a"}),
    ],
)  # fmt: skip
def test_only_what_differs_from_the_present_value_is_a_change(
    now: Any, field: Field, sent: dict[str, Any], expected: dict[str, Any]
) -> None:
    """What Slack trims or rounds, and what was left alone, is no change."""
    assert given(held(now), [field], state("x", sent)) == expected


CHANGED = replace(
    REFUND,
    version=2,
    editable=("args.amount",),
    edits=(Edit(2, ALICE, NOW, (Change("args.amount", {"$decimal": "400"}, {"$decimal": "250"}),), (BOB,)),),
)


def text_of(blocks: Any) -> str:
    """Return every text in blocks."""
    if isinstance(blocks, dict):
        return " ".join(text_of(value) for value in blocks.values())
    return " ".join(map(text_of, blocks)) if isinstance(blocks, list) else str(blocks)


@pytest.mark.parametrize("state_", [State.PENDING, State.APPROVED, State.SUCCEEDED, State.DENIED])
def test_every_card_of_a_changed_call_says_what_was_changed(state_: State) -> None:
    """Who, what before and after, and whose approval is void, while it waits and when it is over."""
    record = replace(CHANGED, state=state_, use_by=NOW + timedelta(hours=1), ended_at=NOW)
    shown = card(record)
    check_message(shown, card_text(record))
    said = text_of(shown)
    for piece in ("Changed by", "U0ALICE", "amount 400 → ", "250", "Void", "U0BOB"):
        assert piece in said
    assert ("Edit and approve" in said) is (state_ is State.PENDING)
    assert "Changed before approval" in text_of(everything(record, ORIGIN))


def test_after_the_fifth_change_nobody_is_offered_another() -> None:
    """The button is gone where the store would refuse."""
    many = tuple(replace(CHANGED.edits[0], version=number) for number in range(2, 7))
    assert "Edit and approve" not in text_of(card(replace(CHANGED, version=6, edits=many)))
    assert "and 4 earlier changes" in text_of(card(replace(CHANGED, version=6, edits=many)))


HOSTILE = st.one_of(
    st.text(max_size=5000),
    st.just("x" * 100_000),
    st.sampled_from(["<!channel>", "*b*", "\u202e", "`", "\ud800"]),
)


def _in_markup(before: str, after: str, key: str) -> list[str]:
    """Return every text with Slack's markup on a card and a form with three changes, both within limits."""
    path = format_path(("args", key))
    changes = tuple(Change(path, before, after) for _ in range(3))
    record = replace(CHANGED, edits=(Edit(2, ALICE, NOW, changes, (BOB,)),))
    shown = card(record)
    check_message(shown, card_text(record))
    fields = [Field(path, "text"), Field("args.amount", "decimal")]
    form = edits.edit_form(replace(record, arguments={key: before, "amount": 5}), ORIGIN, fields)
    check_view(form)
    return [*text_objects(shown, "mrkdwn"), *text_objects(form, "mrkdwn")]


OWN_WORDS = " ".join(_in_markup("", "", "k"))
"""What stands there whoever types what; "else" does."""


@settings(max_examples=60, deadline=None)
@given_(before=HOSTILE, after=HOSTILE, key=st.text(min_size=1, max_size=300))
def test_hostile_changes_break_no_limit(before: str, after: str, key: str) -> None:
    """Whatever was typed, cards stay within Slack's limits, and none of it stands in mrkdwn."""
    typed = [each for each in (before, after, key) if len(each) > 3 and each not in OWN_WORDS]
    for text in _in_markup(before, after, key):
        assert not any(each in text for each in typed)
