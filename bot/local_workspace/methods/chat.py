"""chat.*: the app writes, changes and deletes messages."""

from __future__ import annotations

from typing import Any

from bot.local_workspace.errors import SlackError
from bot.local_workspace.inputs import name_blocks
from bot.local_workspace.limits import check_message_blocks
from bot.local_workspace.methods.registry import Args, method
from bot.local_workspace.objects import Json, Message
from bot.local_workspace.render import as_slack
from bot.local_workspace.seed import BOT_USER_ID, Channel
from bot.local_workspace.state import Workspace

POST_CUT = 40_000
UPDATE_LIMIT = 4_000
METADATA_BYTES = 8_000


def read_blocks(args: Args) -> list[Json] | None:
    """Return the checked blocks of a call, or None if it has none."""
    blocks = args.json("blocks", "invalid_blocks_format")
    if blocks is None:
        return None
    check_message_blocks(blocks)
    return name_blocks(blocks)


def read_metadata(args: Args) -> Json | None:
    """Return the checked metadata of a call, or None if it has none."""
    metadata = args.json("metadata", "invalid_metadata_format")
    if metadata in (None, {}):
        return None if metadata is None else {}
    if not isinstance(metadata, dict) or set(metadata) != {"event_type", "event_payload"}:
        raise SlackError("invalid_metadata_format")
    if not isinstance(metadata["event_payload"], dict) or not isinstance(metadata["event_type"], str):
        raise SlackError("invalid_metadata_schema")
    if len(str(metadata)) > METADATA_BYTES:
        raise SlackError("metadata_too_large")
    return metadata


def _target(workspace: Workspace, args: Args) -> Channel:
    name = args.needed("channel")
    if name in workspace.users and name not in workspace.channels:
        return workspace.direct_channel(workspace.user(name).id)
    channel = workspace.app_channel(name)
    if channel.is_archived:
        raise SlackError("is_archived")
    if BOT_USER_ID not in channel.members and "chat:write.public" not in workspace.scopes:
        raise SlackError("not_in_channel")
    return channel


def _content(args: Args) -> tuple[str, list[Json]]:
    blocks = read_blocks(args) or []
    text = args.text("text")
    if not text and not blocks:
        raise SlackError("no_text")
    return text[:POST_CUT], blocks


@method("chat.postMessage", scope="chat:write")
def post_message(workspace: Workspace, args: Args) -> Json:
    """Post a message or a reply."""
    channel = _target(workspace, args)
    text, blocks = _content(args)
    message = workspace.post_as_app(
        channel.id,
        text,
        blocks,
        thread_ts=args.text("thread_ts") or None,
        metadata=read_metadata(args) or None,
        mrkdwn=args.given.get("mrkdwn") in (None, True, "1", "true"),
        reply_broadcast=args.flag("reply_broadcast"),
    )
    return {"channel": channel.id, "ts": message.ts, "message": as_slack(message, metadata=True)}


@method("chat.postEphemeral", scope="chat:write")
def post_ephemeral(workspace: Workspace, args: Args) -> Json:
    """Show a message to one person."""
    channel = _target(workspace, args)
    user_id = args.needed("user")
    if user_id not in workspace.users or user_id not in channel.members:
        raise SlackError("user_not_in_channel")
    text, blocks = _content(args)
    message = workspace.post_as_app(
        channel.id, text, blocks, thread_ts=args.text("thread_ts") or None, ephemeral_for=user_id
    )
    return {"message_ts": message.ts}


def _own(workspace: Workspace, args: Args, refusal: str) -> Message:
    channel = workspace.app_channel(args.needed("channel"))
    if channel.is_archived:
        raise SlackError("is_inactive" if refusal == "cant_update_message" else "is_archived")
    message = workspace.find_message(channel.id, args.needed("ts"))
    if message is None or message.ephemeral_for is not None:
        raise SlackError("message_not_found")
    if message.user != BOT_USER_ID:
        raise SlackError(refusal)
    return message


@method("chat.update", scope="chat:write")
def update(workspace: Workspace, args: Args) -> Json:
    """Change one of the app's messages."""
    message = _own(workspace, args, "cant_update_message")
    if workspace.settings.edit_window_closed:
        raise SlackError("edit_window_closed")
    if len(args.text("text")) > UPDATE_LIMIT:
        raise SlackError("msg_too_long")
    text, blocks = _content(args)
    metadata: Any = read_metadata(args)
    message.put(text, blocks)
    message.edited = {"user": BOT_USER_ID, "ts": workspace.new_ts()}
    if metadata is not None:
        message.metadata = metadata or None
    workspace.changed()
    shown = as_slack(message, metadata=True)
    return {"channel": message.channel, "ts": message.ts, "text": message.text, "message": shown}


@method("chat.delete", scope="chat:write")
def delete(workspace: Workspace, args: Args) -> Json:
    """Delete one of the app's messages."""
    message = _own(workspace, args, "cant_delete_message")
    workspace.delete_message(message)
    return {"channel": message.channel, "ts": message.ts}


@method("chat.getPermalink")
def permalink(workspace: Workspace, args: Args) -> Json:
    """Give the address of a message."""
    channel = workspace.app_channel(args.needed("channel"))
    message = workspace.find_message(channel.id, args.needed("message_ts"))
    if message is None:
        raise SlackError("message_not_found")
    address = f"{workspace.base_url}/archives/{channel.id}/p{message.ts.replace('.', '')}"
    if message.is_reply:
        address += f"?thread_ts={message.thread_ts}&cid={channel.id}"
    return {"channel": channel.id, "permalink": address}
