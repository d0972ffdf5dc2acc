"""Load what the child processes need, once, before they are forked; nothing here opens anything."""

from __future__ import annotations

import bot.command
import gate.facade
import gate.runtime
import gate.settings
from tests.faults import kill_points

__all__ = ["bot", "gate", "kill_points"]
