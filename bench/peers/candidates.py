"""How an allowed call is made with each gate; runs in the environment of the one that is asked for.

Of all rules, each for a tool of its own, the one of the called tool stands in the middle and has a condition
where the gate knows conditions on arguments.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

Work = Callable[[], object]
TOOL = "desk.pay"
CALL: dict[str, Any] = {"amount": 5, "to": "bob", "currency": "EUR", "reason": "bench"}


def tools(count: int) -> list[str]:
    """Return the tools that the rules are for, the called one in the middle."""
    names = [f"desk.tool_{number}" for number in range(count)]
    names[count // 2] = TOOL
    return names


def plain_if(count: int, folder: Path) -> Work:
    """Return the least that any gate does: one comparison and the call."""

    def pay(amount: int, to: str, currency: str, reason: str) -> str:
        return "paid"

    def work() -> str:
        if CALL["amount"] > 10:
            raise PermissionError
        return pay(**CALL)

    return work


def this_gate(count: int, folder: Path, durability: str = "full") -> Work:
    """Return a call through this gate, with its log, on a file."""
    from gate import Gate

    rules = "".join(
        f"  - {{id: rule-{n}, match: {name}, "
        + ("when: {args.amount: {gt: 0, lte: 10}}, " if name == TOOL else "")
        + "then: allow}\n"
        for n, name in enumerate(tools(count))
    )
    policy = folder / "bench.yml"
    policy.write_text(f"version: 1\nname: bench\ndefault: block\nrules:\n{rules}")
    options: dict[str, Any] = {"durability": durability}
    gate = Gate(policy=policy, db=folder / "bench.db", agent="bench", **options)

    @gate.guard(TOOL)
    def pay(amount: int, to: str, currency: str, reason: str) -> str:
        return "paid"

    return lambda: pay(**CALL)


def this_gate_normal(count: int, folder: Path) -> Work:
    """Return the same with ``durability="normal"``."""
    return this_gate(count, folder, "normal")


def govern(count: int, folder: Path) -> Work:
    """Return a call through ``agentmesh.governance.govern``, its log in memory."""
    from agentmesh.governance import govern as wrap  # type: ignore[import-not-found]

    rules = "".join(
        f"  - {{name: rule-{n}, condition: \"action.type == '{name}'"
        + (" and amount.value <= 10" if name == TOOL else "")
        + '", action: allow}\n'
        for n, name in enumerate(tools(count))
    )
    policy = folder / "bench.yml"
    policy.write_text(
        "apiVersion: governance.toolkit/v1\nname: bench\nagents: ['*']\ndefault_action: deny\n"
        f"rules:\n{rules}"
    )

    def pay(action: str, amount: int, to: str, currency: str, reason: str) -> str:
        return "paid"

    governed = wrap(pay, policy=str(policy))
    return lambda: governed(action=TOOL, **CALL)


def air_gate(count: int, folder: Path, storage: str = "events.db") -> Work:
    """Return ``GateClient.check`` and the call, its events in SQLite."""
    from air_gate.client import GateClient  # type: ignore[import-not-found]

    rules = [
        {"name": f"rule-{n}", "tool_name": name, "decision": "auto_allow"}
        for n, name in enumerate(tools(count))
    ]
    client = GateClient(
        signing_key="bench",
        storage_path=str(folder / storage),
        policy_config={"rules": rules, "default": "block"},
    )

    def work() -> str:
        found = client.check("bench", "call", TOOL, dict(CALL))
        if found["decision"] != "auto_allowed":
            raise PermissionError(found)
        return "paid"

    return work


def air_gate_jsonl(count: int, folder: Path) -> Work:
    """Return the same with its events in a file of lines."""
    return air_gate(count, folder, "events.jsonl")


def approval_gate(count: int, folder: Path) -> Work:
    """Return ``request_approval``, approved by its own policy, and the call; its log in a file."""
    from approval_gate import ApprovalGate  # type: ignore[import-not-found]
    from approval_gate.backends import BlockingBackend  # type: ignore[import-not-found]
    from approval_gate.policy import Rule, RulePolicy  # type: ignore[import-not-found]

    policy = RulePolicy([Rule(action_name=name, auto_approve=True) for name in tools(count)])
    gate = ApprovalGate(
        db_path=str(folder / "audit.db"),
        backend=BlockingBackend(lambda pending: {"decision": "reject"}),
        policy=policy,
    )

    def work() -> str:
        decision = gate.request_approval(TOOL, dict(CALL), risk="low")
        if not decision.approved:
            raise PermissionError(decision)
        gate.log_result(decision.audit_id, "paid")
        return "paid"

    return work


def agentctrl(count: int, folder: Path) -> Work:
    """Return ``RuntimeGateway.validate`` and the call, its log in a file of lines."""
    from agentctrl import ActionProposal, PolicyEngine, RuntimeGateway  # type: ignore[import-not-found]

    logging.disable(logging.CRITICAL)
    policies = [
        {
            "id": f"rule-{n}",
            "name": f"rule-{n}",
            "scope": "global",
            "rules": [
                {
                    "condition": {"action_type": name, "param": "amount", "op": "gt", "value": 10},
                    "action": "ESCALATE",
                    "target": "person",
                    "reason": "over the limit",
                }
            ],
        }
        for n, name in enumerate(tools(count))
    ]
    gateway = RuntimeGateway(
        policy_engine=PolicyEngine(policies=policies), audit_log=str(folder / "audit.jsonl")
    )
    loop = asyncio.new_event_loop()
    sure: dict[str, Any] = {
        "autonomy_level": 3,
        "consequence_class": "reversible",
        "input_confidence": 1.0,
        "trust_context": {"total_actions": 1000, "success_rate": 1.0, "trust_balance": 100.0},
    }

    def work() -> str:
        proposal = ActionProposal("bench", TOOL, dict(CALL), **sure)
        found = loop.run_until_complete(gateway.validate(proposal))
        if found["decision"] != "ALLOW":
            raise PermissionError(found["reason"])
        return "paid"

    return work


def cedarpy(count: int, folder: Path) -> Work:
    """Return ``is_authorized`` with a policy set that was parsed before, and the call; no log."""
    import cedarpy as cedar  # type: ignore[import-not-found]

    policies = cedar.PolicySet.from_str(
        "".join(
            f'permit(principal, action == Action::"{name}", resource)'
            + (" when { context.amount > 0 && context.amount <= 10 };\n" if name == TOOL else ";\n")
            for name in tools(count)
        )
    )

    def work() -> str:
        request = {
            "principal": 'Agent::"bench"',
            "action": f'Action::"{TOOL}"',
            "resource": 'Desk::"d"',
            "context": CALL,
        }
        if not cedar.is_authorized(request, policies, []).allowed:
            raise PermissionError
        return "paid"

    return work
