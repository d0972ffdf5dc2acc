"""Submit an action: find it again, or block it, let it run, or hold it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import lru_cache
from typing import Any

from gate.budget import Judged
from gate.clock import to_us
from gate.errors import CallIdReused, NoSession, WouldBlock
from gate.ids import new_nonce
from gate.lifecycle import State, Verb, check_move
from gate.model import (
    Action,
    ActionRecord,
    Evidence,
    PastCall,
    Requirement,
    ResolvedEffect,
    Ruling,
    Submission,
    Verdict,
)
from gate.model.own_rules import blocked_code
from gate.policy.limits import Limits
from gate.policy.spending import with_budgets
from gate.redact import Redacted
from gate.store import rows
from gate.store.port import Row
from gate.verbs import bursts, ends, freezing, ledger, limiting, look, planning, timing, waiting
from gate.verbs.ledger import Spending
from gate.verbs.turn import ACTION, Stale, Turn, action_row


@dataclass(frozen=True, slots=True)
class Draft:
    """An action with everything about it that is worked out before the transaction.

    Attributes:
        id: The id it gets if it is new.
        action: The action.
        digest: Its digest.
        verdict: The policy's answer.
        redacted: Its arguments as people and the log may see them.
        concealed: Those of them that no policy hides on purpose; a decisive one must be looked at.
        described: Describe line, redacted.
        spending: What it would add to each budget, and what the ledger keeps of it.
        facts: The facts of its session that it was judged with, as JSON text.
        limits: How much may wait for people.
        recorded: What is kept of it so that it may be changed later; empty where nothing may be.
        judged: How its budgets stand; worked out inside the transaction.
    """

    id: str
    action: Action
    digest: str
    verdict: Verdict
    redacted: Redacted
    concealed: frozenset[str]
    described: str
    spending: Spending
    facts: str = field(repr=False)
    limits: Limits
    recorded: str = ""
    judged: tuple[Judged, ...] = ()

    @property
    def actor(self) -> str:
        """Return who asks, as the log names them."""
        return f"agent:{self.action.agent}"

    @property
    def shown(self) -> str:
        """Return the redacted arguments as JSON text."""
        return self.spending.entry.arguments


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
        if recent and row["evidence_mark"] == _evidence_mark(turn, draft.action.session):
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
    _insert(turn, draft, State.BLOCKED, blocked_code(draft.verdict.rules))
    return Submission("ended", look.record(turn.tx, action_row(turn.tx, draft.id)))


def _run(turn: Turn, draft: Draft) -> Submission:
    _insert(turn, draft, State.RUNNING, "")
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
    _insert(turn, draft, State.PENDING, "")
    _insert_hold(turn, draft, alike[0] if alike else None)
    _insert_version(turn, draft)
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


def _insert(turn: Turn, draft: Draft, state: State, code: str) -> None:
    check_move(None, Verb.SUBMIT, state)
    action, verdict = draft.action, draft.verdict
    turn.tx.insert(
        "actions", id=draft.id, parent=action.parent, agent=action.agent, session=action.session,
        on_behalf_of=rows.principal_text(action.on_behalf_of), name=action.name,
        call_id=None if verdict.effect.declared_read else action.call_id,
        digest=draft.digest, state=state, code=code, reason=verdict.reason, rules=json.dumps(verdict.rules),
        described=draft.described, declared_read=verdict.effect.declared_read, submitted_at=turn.us,
        process=turn.process if state == State.RUNNING else None,
        ended_at=turn.us if state == State.BLOCKED else None,
    )  # fmt: skip
    turn.touched.add(draft.id)
    turn.log("submit", actor=draft.actor, action=draft.id, code=code, **_told(draft, state))


def _told(draft: Draft, state: State) -> dict[str, Any]:
    """Return what the record of a submit tells."""
    action, verdict = draft.action, draft.verdict
    return {
        "name": action.name,
        "session": action.session,
        "on_behalf_of": str(action.on_behalf_of or ""),
        "call_id": action.call_id,
        "parent": action.parent,
        "target": action.target,
        "verdict": verdict.answer,
        "move": {"to": state},
        "rules": list(verdict.rules),
        "places": {ruling.rule: ruling.place for ruling in verdict.rulings if ruling.place},
        "reasons": [ruling.reason for ruling in verdict.rulings if ruling.reason],
        "revision": verdict.revision,
        "input": draft.redacted.arguments,
        "erased": list(draft.redacted.hidden),
        "digest": draft.digest,
        "facts": {} if (facts := draft.spending.entry.facts) == "{}" else json.loads(facts),
        "facts_lost": action.facts_lost or None,
        "tool": _read(draft.spending.entry.told),
        "budgets": ledger.told(draft.judged),
    }


@lru_cache(maxsize=1024)
def _read(text: str) -> Any:
    """Return what is told of a tool, which is the same for thousands of calls; to be read only."""
    return json.loads(text)


def _insert_hold(turn: Turn, draft: Draft, alike: Row | None) -> None:
    action, needs = draft.action, draft.verdict.requirements
    expires, deliver = _soonest(turn, needs, "expires_in"), _soonest(turn, needs, "deliver_within")
    asked = action.on_behalf_of
    known = asked is not None and asked.kind == "person"
    turn.tx.insert(
        "holds", action=draft.id, asked_in=action.session, asked_at=turn.us, version=1,
        expires_at=expires, deliver_by=deliver,
        ask_again_us=min(each.ask_again_after for each in needs) // timedelta(microseconds=1),
        evidence_mark=_evidence_mark(turn, action.session),
        evidence=rows.dump(tuple[Evidence, ...], _evidence(turn, action.session)),
        identical=rows.dump(PastCall | None, look.past_call(turn.tx, alike) if alike else None),
        note=action.note, target=action.target, not_shown=json.dumps(action.not_shown),
        asker=json.dumps([asked.team or "", asked.id, ""]) if known and asked else "",
        deadline=min(expires, deliver), recorded=draft.recorded,
    )  # fmt: skip


def _soonest(turn: Turn, needs: Sequence[Requirement], key: str) -> int:
    return to_us(turn.now + min(getattr(each, key) for each in needs))


def _insert_version(turn: Turn, draft: Draft) -> None:
    verdict = draft.verdict
    turn.tx.insert(
        "versions", action=draft.id, version=1, nonce=new_nonce(), digest=draft.digest,
        revision=verdict.revision, arguments=draft.shown,
        hidden=json.dumps(draft.redacted.hidden), decisive=json.dumps(verdict.decisive),
        effect=rows.dump(ResolvedEffect, verdict.effect),
        rulings=rows.dump(tuple[Ruling, ...], verdict.rulings),
        requirements=rows.dump(
            tuple[Requirement, ...], planning.timed(verdict.requirements, turn.now)
        ),
        view_required=look.hides_decisive(verdict.decisive, draft.concealed), made_at=turn.us,
    )  # fmt: skip


def _evidence_mark(turn: Turn, session: str) -> int:
    row = turn.tx.one("SELECT coalesce(max(n), 0) AS mark FROM evidence WHERE session = ?", (session,))
    return int(row["mark"]) if row else 0


def _evidence(turn: Turn, session: str) -> tuple[Evidence, ...]:
    found = turn.tx.all("SELECT * FROM evidence WHERE session = ? ORDER BY n", (session,))
    return tuple(Evidence(row["text"], row["weight"], row["url"] or None) for row in found)
