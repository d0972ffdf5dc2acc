"""A small Slack-like workspace on loopback, for the demo and the tests. It is not Slack."""

from __future__ import annotations

from bot.local_workspace.client import Control
from bot.local_workspace.errors import ControlError
from bot.local_workspace.seed import NOTICE, TEAM_ID, Channel, Group, Seed, User
from bot.local_workspace.server import LocalWorkspace

__all__ = [
    "NOTICE",
    "TEAM_ID",
    "Channel",
    "Control",
    "ControlError",
    "Group",
    "LocalWorkspace",
    "Seed",
    "User",
]
