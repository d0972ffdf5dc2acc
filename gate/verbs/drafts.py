"""A new action: everything about it that is worked out before its transaction, and how that is written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from typing import Any

from gate.budget import Judged
from gate.clock import to_us
from gate.ids import new_nonce
from gate.lifecycle import State, Verb, check_move
from gate.model import (
    Action,
    Evidence,
    PastCall,
    Requirement,
    ResolvedEffect,
    Ruling,
    Verdict,
)
from gate.policy.limits import Limits
from gate.redact import Redacted
from gate.store import rows
from gate.store.port import Row
from gate.verbs import ledger, look, planning
from gate.verbs.ledger import Spending
from gate.verbs.turn import Turn


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
        """Return the redacted arguments as JSON text, in their own order, for people."""
        return json.dumps(self.redacted.arguments, ensure_ascii=False, allow_nan=False)


def insert(turn: Turn, draft: Draft, state: State, code: str) -> None:
    """Write a new action and its record.

    Args:
        turn: The open turn.
        draft: The action.
        state: The state that it begins in.
        code: Outcome code where it ends at once; empty otherwise.
    """
    check_move(None, Verb.SUBMIT, state)
    action, verdict = draft.action, draft.verdict
    turn.tx.insert(
        "actions", id=draft.id, parent=action.parent, agent=action.agent, session=action.session,
        on_behalf_of=rows.principal_text(action.on_behalf_of), name=action.name,
        call_id=None if verdict.effect.declared_read else action.call_id,
        digest=draft.digest, state=state, code=code, reason=verdict.reason, rules=_listed(verdict.rules),
        described=draft.described, declared_read=verdict.effect.declared_read, submitted_at=turn.us,
        process=turn.process if state == State.RUNNING else None,
        ended_at=turn.us if state == State.BLOCKED else None,
    )  # fmt: skip
    turn.log(
        "submit", actor=draft.actor, action=draft.id, code=code,
        written=("input", draft.spending.entry.arguments), **_told(draft, state),
    )  # fmt: skip


def _told(draft: Draft, state: State) -> dict[str, Any]:
    """Return what the record of a submit tells beside the arguments."""
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
        "erased": list(draft.redacted.hidden),
        "digest": draft.digest,
        "facts": {} if (facts := draft.spending.entry.facts) == "{}" else json.loads(facts),
        "facts_lost": action.facts_lost or None,
        "tool": _read(draft.spending.entry.told),
        "budgets": ledger.told(draft.judged),
    }


@lru_cache(maxsize=1024)
def _listed(rules: tuple[str, ...]) -> str:
    return json.dumps(rules)


@lru_cache(maxsize=1024)
def _read(text: str) -> Any:
    """Return what is told of a tool, which is the same for thousands of calls; to be read only."""
    return json.loads(text)


def insert_hold(turn: Turn, draft: Draft, alike: Row | None) -> None:
    """Write the hold of a new action that waits for people, and its first version.

    Args:
        turn: The open turn.
        draft: The action.
        alike: Row of the newest same call of its session, which people see beside it; None for none.
    """
    _insert_hold(turn, draft, alike)
    _insert_version(turn, draft)
    turn.touched[draft.id] = State.PENDING, 1


def _insert_hold(turn: Turn, draft: Draft, alike: Row | None) -> None:
    action, needs = draft.action, draft.verdict.requirements
    expires, deliver = _soonest(turn, needs, "expires_in"), _soonest(turn, needs, "deliver_within")
    asked = action.on_behalf_of
    known = asked is not None and asked.kind == "person"
    turn.tx.insert(
        "holds", action=draft.id, asked_in=action.session, asked_at=turn.us, version=1,
        expires_at=expires, deliver_by=deliver,
        ask_again_us=min(each.ask_again_after for each in needs) // timedelta(microseconds=1),
        evidence_mark=evidence_mark(turn, action.session),
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


def _evidence(turn: Turn, session: str) -> tuple[Evidence, ...]:
    found = turn.tx.all("SELECT * FROM evidence WHERE session = ? ORDER BY n", (session,))
    return tuple(Evidence(row["text"], row["weight"], row["url"] or None) for row in found)


def evidence_mark(turn: Turn, session: str) -> int:
    """Return the number of a session's newest evidence; 0 for none."""
    row = turn.tx.one("SELECT coalesce(max(n), 0) AS mark FROM evidence WHERE session = ?", (session,))
    return int(row["mark"]) if row else 0
