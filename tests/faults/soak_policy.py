"""The policy of the long run, and what it says, for the invariants that judge the run from outside."""

from __future__ import annotations

from decimal import Decimal

from tests.faults.invariants import Asked, Rules

CLERKS = ("U0ALICE", "U0BOB")
LIMIT = 10**13
"""What the one budget allows for the whole run: never reached, but counted at every call."""
HEAD = """
version: 1
name: desk
default: block
approvals: {channel: C0APPROVALS, approvers: [U0ALICE, U0BOB], expires_in: 1h, use_within: 30m,
            deliver_within: 30m, comment: {approve: optional, deny: optional}}
limits: {pending_per_session: 100000, pending_per_agent: 100000,
         asks_per_session: {count: 100000, window: 1h}}
actions:
  "*.look": {risk: read}
  "*.pay": {risk: write, amount: args.amount, currency: EUR, describe: "Pay {args.amount} to {args.to}"}
  "*.mail": {risk: write}
budgets:
  - {id: money, match: "*.pay", sum: effect.amount, limit: {EUR: LIMIT}, per: agent, window: 1h,
     reason: Much already.}
rules:
  - {id: looks, match: "*.look", then: allow}
  - {id: mails, match: "*.mail", then: allow}
  - {id: small, match: "*.pay", when: {args.amount: {gt: 0, lte: 10}}, then: allow}
  - {id: never, match: "*.wipe", then: block, reason: Not for agents.}
"""
LARGE = """\
  - {id: largeN, match: tillN.pay, when: {args.amount: {gt: 10}}, then: require_approval, reason: Above ten.,
     channel: C0TILLN}
"""


def channel_of(agent: int) -> str:
    """Return the channel in which an agent's held calls are asked about."""
    return f"C0TILL{agent}"


def policy_for(agents: int) -> str:
    """Return the policy for so many agents: each one's held calls are asked about in a channel of its own."""
    head = HEAD.replace("LIMIT", str(LIMIT))
    return head + "".join(LARGE.replace("N", str(agent)) for agent in range(agents))


def rules_for(agents: int) -> Rules:
    """Return what that policy says, for the invariants."""
    asked = {f"desk/large{agent}": Asked(frozenset(CLERKS)) for agent in range(agents)}
    return Rules(asked, budget="desk/money", limit=Decimal(LIMIT))
