"""Forms with values that nobody could type, and forms that stood open while what they offer changed."""

from __future__ import annotations

from typing import Any

import pytest

from bot import names
from bot.edited import given
from bot.editing import _drawn as drawn_of
from bot.editing import _wrong as wrong
from bot.eligibility import Clicker
from bot.forms import words_of
from bot.payloads import Press, place_in
from bot.views import edits, modals
from gate.errors import BadEdit
from gate.fields import typed, with_schema
from gate.model import Field
from tests.bot.slack_limits import check_view
from tests.bot.test_views_edits import LEVELS, ORIGIN, element, held, state

TURNED = {"type": "string", "enum": ["high", "low"]}
ODD = ["1e999", "NaN", "sNaN", "-sNaN123", "Infinity", "１２", "٣", "9" * 5000, "²", "\x00"]
SLACK_DRAWS = [
    (500, Field("args.v", "whole", schema={"type": "integer", "maximum": 100}), "max_value"),
    (-5, Field("args.v", "whole", schema={"type": "integer", "minimum": 0}), "min_value"),
]


@pytest.mark.parametrize("kind", ["whole", "decimal", "float"])
@pytest.mark.parametrize("text", ODD)
def test_what_is_no_number_is_refused_under_its_input(kind: Any, text: str) -> None:
    """Nothing that only looks like a number raises while it is compared, and none of it is taken."""
    field = Field("args.v", kind)
    assert given(held(4), [field], state("number_input", {"value": text})) == {"args.v": text}
    with pytest.raises(ValueError, match="number"):
        typed(field, text)


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_a_time_outside_every_year_is_refused_in_words(text: str) -> None:
    """The first and last moments have no place in other zones; that is an error of the value alone."""
    with pytest.raises(ValueError, match="no year"):
        typed(Field("args.v", "datetime", zone="Europe/Berlin"), text)


def test_a_choice_stays_what_was_chosen_though_the_list_changes_meanwhile() -> None:
    """An option carries what it stands for, not its place: another order of the list chooses nothing else."""
    drawn = element("high", Field("args.v", "text", schema=LEVELS))
    assert drawn is not None
    low = next(each for each in drawn["options"] if each["text"]["text"] == "low")
    sent = state("static_select", {"selected_option": low})
    for schema in (LEVELS, TURNED, {"type": "string"}, {"type": "string", "enum": ["high", "top"]}):
        assert given(held("high"), [Field("args.v", "text", schema=schema)], sent) == {"args.v": "low"}
    wrote = state("plain_text_input", {"value": "0"})
    assert given(held("high"), [Field("args.v", "text", schema=LEVELS)], wrote) == {"args.v": "0"}


@pytest.mark.parametrize(("value", "field", "bound"), SLACK_DRAWS)
def test_a_bound_that_the_present_value_breaks_is_left_to_the_check(
    value: int, field: Field, bound: str
) -> None:
    """Slack draws no form whose first value is outside its bounds; the schema is checked on submit anyway."""
    drawn = element(value, field)
    assert drawn is not None
    assert bound not in drawn


def test_a_text_that_is_longer_than_its_schema_says_still_opens_the_form() -> None:
    """The input takes at least what stands there."""
    drawn = element("abcdef", Field("args.v", "text", schema={"type": "string", "maxLength": 3}))
    assert drawn is not None
    assert drawn["max_length"] == 6


@pytest.mark.parametrize("text", ["9" * 5000, "１", "²", "-1", "4", " 0", ""])
def test_a_reason_that_was_not_offered_is_no_reason(text: str) -> None:
    """A forged place in the list of reasons neither raises nor names another reason."""
    assert place_in(text, 4) is None
    values = {modals.REASON_BLOCK: {names.REASON: {"selected_option": {"value": text}}}}
    press = Press(Clicker("T1", "U1"), names.DENY_FORM, "", values=values)
    assert words_of(press, modals.REASONS[:4]) == ""


def test_an_error_stands_only_under_an_input_that_the_form_has() -> None:
    """Slack drops a form's answer that names an input it did not draw: then the comment shows it."""
    view = edits.edit_form(held("x" * 3001), ORIGIN, [Field("args.v", "text")])
    drawn = {each["block_id"] for each in view["blocks"] if each["type"] == "input"}
    assert drawn == {modals.COMMENT_BLOCK}
    press = Press(Clicker("T1", "U1"), names.EDIT_FORM, "", values={each: {} for each in drawn})
    told = wrong(BadEdit("Nothing was changed.", code="edit"), drawn_of([Field("args.v", "text")], press), {})
    assert told["errors"] == {modals.COMMENT_BLOCK: "Nothing was changed."}


@pytest.mark.parametrize("kind", ["text", "whole", "decimal", "float", "texts"])
@pytest.mark.parametrize("word", ["anyOf", "minimum", "maximum", "maxLength"])
def test_a_schema_of_another_form_keeps_no_form_from_being_drawn(kind: Any, word: str) -> None:
    """What a server says of its tool may have any form; the approver can change the call all the same."""
    for odd in (None, True, 5, -1, "x", [], {}, [5, "x"], {"a": 1}, [{"type": []}], "9" * 400):
        field = with_schema(Field("args.v", kind), {"properties": {"v": {word: odd}}})
        check_view(edits.edit_form(held(7), ORIGIN, [field]))
