"""The two ways in which the workspace says no: to an app's API call, and to a person or a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class SlackError(Exception):
    """A Web API call is answered with `ok: false` and Slack's name for the error."""

    def __init__(self, error: str, **more: Any) -> None:
        super().__init__(error)
        self.error = error
        self.more: Mapping[str, Any] = more

    @classmethod
    def about(cls, error: str, sentences: Sequence[str]) -> SlackError:
        """Return an error that lists what is wrong, as Slack does for blocks and arguments."""
        messages = [f"[ERROR] {each}" for each in sentences]
        return cls(error, errors=list(sentences), response_metadata={"messages": messages})


class ControlError(Exception):
    """A request to the control API cannot be done.

    Attributes:
        code: stable short name, for example `message_not_found`.
        message: one sentence that can be shown to the person.
        status: HTTP status of the answer.
    """

    def __init__(self, code: str, message: str, status: int = 400) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.status = status
