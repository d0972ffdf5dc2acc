"""The local workspace grows with the policy."""

from __future__ import annotations

from bot.local_workspace import LocalWorkspace
from bot.town import Town, seed_for
from gate.policy.load import load_texts
from gate.policy.policyset import PolicySet


def policy(approvals: str) -> PolicySet:
    """Return a policy with these approvals."""
    text = f"version: 1\nname: own\ndefault: require_approval\napprovals: {approvals}\n"
    return load_texts({"own.yml": text})


def test_what_a_newer_revision_names_is_added() -> None:
    """New users, groups and channels appear while the workspace runs; nobody is made twice."""
    first = policy("{channel: C0ONE, approvers: [U0ALICE]}")
    second = policy("{channel: C0TWO, approvers: [U0ALICE, U0DAVE, S0MONEY, {members_of: C0VAULT}]}")
    with LocalWorkspace(seed=seed_for(first)) as workspace:
        town = Town(workspace, first)
        town.follow(first)
        town.follow(second)
        state = workspace.control.state()
    people = [each["id"] for each in state["users"]]
    assert len(people) == len(set(people))
    assert {"U0ALICE", "U0DAVE", "U0MONEY1", "U0MONEY2", "U0VAULT1"} <= set(people)
    assert [each["id"] for each in state["groups"]] == ["S0MONEY"]
    channels = {each["id"]: each for each in state["channels"]}
    assert {"C0ONE", "C0TWO", "C0VAULT"} <= set(channels)
    assert "U0DAVE" in channels["C0TWO"]["members"]


def test_a_replaced_channel_is_there_too() -> None:
    """GATE_CHANNEL's channel is made beside the policy's."""
    seed = seed_for(policy("{channel: C0ONE, approvers: [U0ALICE]}"), "C0STAGING")
    assert {each.id for each in seed.channels} == {"C0ONE", "C0STAGING"}
