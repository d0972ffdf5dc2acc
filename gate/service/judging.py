"""Judge a call under a policy, before the transaction that answers it, and without one."""

from __future__ import annotations

from dataclasses import replace

from gate.clock import to_us
from gate.digest import action_digest
from gate.editing import Edited, edited, edited_digest
from gate.errors import IllegalMove
from gate.model import Action, Verdict
from gate.policy.evaluate import evaluate
from gate.policy.policyset import PolicySet
from gate.policy.spending import with_budgets
from gate.policy.uses import uses_of
from gate.recorded import read_facts
from gate.redact import describe
from gate.service.describing import with_told
from gate.service.preparing import (
    concealed_in,
    redacted_for,
    rerouted_use,
    rerouted_verdict,
    spending_of,
    without_secrets,
)
from gate.service.revising import recorded_of
from gate.service.road import Road
from gate.store import keys
from gate.verbs import freezing, ledger, sessions
from gate.verbs.asking import Judgement
from gate.verbs.drafts import Draft


class JudgeVerbs(Road):
    """What the policy says of a call, and what there is to be written of it."""

    def _draft(self, new: str, given: Action, policy: PolicySet) -> Draft:
        digest = action_digest(self.store.key, given)
        action, facts = self._with_facts(given)
        verdict = rerouted_verdict(evaluate(policy, action), self.channel)
        redacted = redacted_for(action, verdict)
        verdict = with_told(policy, action, verdict, redacted.hidden, redacted.secrets)
        spending = spending_of(policy, action, verdict, redacted, key=self.store.key, channel=self.channel)
        return Draft(
            id=new,
            action=without_secrets(action),
            digest=digest,
            verdict=verdict,
            redacted=redacted,
            concealed=concealed_in(verdict, redacted),
            described=describe(verdict.effect.describe, action.name, redacted.arguments, verdict.effect.told),
            spending=spending,
            facts=facts,
            limits=policy.limits,
            recorded=recorded_of(verdict, given, redacted, spending.entry),
        )

    def _digest(self, call: Action | Edited) -> str:
        """Return the digest of what would run, read afresh: it may have waited for days."""
        key = self.store.key
        if isinstance(call, Action):
            return action_digest(key, call, afresh=True)
        again = edited(call.submitted, call.patch, call.version).action
        if action_digest(key, again, afresh=True) != action_digest(key, call.action, afresh=True):
            raise IllegalMove(
                "The call is not the one that was submitted with what was changed; nothing ran.",
                code="changed",
            )
        return edited_digest(key, action_digest(key, call.submitted, afresh=True), call.patch)

    def _judgement(self, given: Action, policy: PolicySet) -> Judgement:
        action, facts = self._with_facts(given)
        verdict = rerouted_verdict(evaluate(policy, action), self.channel)
        redacted = redacted_for(action, verdict)
        spending = spending_of(policy, action, verdict, redacted, key=self.store.key, channel=self.channel)
        concealed = concealed_in(verdict, redacted)
        return Judgement(verdict, spending, facts, concealed, redacted.secrets)

    def preview(self, given: Action) -> Verdict:
        """Return what a submit would answer now, freezes and budgets included; nothing is written.

        How much may wait for people does not count here.
        """
        with self.store.reader() as reader:
            self.store.follow_key(keys.known(reader))
            facts = sessions.facts_of(reader, given.session)
        action = replace(given, facts={**read_facts(facts), **given.facts})
        policy = self.policy()
        verdict = rerouted_verdict(evaluate(policy, action), self.channel)
        uses = uses_of(policy, action) if verdict.answer != "block" else ()
        us = to_us(self.now())
        with self.store.reader() as reader:
            verdict = freezing.with_freeze(reader, action, verdict)
            found = ledger.judged(reader, [self._seal(rerouted_use(use, self.channel)) for use in uses], us)
            return with_budgets(verdict, found, lambda one: ledger.state(reader, one, us, action=""))

    def _with_facts(self, action: Action) -> tuple[Action, str]:
        """Return a call with the facts of its session beside its own, and the session's as text."""
        text, facts = self._facts_of(action.session)
        return (replace(action, facts={**facts, **action.facts}) if facts else action), text
