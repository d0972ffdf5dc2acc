"""Know people by every id that Slack ever told of them, whichever bot it told, also after a restart."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from gate.service import Service


class Accounts(Protocol):
    """What is remembered of people's ids."""

    async def of(self, ids: frozenset[str]) -> tuple[str, ...]:
        """Return every id of the person who goes by one of these, their one id first; nothing if unknown."""
        ...

    async def learn(self, ids: tuple[str, ...]) -> None:
        """Remember that these are one person's, their one id first."""
        ...


@dataclass(frozen=True, slots=True)
class StoredAccounts:
    """Keep them in the store, which all bots share.

    Attributes:
        service: The gate's verbs.
        run: Runs what blocks off the loop.
    """

    service: Service
    run: Callable[..., Awaitable[Any]]

    async def of(self, ids: frozenset[str]) -> tuple[str, ...]:
        """Return every id of the person who goes by one of these, their one id first; nothing if unknown.

        Raises:
            Fault: The store cannot be read.
        """
        found: tuple[str, ...] = await self.run(self.service.account, ids)
        return found

    async def learn(self, ids: tuple[str, ...]) -> None:
        """Remember that these are one person's, their one id first.

        Raises:
            Fault: The store cannot be written.
        """
        await self.run(self.service.learn_account, ids)
