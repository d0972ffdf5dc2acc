"""The local workspace that fits a policy: everybody and every channel it names, and a few others."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bot.local_workspace import Channel, Group, LocalWorkspace, Seed, User
from gate.model import Approver
from gate.policy.policyset import PolicySet

BOT = "U0GATEBOT"
OTHERS = (
    User(id="U0COLLEAGUE", name="colleague", real_name="A colleague"),
    User(id="U0GUEST", name="guest", real_name="A guest", is_restricted=True),
    User(id="U0STRANGE", name="stranger", real_name="A stranger", team_id="T0OTHER", is_stranger=True),
    User(id="U0ROBOT", name="robot", real_name="Another bot", is_bot=True, bot_id="B0ROBOT"),
    User(id=BOT, name="gate", real_name="Approval gate", is_bot=True, bot_id="B0GATE", tz="UTC"),
)
"""Who is there whatever the policy says."""

_SPOKEN = re.compile(r"[A-Z]0([A-Z]{2,})")


def seed_for(policy: PolicySet, *more: str | None) -> Seed:
    """Return the start of a workspace that has everything a policy names.

    Args:
        policy: The policy.
        more: Channels that settings name beside it; None for none.
    """
    approvers = policy.people()
    groups = [_group(each) for each in approvers if each.kind == "group"]
    rooms = [_room(each) for each in approvers if each.kind == "members_of"]
    users = _users(approvers, groups, rooms)
    everybody = [user.id for user in users]
    channels = [*policy.named_channels(), *filter(None, more)]
    known = {room.id for room in rooms}
    open_ones = [
        Channel(id=each, name=_name(each), members=everybody)
        for each in dict.fromkeys(channels)
        if each not in known
    ]
    return Seed(users=users, groups=groups, channels=[*open_ones, *rooms])


class Town:
    """Keep a running workspace fit for the policy in force.

    Args:
        workspace: The running workspace.
        policy: The policy it was started for.
        more: Channels that settings name beside it; None for none.
    """

    def __init__(self, workspace: LocalWorkspace, policy: PolicySet, *more: str | None) -> None:
        self._control, self._more = workspace.control, more
        self._revision = policy.revision
        self._known = _ids(seed_for(policy, *more))

    def follow(self, policy: PolicySet) -> None:
        """Add whoever and whatever a newer revision names."""
        if policy.revision == self._revision:
            return
        seed = seed_for(policy, *self._more)
        for user in seed.users:
            if user.id not in self._known:
                self._control.set_user(user.id, **user.model_dump(exclude={"id"}, exclude_defaults=True))
        for group in seed.groups:
            if group.id not in self._known:
                self._control.set_group(group.id, group.users, handle=group.handle)
        for channel in seed.channels:
            if channel.id not in self._known:
                self._control.set_channel(
                    channel.id, **channel.model_dump(exclude={"id"}, exclude_defaults=True)
                )
        self._known |= _ids(seed)
        self._revision = policy.revision


def _ids(seed: Seed) -> set[str]:
    people, groups = [each.id for each in seed.users], [each.id for each in seed.groups]
    return {*people, *groups, *(each.id for each in seed.channels)}


def _name(id_: str) -> str:
    """Return a name to be read for an id: U0ALICE is alice."""
    spoken = _SPOKEN.fullmatch(id_)
    return spoken[1].lower() if spoken else id_.lower()


def _user(id_: str) -> User:
    name = _name(id_)
    return User(id=id_, name=name, real_name=name.replace("_", " ").capitalize(), email=f"{name}@example.com")


def _invented(id_: str) -> list[str]:
    """Return two people for a group or a channel whose members the policy does not name."""
    return [f"U{id_[1:]}{number}" for number in (1, 2)]


def _group(approver: Approver) -> Group:
    handle = _name(approver.id)
    return Group(id=approver.id, handle=handle, name=handle.capitalize(), users=_invented(approver.id))


def _room(approver: Approver) -> Channel:
    members = [*_invented(approver.id), BOT]
    return Channel(id=approver.id, name=_name(approver.id), members=members, is_private=True)


def _users(approvers: Iterable[Approver], groups: list[Group], rooms: list[Channel]) -> list[User]:
    made = {each.id: _user(each.id) for each in approvers if each.kind == "user"}
    for team in [*(group.id for group in groups), *(room.id for room in rooms)]:
        name = _name(team)
        for number, id_ in enumerate(_invented(team), 1):
            person = User(id=id_, name=f"{name}{number}", real_name=f"{name.capitalize()} {number}")
            made.setdefault(id_, person)
    for other in OTHERS:
        made.setdefault(other.id, other)
    return list(made.values())
