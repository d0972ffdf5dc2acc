"""What people do through the bot: decide, look, open the full view."""

from __future__ import annotations

from dataclasses import replace

from gate.errors import Fault
from gate.lifecycle import OPEN, State
from gate.model import Approver, HoldRecord, Person, Route, Said
from gate.policy.policyset import PolicySet, handed_to
from gate.service.road import Road
from gate.shapes import storable
from gate.verbs import accounts, ballots, ends, handing, look, workspace
from gate.verbs import decide as deciding
from gate.verbs.ballots import Ballot
from gate.verbs.handing import Handed


class PeopleVerbs(Road):
    """What people do, through the bot."""

    def decide(
        self,
        hold_id: str,
        *,
        store: str,
        nonce: str,
        person: Person,
        satisfies: frozenset[str],
        said: Said,
        route: Route,
        comment: str = "",
        headroom: bool = False,
    ) -> State:
        """Record one person's answer; see ``verbs.decide``.

        Args:
            hold_id: Which hold.
            store: Id of the store that made the card.
            nonce: Mark of the version the person saw.
            person: Who, as Slack authenticated them.
            satisfies: Approver entries (as text) that the person satisfies, as looked up just now.
            said: Their answer; a denial also stops a hold that is approved and not claimed.
            route: Where it came from.
            comment: Their words or the quick reason they chose.
            headroom: Whether they also let the next calls pass that would be over the same budget; an
                approval only, and only where a budget of the hold offers it to them.

        Returns:
            The hold's state after it.

        Raises:
            NotEligible: They may not answer.
            IllegalMove: It is late, decided, changed, frozen, lacks a comment or the full view, or no budget
                lets more calls pass.
        """
        comment, person = storable(comment), storable_person(person)
        ballot = Ballot(hold_id, store, nonce, person, satisfies, said, comment, route, headroom)
        return self._judged_or_fault(
            lambda policy: policy, lambda turn, policy: deciding.decide(turn, ballot, self.store_id, policy)
        )

    def refuse(self, hold_id: str, *, person: Person, code: str, reason: str, route: Route) -> None:
        """Record that the bot refused somebody's answer before it came to a decision."""
        with self._turn() as turn:
            deciding.refuse(turn, hold_id, f"{person.team}/{person.user}", code, storable(reason), route)

    def record_view(self, hold_id: str, *, nonce: str, person: Person) -> None:
        """Record that somebody opened the full view of one version."""
        with self._turn() as turn:
            workspace.record_view(turn, hold_id, nonce=nonce, person=person)

    def require_view(self, hold_id: str) -> None:
        """Record that a decisive value does not stand whole on the card, so the full view must be opened."""
        with self._turn() as turn:
            workspace.require_view(turn, hold_id)

    def approvers_of(self, hold_id: str) -> tuple[Approver, ...]:
        """Return every approver entry that may matter to a hold: as stored, and as the policy has it now."""
        record, policy = self.hold(hold_id), self.policy()
        now = [policy.requirement_of(rule) for each in record.requirements for rule in each.rules]
        operators = () if record.version else policy.operators
        lists = [
            operators,
            *(each.approvers for each in record.requirements),
            *(one.approvers for one in now if one),
            *(handed_to(one) for one in (*record.requirements, *now) if one),
        ]
        return tuple(dict.fromkeys(approver for entries in lists for approver in entries))

    def hold(self, hold_id: str) -> HoldRecord:
        """Return one hold by its id or at least six characters of it; see ``holds``."""
        with self.store.reader() as reader:
            found = look.hold(reader, self.store_id, hold_id)
        return self._asked_now([found])[0]

    def holds(self, states: frozenset[State] | None = OPEN, limit: int = 200) -> list[HoldRecord]:
        """Return the newest holds in these states (None: any), oldest first.

        What a pending one requires has the larger of its stored quorum and that of the policy in force, since
        that many must approve.
        """
        with self.store.reader() as reader:
            found = look.holds(reader, self.store_id, states, limit)
        return self._asked_now(found)

    def _asked_now(self, records: list[HoldRecord]) -> list[HoldRecord]:
        if not any(each.state is State.PENDING for each in records):
            return records
        try:
            policy = self.policy()
        except Fault:
            return records  # shown as stored: nothing is decided while the policy cannot be read
        return [_with_quorums(each, policy) if each.state is State.PENDING else each for each in records]

    def account(self, ids: frozenset[str]) -> tuple[str, ...]:
        """Return every id of the person who goes by one of these; see ``verbs.accounts``."""
        with self.store.reader() as reader:
            return accounts.of(reader, ids)

    def learn_account(self, ids: tuple[str, ...]) -> None:
        """Keep that these ids of Slack's are one person's, their one id first."""
        with self._turn() as turn:
            accounts.learn(turn, ids)

    def who_asked(self, hold_id: str, person: Person | None) -> None:
        """Record who the address a session acts for belongs to; nobody for sure ends the hold undelivered."""
        with self._turn() as turn:
            workspace.who_asked(turn, hold_id, storable_person(person) if person else None)

    def hand_over(self, hold_id: str) -> Handed:
        """Add to each requirement that is due and not met the people it is handed over to."""
        return self._judged(
            lambda policy: policy, lambda turn, policy: handing.hand_over(turn, hold_id, policy)
        )

    def undeliver(self, hold_id: str, *, code: str, reason: str) -> None:
        """End a pending hold because nobody could be asked."""
        with self._turn() as turn:
            ends.undeliver(turn, hold_id, code=code, reason=storable(reason))


def _with_quorums(record: HoldRecord, policy: PolicySet) -> HoldRecord:
    """Return a hold with as many approvals required as count now."""
    wanted = ballots.quorums(record.requirements, policy)
    if wanted == [each.quorum for each in record.requirements]:
        return record
    pairs = zip(record.requirements, wanted, strict=True)
    return replace(record, requirements=tuple(replace(each, quorum=count) for each, count in pairs))


def storable_person(person: Person) -> Person:
    """Return a person whose name has a UTF-8 form."""
    return replace(person, name=storable(person.name))
