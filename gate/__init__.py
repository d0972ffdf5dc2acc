"""Approval gate for AI agents: a policy allows, blocks or holds each tool call; people decide in Slack."""

from typing import TYPE_CHECKING

from gate.lazy import lazy_exports

if TYPE_CHECKING:
    from gate.errors import GateError, PolicyError
    from gate.facade import Gate
    from gate.hold import Hold
    from gate.model import Effect, Evidence, Verdict
    from gate.outcomes import (
        Blocked,
        Cancelled,
        Denied,
        Expired,
        InDoubt,
        Pending,
        Ran,
        Refused,
        Undelivered,
    )
    from gate.session import Session, email, outside, person
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "gate.errors": ("GateError", "PolicyError"),
            "gate.facade": ("Gate",),
            "gate.hold": ("Hold",),
            "gate.model.calls": ("Effect", "Evidence"),
            "gate.model.verdicts": ("Verdict",),
            "gate.outcomes": (
                "Blocked",
                "Cancelled",
                "Denied",
                "Expired",
                "InDoubt",
                "Pending",
                "Ran",
                "Refused",
                "Undelivered",
            ),
            "gate.session": ("Session", "email", "outside", "person"),
        },
    )

__all__ = [
    "Blocked",
    "Cancelled",
    "Denied",
    "Effect",
    "Evidence",
    "Expired",
    "Gate",
    "GateError",
    "Hold",
    "InDoubt",
    "Pending",
    "PolicyError",
    "Ran",
    "Refused",
    "Session",
    "Undelivered",
    "Verdict",
    "email",
    "outside",
    "person",
]
