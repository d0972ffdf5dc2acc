"""A small kit for tests of the lint: a policy from a few lines, and the codes of what is found in it."""

from __future__ import annotations

from typing import Any

from gate.model import Effect, Parameters
from gate.policy.lint import Finding, KnownTool, Seen, findings
from tests.policy_kit import load, written

PAY = {"shop.pay": {"risk": "write", "amount": "args.amount", "currency": "args.currency"}}
"""Effects of one tool that moves money."""


def tool(name: str, takes: str = "", may_leave_out: str = "", effect: Effect | None = None) -> KnownTool:
    """Return a tool of the catalogue; what it may leave out it takes too."""
    required = frozenset(takes.split())
    return KnownTool(name, effect, Parameters(required | frozenset(may_leave_out.split())), required)


def found(
    *rules: dict[str, Any], tools: tuple[KnownTool, ...] = (), seen: Seen | None = None, **keys: Any
) -> list[Finding]:
    """Return everything the lint finds in one file of rules."""
    return list(findings(load(written(*rules, **keys)), tools, seen))


def codes(*rules: dict[str, Any], **keys: Any) -> list[str]:
    """Return the codes of everything that is found, the guessed risks of made-up tools left out."""
    return [each.code for each in found(*rules, **keys) if each.code != "guessed_risk"]


def only(code: str, *rules: dict[str, Any], **keys: Any) -> Finding:
    """Return the one finding of a code."""
    (one,) = [each for each in found(*rules, **keys) if each.code == code]
    return one
