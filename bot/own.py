"""What a bot has of its own: its row among the store's processes, and the upkeep that belongs to it."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self, cast

from bot.running import Orders
from bot.settings import BotFault, BotSettings, Transport
from gate.expiry import Expiry
from gate.service import Service


class Own:
    """Open a bot's own way into a store, and keep it up to date.

    A bot beside a gate in one process opens the gate's store once more, so that the store knows that a bot
    lives; a store in memory cannot be opened twice and is shared.

    Args:
        gate: A gate or a service.
        settings: What the bot was told.

    Raises:
        BotFault: It is neither a gate nor a service.
    """

    def __init__(self, gate: Any, settings: BotSettings) -> None:
        self._given = service_of(gate)
        self._settings = settings
        self._service = self._given
        self._upkeep: Expiry | None = None

    def __enter__(self) -> Self:
        given = self._given
        if given.kind != "bot" and given.path is not None:
            self._service = Service(
                given.path,
                clock=given.clock,
                kind="bot",
                made_by=cast(Any, given.meta("made_by")),
                channel=self._settings.channel or given.channel,
                allow_local=self._settings.allow_local,
                create=False,
            )
        if self._service.kind == "bot":
            self._upkeep = Expiry(self._service)
            self._upkeep.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._upkeep is not None:
            self._upkeep.stop()
        if self._service is not self._given:
            self._service.close()

    def orders(self, transport: Transport, ping: float) -> Orders:
        """Return what a run of the bot is told.

        Args:
            transport: How clicks arrive.
            ping: Seconds between signs of life of the Socket Mode connection.
        """
        watched = () if self._service is self._given else (self._given,)
        seen = self._upkeep.rearm if self._upkeep else None
        return Orders(self._service, self._settings, transport, ping, watched, seen)


def service_of(gate: Any) -> Service:
    """Return the verbs of a gate, opening it where it is not open.

    Raises:
        BotFault: It is neither a gate nor a service.
    """
    found = gate if isinstance(gate, Service) else getattr(gate, "service", None)
    if not isinstance(found, Service):
        raise BotFault(f"SlackBot needs a gate, not a {type(gate).__name__}.", code="bot_settings")
    return found
