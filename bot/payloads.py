"""Read what Slack sends when somebody presses, submits or types something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.eligibility import Clicker

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Press:
    """Somebody pressed a button or chose from a menu, submitted a form, or typed the command.

    Attributes:
        who: Who it was.
        action: Action id of the element, callback id of the form, or the command.
        value: What the element carries.
        channel: Channel of the message; empty in modals and the home tab.
        ts: Timestamp of the message; empty in modals and the home tab.
        trigger: Permission to open one modal within three seconds; empty for none.
        response_url: Where an ephemeral answer can be posted; empty for none.
        app: App id.
        action_ts: Slack's time of the press; empty where it gives none.
        view: Id of the modal it happened in; empty elsewhere.
        meta: Private metadata of that modal.
        home: Whether it happened in the home tab.
        values: State of the form's inputs by block and action id.
    """

    who: Clicker
    action: str
    value: str
    channel: str = ""
    ts: str = ""
    trigger: str = ""
    response_url: str = ""
    app: str = ""
    action_ts: str = ""
    view: str = ""
    meta: str = ""
    home: bool = False
    values: Mapping[str, Any] | None = None


def pressed(body: Body, team: str) -> Press:
    """Read a block_actions payload.

    Args:
        body: The payload.
        team: Id of the workspace, for people whose team the payload does not give.
    """
    actions = body.get("actions")
    element = actions[0] if isinstance(actions, list) and actions else {}
    element = element if isinstance(element, Mapping) else {}
    container = _part(body, "container")
    action, value = _chosen(element)
    return Press(
        who=clicker(body, team),
        action=action,
        value=value,
        channel=_text(container.get("channel_id") or _part(body, "channel").get("id")),
        ts=_text(container.get("message_ts") or _part(body, "message").get("ts")),
        action_ts=_text(element.get("action_ts")),
        **_common(body),
        **_view(_part(body, "view")),
    )


def submitted(body: Body, team: str) -> Press:
    """Read a view_submission payload."""
    view = _part(body, "view")
    values = _part(_part(view, "state"), "values")
    return Press(
        who=clicker(body, team),
        action=_text(view.get("callback_id")),
        value="",
        values=values,
        **_common(body),
        **_view(view),
    )


def typed(body: Body, team: str) -> Press:
    """Read a slash command's payload."""
    return Press(
        who=Clicker(_text(body.get("team_id")) or team, _text(body.get("user_id"))),
        action=_text(body.get("command")),
        value=_unescaped(_text(body.get("text"))),
        channel=_text(body.get("channel_id")),
        **_common(body),
    )


def clicker(body: Body, team: str) -> Clicker:
    """Return who acted; a function or bot token in the payload means that a workflow did."""
    user = _part(body, "user")
    home = _text(user.get("team_id")) or _text(_part(body, "team").get("id")) or team
    workflow = any(body.get(key) for key in ("function_data", "bot_access_token", "workflow_step"))
    return Clicker(home, _text(user.get("id")), workflow)


def storable(text: str) -> str:
    """Return a text with ``?`` for half surrogate pairs, which JSON can carry and no store can keep."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def input_value(values: Mapping[str, Any] | None, block: str, action: str) -> str:
    """Return what somebody typed or chose in one input; empty for nothing."""
    found = _part(_part(values or {}, block), action)
    chosen = _part(found, "selected_option").get("value")
    return _text(found.get("value") or chosen or found.get("selected_date"))


def input_choice(values: Mapping[str, Any] | None, block: str, action: str) -> str | None:
    """Return what somebody chose from a list; None where nothing was chosen, or it is no list."""
    chosen = _part(_part(_part(values or {}, block), action), "selected_option").get("value")
    return storable(chosen) if isinstance(chosen, str) else None


def place_in(text: str, length: int) -> int | None:
    """Return which of so many things a form names by its place, from 0; None where it names none of them."""
    plain = text.isascii() and text.isdecimal() and len(text) <= 9
    return int(text) if plain and int(text) < length else None


def input_values(values: Mapping[str, Any] | None, block: str, action: str) -> tuple[str, ...]:
    """Return what somebody ticked in one group of checkboxes."""
    found = _part(_part(values or {}, block), action).get("selected_options")
    options = [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []
    return tuple(_text(each.get("value")) for each in options)


def _chosen(element: Mapping[str, Any]) -> tuple[str, str]:
    """Return action id and value; where something was chosen from a list, the value of that option."""
    option = element.get("selected_option")
    chosen = option if isinstance(option, Mapping) else element
    return _text(element.get("action_id")), _text(chosen.get("value"))


def _common(body: Body) -> dict[str, Any]:
    return {
        "trigger": _text(body.get("trigger_id")),
        "response_url": _text(body.get("response_url")),
        "app": _text(body.get("api_app_id")),
    }


def _view(view: Mapping[str, Any]) -> dict[str, Any]:
    home = view.get("type") == "home"
    return {
        "view": "" if home else _text(view.get("id")),
        "meta": _text(view.get("private_metadata")),
        "home": home,
    }


def _part(body: Body, key: str) -> Body:
    """Return a part that has keys of its own; an empty one where anything else stands there."""
    found = body.get(key)
    return found if isinstance(found, Mapping) else {}


def _text(value: object) -> str:
    return storable(value) if isinstance(value, str) else ""


def _unescaped(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
