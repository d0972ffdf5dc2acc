"""Ask people again about an approved call: a budget that nobody decided about would now be exceeded."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gate.budget import Judged, Use
from gate.ids import new_nonce
from gate.lifecycle import State, Verb
from gate.model import Requirement, Ruling, Verdict
from gate.policy.spending import ruling_of
from gate.requirements import merge
from gate.store import rows
from gate.store.port import Row
from gate.verbs import ends, ledger, look, planning, versions
from gate.verbs.ledger import Spending
from gate.verbs.turn import GATE, Turn, action_row


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the policy in force says of a call that is about to be claimed.

    Attributes:
        verdict: What its rules say.
        spending: What it would add to each budget, and what the ledger keeps of it.
        facts: The facts of its session that it was judged with, as JSON text.
        concealed: Hidden paths that no policy hides on purpose.
        secrets: Texts in the call that people may not see.
    """

    verdict: Verdict
    spending: Spending
    facts: str = field(default="{}", repr=False)
    concealed: frozenset[str] = frozenset()
    secrets: tuple[str, ...] = field(default=(), repr=False)


def undecided(row: Row, found: Iterable[Judged]) -> list[Judged]:
    """Return the budgets that are over and about which nobody was asked yet.

    Args:
        row: The action's joined row.
        found: How the call's budgets stand now.
    """
    asked = asked_rules(row)
    return [one for one in found if one.over and (_blocks(one.use) or one.use.ruling.rule not in asked)]


def asked_rules(row: Row) -> frozenset[str]:
    """Return the ids of everything that a hold's requirements stand for."""
    return frozenset(rule for each in look.requirements(row) for rule in each.rules)


def _blocks(use: Use) -> bool:
    return use.ruling.answer == "block"


def rulings(turn: Turn, row: Row, over: Sequence[Judged]) -> list[Ruling]:
    """Return what the budgets say that are over; only those that block where one does."""
    said = [one for one in over if _blocks(one.use)] or over
    return [ruling_of(one.use, ledger.state(turn.tx, one, turn.us, action=row["id"])) for one in said]


def unasked(row: Row, verdict: Verdict) -> list[Ruling]:
    """Return what holds a changed call and was not known to when it was changed.

    Whoever changed it saw neither hidden values nor what the host says of the new ones, and was judged
    without them; here the call is whole. A call that nobody changed was whole when it was submitted.
    """
    if row["version"] < 2 or verdict.answer != "require_approval":
        return []
    asked = asked_rules(row)
    return [each for each in verdict.rulings if each.requirement is not None and each.rule not in asked]


def ask_again(
    turn: Turn,
    row: Row,
    asked: Judgement,
    said: Sequence[Ruling],
    reads: Iterable[str],
    found: Sequence[Judged],
) -> None:
    """Put an approved hold back to pending, with what its budgets, or a changed call's rules, require added.

    Decisions stand for what they were given for; the added requirements count only later ones, since nobody
    had seen these numbers. The deadline does not move. Buttons of the old card are void.

    Args:
        turn: The open turn.
        row: The action's joined row.
        asked: What the policy in force says.
        said: What says that people must be asked, and about which nobody decided.
        reads: Paths that budgets among it read.
        found: How every budget of the call stands, for the log.
    """
    added = merge([each.requirement for each in said if each.requirement is not None])
    reason = said[0].reason
    turn.move(
        row, Verb.CLAIM, State.PENDING, actor=GATE, reason=reason, rules=[each.rule for each in said],
        revision=asked.verdict.revision, budgets=ledger.told(found),
    )  # fmt: skip
    _write(turn, row, asked, said, added, reads)
    ledger.wait(turn, row["id"], asked.spending.uses)
    _tell(turn, row, added, reason)
    ends.expire(turn, action_row(turn.tx, row["id"]))


def _write(
    turn: Turn,
    row: Row,
    asked: Judgement,
    said: Sequence[Ruling],
    added: Sequence[Requirement],
    reads: Iterable[str],
) -> None:
    version = turn.tx.one(
        "SELECT * FROM versions WHERE action = ? AND version = ?", (row["id"], row["version"])
    )
    assert version is not None
    before = json.loads(version["decisive"])
    decisive = list(dict.fromkeys((*before, *reads))) if before else []
    view = version["view_required"] or look.hides_decisive(decisive, asked.concealed)
    needs = planning.timed((*look.requirements(row), *added), turn.now)
    told = (*rows.load(tuple[Ruling, ...], version["rulings"]), *said)
    turn.tx.run(
        "UPDATE versions SET nonce = ?, requirements = ?, rulings = ?, decisive = ?, view_required = ? "
        "WHERE action = ? AND version = ?",
        (
            new_nonce([row["nonce"]]), rows.dump(tuple[Requirement, ...], needs),
            rows.dump(tuple[Ruling, ...], told), json.dumps(decisive), bool(view), row["id"], row["version"],
        ),
    )  # fmt: skip
    if versions.decides_more(before, decisive):
        turn.tx.run("DELETE FROM views_opened WHERE action = ? AND version = ?", (row["id"], row["version"]))
    turn.tx.run(
        "UPDATE holds SET use_by = NULL, deadline = expires_at, accepted_at = coalesce(accepted_at, ?) "
        "WHERE action = ?",
        (turn.us, row["id"]),
    )
    planning.shorten_ask_again(turn, row["id"], added)
    planning.plan(turn, row, needs, again=True)
    planning.count_again(turn, row, look.requirements(row), needs)
    rules = [*json.loads(row["rules"]), *(each.rule for each in said)]
    turn.tx.run(
        "UPDATE actions SET rules = ? WHERE id = ?", (json.dumps(list(dict.fromkeys(rules))), row["id"])
    )


def _tell(turn: Turn, row: Row, added: Sequence[Requirement], reason: str) -> None:
    """Post cards into channels that had none, and say on the others why it waits again."""
    old = {channel for each in look.requirements(row) for channel in each.channels}
    for channel in dict.fromkeys(channel for each in added for channel in each.channels):
        if channel not in old:
            turn.notify("card", row, channel=channel)
    turn.tell_people(row, f"Approved, but it did not start: {reason} It needs another approval.")
