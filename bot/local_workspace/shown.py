"""The state of the workspace as one person, or a test, sees it."""

from __future__ import annotations

from dataclasses import asdict

from bot.local_workspace.delivery import Courier
from bot.local_workspace.objects import Json, Message, View
from bot.local_workspace.people import can_see
from bot.local_workspace.render import as_control
from bot.local_workspace.seed import APP_ID, BOT_ID, BOT_USER_ID, NOTICE, TEAM_ID, Channel, User
from bot.local_workspace.state import Workspace

LAST_TROUBLES = 50


def state(workspace: Workspace, courier: Courier, as_user: str | None) -> Json:
    """Return what `as_user` sees, or with None all that everybody may see."""
    user = workspace.users[as_user] if as_user else None
    home = workspace.views.homes.get(as_user or "")
    return {
        "notice": NOTICE,
        "counter": workspace.counter,
        "now": workspace.clock(),
        "team": {"id": TEAM_ID, "name": "Local workspace", "domain": "local"},
        "app": _app(workspace),
        "as_user": as_user,
        "transport": _transport(courier),
        "users": [_user(each) for each in workspace.users.values()],
        "groups": [each.model_dump(exclude={"error"}) for each in workspace.groups.values()],
        "channels": [
            _channel(workspace, each, user)
            for each in workspace.channels.values()
            if user is None or can_see(user, each)
        ],
        "views": views_of(workspace, as_user) if as_user else [],
        "home": _view(home) if home else None,
        "troubles": [
            asdict(each) for each in workspace.troubles if as_user is None or each.user in (None, as_user)
        ][-LAST_TROUBLES:],
    }


def views_of(workspace: Workspace, user: str) -> list[Json]:
    """Return a person's open modals, the visible one last."""
    return [_view(each) for each in workspace.views.stack(user)]


def _app(workspace: Workspace) -> Json:
    names: Json = {"id": APP_ID, "name": "Approval gate", "bot_id": BOT_ID, "bot_user_id": BOT_USER_ID}
    return names | {"commands": workspace.commands}


def _transport(courier: Courier) -> Json:
    transport = courier.transport
    return {
        "kind": transport.kind,
        "connections": len(courier.hub.open),
        "request_url": transport.request_url,
    }


def _user(user: User) -> Json:
    shown = user.model_dump(exclude={"email", "visible", "bot_id", "enterprise_user_id", "is_admin"})
    return shown | {"can_act": not (user.deleted or user.is_bot)}


def _view(view: View) -> Json:
    return view.as_dict() | {"errors": dict(view.errors)}


def _channel(workspace: Workspace, channel: Channel, user: User | None) -> Json:
    here = sorted(
        (each for each in workspace.messages.values() if each.channel == channel.id), key=lambda each: each.ts
    )
    return {
        "id": channel.id,
        "name": channel.name,
        "is_private": channel.is_private,
        "is_archived": channel.is_archived,
        "is_im": channel.is_im,
        "user": channel.user,
        "members": channel.members,
        "is_member": user is not None and user.id in channel.members,
        "messages": [as_control(workspace, each) for each in here if _is_root(each)],
        "ephemerals": [
            as_control(workspace, each)
            for each in here
            if user is not None and each.ephemeral_for == user.id and not each.deleted
        ],
    }


def _is_root(message: Message) -> bool:
    if message.ephemeral_for is not None or message.is_reply:
        return False
    return not message.deleted or bool(message.replies)
