"""Which person somebody is for a hold: they may go by several ids, and those may change while it waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.directory import User
from gate.model import Approver, HoldRecord, Person, Requirement
from gate.policy.policyset import handed_to


def known(user: User, team: str) -> Person:
    """Return the one identity of somebody, whatever a payload calls their workspace.

    Args:
        user: Who, as Slack describes them now.
        team: Id of the workspace the app is installed in, for accounts that belong to none.
    """
    return Person(user.home or team, user.id, user.name)


def every(user: User, team: str) -> tuple[Person, ...]:
    """Return each identity that somebody's answers may be kept under, as ``known`` returns their one."""
    one = known(user, team)
    return tuple(replace(one, user=each) for each in sorted(user.ids))


def on_hold(record: HoldRecord, user: User, team: str) -> Person:
    """Return the identity that a hold knows somebody by: as whom the agent acts for, or who has answered.

    Without either it is their one now. A workspace that joins an organisation gives its people other ids
    while a hold waits, and the store, which judges once more, compares the ids that it has.

    Args:
        record: The hold.
        user: Who, as Slack describes them now.
        team: Id of the workspace the app is installed in.
    """
    one = known(user, team)
    here = asked_as(record, user.ids) or next((each.user for each in _answered(record, user)), one.user)
    kept = next((each for each in _answered(record, user) if each.user == here), replace(one, user=here))
    return replace(kept, name=user.name)


def _answered(record: HoldRecord, user: User) -> list[Person]:
    """Return the identities under which somebody has answered a hold."""
    return [each.person for each in record.decisions if each.person.user in user.ids]


def answered_as_another(record: HoldRecord, user: User) -> bool:
    """Tell whether the person the agent acts for has answered under another id than the hold names them by.

    Nobody could tell then that it was them; another answer of theirs would be that of a second person.
    """
    whom = asked_as(record, user.ids)
    return bool(whom) and any(each.user != whom for each in _answered(record, user))


def asked_as(record: HoldRecord, ids: frozenset[str]) -> str:
    """Return by which of these ids a hold names the person the agent acts for; empty where it is another."""
    whom = record.on_behalf_of
    named = [whom.id] if whom is not None and whom.kind == "person" else []
    named += [record.asked_by.user] if record.asked_by is not None else []
    return next((each for each in named if each in ids), "")


def asked_for(record: HoldRecord, ids: frozenset[str]) -> bool:
    """Tell whether somebody with these ids is the person the agent acts for."""
    return bool(asked_as(record, ids))


def without_own(needs: Sequence[Requirement], satisfied: set[Approver]) -> set[Approver]:
    """Keep the entries that count for the person the agent acts for, now and once it is handed over."""
    barring = [need for need in needs if not need.on_behalf_of_may_approve]
    return satisfied - {each for need in barring for each in (*need.approvers, *handed_to(need))}
