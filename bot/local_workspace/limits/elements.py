"""Limits of Block Kit's elements, one line of a table for each type."""

from __future__ import annotations

from bot.local_workspace.limits.checks import (
    Check,
    Findings,
    anything,
    flag,
    integer,
    items,
    one_of,
    shape,
    string,
)
from bot.local_workspace.limits.objects import (
    ACTION_ID,
    CHOICE_OPTION,
    CONFIRM,
    MENU_OPTION,
    OPTION_GROUP,
    OVERFLOW_OPTION,
    URL,
    distinct_values,
    initial_among_options,
    options_or_groups,
    plain_text,
)

DATE = string(10, 10, r"\d{4}-\d{2}-\d{2}")
TIME = string(5, 5, r"\d{2}:\d{2}")
ID = string(1, 255)
MAX_ITEMS = integer(1, 10_000)

PRESSABLE: dict[str, Check] = {"action_id": ACTION_ID, "confirm": CONFIRM}
TYPED: dict[str, Check] = {
    "action_id": ACTION_ID,
    "placeholder": plain_text(150),
    "focus_on_load": flag,
    "dispatch_action_config": shape(
        {}, {"trigger_actions_on": items(one_of("on_enter_pressed", "on_character_entered"), 1, 2)}
    ),
}
PICKED: dict[str, Check] = {**PRESSABLE, "placeholder": plain_text(150), "focus_on_load": flag}
FILTER = shape({}, {"include": anything, "exclude_external_shared_channels": flag, "exclude_bot_users": flag})


def _lengths_in_order(value: object, pointer: str, findings: Findings) -> None:
    assert isinstance(value, dict)
    if value.get("min_length", 0) > value.get("max_length", 3000):
        findings.add("min_length must not exceed max_length", pointer)


def _menu(*, several: bool) -> Check:
    chosen = {"initial_options": items(MENU_OPTION, 1, 100), "max_selected_items": MAX_ITEMS}
    single = {"initial_option": MENU_OPTION}
    own = {"options": items(MENU_OPTION, 1, 100), "option_groups": items(OPTION_GROUP, 1, 100)}
    rules = (options_or_groups, distinct_values, initial_among_options)
    return shape({}, {**PICKED, **own, **(chosen if several else single)}, also=rules)


def _external(*, several: bool) -> Check:
    chosen = {"initial_options": items(MENU_OPTION, 1, 100), "max_selected_items": MAX_ITEMS}
    single = {"initial_option": MENU_OPTION}
    return shape({}, {**PICKED, "min_query_length": integer(0, 300), **(chosen if several else single)})


def _directory(name: str, *, several: bool, filtered: bool = False) -> Check:
    own: dict[str, Check] = {f"initial_{name}": ID}
    if several:
        own = {f"initial_{name}s": items(ID, 1, 1000), "max_selected_items": MAX_ITEMS}
    elif name != "user":
        own["response_url_enabled"] = flag
    if filtered:
        own |= {"filter": FILTER, "default_to_current_conversation": flag}
    return shape({}, {**PICKED, **own})


def _typed(high: int) -> Check:
    return shape({}, {**TYPED, "initial_value": string(0, high)})


IMAGE = shape(
    {"alt_text": string(1, 2000)},
    {"image_url": URL, "slack_file": anything},
)

ELEMENTS: dict[str, Check] = {
    "button": shape(
        {"text": plain_text(75)},
        {
            **PRESSABLE,
            "url": URL,
            "value": string(1, 2000),
            "style": one_of("primary", "danger"),
            "accessibility_label": string(1, 75),
        },
    ),
    "overflow": shape({"options": items(OVERFLOW_OPTION, 1, 5)}, PRESSABLE, also=(distinct_values,)),
    "checkboxes": shape(
        {"options": items(CHOICE_OPTION, 1, 10)},
        {**PRESSABLE, "initial_options": items(CHOICE_OPTION, 1, 10), "focus_on_load": flag},
        also=(distinct_values, initial_among_options),
    ),
    "radio_buttons": shape(
        {"options": items(CHOICE_OPTION, 1, 10)},
        {**PRESSABLE, "initial_option": CHOICE_OPTION, "focus_on_load": flag},
        also=(distinct_values, initial_among_options),
    ),
    "static_select": _menu(several=False),
    "multi_static_select": _menu(several=True),
    "external_select": _external(several=False),
    "multi_external_select": _external(several=True),
    "users_select": _directory("user", several=False),
    "multi_users_select": _directory("user", several=True),
    "conversations_select": _directory("conversation", several=False, filtered=True),
    "multi_conversations_select": _directory("conversation", several=True, filtered=True),
    "channels_select": _directory("channel", several=False),
    "multi_channels_select": _directory("channel", several=True),
    "datepicker": shape({}, {**PICKED, "initial_date": DATE}),
    "timepicker": shape({}, {**PICKED, "initial_time": TIME, "timezone": string(1, 64)}),
    "datetimepicker": shape(
        {}, {**PRESSABLE, "focus_on_load": flag, "initial_date_time": integer(1_000_000_000, 9_999_999_999)}
    ),
    "plain_text_input": shape(
        {},
        {
            **TYPED,
            "initial_value": string(0, 3000),
            "multiline": flag,
            "min_length": integer(0, 3000),
            "max_length": integer(1, 3000),
        },
        also=(_lengths_in_order,),
    ),
    "number_input": shape(
        {"is_decimal_allowed": flag},
        {**TYPED, "initial_value": string(1, 64), "min_value": string(1, 64), "max_value": string(1, 64)},
    ),
    "email_text_input": _typed(3000),
    "url_text_input": _typed(3000),
    "image": IMAGE,
}

_SELECTS = ("static_select", "external_select", "users_select", "conversations_select", "channels_select")
_CHOICES = ("checkboxes", "radio_buttons", "datepicker", "timepicker")

IN_ACTIONS = ("button", "overflow", "datetimepicker", *_SELECTS, *_CHOICES)
IN_SECTION = ("button", "overflow", "image", *_SELECTS, *(f"multi_{each}" for each in _SELECTS), *_CHOICES)
IN_INPUT = (
    "plain_text_input",
    "number_input",
    "email_text_input",
    "url_text_input",
    "datetimepicker",
    *_SELECTS,
    *(f"multi_{each}" for each in _SELECTS),
    *_CHOICES,
)
