"""A new revision is told once to each channel that the old or the new one names, whoever applies it."""

from __future__ import annotations

from pathlib import Path

from gate.service import Service
from tests.kit import policy, post, service

HEAD = "version: 1\nname: desk\n"
ONE = f"{HEAD}default: require_approval\napprovals: {{channel: C0ONE, approvers: [U0ALICE]}}\n"
TWO = (
    f"{HEAD}default: allow\nnames: {{quiet: C0QUIET}}\napprovals: {{channel: quiet, approvers: [U0ALICE]}}\n"
    "rules: [{id: a, then: require_approval, channel: C0TWO, reason: Why., match: a.b}]\n"
)


def told(gate: Service) -> list[str]:
    """Return the channels that are told of a policy now, and tell them."""
    return [each.channel for each in post(gate) if each.kind == "announce"]


def test_each_channel_that_approvals_name_is_told_once() -> None:
    """Also one in which no rule asks, and that of the old revision."""
    gate = service(text=ONE)
    assert told(gate) == ["C0ONE"]
    gate.apply(policy(TWO), by="cli:x")
    assert sorted(told(gate)) == ["C0ONE", "C0QUIET", "C0TWO"]
    assert not gate.apply(policy(TWO), by="cli:x")
    assert told(gate) == []


def test_a_start_tells_them_too(tmp_path: Path) -> None:
    """A start that applies changed files is an apply like any other; one that changes nothing is silent."""
    service(tmp_path / "gate.db", text=ONE).close()
    gate = service(tmp_path / "gate.db", text=TWO)
    assert sorted(told(gate)) == ["C0ONE", "C0ONE", "C0QUIET", "C0TWO"], "the first start, and the second"
    gate.close()
    again = service(tmp_path / "gate.db", text=TWO)
    assert told(again) == []
    again.close()


def test_a_channel_that_replaces_all_is_told_instead() -> None:
    """Staging does not write into the channels of production."""
    gate = service(text=ONE, channel="C0STAGING")
    gate.apply(policy(TWO), by="cli:x")
    assert told(gate) == ["C0STAGING", "C0STAGING"]
