"""conversations.*: channels, their members and what was written there."""

from __future__ import annotations

import re
from decimal import Decimal

from bot.local_workspace.errors import SlackError
from bot.local_workspace.methods.registry import Args, method, need_scope, page, paged
from bot.local_workspace.objects import Json, Message
from bot.local_workspace.render import as_slack, channel_as_slack
from bot.local_workspace.seed import BOT_USER_ID, Channel
from bot.local_workspace.state import Workspace


def _channel(workspace: Workspace, args: Args, right: str) -> Channel:
    channel = workspace.app_channel(args.needed("channel"))
    family = "im" if channel.is_im else "groups" if channel.is_private else "channels"
    need_scope(workspace, f"{family}:{right}")
    return channel


@method("conversations.info")
def info(workspace: Workspace, args: Args) -> Json:
    """Describe one conversation."""
    return {"channel": channel_as_slack(_channel(workspace, args, "read"))}


@method("conversations.members")
def members(workspace: Workspace, args: Args) -> Json:
    """List who is in a conversation."""
    return paged(_channel(workspace, args, "read").members, args, "members")


@method("conversations.list")
def list_all(workspace: Workspace, args: Args) -> Json:
    """List the conversations that the app may know of."""
    kinds = args.names("types") or ["public_channel"]
    for kind, family in {"public_channel": "channels", "private_channel": "groups", "im": "im"}.items():
        if kind in kinds:
            need_scope(workspace, f"{family}:read")
    found = [
        channel_as_slack(each)
        for each in workspace.channels.values()
        if _kind(each) in kinds and not (each.is_private and BOT_USER_ID not in each.members)
        if not (args.flag("exclude_archived") and each.is_archived)
    ]
    return paged(found, args, "channels")


def _kind(channel: Channel) -> str:
    return "im" if channel.is_im else "private_channel" if channel.is_private else "public_channel"


@method("conversations.open", scope="im:write")
def open_direct(workspace: Workspace, args: Args) -> Json:
    """Open the conversation between the app and one person."""
    if args.text("channel"):
        return {"channel": {"id": workspace.app_channel(args.text("channel")).id}}
    users = args.names("users")
    if len(users) != 1:
        raise SlackError("users_list_not_supplied" if not users else "method_not_supported_for_channel_type")
    user = workspace.user(users[0])
    if user.deleted:
        raise SlackError("user_disabled")
    if user.is_bot:
        raise SlackError("cannot_dm_bot")
    known = any(each.user == user.id for each in workspace.channels.values())
    channel = workspace.direct_channel(user.id)
    return {"no_op": known, "already_open": known, "channel": {"id": channel.id}}


def _readable(workspace: Workspace, args: Args) -> Channel:
    channel = _channel(workspace, args, "history")
    if BOT_USER_ID not in channel.members:
        raise SlackError("not_in_channel")
    return channel


def _within(message: Message, args: Args) -> bool:
    oldest, latest = _ts(args, "oldest", "0"), _ts(args, "latest", "9" * 10)
    ts = Decimal(message.ts)
    return oldest < ts < latest or (args.flag("inclusive") and ts in (oldest, latest))


def _ts(args: Args, name: str, default: str) -> Decimal:
    text = args.text(name) or default
    if not re.fullmatch(r"\d{1,12}(\.\d{1,6})?", text):
        raise SlackError(f"invalid_ts_{name}")
    return Decimal(text)


def _shown(workspace: Workspace, args: Args, messages: list[Message]) -> Json:
    with_metadata = args.flag("include_all_metadata") and "metadata.message:read" in workspace.scopes
    shown, cursor = page(messages, args)
    return {
        "messages": [as_slack(each, metadata=with_metadata) for each in shown],
        "has_more": bool(cursor),
        "response_metadata": {"next_cursor": cursor},
    }


@method("conversations.history")
def history(workspace: Workspace, args: Args) -> Json:
    """List what was written in a channel, newest first, without replies in threads."""
    channel = _readable(workspace, args)
    found = [
        each
        for each in workspace.messages.values()
        if each.channel == channel.id and each.ephemeral_for is None and _within(each, args)
        if (not each.is_reply or each.reply_broadcast) and (not each.deleted or each.replies)
    ]
    return _shown(workspace, args, sorted(found, key=lambda each: each.ts, reverse=True))


@method("conversations.replies")
def replies(workspace: Workspace, args: Args) -> Json:
    """List a thread, its root first."""
    channel = _readable(workspace, args)
    root = workspace.messages.get((channel.id, args.needed("ts")))
    if root is not None and root.is_reply:
        root = workspace.messages[channel.id, str(root.thread_ts)]
    if root is None or root.ephemeral_for is not None or (root.deleted and not root.replies):
        raise SlackError("thread_not_found")
    there = [workspace.messages[channel.id, ts] for ts in root.replies]
    return _shown(workspace, args, [root, *(each for each in there if _within(each, args))])
