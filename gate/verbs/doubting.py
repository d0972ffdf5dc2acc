"""Calls in doubt: ask operators about an allowed one, and record what people say that became of one.

What they say is an annotation: it moves no state, revives no approval, and nothing is run again for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from gate.errors import Fault, IllegalMove, NotEligible
from gate.ids import new_nonce
from gate.lifecycle import State
from gate.model import Person, Requirement, ResolvedEffect, Route
from gate.model.own_rules import OPERATORS
from gate.policy.policyset import PolicySet
from gate.store import rows
from gate.store.port import Row
from gate.verbs import ballots, decide, doubts
from gate.verbs.turn import Turn, action_row


@dataclass(frozen=True, slots=True)
class Word:
    """What one person says of a call in doubt, as Slack delivered it.

    Attributes:
        action: Its id.
        store: Id of the store that made the card.
        person: Who, as Slack authenticated them.
        satisfies: Approver entries that the person satisfies, as looked up just now.
        ran: Whether they say that it ran.
        comment: How they know; may be empty.
        route: Where it came from.
    """

    action: str
    store: str
    person: Person
    satisfies: frozenset[str]
    ran: bool
    comment: str
    route: Route

    @property
    def actor(self) -> str:
        """Return who says so, as the log names them."""
        return f"{self.person.team}/{self.person.user}"


def ask(
    turn: Turn,
    action_id: str,
    policy: PolicySet,
    effect: ResolvedEffect,
    channel: str,
    *,
    staging: bool = False,
) -> bool:
    """Make an allowed call in doubt one that the policy's operators can answer for.

    Args:
        turn: The open turn.
        action_id: Which call.
        policy: The policy in force.
        effect: What the tool does, under it.
        channel: Where its card belongs; empty where the policy names no channel for it.
        staging: Whether that channel stands for those of the policy.

    Returns:
        Whether there is something to ask, and somebody.
    """
    row = action_row(turn.tx, action_id)
    if row["state"] != State.IN_DOUBT or row["version"] or not policy.operators or not channel:
        return False
    need = Requirement((OPERATORS,), policy.operators, 1, (channel,), staging=staging)
    turn.tx.run(
        "INSERT OR IGNORE INTO doubts VALUES (?, ?, ?, ?)",
        (
            action_id, new_nonce(), rows.dump(ResolvedEffect, effect),
            rows.dump(tuple[Requirement, ...], (need,)),
        ),
    )  # fmt: skip
    return True


def say(turn: Turn, word: Word, store: str, policy: PolicySet) -> Fault | None:
    """Record what a person says of a call in doubt; a refusal is recorded too, and returned.

    A later word replaces an earlier one that says otherwise; the log has both.
    """
    try:
        row = _current(turn, word, store)
        _check_person(turn, row, word, policy)
        _check_new(turn, word)
    except (IllegalMove, NotEligible) as fault:
        decide.refuse(turn, word.action, word.actor, fault.code, str(fault), word.route)
        return fault
    person = word.person
    turn.tx.run(
        "INSERT OR REPLACE INTO annotations VALUES (?, ?, ?, ?, ?, ?, ?)",
        (word.action, word.ran, word.comment.strip(), person.team, person.user, person.name, turn.us),
    )
    turn.log(
        "annotate", actor=word.actor, action=word.action, said="ran" if word.ran else "did not run",
        comment=word.comment.strip(), name=person.name, route=rows.told(Route, word.route),
    )  # fmt: skip
    doubts.tell(turn, row, _sentence(word))
    return None


def _current(turn: Turn, word: Word, store: str) -> Row:
    if word.store != store:
        raise IllegalMove(
            "This card belongs to another installation of the gate; nothing was recorded.", code="other_store"
        )
    row = action_row(turn.tx, word.action)
    if row["state"] != State.IN_DOUBT:
        raise IllegalMove(
            f"It is not in doubt any more: it is {row['state']}. Nothing was recorded.",
            code="already_decided",
        )
    return row


def _check_person(turn: Turn, row: Row, word: Word, policy: PolicySet) -> None:
    """Refuse who could not have decided: a held call has its approvers, an allowed one the operators."""
    if row["version"]:
        ballot = ballots.Ballot(
            word.action, word.store, "", word.person, word.satisfies, "approve", word.comment, word.route
        )
        ballots.counts_in(row, ballot, policy)
        return
    found = doubts.allowed(turn.tx, word.store, word.action)
    asked = [str(entry) for need in (found.requirements if found else ()) for entry in need.approvers]
    now = [str(entry) for entry in policy.operators]
    if not (word.satisfies & set(asked) and word.satisfies & set(now)):
        raise NotEligible(
            "You are not among the operators, who answer for allowed calls.", code="not_eligible"
        )


def _check_new(turn: Turn, word: Word) -> None:
    known = doubts.annotation(turn.tx, word.action, State.IN_DOUBT)
    if known is not None and known.ran == word.ran:
        who = known.person.name or known.person.user
        raise IllegalMove(f"{who} has said the same already. Nothing was recorded.", code="already_decided")


def _sentence(word: Word) -> str:
    person = word.person
    who = f"{person.name} ({person.user})" if person.name else person.user
    said = f": “{word.comment.strip()}”" if word.comment.strip() else "."
    return f"{who} says that it {'ran' if word.ran else 'did not run'}{said} Nothing is run again for that."
