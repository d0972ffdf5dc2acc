"""What Slack's client checks in a modal before it sends anything."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from bot.local_workspace.inputs import is_empty
from bot.local_workspace.objects import Json, View

EMPTY = "Please fill in this field."


def required_inputs(view: View) -> dict[str, str]:
    """Return what is wrong with the inputs of a view, by block_id."""
    wrong: dict[str, str] = {}
    for block in view.blocks:
        if block["type"] == "input":
            state = view.values.get(block["block_id"], {}).get(block["element"]["action_id"], {"type": ""})
            if sentence := _wrong(block, state):
                wrong[block["block_id"]] = sentence
    return wrong


def _wrong(block: Json, state: Json) -> str | None:
    if is_empty(state):
        return None if block.get("optional") else EMPTY
    element = block["element"]
    if element["type"] == "plain_text_input":
        return _wrong_length(element, state["value"])
    if element["type"] == "number_input":
        return _wrong_number(element, state["value"])
    most = element.get("max_selected_items")
    if most and any(isinstance(each, list) and len(each) > most for each in state.values()):
        return f"Choose at most {most}."
    return None


def _wrong_length(element: Json, value: str) -> str | None:
    low, high = element.get("min_length", 0), element.get("max_length", 3000)
    if len(value) < low:
        return f"Write at least {low} characters."
    return f"Write at most {high} characters." if len(value) > high else None


def _wrong_number(element: Json, value: str) -> str | None:
    try:
        number = Decimal(value)
    except InvalidOperation:
        return "Write a number."
    if not number.is_finite():
        return "Write a number."
    if not element["is_decimal_allowed"] and number != number.to_integral_value():
        return "Write a whole number."
    if "min_value" in element and number < Decimal(element["min_value"]):
        return f"Must be at least {element['min_value']}."
    if "max_value" in element and number > Decimal(element["max_value"]):
        return f"Must be at most {element['max_value']}."
    return None
