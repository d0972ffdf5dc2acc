"""Headroom: an approval that also lets the next calls pass which would be over the same budget."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from gate.clock import from_us, to_us
from gate.errors import IllegalMove
from gate.model import BudgetState, Ruling
from gate.policy.policyset import PolicySet
from gate.store import rows
from gate.store.port import Row
from gate.verbs import look
from gate.verbs.turn import GATE, Turn


def offered(row: Row, counts: Iterable[int], policy: PolicySet) -> list[tuple[Ruling, BudgetState, int]]:
    """Return the budgets of a hold whose next calls a person may let pass.

    Args:
        row: The action's joined row.
        counts: Indexes of the requirements the person counts in.
        policy: The policy in force; a budget that it changed since lets nothing pass.

    Returns:
        For each its ruling, what it stood at, and the index of its requirement.
    """
    needs = look.requirements(row)
    terms = {each.terms for each in policy.budgets}
    found: dict[tuple[str, str], tuple[Ruling, BudgetState, int]] = {}
    for ruling in rows.load(tuple[Ruling, ...], row["rulings"] or "[]"):
        state = ruling.budget
        if state is None or not state.headroom or ruling.answer != "require_approval":
            continue
        index = next((i for i in sorted(counts) if ruling.rule in needs[i].rules), None)
        if index is not None and state.terms in terms:
            found[(state.terms, state.bucket)] = (ruling, state, index)
    return list(found.values())


def check(row: Row, counts: Iterable[int], policy: PolicySet) -> None:
    """Refuse to let calls pass where no budget offers it to this person.

    Raises:
        IllegalMove: None does (code ``no_headroom``).
    """
    if not offered(row, counts, policy):
        raise IllegalMove(
            "No budget of this call lets you wave more calls through; approve this one alone. Nothing was "
            "recorded.",
            code="no_headroom",
        )


def grant(turn: Turn, row: Row, quorums: Sequence[int], given: Sequence[Row], policy: PolicySet) -> None:
    """Let the next calls pass for each budget where enough of its approvers said so; once for each hold.

    Args:
        turn: The open turn, in which the hold is approved.
        row: The action's joined row.
        quorums: How many people each of its requirements needs.
        given: The approvals that let calls pass.
        policy: The policy in force.
    """
    for ruling, state, index in offered(row, range(len(quorums)), policy) if given else ():
        people = [f"{each['team']}/{each['user']}" for each in given if index in json.loads(each["counts"])]
        if len(people) >= quorums[index]:
            _grant(turn, row, ruling, state, people)


def _grant(turn: Turn, row: Row, ruling: Ruling, state: BudgetState, people: Sequence[str]) -> None:
    until = to_us(turn.now + state.window)
    added = turn.tx.run(
        "INSERT OR IGNORE INTO headroom (action, rule, terms, bucket, given, remaining, until) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (row["id"], ruling.rule, state.terms, state.bucket, state.headroom, state.headroom, until),
    )
    if added:
        turn.log(
            "headroom", actor=people[-1], action=row["id"], budget=ruling.rule, lets_pass=state.headroom,
            until=from_us(until).isoformat(), people=list(people),
        )  # fmt: skip


def revoke(turn: Turn, action_id: str) -> None:
    """Take back what a hold let pass, because it was denied after all, or taken back itself."""
    gone = turn.tx.run("UPDATE headroom SET remaining = 0 WHERE action = ? AND remaining > 0", (action_id,))
    if gone:
        turn.log("headroom_revoked", actor=GATE, action=action_id)


def revoke_all(turn: Turn) -> None:
    """Take back what any hold let pass, where nobody knows any more how much of it was used."""
    for row in turn.tx.all("SELECT DISTINCT action FROM headroom WHERE remaining > 0"):
        revoke(turn, row["action"])
