"""Submit an action: find it again, or block it, let it run, or hold it."""

from __future__ import annotations

from dataclasses import replace

from gate.errors import CallIdReused, NoSession, WouldBlock
from gate.lifecycle import State
from gate.model import (
    Action,
    ActionRecord,
    Submission,
)
from gate.model.own_rules import blocked_code
from gate.policy.spending import with_budgets
from gate.store import rows
from gate.store.port import Row
from gate.verbs import bursts, drafts, ends, freezing, ledger, limiting, look, planning, timing, waiting
from gate.verbs.drafts import Draft
from gate.verbs.turn import ACTION, Stale, Turn, action_row


def submit(turn: Turn, draft: Draft, *, wait: bool, would_block: bool = False) -> Submission:
    """Answer one call inside the caller's transaction.

    Args:
        turn: The open turn.
        draft: The action and what the policy says of it.
        wait: Whether the caller will wait if it is held.
        would_block: Whether waiting would block the caller's event loop; it is refused then.

    Returns:
        What became of it.

    Raises:
        NoSession: The session is unknown, ended, or another's.
        CallIdReused: The call id stands for another call.
        ClockError: The store's newest time lies too far after this process's.
        WouldBlock: The caller would have to wait and must not; there is no new hold.
    """
    if not draft.verdict.effect.declared_read:
        timing.refuse_behind(turn)
    around = _around(turn, draft)
    known = _by_call_id(turn, draft)
    if known is not None:
        return _rejoin(turn, known, wait, would_block)
    draft = _with_budgets(turn, draft, frozen=bool(around["frozen"]))
    if draft.verdict.answer == "block":
        return _end_blocked(turn, draft)
    again = _again(turn, draft, asked=bool(around["asked"]))
    if again is not None:
        return _rejoin(turn, again, wait, would_block)
    if draft.verdict.answer == "allow":
        return _run(turn, draft)
    too_many = limiting.too_many(turn, draft.action, draft.limits)
    if too_many is not None:
        return _end_blocked(turn, replace(draft, verdict=too_many(draft.verdict)))
    if would_block:
        raise _would_block(draft.action.name)
    return _hold(turn, draft, wait)


def _with_budgets(turn: Turn, draft: Draft, *, frozen: bool) -> Draft:
    """Return the draft with what freezes, if there are any, and budgets say as of this transaction."""
    verdict = freezing.with_freeze(turn.tx, draft.action, draft.verdict) if frozen else draft.verdict
    if verdict.answer == "block" or not draft.spending.uses:
        return draft if verdict is draft.verdict else replace(draft, verdict=verdict)
    found = ledger.judged(turn.tx, draft.spending.uses, turn.us)
    spent = with_budgets(verdict, found, lambda one: ledger.state(turn.tx, one, turn.us, action=draft.id))
    return replace(draft, verdict=spent, judged=found)


_AROUND = (
    "SELECT agent, on_behalf_of, ended_at, facts, EXISTS (SELECT 1 FROM freezes) AS frozen, "
    "EXISTS (SELECT 1 FROM actions a WHERE a.session = sessions.id AND a.digest = ? AND "
    "a.state IN ('pending', 'approved')) AS asked FROM sessions WHERE id = ?"
)
"""A session, whether anything is frozen, and whether people are asked about the same call of it."""


def _around(turn: Turn, draft: Draft) -> Row:
    """Return what the call finds around it, its session being the one that it says."""
    action = draft.action
    row = turn.tx.one(_AROUND, (draft.digest, action.session))
    if row is None or row["ended_at"] is not None:
        state = "has ended" if row else "was never opened"
        raise NoSession(f"The session {action.session!r} {state}; nothing ran. Open it with gate.session(…).")
    _check_owner(action, row["agent"], row["on_behalf_of"])
    if row["facts"] != draft.facts:
        raise Stale(action.session, row["facts"])
    return row


def _check_owner(action: Action, agent: str, opened_for: str) -> None:
    """Refuse a call that names another agent, or another person, than its session was opened with."""
    if agent != action.agent:
        raise NoSession(
            f"The session {action.session!r} belongs to the agent {agent!r}, and the call is of "
            f"{action.agent!r}; nothing ran. Open a session for each agent."
        )
    if opened_for != rows.principal_text(action.on_behalf_of):
        raise NoSession(
            f"The session {action.session!r} was opened on behalf of {rows.principal(opened_for) or 'nobody'}"
            f", and the call says {action.on_behalf_of or 'nobody'}; nothing ran. Give the same on_behalf_of"
            ", or open another session."
        )


def _by_call_id(turn: Turn, draft: Draft) -> Row | None:
    """Find the action that this call id stands for."""
    action = draft.action
    if action.call_id is None or draft.verdict.effect.declared_read:
        return None
    row = turn.tx.one(
        ACTION + "WHERE a.session = ? AND a.agent = ? AND a.on_behalf_of = ? AND a.call_id = ?",
        (action.session, action.agent, rows.principal_text(action.on_behalf_of), action.call_id),
    )
    if row is not None and row["digest"] != draft.digest:
        raise CallIdReused(
            f"The call id {action.call_id!r} already stands for another call of {row['name']} in this "
            "session; nothing ran. Give each call an id of its own."
        )
    return action_row(turn.tx, row["id"]) if row is not None and ends.expire(turn, row) else row


def _again(turn: Turn, draft: Draft, *, asked: bool) -> Row | None:
    """Find an open hold of the same call that nobody waits for, or its recent refusal.

    Args:
        turn: The open turn.
        draft: The call.
        asked: Whether there is any such hold.
    """
    if draft.action.call_id is not None or draft.verdict.effect.declared_read:
        return None
    found = _alike(turn, draft, _OPEN) if asked else []
    free = [row for row in found if not ends.expire(turn, row) and not waiting.live(turn, row["id"])]
    if free:
        return free[0]
    return _recent_refusal(turn, draft) if draft.verdict.answer == "require_approval" else None


_OPEN = "AND a.state IN ('pending', 'approved') ORDER BY a.submitted_at DESC, a.rowid DESC"
_NEWEST = "ORDER BY a.submitted_at DESC, a.rowid DESC LIMIT 1"


def _alike(turn: Turn, draft: Draft, which: str) -> list[Row]:
    """Return the same calls of this session, newest first."""
    return turn.tx.all(
        f"{ACTION} WHERE a.session = ? AND a.digest = ? {which}", (draft.action.session, draft.digest)
    )


def _recent_refusal(turn: Turn, draft: Draft) -> Row | None:
    """Return the newest same call if it was denied or expired a moment ago and nothing new is known."""
    for row in _alike(turn, draft, _NEWEST):
        refused = row["state"] in (State.DENIED, State.EXPIRED) and row["call_id"] is None
        recent = refused and turn.us - row["ended_at"] < row["ask_again_us"]
        if recent and row["evidence_mark"] == drafts.evidence_mark(turn, draft.action.session):
            return row
    return None


def _would_block(name: str) -> WouldBlock:
    return WouldBlock(
        f"{name} needs a person's approval, and waiting for it here would block the event loop. "
        "Nothing ran and nobody was asked. Make the tool an async def, call it in a thread (gate.bind), "
        "or pass wait=0."
    )


def _rejoin(turn: Turn, row: Row, wait: bool, would_block: bool) -> Submission:
    record = look.record(turn.tx, row)
    if would_block and record.state in (State.PENDING, State.RUNNING):
        raise _would_block(record.name)
    ended = record.state not in (State.PENDING, State.APPROVED, State.RUNNING)
    number = 0 if ended or not wait else waiting.enter(turn, row["id"])
    if number and row["version"]:
        turn.notify("refresh", row)
    turn.log(
        "rejoin", actor=f"agent:{row['agent']}", action=row["id"], call_id=row["call_id"], state=record.state,
    )  # fmt: skip
    return Submission("ended" if ended else "joined", record, number)


def _end_blocked(turn: Turn, draft: Draft) -> Submission:
    drafts.insert(turn, draft, State.BLOCKED, blocked_code(draft.verdict.rules))
    return Submission("ended", look.record(turn.tx, action_row(turn.tx, draft.id)))


def _run(turn: Turn, draft: Draft) -> Submission:
    drafts.insert(turn, draft, State.RUNNING, "")
    ledger.charge(turn, draft.id, draft.spending, draft.judged)
    return Submission("run", _running(draft))


def _running(draft: Draft) -> ActionRecord:
    """Return an allowed action as its row was just written, without reading it back."""
    verdict = draft.verdict
    return ActionRecord(
        id=draft.id, name=draft.action.name, state=State.RUNNING, code="", version=0, digest=draft.digest,
        rules=tuple(verdict.rules), reason=verdict.reason, decisions=(), name_approver=False,
        expires_at=None, use_by=None, result=None, kept=False, error="", late=False,
    )  # fmt: skip


def _hold(turn: Turn, draft: Draft, wait: bool) -> Submission:
    alike = _alike(turn, draft, _NEWEST)
    drafts.insert(turn, draft, State.PENDING, "")
    drafts.insert_hold(turn, draft, alike[0] if alike else None)
    ledger.wait(turn, draft.id, draft.spending.uses)
    row = action_row(turn.tx, draft.id)
    channels = tuple(dict.fromkeys(c for each in draft.verdict.requirements for c in each.channels))
    for channel in channels:
        turn.notify("card", row, channel=channel)
    turn.moved.add(row["session"])
    bursts.watch(turn, row, channels, draft.limits)
    planning.plan(turn, row, planning.timed(draft.verdict.requirements, turn.now))
    number = waiting.enter(turn, draft.id) if wait else 0
    return Submission("held", look.record(turn.tx, row), number)
