"""Record one person's answer on one version of a hold, or refuse to, with the reason."""

from __future__ import annotations

import json
from datetime import timedelta

from gate.clock import to_us
from gate.errors import Fault
from gate.lifecycle import State, Verb
from gate.model import Route
from gate.policy.policyset import PolicySet
from gate.requirements import all_met
from gate.store import rows
from gate.store.port import Row
from gate.verbs import ballots, handing, headroom, look
from gate.verbs.ballots import Ballot
from gate.verbs.turn import Turn


def decide(turn: Turn, ballot: Ballot, store: str, policy: PolicySet) -> State | Fault:
    """Record an answer; a refusal to do so is recorded too, and returned instead of raised.

    Args:
        turn: The open turn.
        ballot: Who answers what.
        store: Id of this store.
        policy: The policy in force.

    Returns:
        The hold's state after it, or why the answer does not count.
    """
    try:
        row = handing.up_to_date(turn, ballots.current(turn, ballot, store), policy)
        counts = ballots.counts_in(row, ballot, policy)
        before = ballots.given(turn, row, ballot.person)
        ballots.check_way(turn, row, ballot, counts, before)
        if ballot.headroom and ballot.said == "approve":
            headroom.check(row, counts, policy)
    except Fault as fault:
        refuse(turn, ballot.hold, ballot.actor, fault.code, str(fault), ballot.route)
        return fault
    record(turn, row, ballot, counts | before)
    return _deny(turn, row, ballot) if ballot.said == "deny" else approve(turn, row, ballot, policy)


def refuse(turn: Turn, hold: str, actor: str, code: str, reason: str, route: Route) -> None:
    """Record that somebody's answer was refused."""
    turn.log(
        "refused",
        actor=actor,
        action=hold,
        code=code,
        reason=reason,
        route=rows.told(Route, route),
    )


def record(turn: Turn, row: Row, ballot: Ballot, counts: frozenset[int]) -> None:
    """Keep the answer: one for each person and version.

    An approval may be turned into a denial, or be given again for what was required since.

    Args:
        turn: The open turn.
        row: The action's joined row.
        ballot: The answer.
        counts: Indexes of the requirements in which the person counts with it, or did before.
    """
    turn.tx.run(
        "INSERT INTO decisions (action, version, team, user, name, said, comment, counts, route, at, "
        "headroom) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (action, version, team, user) DO UPDATE SET said = excluded.said, "
        "route = excluded.route, at = excluded.at, counts = excluded.counts, "
        "headroom = excluded.headroom, comment = CASE WHEN excluded.said = 'approve' AND "
        "excluded.comment = '' THEN decisions.comment ELSE excluded.comment END "
        "WHERE decisions.said = 'approve'",
        (
            row["id"], row["version"], ballot.person.team, ballot.person.user, ballot.person.name,
            ballot.said, ballot.comment.strip(), json.dumps(sorted(counts)),
            rows.dump(Route, ballot.route), turn.us, ballot.headroom and ballot.said == "approve",
        ),
    )  # fmt: skip


def _deny(turn: Turn, row: Row, ballot: Ballot) -> State:
    _move(turn, row, ballot, Verb.DENY, State.DENIED)
    headroom.revoke(turn, row["id"])
    turn.tell_people(row, f"Denied by {_name(ballot)}{_quote(ballot)} Nothing ran.")
    return State.DENIED


def approve(turn: Turn, row: Row, ballot: Ballot, policy: PolicySet) -> State:
    """Move a hold on after an approval that was recorded, and return where to.

    It is approved where its requirements are met now, and pending otherwise.
    """
    needs = look.requirements(row)
    given = turn.tx.all(
        "SELECT team, user, counts, headroom FROM decisions WHERE action = ? AND version = ? "
        "AND said = 'approve'",
        (row["id"], row["version"]),
    )
    wanted = ballots.quorums(needs, policy)
    met = all_met(needs, [frozenset(json.loads(each["counts"])) for each in given], wanted)
    end = State.APPROVED if met else State.PENDING
    _move(turn, row, ballot, Verb.APPROVE, end)
    if met:
        headroom.grant(turn, row, wanted, [each for each in given if each["headroom"]], policy)
        use_by = to_us(turn.now + min((each.use_within for each in needs), default=timedelta(0)))
        turn.tx.run("UPDATE holds SET use_by = ?, deadline = ? WHERE action = ?", (use_by, use_by, row["id"]))
    more = "" if met else " More approvals are needed."
    turn.tell_people(row, f"Approved by {_name(ballot)}{_quote(ballot)}{more}")
    return end


def _move(turn: Turn, row: Row, ballot: Ballot, verb: Verb, end: State) -> None:
    route = rows.told(Route, ballot.route)
    turn.move(
        row, verb, end, actor=ballot.actor, code="denied" if end == State.DENIED else "",
        comment=ballot.comment.strip(), version=row["version"], route=route, name=ballot.person.name,
        headroom=(ballot.headroom and verb == Verb.APPROVE) or None,
    )  # fmt: skip


def _name(ballot: Ballot) -> str:
    return ballots.called(ballot.person)


def _quote(ballot: Ballot) -> str:
    return f": “{ballot.comment.strip()}”" if ballot.comment.strip() else "."
