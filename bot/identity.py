"""Which person somebody is for a hold: they may go by several ids, and those may change while it waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.directory import User
from gate.model import Approver, HoldRecord, Person, Requirement


def known(user: User, team: str) -> Person:
    """Return the one identity of somebody, whatever a payload calls their workspace.

    Args:
        user: Who, as Slack describes them now.
        team: Id of the workspace the app is installed in, for accounts that belong to none.
    """
    return Person(user.home or team, user.id, user.name)


def on_hold(record: HoldRecord, user: User, team: str) -> Person:
    """Return the identity that a person's earlier answer on a hold is kept under, or their one now.

    A workspace that joins an organisation gives its people other ids while a hold waits.

    Args:
        record: The hold.
        user: Who, as Slack describes them now.
        team: Id of the workspace the app is installed in.
    """
    given = (each.person for each in record.decisions if each.person.user in user.ids)
    return replace(next(given, known(user, team)), name=user.name)


def asked_for(record: HoldRecord, ids: frozenset[str]) -> bool:
    """Tell whether somebody with these ids is the person the agent acts for."""
    whom = record.on_behalf_of
    if whom is not None and whom.kind == "person" and whom.id in ids:
        return True
    return record.asked_by is not None and record.asked_by.user in ids


def without_own(needs: Sequence[Requirement], satisfied: set[Approver]) -> set[Approver]:
    """Keep the entries that count for the person the agent acts for."""
    barred = {each for need in needs if not need.on_behalf_of_may_approve for each in need.approvers}
    return satisfied - barred
