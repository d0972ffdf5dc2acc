"""files.*: an upload in two steps, shown as a line under a message."""

from __future__ import annotations

import mimetypes
import secrets

from bot.local_workspace.errors import SlackError
from bot.local_workspace.methods.registry import Args, method
from bot.local_workspace.objects import Json
from bot.local_workspace.seed import BOT_USER_ID
from bot.local_workspace.state import Workspace

LARGEST = 16_000_000


@method("files.getUploadURLExternal", scope="files:write")
def get_upload_url(workspace: Workspace, args: Args) -> Json:
    """Give an address to which a file may be sent once."""
    name, length = args.needed("filename"), args.needed("length")
    if not length.isdigit() or not 0 < int(length) <= LARGEST:
        raise SlackError.about(
            "invalid_arguments", [f"must be between 1 and {LARGEST} [json-pointer:/length]"]
        )
    file_id = f"F{secrets.token_hex(5).upper()}"
    workspace.uploads[file_id] = {
        "id": file_id,
        "name": name,
        "title": name,
        "size": int(length),
        "mimetype": mimetypes.guess_type(name)[0] or "application/octet-stream",
        "content": None,
    }
    return {"upload_url": f"{workspace.base_url}/upload/{file_id}", "file_id": file_id}


@method("files.completeUploadExternal", scope="files:write")
def complete_upload(workspace: Workspace, args: Args) -> Json:
    """Finish uploads, and share them in a channel if one is given."""
    files = [_finished(workspace, each) for each in args.json("files", "invalid_arguments") or []]
    if not files:
        raise SlackError.about("invalid_arguments", ["missing required field: files"])
    channel_id = args.text("channel_id")
    if channel_id:
        channel = workspace.app_channel(channel_id)
        if BOT_USER_ID not in channel.members:
            raise SlackError("not_in_channel")
        thread_ts = args.text("thread_ts") or None
        workspace.post_as_app(channel.id, args.text("initial_comment"), [], thread_ts=thread_ts, files=files)
    return {"files": [{"id": each["id"], "title": each["title"]} for each in files]}


def _finished(workspace: Workspace, given: Json) -> Json:
    upload = workspace.uploads.get(str(given.get("id")))
    if upload is None or upload["content"] is None:
        raise SlackError("file_not_found")
    upload["title"] = str(given.get("title") or upload["name"])
    return {name: value for name, value in upload.items() if name != "content"}
