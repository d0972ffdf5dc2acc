"""Every kind of record that the log can have."""

from __future__ import annotations

from gate.lifecycle import Verb

KINDS = frozenset(Verb) | {
    "adopted", "annotate", "archive", "backup", "burst", "clock", "clock_jump", "evidence", "facts", "freeze",
    "hand_over", "headroom", "headroom_revoked", "key", "notice_failed", "policy", "refused", "rejoin",
    "remind", "session", "session_ended", "unfreeze", "view", "workspace",
}  # fmt: skip
"""The moves of actions, and what else is recorded."""
