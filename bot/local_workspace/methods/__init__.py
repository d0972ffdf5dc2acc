"""The Web API's methods, by name."""

from __future__ import annotations

from bot.local_workspace.methods import auth, chat, conversations, files, users, views
from bot.local_workspace.methods.registry import METHODS, Args, Method

__all__ = ["METHODS", "Args", "Method", "auth", "chat", "conversations", "files", "users", "views"]
