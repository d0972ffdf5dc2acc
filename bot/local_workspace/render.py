"""How messages, people and channels look to the app and to the page."""

from __future__ import annotations

from bot.local_workspace.objects import Json, Message
from bot.local_workspace.seed import APP_ID, BOT_USER_ID, TEAM_ID, Channel, Group, User
from bot.local_workspace.state import Workspace


def as_slack(message: Message, *, metadata: bool = False) -> Json:
    """Return a message as the Web API and payloads show it."""
    shown: Json = {
        "type": "message",
        "user": message.user,
        "ts": message.ts,
        "text": message.text,
        "team": TEAM_ID,
    }
    if message.bot_id:
        shown |= {"bot_id": message.bot_id, "app_id": APP_ID}
    if message.deleted:
        shown |= {"subtype": "tombstone", "text": "This message was deleted.", "hidden": True}
    for name in ("blocks", "thread_ts", "edited", "files"):
        if value := getattr(message, name):
            shown[name] = value
    if message.is_reply and message.reply_broadcast:
        shown["subtype"] = "thread_broadcast"
    if message.replies:
        shown |= {"reply_count": len(message.replies), "latest_reply": message.replies[-1]}
    if metadata and message.metadata:
        shown["metadata"] = message.metadata
    return shown


def user_as_slack(user: User, *, email: bool) -> Json:
    """Return a person as users.info shows them."""
    profile: Json = {"real_name": user.real_name, "display_name": user.name}
    if email and user.email:
        profile["email"] = user.email
    if user.bot_id:
        profile |= {"bot_id": user.bot_id, "api_app_id": APP_ID if user.id == BOT_USER_ID else ""}
    shown = user.model_dump(exclude={"email", "visible", "bot_id", "enterprise_user_id", "is_stranger", "tz"})
    shown |= {"profile": profile, "is_owner": False, "is_primary_owner": False, "is_app_user": False}
    if not user.deleted:
        shown |= {"tz": user.tz}
    if user.is_stranger:
        shown["is_stranger"] = True
    if user.enterprise_user_id:
        shown["enterprise_user"] = {"id": user.enterprise_user_id, "teams": [user.team_id]}
    return shown


def channel_as_slack(channel: Channel) -> Json:
    """Return a conversation as conversations.info shows it."""
    if channel.is_im:
        return {"id": channel.id, "is_im": True, "user": channel.user, "is_archived": False, "is_open": True}
    return {
        "id": channel.id,
        "name": channel.name,
        "is_channel": not channel.is_private,
        "is_group": channel.is_private,
        "is_im": False,
        "is_mpim": False,
        "is_private": channel.is_private,
        "is_archived": channel.is_archived,
        "is_ext_shared": channel.is_ext_shared,
        "is_shared": channel.is_ext_shared,
        "is_member": BOT_USER_ID in channel.members,
        "num_members": len(channel.members),
        "context_team_id": TEAM_ID,
    }


def group_as_slack(group: Group) -> Json:
    """Return a user group as usergroups.list shows it."""
    return {
        "id": group.id,
        "team_id": TEAM_ID,
        "is_usergroup": True,
        "handle": group.handle,
        "name": group.name,
        "date_delete": 0,
        "user_count": len(group.users),
    }


def as_control(workspace: Workspace, message: Message, *, replies: bool = True) -> Json:
    """Return a message as the control API shows it."""
    user = workspace.users.get(message.user)
    shown: Json = {
        name: getattr(message, name)
        for name in (
            "ts",
            "channel",
            "thread_ts",
            "user",
            "bot_id",
            "text",
            "mrkdwn",
            "blocks",
            "edited",
            "deleted",
            "metadata",
            "ephemeral_for",
            "files",
            "reply_broadcast",
        )
    }
    shown["username"] = (user.real_name or user.name) if user else message.user
    there = [workspace.messages[message.channel, ts] for ts in message.replies]
    shown["reply_count"] = len(there)
    if replies:
        shown["replies"] = [as_control(workspace, each, replies=False) for each in there]
    return shown
