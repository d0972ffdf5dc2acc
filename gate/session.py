"""Sessions: one run of an agent, whom it acts for, and what hosts know about its case."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Self

from gate.evidence import evidence_lines
from gate.model import Evidence, Principal
from gate.shapes import has_utf8, named

if TYPE_CHECKING:
    from gate.opening import Opening

_USER = re.compile(r"[UW][A-Z0-9]{2,20}")
_TEAM = re.compile(r"[TE][A-Z0-9]{2,20}")
_EMAIL = re.compile(r"[^@\s\ud800-\udfff]{1,64}@[^@\s\ud800-\udfff]{1,190}")
_LONGEST_TEXT = 200


def person(user: str, team: str | None = None) -> Principal:
    """Return a Slack user as the one a session acts for.

    Args:
        user: Slack user id, such as ``U07QK3M9D2X``.
        team: Slack team id; default is the workspace the store is bound to.

    Returns:
        Whom to give to ``on_behalf_of``; that person may not approve unless the policy says so.

    Raises:
        ValueError: These are no Slack ids.
    """
    if not _USER.fullmatch(user):
        raise ValueError(f"{user!r} is no Slack user id such as U07QK3M9D2X; an address goes into email(…).")
    if team is not None and not _TEAM.fullmatch(team):
        raise ValueError(f"{team!r} is no Slack team id such as T07QK3M9D2X.")
    return Principal("person", user, team)


def email(address: str) -> Principal:
    """Return the person with this address; they are looked up in Slack before anybody is asked.

    Args:
        address: E-mail address; unless exactly one active member has it, held calls end undelivered.

    Returns:
        Whom to give to ``on_behalf_of``.

    Raises:
        ValueError: This is no address.
    """
    if not _EMAIL.fullmatch(address):
        raise ValueError(f"{address!r} is no e-mail address.")
    return Principal("email", address)


def outside(who: str) -> Principal:
    """Return somebody who is not in Slack, such as ``customer cus_81``.

    Args:
        who: Free text, 1 to 200 characters.

    Returns:
        Whom to give to ``on_behalf_of``.

    Raises:
        ValueError: The text is empty or longer than 200 characters.
    """
    if not who.strip() or len(who) > _LONGEST_TEXT or not has_utf8(who):
        raise ValueError("outside(…) takes a text of 1 to 200 characters, such as 'customer cus_81'.")
    return Principal("outside", who)


@dataclass(frozen=True, slots=True, eq=False)
class Session:
    """One run of an agent; a block of it is where guarded calls belong to it.

    Leaving the block ends and cancels nothing.

    Attributes:
        id: The host's id of the run.
        agent: Which agent runs.
        on_behalf_of: For whom, or None.
    """

    id: str
    agent: str
    on_behalf_of: Principal | None
    _gate: Opening = field(repr=False)

    def __enter__(self) -> Self:
        self._gate._context.enter(self, sys._getframe(1))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._gate._context.leave(self, sys._getframe(1))

    def add_evidence(self, *lines: str | Evidence) -> None:
        """Add lines for people that the session does not have yet; a hold keeps the lines as of its submit.

        Args:
            lines: Texts (weak evidence) or ``Evidence``; a session has at most 1,000 lines, of 1,000,000
                characters together.

        Raises:
            TypeError: A line is neither text nor ``Evidence``.
            ValueError: A weight is unknown or a text is empty.
            ActionError: The session would have too much of it; none was added.
            StoreError: The store cannot be written.
        """
        added = evidence_lines(lines)
        if not self._gate._bypassed:
            self._gate.service.add_evidence(self.id, added)

    def end(self) -> int:
        """End the session: cancel its pending and approved holds, refuse later calls.

        Returns:
            How many holds were cancelled.

        Raises:
            StoreError: The store cannot be written.
        """
        return 0 if self._gate._bypassed else self._gate.service.end_session(self.id)


def check_names(id_: object, agent: object, on_behalf_of: object) -> None:
    """Refuse what cannot name a session.

    Raises:
        TypeError: A name is no text, or ``on_behalf_of`` is neither a principal nor None.
    """
    for name, value in (("id", id_), ("agent", agent)):
        if type(value) is not str or not 0 < len(value.strip()) <= _LONGEST_TEXT or not has_utf8(value):
            raise TypeError(f"{name}={named(value)} is no text of 1 to {_LONGEST_TEXT} characters.")
    if on_behalf_of is not None and type(on_behalf_of) is not Principal:
        raise TypeError(
            f"on_behalf_of={named(on_behalf_of)} does not say what it is;"
            " write person('U…'), email('…'), outside('…'), or None for nobody."
        )
