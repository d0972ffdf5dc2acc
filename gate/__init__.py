"""Approval gate for AI agents: a policy allows, blocks or holds each tool call; people decide in Slack."""

from gate.errors import GateError, PolicyError
from gate.facade import Gate
from gate.handles import Hold
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
