"""A small kit for tests of the policy language: sets from a few lines, calls, the truth of a condition."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import pytest

from gate.errors import PolicyError, Problem
from gate.model import Action, Effect, Parameters, Principal, Verdict
from gate.policy.evaluate import evaluate
from gate.policy.load import load_texts
from gate.policy.policyset import PolicySet

APPROVALS = "approvals: {channel: C0APPROVALS, approvers: [U0ALICE, S0FINANCE]}\n"


def load(*texts: str) -> PolicySet:
    """Load texts as ``a.yml``, ``b.yml`` and so on."""
    return load_texts({f"{chr(ord('a') + index)}.yml": text for index, text in enumerate(texts)})


_loaded = lru_cache(maxsize=16)(load)
"""Load a text once for the calls that are judged by it one after the other; nothing changes what it gives."""


def problems(*texts: str) -> list[Problem]:
    """Return everything that keeps texts from loading; at least one problem."""
    with pytest.raises(PolicyError) as caught:
        load(*texts)
    return list(caught.value.problems)


def only_problem(text: str) -> str:
    """Return the one problem of a text as people read it."""
    found = problems(text)
    assert len(found) == 1, "\n".join(map(str, found))
    return str(found[0])


def written(*rules: dict[str, Any], default: str = "block", resolve: str = "strictest", **keys: Any) -> str:
    """Write a policy text; JSON is YAML."""
    body = {"version": 1, "default": default, "resolve": resolve, **keys, "rules": list(rules)}
    return APPROVALS + "\n".join(f"{key}: {json.dumps(value)}" for key, value in body.items()) + "\n"


def rule(ident: str, then: str, **keys: Any) -> dict[str, Any]:
    """Return one rule with a reason where it needs one."""
    reason = {} if then == "allow" else {"reason": f"Reason of {ident}."}
    return {"id": ident, "then": then, **reason, **keys}


def call(
    args: dict[str, Any] | None = None,
    name: str = "shop.run_it",
    *,
    params: str | None = None,
    effect: Effect | None = None,
    on_behalf_of: Principal | None = None,
    **keys: Any,
) -> Action:
    """Return a call; ``params`` lists what the tool takes, None where nobody knows."""
    takes = None if params is None else Parameters(frozenset(params.split()))
    return Action(name, args or {}, "bot", "s1", on_behalf_of, parameters=takes, effect=effect, **keys)


def ask(text: str, action: Action) -> Verdict:
    """Judge a call under one policy text."""
    return evaluate(_loaded(text), action)


def truth(when: dict[str, Any], action: Action, **keys: Any) -> str:
    """Return ``true``, ``false`` or ``unknown``, told apart by what an allow and a block rule do on each."""
    allowed, blocked = (
        ask(written(rule("r", then, when=when), default=default, **keys), action).answer
        for then, default in (("allow", "block"), ("block", "allow"))
    )
    if allowed == "allow":
        assert blocked == "block"
        return "true"
    return "unknown" if blocked == "block" else "false"
