"""Claim an approved action, and settle or doubt one that was started."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from gate.budget import Judged
from gate.errors import IllegalMove
from gate.lifecycle import State, Verb
from gate.model import Action, ActionRecord, Ruling
from gate.model.own_rules import blocked_code
from gate.recorded import LOST
from gate.store.port import Row
from gate.verbs import asking, doubts, ends, freezing, ledger, look, timing, waiting
from gate.verbs.asking import Judgement
from gate.verbs.turn import GATE, Stale, Turn, action_row


@dataclass(frozen=True, slots=True)
class Claimed:
    """Whether the caller now has the action in hand.

    Attributes:
        run: True: run it now, once, then settle. False: look at the record.
        record: The action as the store has it.
    """

    run: bool
    record: ActionRecord


@dataclass(frozen=True, slots=True)
class End:
    """How a started action ended.

    Attributes:
        ok: Whether the tool returned.
        result: Its result as JSON text; None where it is not kept.
        error: Class and redacted text of what it raised; empty otherwise.
        started: False where the caller was gone before the tool began.
    """

    ok: bool
    result: str | None = None
    error: str = ""
    started: bool = True


def claim(
    turn: Turn,
    action_id: str,
    action: Action,
    digest: str,
    asked: Judgement,
    *,
    version: int = 1,
    waiter: int,
) -> Claimed:
    """Take an approved action in hand, at most one caller, at most once.

    Args:
        turn: The open turn.
        action_id: Which action.
        action: The call that would run.
        digest: Its digest; must be the approved version's.
        asked: What the policy in force says of it now.
        version: The version that it is; another one's approval does not count for it.
        waiter: The caller's waiter number; 0 for none. It stays where the hold waits for people again.

    Raises:
        IllegalMove: The call is not the one that was approved.
        ClockError: The store's newest time lies too far after this process's.
    """
    row = action_row(turn.tx, action_id)
    if row["state"] != State.APPROVED:
        return Claimed(False, look.record(turn.tx, row))
    if not row["declared_read"]:
        timing.refuse_behind(turn)
    if version != row["version"]:
        return Claimed(False, look.record(turn.tx, row))
    if digest != row["current_digest"]:
        raise IllegalMove(
            f"The call is not the one that was approved as {action_id}; nothing ran.", code="changed"
        )
    ran = _move(turn, row, _as_of_now(turn, row, action, asked))
    after = look.record(turn.tx, row | {"state": State.RUNNING} if ran else action_row(turn.tx, action_id))
    if after.state != State.PENDING:
        waiting.leave(turn, waiter)
    return Claimed(ran, after)


def _as_of_now(turn: Turn, row: Row, action: Action, asked: Judgement) -> Judgement:
    """Return what is said of a call with what freezes say, if there are any, as of this transaction.

    Raises:
        Stale: It was judged with facts that its session has not any more.
    """
    around = turn.tx.one(_AROUND, (row["session"],))
    if around is not None and around["facts"] != asked.facts:
        raise Stale(row["session"], around["facts"])
    if around is not None and not around["frozen"]:
        return asked
    return replace(asked, verdict=freezing.with_freeze(turn.tx, action, asked.verdict))


_AROUND = "SELECT facts, EXISTS (SELECT 1 FROM freezes) AS frozen FROM sessions WHERE id = ?"


def _move(turn: Turn, row: Row, asked: Judgement) -> bool:
    verdict = asked.verdict
    if turn.us >= row["use_by"]:
        ends.expire(turn, row)
        return False
    if verdict.answer == "block":
        _block(turn, row, verdict.rulings, verdict.revision, code=blocked_code(verdict.rules))
        return False
    found = ledger.judged(turn.tx, asked.spending.uses, turn.us)
    over = asking.undecided(row, found)
    said = [*(asking.rulings(turn, row, over) if over else []), *asking.unasked(row, verdict)]
    if any(each.answer == "block" for each in said):
        _block(turn, row, said, verdict.revision, budgets=ledger.told(found))
    elif said:
        asking.ask_again(turn, row, asked, said, [path for one in over for path in one.use.reads], found)
    else:
        _start(turn, row, asked, found)
    return not said


def _block(
    turn: Turn, row: Row, said: Sequence[Ruling], revision: str, *, code: str = "blocked", **fields: Any
) -> None:
    reason = next((each.reason for each in said if each.reason), "")
    turn.move(
        row, Verb.CLAIM, State.BLOCKED, actor=GATE, code=code, reason=reason,
        rules=[each.rule for each in said], revision=revision, **fields,
    )  # fmt: skip
    turn.tell_people(row, f"Blocked before it ran: {reason}")


def _start(turn: Turn, row: Row, asked: Judgement, found: Sequence[Judged]) -> None:
    facts = asked.spending.entry.facts
    turn.move(
        row, Verb.CLAIM, State.RUNNING, actor=f"agent:{row['agent']}", revision=asked.verdict.revision,
        facts=json.loads(facts), facts_lost=facts == LOST or None,
        budgets=ledger.told(found), version=row["version"], digest=row["current_digest"],
        kept={"process": turn.process},
    )  # fmt: skip
    decided = asking.asked_rules(row)
    passing = [one for one in found if one.use.ruling.rule not in decided]
    ledger.charge(turn, row["id"], asked.spending, passing)
    turn.notify("refresh", row)


def settle(turn: Turn, action_id: str, end: End) -> bool:
    """Record how a started action ended; also after it had been in doubt, by the process that ran it.

    Returns:
        Whether it had been in doubt, so that people are told.

    Raises:
        IllegalMove: It was not started by this process, or is settled already.
    """
    row = turn.tx.one(_IN_HAND, (action_id,)) or action_row(turn.tx, action_id)
    if row["state"] not in (State.RUNNING, State.IN_DOUBT) or row["process"] != turn.process:
        raise IllegalMove(f"The action {action_id} is not in hand here; it is {row['state']}.")
    late: bool = row["state"] == State.IN_DOUBT
    state, code = (State.SUCCEEDED, "ran") if end.ok else (State.FAILED, "failed")
    error = end.error if end.started else "never started"
    kept = {"result": end.result, "kept": end.result is not None, "error": error, "late": late}
    turn.move(
        row, Verb.SETTLE, state, actor=f"agent:{row['agent']}", code=code, kept=kept, error=error, late=late
    )
    if late or row["version"]:
        doubts.tell(turn, row, _told(end, late))
    return late


_IN_HAND = (
    "SELECT a.id, a.agent, a.session, a.state, a.process, h.version FROM actions a "
    "LEFT JOIN holds h ON h.action = a.id WHERE a.id = ?"
)


def _told(end: End, late: bool) -> str:
    word = "Known after all: it" if late else "It"
    if not end.started:
        return f"{word} never started: its caller was gone. Nothing ran."
    return (
        f"{word} ran once and ended well."
        if end.ok
        else f"{word} ran and raised {end.error}; it may have taken effect."
    )


def doubt(turn: Turn, row: Row, *, code: str, reason: str, actor: str = GATE) -> None:
    """Record that nobody knows how a started action ended; an interrupted declared read just failed."""
    if row["declared_read"]:
        turn.move(row, Verb.DOUBT, State.FAILED, actor=actor, code="failed", reason=reason)
        turn.tx.run("UPDATE actions SET error = ? WHERE id = ?", (f"interrupted: {reason}", row["id"]))
        return
    turn.move(row, Verb.DOUBT, State.IN_DOUBT, actor=actor, code=code, reason=reason)
    if row["version"]:
        turn.tell_people(row, f"In doubt: {reason} It is not run again.")
    else:
        turn.notify("doubt", {**row, "version": 0})
