"""auth.test, apps.connections.open, bots.info."""

from __future__ import annotations

import secrets

from bot.local_workspace.errors import SlackError
from bot.local_workspace.methods.registry import Args, method
from bot.local_workspace.objects import Json
from bot.local_workspace.seed import APP_ID, BOT_ID, BOT_USER_ID, TEAM_ID
from bot.local_workspace.state import Workspace


@method("auth.test")
def auth_test(workspace: Workspace, args: Args) -> Json:
    """Say who the token is."""
    return {
        "url": f"{workspace.base_url}/",
        "team": "Local workspace",
        "user": workspace.users[BOT_USER_ID].name,
        "team_id": TEAM_ID,
        "user_id": BOT_USER_ID,
        "bot_id": BOT_ID,
        "is_enterprise_install": False,
    }


@method("apps.connections.open", caller="app")
def connections_open(workspace: Workspace, args: Args) -> Json:
    """Give a one-time address for a Socket Mode connection."""
    ticket = secrets.token_hex(16)
    workspace.tickets.add(ticket)
    host = workspace.base_url.removeprefix("http://")
    return {"url": f"ws://{host}/socket?ticket={ticket}&app_id={APP_ID}"}


@method("bots.info", scope="users:read")
def bots_info(workspace: Workspace, args: Args) -> Json:
    """Describe a bot."""
    wanted = args.text("bot") or BOT_ID
    for user in workspace.users.values():
        if user.bot_id == wanted:
            app_id = APP_ID if wanted == BOT_ID else "A0OTHER"
            bot = {
                "id": wanted,
                "deleted": user.deleted,
                "name": user.name,
                "app_id": app_id,
                "user_id": user.id,
            }
            return {"bot": {**bot, "icons": {}, "updated": 0}}
    raise SlackError("bot_not_found")
