"""How much may wait for people: past that a new call is blocked instead of held."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gate.clock import to_us
from gate.model import Action, Ruling, Verdict
from gate.model.own_rules import TOO_MANY
from gate.policy.limits import Limits
from gate.values import format_duration
from gate.verbs.turn import Turn


def too_many(turn: Turn, action: Action, limits: Limits) -> Callable[[Verdict], Verdict] | None:
    """Return how to block a call that may not be held any more, or None while it may.

    Args:
        turn: The open turn.
        action: The call.
        limits: How much may wait.
    """
    why = _why(turn, action, limits)
    if why is None:
        return None
    ruling = Ruling(TOO_MANY, "block", why)
    return lambda verdict: replace(verdict, answer="block", rulings=(ruling,), requirements=())


def _why(turn: Turn, action: Action, limits: Limits) -> str | None:
    here = _pending(turn, action.agent, action.session, limits.pending_per_session)
    if here >= limits.pending_per_session:
        return f"{here} calls of this session wait for people already, the most that may."
    all_of_them = _pending(turn, action.agent, None, limits.pending_per_agent)
    if all_of_them >= limits.pending_per_agent:
        return f"{all_of_them} calls of this agent wait for people already, the most that may."
    if _asked(turn, action.session, limits) >= limits.asks:
        window = format_duration(limits.asks_window)
        return f"People were asked {limits.asks} times within {window} for this session, the most allowed."
    return None


def _pending(turn: Turn, agent: str, session: str | None, most: int) -> int:
    row = turn.tx.one(
        "SELECT count(*) AS n FROM (SELECT 1 FROM actions WHERE state = 'pending' AND agent = ? AND "
        "(? IS NULL OR session = ?) LIMIT ?)",
        (agent, session, session, most),
    )
    return int(row["n"]) if row else 0


def _asked(turn: Turn, session: str, limits: Limits) -> int:
    since = to_us(turn.now - limits.asks_window)
    row = turn.tx.one(
        "SELECT count(*) AS n FROM (SELECT 1 FROM holds WHERE asked_in = ? AND asked_at > ? LIMIT ?)",
        (session, since, limits.asks),
    )
    return int(row["n"]) if row else 0
