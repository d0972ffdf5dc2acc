"""The payloads that Slack sends when a person does something."""

from __future__ import annotations

import secrets
from typing import Any

from bot.local_workspace.inputs import TYPED, Values, value_of
from bot.local_workspace.objects import Json, Message, View
from bot.local_workspace.render import as_slack
from bot.local_workspace.seed import APP_ID, BOT_USER_ID, TEAM_ID, Channel, User
from bot.local_workspace.state import Workspace

TEAM: Json = {"id": TEAM_ID, "domain": "local"}
VERIFICATION_TOKEN = "not-a-secret"  # noqa: S105  an old field that no app may trust


def common(user: User, kind: str) -> Json:
    """Return what every interactive payload carries."""
    return {
        "type": kind,
        "user": {"id": user.id, "username": user.name, "name": user.name, "team_id": user.team_id},
        "api_app_id": APP_ID,
        "token": VERIFICATION_TOKEN,
        "team": TEAM,
        "enterprise": None,
        "is_enterprise_install": False,
    }


def action(workspace: Workspace, block: Json, element: Json, value: Any) -> Json:
    """Return one entry of `actions`: what was done to an element."""
    done: Json = {"type": element["type"], "action_id": element["action_id"], "block_id": block["block_id"]}
    if element["type"] == "button":
        done |= {
            name: element[name] for name in ("text", "value", "style", "url", "confirm") if name in element
        }
    elif element["type"] in TYPED:
        done |= {"value": value_of(element, value)["value"]}
    else:
        done |= {name: element[name] for name in ("placeholder", "confirm") if name in element}
        done |= value_of(element, value)
    return {**done, "action_ts": workspace.new_ts()}


def message_action(workspace: Workspace, user: User, message: Message, done: Json, values: Values) -> Json:
    """Return the block_actions payload of a click in a message."""
    channel = workspace.channels[message.channel]
    container: Json = {
        "type": "message",
        "message_ts": message.ts,
        "channel_id": message.channel,
        "is_ephemeral": message.ephemeral_for is not None,
    }
    payload = common(user, "block_actions")
    if message.thread_ts:
        container["thread_ts"] = message.thread_ts
    if message.ephemeral_for is None:
        payload["message"] = as_slack(message)
    return payload | {
        "container": container,
        "trigger_id": workspace.new_trigger(user.id),
        "channel": {"id": channel.id, "name": channel_name(channel)},
        "state": {"values": values},
        "response_url": workspace.new_response_url(user.id, channel.id, message.ts, message.thread_ts),
        "actions": [done],
    }


def view_action(workspace: Workspace, user: User, view: View, done: Json) -> Json:
    """Return the block_actions payload of a click in a modal or home tab."""
    return common(user, "block_actions") | {
        "container": {"type": "view", "view_id": view.id},
        "trigger_id": workspace.new_trigger(user.id, view.id),
        "view": view.as_dict(),
        "actions": [done],
    }


def submission(workspace: Workspace, user: User, view: View) -> Json:
    """Return the view_submission payload."""
    return common(user, "view_submission") | {
        "trigger_id": workspace.new_trigger(user.id, view.id),
        "view": view.as_dict(),
        "response_urls": [],
    }


def closing(user: User, view: View, *, cleared: bool) -> Json:
    """Return the view_closed payload."""
    return common(user, "view_closed") | {"view": view.as_dict(), "is_cleared": cleared}


def slash(workspace: Workspace, user: User, channel: Channel, command: str, text: str) -> Json:
    """Return the form of a slash command."""
    return {
        "token": VERIFICATION_TOKEN,
        "team_id": TEAM_ID,
        "team_domain": TEAM["domain"],
        "channel_id": channel.id,
        "channel_name": channel_name(channel),
        "user_id": user.id,
        "user_name": user.name,
        "command": command,
        "text": text,
        "api_app_id": APP_ID,
        "is_enterprise_install": "false",
        "response_url": workspace.new_response_url(user.id, channel.id, None, None),
        "trigger_id": workspace.new_trigger(user.id),
    }


def home_opened(workspace: Workspace, user: User) -> Json:
    """Return the event that a person opened the app's home tab."""
    home = workspace.views.homes.get(user.id)
    event: Json = {
        "type": "app_home_opened",
        "user": user.id,
        "channel": workspace.direct_channel(user.id).id,
        "tab": "home",
        "event_ts": workspace.new_ts(),
    }
    if home is not None:
        event["view"] = home.as_dict()
    return event_callback(workspace, event)


def event_callback(workspace: Workspace, event: Json) -> Json:
    """Wrap an event as the Events API does."""
    who: Json = {"enterprise_id": None, "team_id": TEAM_ID, "user_id": BOT_USER_ID, "is_bot": True}
    return {
        "token": VERIFICATION_TOKEN,
        "team_id": TEAM_ID,
        "api_app_id": APP_ID,
        "event": event,
        "type": "event_callback",
        "event_id": f"Ev{secrets.token_hex(5).upper()}",
        "event_time": int(workspace.clock()),
        "authorizations": [{**who, "is_enterprise_install": False}],
        "is_ext_shared_channel": False,
    }


def channel_name(channel: Channel) -> str:
    """Return a channel's name as payloads give it."""
    return "directmessage" if channel.is_im else "privategroup" if channel.is_private else channel.name
