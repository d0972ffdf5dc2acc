"""The policies that are measured: few rules, many rules, many rules for one tool, budgets that are fed."""

from __future__ import annotations

from gate.model import Action, Parameters

TOOL = "desk.pay"
ARGUMENTS = {"amount": 5, "to": "bob", "currency": "EUR", "reason": "bench"}
_HEAD = """version: 1
name: bench
default: require_approval
approvals: {channel: C0APPROVALS, approvers: [U0ALICE], comment: {approve: optional, deny: optional}}
limits:
  {pending_per_session: 100000, pending_per_agent: 100000, asks_per_session: {count: 100000, window: 1h},
   burst: {count: 0, window: 10m}}
"""
_BUDGETS = """budgets:
  - {id: calls, match: "*", limit: 100000000, per: session, window: 24h}
  - {id: money, match: "*", sum: args.amount, limit: 100000000000, per: agent, window: 24h}
"""
_SMALL = "  - {id: small, match: desk.pay, when: {args.amount: {gt: 0, lte: 10}}, then: allow}\n"


def for_tools(count: int, *, budgets: bool = False) -> str:
    """Return a policy of so many rules, each for a tool of its own, the called one's with a condition."""
    others = (f"  - {{id: rule-{n}, match: desk.tool_{n}, then: allow}}\n" for n in range(1, count))
    return _HEAD + "rules:\n" + _SMALL + "".join(others) + (_BUDGETS if budgets else "")


def for_one_tool(count: int) -> str:
    """Return a policy of so many rules with conditions, all for the called tool."""
    form = (
        "  - {{id: rule-{0}, match: desk.pay, when: {{args.amount: {{gt: {0}, lte: {1}}}}}, then: allow}}\n"
    )
    rules = (form.format(n, n + 10) for n in range(count))
    return _HEAD + "rules:\n" + "".join(rules)


def call(session: str = "s1") -> Action:
    """Return the call that is judged: four arguments."""
    return Action(TOOL, dict(ARGUMENTS), "bench", session, parameters=Parameters(frozenset(ARGUMENTS)))
