"""Slack's limits on messages and views, checked as the Web API checks them."""

from __future__ import annotations

from bot.local_workspace.limits.payloads import check_message_blocks, check_view, text_in

__all__ = ["check_message_blocks", "check_view", "text_in"]
