"""What is worked out of one call before its transaction: what it would add, what the ledger keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from gate.audit import canonical
from gate.budget import Use
from gate.digest import Snapshot
from gate.model import Action, Effect, Parameters, Requirement, Ruling, Verdict
from gate.policy.effects import Known
from gate.policy.policyset import PolicySet
from gate.policy.reading import Subject, reader
from gate.policy.uses import key_of, uses_of
from gate.recorded import facts_shown
from gate.redact import Redacted, hide, redact
from gate.store import rows
from gate.tagging import in_order
from gate.values import currency_code, decimal_of, parse_path
from gate.verbs import ledger
from gate.verbs.backfill import Told
from gate.verbs.ledger import Entry, Spending


def without_secrets(action: Action) -> Action:
    """Return a call whose note and target hold no secrets of a known shape; most have neither."""
    if action.note is None and action.target is None:
        return action
    note, target = (None if each is None else hide(each) for each in (action.note, action.target))
    return replace(action, note=note, target=target)


def redacted_for(action: Action, verdict: Verdict) -> Redacted:
    """Return a call's arguments as people and the log may see them."""
    return redact(action.arguments, paths=verdict.redact, show=verdict.show)


def concealed_in(verdict: Verdict, redacted: Redacted) -> frozenset[str]:
    """Return the hidden paths of a call that no policy hides on purpose."""
    return frozenset(redacted.hidden) - frozenset(verdict.redact) if redacted.hidden else frozenset()


def spending_of(
    policy: PolicySet,
    action: Action,
    verdict: Verdict,
    redacted: Redacted,
    *,
    key: bytes,
    channel: str | None,
) -> Spending:
    """Return what a call would add to each budget, and what the ledger keeps of it.

    Args:
        policy: The set in force.
        action: The call.
        verdict: What its rules say; a call that they block adds nothing.
        redacted: Its arguments as they may be kept.
        key: The store's key, for fingerprints.
        channel: Channel that replaces every channel of the policy; None for none.
    """
    uses = uses_of(policy, action) if verdict.answer != "block" else ()
    entry = Entry(
        arguments=kept_text(action, redacted),
        hidden=_hidden(policy.known(action), action, redacted, key) if redacted.hidden else "{}",
        facts=facts_shown(action.facts, lost=action.facts_lost),
        told=_told(action),
    )
    return Spending(tuple(ledger.sealed(rerouted_use(use, channel), key) for use in uses), entry)


def kept_text(action: Action, redacted: Redacted) -> str:
    """Return the canonical text of a call's arguments as they may be kept.

    It is at hand, since the digest was made of it, where people are shown that very form.
    """
    given = action.arguments
    if type(given) is Snapshot and given.plain and not redacted.hidden:
        return given.written.decode()
    return canonical({name: in_order(each) for name, each in redacted.arguments.items()})


def rerouted(need: Requirement, channel: str | None) -> Requirement:
    """Return a requirement whose cards go to the channel that replaces the policy's, where there is one."""
    return need if channel is None else replace(need, channels=(channel,), staging=True)


def rerouted_ruling(ruling: Ruling, channel: str | None) -> Ruling:
    """Return a ruling whose cards go to the channel that replaces the policy's, where there is one."""
    need = ruling.requirement
    return ruling if channel is None or need is None else replace(ruling, requirement=rerouted(need, channel))


def rerouted_verdict(verdict: Verdict, channel: str | None) -> Verdict:
    """Return a verdict whose cards go to the channel that replaces the policy's, where there is one."""
    if channel is None or not verdict.requirements:
        return verdict
    return replace(
        verdict,
        requirements=tuple(rerouted(each, channel) for each in verdict.requirements),
        rulings=tuple(rerouted_ruling(each, channel) for each in verdict.rulings),
    )


def rerouted_use(use: Use, channel: str | None) -> Use:
    """Return a use whose cards go to the channel that replaces the policy's, where there is one."""
    return use if channel is None else replace(use, ruling=rerouted_ruling(use.ruling, channel))


def _hidden(known: Known, action: Action, redacted: Redacted, key: bytes) -> str:
    """Return what stands for each hidden value: a fingerprint, or the number where it is the amount."""
    subject = Subject(action, known)
    return json.dumps({path: _kept(path, known, subject, key) for path in redacted.hidden})


def _kept(path: str, known: Known, subject: Subject, key: bytes) -> Mapping[str, Any] | str:
    keys = parse_path(path)
    value = reader(keys)(subject)
    number, code = decimal_of(value), currency_code(value)
    if keys == known.amount and number is not None:
        return {"number": str(number)}
    if keys == known.currency and code is not None:
        return {"code": code}
    whose = key_of(value)
    return "" if whose is None else ledger.mark(key, whose)


def _told(action: Action) -> str:
    try:
        return _told_text(action.effect, action.parameters, action.source)
    except TypeError:  # an effect may hold a list, which no cache takes
        return rows.dump(Told, Told(action.effect, action.parameters, action.source))


@lru_cache(maxsize=1024)
def _told_text(effect: Effect | None, parameters: Parameters | None, source: str) -> str:
    return rows.dump(Told, Told(effect, parameters, source))
