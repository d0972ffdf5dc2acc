"""Read where a message stands that Slack says it took; what cannot be read is no message that was posted."""

from __future__ import annotations

import re
from typing import Any

from bot.slack_errors import UnreadableAnswer

_TS = re.compile(r"[0-9]{1,20}\.[0-9]{1,20}")


def channel_of(answer: Any) -> str:
    """Return the channel that an answer of ``chat.postMessage`` names.

    Raises:
        UnreadableAnswer: It names none.
    """
    channel = answer["channel"]
    if not isinstance(channel, str) or not channel:
        raise UnreadableAnswer("Slack did not say in which channel the message stands")
    return channel


def ts_of(message: Any) -> str:
    """Return the timestamp of a message, which names it within its channel.

    Args:
        message: An answer of ``chat.postMessage``, or a message of a channel's history.

    Raises:
        UnreadableAnswer: It has none in Slack's form.
    """
    ts = message.get("ts")
    if not isinstance(ts, str) or not _TS.fullmatch(ts):
        raise UnreadableAnswer("Slack did not say which message it is")
    return ts
