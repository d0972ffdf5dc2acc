"""What people do through the bot beside answering holds: the kill switch, and calls in doubt."""

from __future__ import annotations

from gate.errors import Fault, NotEligible
from gate.model import Approver, HoldRecord, Person, ResolvedEffect, Route
from gate.policy.policyset import PolicySet
from gate.service.people import storable_person
from gate.service.road import Road
from gate.shapes import storable
from gate.verbs import doubting, doubts, logged, look, switching
from gate.verbs.freezing import Scope
from gate.verbs.switching import Switch, Way
from gate.verbs.turn import Turn


class OperatorVerbs(Road):
    """What approvers and operators do, through the bot."""

    def freezers(self) -> tuple[Approver, ...]:
        """Return who may freeze in Slack: every approver and operator that the policy in force names."""
        return self.policy().people()

    def operators(self) -> tuple[Approver, ...]:
        """Return who may lift a freeze in Slack; nobody where the policy in force names no operators."""
        return self.policy().operators

    def freeze_for(
        self,
        scope: Scope,
        id_: str = "",
        *,
        person: Person,
        satisfies: frozenset[str],
        route: Route,
        reason: str = "",
    ) -> bool:
        """Freeze everything, an agent or a session for a person in Slack.

        Args:
            scope: ``everything``, ``agent`` or ``session``.
            id_: Which agent or session; empty for everything.
            person: Who, as Slack authenticated them.
            satisfies: Approver entries (as text) that the person satisfies, as looked up just now.
            route: Where it came from.
            reason: Why; empty for no reason.

        Returns:
            False where it was frozen already; a reason replaces the older one.

        Raises:
            NotEligible: They are no approver under the policy in force.
            IllegalMove: The scope and the id do not fit together.
        """
        switch = Switch(scope, id_, storable_person(person), satisfies, storable(reason), route)
        return self._judged_or_fault(
            lambda policy: policy, lambda turn, policy: switching.freeze(turn, switch, policy)
        )

    def unfreeze_for(
        self,
        scope: Scope,
        id_: str = "",
        *,
        person: Person,
        satisfies: frozenset[str],
        route: Route,
        reason: str = "",
    ) -> None:
        """Lift one freeze for an operator in Slack; the arguments are those of ``freeze_for``.

        Raises:
            NotEligible: They are no operator under the policy in force, or it names none (``no_operators``).
            IllegalMove: That is not frozen.
        """
        switch = Switch(scope, id_, storable_person(person), satisfies, storable(reason), route)
        self._judged_or_fault(
            lambda policy: policy, lambda turn, policy: switching.lift(turn, switch, policy)
        )

    def refuse_switch(
        self, verb: Way, scope: Scope, id_: str, *, person: Person, fault: NotEligible, route: Route
    ) -> None:
        """Record that the bot refused somebody the kill switch before it came to a turn of it.

        Args:
            verb: ``freeze`` or ``unfreeze``.
            scope: ``everything``, ``agent`` or ``session``.
            id_: Which agent or session, as they wrote it; empty for everything.
            person: Who, as Slack authenticated them.
            fault: Why they may not.
            route: Where it came from.
        """
        switch = Switch(scope, id_, person, frozenset(), "", route)
        with self._turn() as turn:
            switching.refuse(turn, switch, verb, fault)

    def ask_operators(self, action_id: str) -> HoldRecord | None:
        """Make an allowed call in doubt one that operators can answer for; see ``verbs.doubting``.

        Returns:
            The call in the form of a hold with version 0; None where there is nothing to ask, or nobody.
        """
        with self.store.reader() as reader:
            call = logged.submitted(reader, action_id)
        if call is None:
            return None

        def prepare(policy: PolicySet) -> tuple[PolicySet, ResolvedEffect, str]:
            channel = self.channel or next(iter(policy.channels_for(call.name)), "")
            return policy, policy.known(call).effect, channel

        def verb(turn: Turn, asked: tuple[PolicySet, ResolvedEffect, str]) -> HoldRecord | None:
            asks = doubting.ask(turn, action_id, *asked, staging=bool(self.channel))
            return doubts.allowed(turn.tx, self.store_id, action_id) if asks else None

        return self._judged(prepare, verb)

    def annotate(
        self,
        action_id: str,
        *,
        store: str,
        person: Person,
        satisfies: frozenset[str],
        ran: bool,
        route: Route,
        comment: str = "",
    ) -> HoldRecord:
        """Record what a person says became of a call in doubt; it moves no state and revives nothing.

        Args:
            action_id: Which call; held, or allowed and asked about.
            store: Id of the store that made the card.
            person: Who, as Slack authenticated them.
            satisfies: Approver entries (as text) that the person satisfies, as looked up just now.
            ran: Whether they say that it ran.
            route: Where it came from.
            comment: How they know; may be empty.

        Returns:
            The call after it.

        Raises:
            NotEligible: They are no approver of the hold, or for an allowed call no operator.
            IllegalMove: It is not in doubt any more, or they say what was said already.
        """
        word = doubting.Word(
            action_id, store, storable_person(person), satisfies, ran, storable(comment), route
        )

        def verb(turn: Turn, policy: PolicySet) -> HoldRecord | Fault:
            fault = doubting.say(turn, word, self.store_id, policy)
            return fault or look.hold(turn.tx, self.store_id, action_id)

        return self._judged_or_fault(lambda policy: policy, verb)
