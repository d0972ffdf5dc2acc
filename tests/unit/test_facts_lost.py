"""Facts that host code could not say stay unknown in the log, the ledger and what is kept for edits."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from gate.errors import IllegalMove
from gate.model import Action
from gate.policy.backtest import Result, replay
from gate.service import Service
from tests.kit import EDITABLE, POLICY, act, answer, change, policy, service

NEWS = "{facts.reported: {exists: false}, args.amount: {gt: 0}}"
ALLOWS = f"  - {{id: news, match: desk.news, when: {NEWS}, then: allow}}\n"
SHUT = (
    "  - {id: shut, match: desk.pay, when: {facts.shut: {eq: true, optional: true}}, then: block, "
    "reason: Shut.}\n"
)
TRIAL = (
    "budgets:\n  - {id: trial, match: desk.mail, when: {facts.trial: {eq: true, optional: true}}, limit: 1, "
    "per: agent, window: 24h}\n"
)
MAILS = POLICY + "  - {id: mails, match: desk.mail, then: allow}\n"


def _lost(name: str = "desk.pay", **arguments: Any) -> Action:
    return replace(act(name, **arguments), facts_lost=True)


def _replayed(gate: Service, text: str) -> Result:
    now = gate.now()
    logged = list(gate.logged(now - timedelta(days=1), now + timedelta(days=1), lambda done, all_: None))
    return replay(logged, policy(text), since=now - timedelta(days=1))


def test_a_backtest_sees_that_they_were_lost() -> None:
    """Of two calls without a fact, only the one whose host said so is without it."""
    gate = service()
    gate.submit(act("desk.news", amount=1), wait=False)
    lost = gate.submit(_lost("desk.news", amount=2), wait=False).record.id
    found = _replayed(gate, POLICY + ALLOWS)
    assert [each.after_rules for each in found.changes] == [("desk/news",)]
    assert lost not in {each.id for each in found.changes}


def test_a_changed_call_is_judged_without_them() -> None:
    """A rule that blocks unless a fact says otherwise blocks the change, as it would block the call."""
    gate = service(text=EDITABLE)
    held = [
        gate.submit(call, wait=False).record.id for call in (act(amount=400, to="bob"), _lost(amount=400))
    ]
    gate.apply(policy(EDITABLE + SHUT), by="cli:x")
    assert change(gate, held[0], amount=300).version == 2
    with pytest.raises(IllegalMove, match="Shut"):
        change(gate, held[1], amount=300)


def test_a_new_budget_counts_a_run_without_them() -> None:
    """Its condition is undecided for what ran so, and an undecided condition counts."""
    gate = service(text=MAILS)
    assert gate.submit(act("desk.mail", text="one")).kind == "run"
    assert gate.submit(_lost("desk.mail", text="two")).kind == "run"
    gate.apply(policy(MAILS + TRIAL), by="cli:x")
    trial = replace(act("desk.mail", text="three"), facts={"trial": True})
    assert gate.submit(trial, wait=False).record.rules == ("desk/trial",)


def test_the_log_says_that_they_were_lost_when_submitted_and_when_claimed() -> None:
    """A record says so, and one of a call whose facts are known says nothing."""
    gate = service()
    gate.open_session("s1", agent="desk", on_behalf_of=act().on_behalf_of, facts={"shop": "North"})
    lost, known = _lost(amount=400, to="bob"), act(amount=401, to="bob")
    for call in (lost, known):
        hold = gate.submit(call, wait=False).record.id
        answer(gate, hold)
        gate.claim(hold, call)
    said = [
        (each.body.get("facts"), each.body.get("facts_lost"))
        for each in gate.records()
        if each.body["kind"] in ("submit", "claim")
    ]
    assert said == [(None, True)] * 2 + [({"shop": "North"}, None)] * 2


def test_a_card_does_not_say_a_fact_that_is_not_known() -> None:
    """The session's value may not be the call's, so none is told."""
    line = "Pay {args.to} of {facts.shop}"
    gate = service(
        text=POLICY.replace("actions:\n", f'actions:\n  desk.fire: {{risk: write, describe: "{line}"}}\n')
    )
    gate.open_session("s1", agent="desk", on_behalf_of=act().on_behalf_of, facts={"shop": "North"})
    hold = gate.submit(_lost("desk.fire", to="bob"), wait=False).record.id
    assert gate.hold(hold).described == "Pay bob of (cannot be read)"
