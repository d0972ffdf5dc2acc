"""Elements in blocks: finding them, naming them, and what a person has put into them."""

from __future__ import annotations

import copy
import secrets
from collections.abc import Iterator
from typing import Any

from bot.local_workspace.errors import ControlError
from bot.local_workspace.objects import Json

TYPED = ("plain_text_input", "number_input", "email_text_input", "url_text_input")
OPTIONS = ("static_select", "external_select", "radio_buttons", "overflow")
SEVERAL_OPTIONS = ("multi_static_select", "multi_external_select", "checkboxes")
PICKED = {
    "users_select": "user",
    "conversations_select": "conversation",
    "channels_select": "channel",
    "datepicker": "date",
    "timepicker": "time",
    "datetimepicker": "date_time",
}
SEVERAL_PICKED = {
    "multi_users_select": "users",
    "multi_conversations_select": "conversations",
    "multi_channels_select": "channels",
}
STATEFUL = (*TYPED, *OPTIONS[:3], *SEVERAL_OPTIONS, *PICKED, *SEVERAL_PICKED)

Values = dict[str, dict[str, Json]]


def named(body: Json) -> Json:
    """Return a message or view whose blocks and elements all have ids, as Slack gives them."""
    body = copy.deepcopy(body)
    name_blocks(body.get("blocks", []))
    return body


def name_blocks(blocks: list[Json]) -> list[Json]:
    """Give a random id to each block and element that has none."""
    for block in blocks:
        block.setdefault("block_id", secrets.token_urlsafe(4))
    for _block, element in elements(blocks):
        if element["type"] != "image":
            element.setdefault("action_id", secrets.token_urlsafe(4))
    return blocks


def elements(blocks: list[Json]) -> Iterator[tuple[Json, Json]]:
    """Yield each (block, element) in which a person can do something."""
    for block in blocks:
        if block["type"] == "actions":
            yield from ((block, element) for element in block["elements"])
        elif "accessory" in block:
            yield block, block["accessory"]
        elif block["type"] == "input":
            yield block, block["element"]
        elif block["type"] == "card":
            yield from ((block, element) for element in block.get("actions", []))
        for inner in (*block.get("child_blocks", []), *_cards(block)):
            yield from elements([inner])


def _cards(block: Json) -> list[Json]:
    return list(block["elements"]) if block["type"] == "carousel" else []


def find_element(blocks: list[Json], action_id: str, block_id: str | None = None) -> tuple[Json, Json]:
    """Return the (block, element) with this action_id.

    Raises:
        ControlError: no_such_element, with the action_ids that are there.
    """
    there = [pair for pair in elements(blocks) if block_id in (None, pair[0].get("block_id"))]
    for block, element in there:
        if element.get("action_id") == action_id:
            return block, element
    names = ", ".join(str(element.get("action_id")) for _block, element in there) or "none"
    raise ControlError("no_such_element", f"There is no element {action_id!r} here. Elements: {names}.", 404)


def initial_values(blocks: list[Json]) -> Values:
    """Return what inputs hold before a person touches them, as Slack's `state.values`."""
    values: Values = {}
    for block, element in elements(blocks):
        if element["type"] in STATEFUL:
            values.setdefault(block["block_id"], {})[element["action_id"]] = _initial(element)
    return values


def _initial(element: Json) -> Json:
    kind = element["type"]
    if kind in TYPED:
        return {"type": kind, "value": element.get("initial_value") or None}
    if kind in OPTIONS:
        return {"type": kind, "selected_option": element.get("initial_option")}
    if kind in SEVERAL_OPTIONS:
        return {"type": kind, "selected_options": element.get("initial_options", [])}
    what = PICKED.get(kind) or SEVERAL_PICKED[kind]
    return {"type": kind, f"selected_{what}": element.get(f"initial_{what}", None if kind in PICKED else [])}


def value_of(element: Json, value: Any) -> Json:
    """Turn what the control API calls a value into Slack's state object.

    Args:
        element: the element.
        value: a string, a list of strings, a number of seconds (datetimepicker) or None for empty.

    Raises:
        ControlError: no_such_option, or bad_request if the value does not fit the element.
    """
    kind = element["type"]
    if kind in TYPED:
        return {"type": kind, "value": _typed(value)}
    if kind in OPTIONS:
        return {"type": kind, "selected_option": None if value is None else option(element, value)}
    if kind in SEVERAL_OPTIONS:
        return {"type": kind, "selected_options": [option(element, each) for each in value or []]}
    if kind in SEVERAL_PICKED:
        return {"type": kind, f"selected_{SEVERAL_PICKED[kind]}": list(value or [])}
    if kind in PICKED:
        return {"type": kind, f"selected_{PICKED[kind]}": value or None}
    raise ControlError("bad_request", f"A {kind} holds no value.")


def _typed(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value or None
    raise ControlError("bad_request", "A typed value must be a string, or null for empty.")


def option(element: Json, value: Any) -> Json:
    """Return the option with this value.

    Raises:
        ControlError: no_such_option, with the values that are there.
    """
    options: list[Json] = list(element.get("options", []))
    for group in element.get("option_groups", []):
        options += group["options"]
    for each in options:
        if each["value"] == value:
            return each
    if element["type"].endswith("external_select"):
        return {"text": {"type": "plain_text", "text": str(value), "emoji": True}, "value": str(value)}
    there = ", ".join(repr(each["value"]) for each in options)
    raise ControlError("no_such_option", f"There is no option {value!r}. Options: {there}.", 404)


def is_empty(state: Json) -> bool:
    """Return whether an input holds nothing."""
    return all(not value for name, value in state.items() if name != "type")


def put_values(values: Values, blocks: list[Json], given: Any) -> None:
    """Put `{block_id: {action_id: value}}` into `values`.

    Raises:
        ControlError: for an unknown input, an unknown option, or values of another form.
    """
    if not isinstance(given, dict) or not all(isinstance(each, dict) for each in given.values()):
        raise ControlError("bad_request", "values must be {block_id: {action_id: value}}.")
    for block_id, actions in given.items():
        for action_id, value in actions.items():
            block, element = find_element(blocks, action_id, block_id)
            values.setdefault(block["block_id"], {})[action_id] = value_of(element, value)
