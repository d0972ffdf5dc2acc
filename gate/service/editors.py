"""How people change a held call through the bot, and what becomes of one that cannot take the change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gate.errors import Fault
from gate.lifecycle import State
from gate.model import ActionRecord, Field, HoldRecord, Person, Route
from gate.policy.policyset import PolicySet
from gate.service.people import storable_person
from gate.service.revising import fields_of, revise
from gate.service.road import Road
from gate.shapes import storable
from gate.verbs import edit as editing
from gate.verbs import ends, handing, look, sessions, workspace
from gate.verbs.ballots import Ballot
from gate.verbs.edit import Revised
from gate.verbs.turn import Turn, action_row


class EditVerbs(Road):
    """How people change held calls."""

    def edit(
        self,
        hold_id: str,
        *,
        store: str,
        nonce: str,
        person: Person,
        satisfies: frozenset[str],
        changes: Mapping[str, Any],
        route: Route,
        comment: str = "",
    ) -> HoldRecord:
        """Change values of a held call and approve it so: its next version; see ``verbs.edit``.

        The editor's own approval counts where they are among the approvers; those of others are void. What
        the changed call requires comes on top of what was required before, and no deadline moves later.

        Args:
            hold_id: Which hold.
            store: Id of the store that made the card.
            nonce: Mark of the version the person saw.
            person: Who, as Slack authenticated them.
            satisfies: Approver entries (as text) that the person satisfies, as looked up just now.
            changes: By path, such as ``args.amount``, the new value, or a text that spells it.
            route: Where it came from.
            comment: Their words; counts as the comment of their approval.

        Returns:
            The hold after it.

        Raises:
            NotEligible: They may not approve it.
            BadEdit: The tool does not take a value, nothing changed, or the policy blocks the changed call.
            IllegalMove: A path may not be changed, it was changed five times, or it is late, decided, changed
                meanwhile, frozen, lacks a comment or the full view.
        """
        ballot = Ballot(
            hold_id, store, nonce, storable_person(person), satisfies, "approve", storable(comment), route
        )

        def verb(turn: Turn, prepared: tuple[PolicySet, Revised | Fault | None]) -> HoldRecord | Fault:
            policy, revised = prepared
            handing.hand_over(turn, ballot.hold, policy)
            fault = editing.edit(turn, ballot, self.store_id, revised, policy)
            return fault or look.hold(turn.tx, self.store_id, ballot.hold)

        return self._judged_or_fault(lambda policy: (policy, self._revise(hold_id, changes, policy)), verb)

    def fields(self, hold_id: str) -> tuple[Field, ...]:
        """Return the values of a hold that approvers may change now, with what the tool says of each."""
        policy = self.policy()
        with self.store.reader() as reader:
            return fields_of(reader, look.full_id(reader, hold_id, table="holds"), policy)

    def viewed(self, hold_id: str, person: Person) -> bool:
        """Tell whether a person has opened the full view of a hold's current version."""
        with self.store.reader() as reader:
            return workspace.has_viewed(reader, hold_id, person)

    def not_taken(self, action_id: str, version: int, reason: str) -> ActionRecord:
        """End an approved hold whose call cannot take what people changed; nothing ran.

        Args:
            action_id: Which action.
            version: The version that was approved.
            reason: Why, in words.
        """
        with self._turn() as turn:
            row = action_row(turn.tx, action_id)
            if (row["state"], row["version"]) == (State.APPROVED, version):
                said = f"The tool does not take what was changed: {storable(reason)}."
                actor = f"agent:{row['agent']}"
                ends.cancel(turn, action_id, code="edit_not_taken", reason=said, actor=actor)
            return look.record(turn.tx, action_row(turn.tx, action_id))

    def _revise(self, hold: str, changes: Mapping[str, Any], policy: PolicySet) -> Revised | Fault | None:
        with self.store.reader() as reader:
            row = reader.one("SELECT session FROM actions WHERE id = ?", (hold,))
            if row is not None:
                self._learn_facts(row["session"], sessions.facts_of(reader, row["session"]))
            return revise(
                reader, hold, changes, policy, self._facts, key=self.store.key, channel=self.channel
            )
