"""Which of Slack's methods the bot calls, and what each needs; ``app_manifest.yml`` must say the same."""

from __future__ import annotations

CALLS: dict[str, frozenset[str]] = {
    "auth_test": frozenset(),
    "apps_connections_open": frozenset(),
    "chat_postMessage": frozenset({"chat:write"}),
    "chat_postEphemeral": frozenset({"chat:write"}),
    "chat_update": frozenset({"chat:write"}),
    "files_upload_v2": frozenset({"files:write"}),
    "conversations_history": frozenset({"channels:history", "groups:history", "metadata.message:read"}),
    "conversations_info": frozenset({"channels:read", "groups:read"}),
    "conversations_members": frozenset({"channels:read", "groups:read"}),
    "usergroups_users_list": frozenset({"usergroups:read"}),
    "users_info": frozenset({"users:read"}),
    "users_lookupByEmail": frozenset({"users:read.email"}),
    "views_open": frozenset(),
    "views_publish": frozenset(),
    "views_update": frozenset(),
}
"""Method of the client to the bot scopes it needs."""

_TWINS = "after a lost answer of Slack a card may be posted twice without it"

OPTIONAL = {
    "channels:history": _TWINS,
    "groups:history": _TWINS,
    "metadata.message:read": _TWINS,
    "files:write": "calls of more than 250 kB are shown on pages alone, without a file",
    "users:read.email": 'sessions that act for email("…") end undelivered without it',
    "chat:write.public": "the bot has to be invited into public channels without it",
}
"""Scopes the bot can do without, and what is lost then."""

COMMANDS = frozenset({"commands"})
"""Needed by features rather than by calls."""


def required() -> frozenset[str]:
    """Return the bot scopes without which nothing works."""
    needed = frozenset(scope for scopes in CALLS.values() for scope in scopes) | COMMANDS
    return needed - OPTIONAL.keys()
