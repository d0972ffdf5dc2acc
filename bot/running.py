"""One run of the bot inside its own loop: look, connect, work, and stop in order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from aiohttp import ClientSession, ClientTimeout, DummyCookieJar, TCPConnector
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.logger.messages import (
    warning_client_prioritized_and_token_skipped,
    warning_token_skipped,
)
from slack_sdk.web.async_client import AsyncWebClient

from bot import summary
from bot.accounts import StoredAccounts
from bot.cards import Cards
from bot.delivery import Delivery
from bot.desk import Desk
from bot.directory import Directory
from bot.handlers import Handlers
from bot.homes import Homes
from bot.http_mode import HttpMode
from bot.notices import Notices
from bot.orphans import close_orphans
from bot.pacing import LongRateLimits, ShortRateLimits
from bot.preflight import LOCAL_TEAM, Preflight, Report
from bot.settings import BotFault, BotSettings, Transport
from bot.sight import Sight
from bot.socket_mode import SocketMode
from bot.views.card import Place
from gate.lifecycle import Seen
from gate.service import Service

log = logging.getLogger("bot")

T = TypeVar("T")

THREADS = 4
CALL_SECONDS = 10
IDLE_SECONDS = 5.0
"""How long a connection is kept for the next message."""
FLUSH_SECONDS = 5.0

PEOPLE_SECONDS = 30.0
"""How long a start may take to look up whom the policy names; hundreds of people meet a rate limit."""
END_SECONDS = 2.0
"""How long a part of a bot that stops may take to come to its end; a busy store would keep it for ten."""


class Arriving(Protocol):
    """How clicks arrive."""

    async def start(self) -> None:
        """Begin to receive."""
        ...

    async def stop(self) -> None:
        """Stop receiving."""
        ...

    async def healthy(self) -> bool:
        """Tell whether clicks can arrive now."""
        ...


@dataclass(frozen=True, slots=True)
class Orders:
    """What one run is told.

    Attributes:
        service: The gate's verbs.
        settings: What the bot was told.
        transport: How clicks arrive.
        ping: Seconds between signs of life of the Socket Mode connection.
        watched: Other services of this process on the same store, whose moves are worth a look at the outbox.
        seen: Called, off the loop, after notices were leased.
    """

    service: Service
    settings: BotSettings
    transport: Transport
    ping: float = 10.0
    watched: tuple[Service, ...] = ()
    seen: Callable[[], None] | None = None


class Running:
    """One run; made and used inside one loop.

    Args:
        orders: What it is told.
    """

    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        self._client = make_client(orders.settings, retry=True)
        self.report = Report()
        self.arriving: Arriving | None = None
        self._stop = asyncio.Event()
        self._summing: asyncio.Task[None] | None = None
        self._pool = ThreadPoolExecutor(THREADS, "gate-bot")

    async def start(self) -> None:
        """Look, bind the store, connect, and begin to post.

        Raises:
            BotFault: Something is missing without which nothing works.
            StoreError: The store belongs to another workspace.
        """
        settings, service = self._orders.settings, self._orders.service
        settings.check_address()
        directory = Directory(self._client, accounts=StoredAccounts(service, self._off_loop))
        policy = await self._off_loop(service.policy)
        look = Preflight(
            self._client, settings, self._orders.transport, make_patient(settings), PEOPLE_SECONDS
        )
        self.report = await look.check(policy)
        if self.report.fatal:
            raise BotFault("The bot cannot start:\n" + "\n".join(f"- {line}" for line in self.report.fatal))
        await self._off_loop(service.bind_workspace, self.report.team, settings.api_host)
        for line in (*self.report.problems, *self.report.warnings):
            log.warning("%s", line)
        desk = self._desk = self._make_desk(directory)
        cards = Cards(desk)
        homes = Homes(desk)
        self._handlers = Handlers(desk, cards, homes)
        self._notices = Notices(desk, cards, Delivery(desk, directory), self._orders.seen)
        try:
            await self._connect()
        except BaseException:
            await self._connections.close()
            raise
        self._watch(desk)
        loop = asyncio.get_running_loop()
        self._worker = loop.create_task(self._notices.work(self._stop))
        self._closing = loop.create_task(close_orphans(desk))
        self._redrawing = loop.create_task(homes.work(self._stop))
        if settings.summary_channel:
            self._summing = loop.create_task(summary.work(desk, settings.summary_channel, self._stop))

    async def stop(self) -> None:
        """Take no more clicks, finish those in hand, post what is due for five seconds, and let go."""
        self._stop.set()
        self._desk.wake.set()
        for service in self._services():
            service.observers.remove(self._observer)
        for waiting_for_slack in (self._closing, self._redrawing):
            waiting_for_slack.cancel()
        await _ended(self._worker, *([self._summing] if self._summing else []))
        await self._handlers.finish(FLUSH_SECONDS)
        if self.arriving is not None:
            await _ended(asyncio.get_running_loop().create_task(self.arriving.stop()))
            await self._handlers.finish(END_SECONDS)
        await self._notices.flush(FLUSH_SECONDS)
        await self._connections.close()
        self._pool.shutdown(wait=False)

    async def health(self) -> dict[str, object]:
        """Return whether the bot works, for ``GET /health``."""
        arriving = self.arriving is not None and await self.arriving.healthy()
        working = not self._worker.done()
        return {"ok": arriving and working, "clicks": arriving, "posting": working, "team": self.report.team}

    async def _off_loop(self, verb: Callable[..., T], *args: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, verb, *args)

    def _make_desk(self, directory: Directory) -> Desk:
        settings, team = self._orders.settings, self.report.team
        self._connections = kept_alive()
        return Desk(
            service=self._orders.service,
            client=self._client,
            poster=make_client(settings, retry=False, connections=self._connections),
            eligibility=Sight(directory, team),
            team=team,
            bot_id=self.report.bot_id,
            api_host=settings.api_host,
            via=self._orders.transport,
            pool=self._pool,
            place=Place(local=team == LOCAL_TEAM),
        )

    async def _connect(self) -> None:
        settings = self._orders.settings
        app = AsyncApp(
            authorize=self._known_bot(),
            client=self._client,
            signing_secret=settings.signing_secret or "unused",
            logger=_bolt_log(),
            name="gate",
        )
        self._handlers.listen(app)
        if self._orders.transport == "socket":
            self.arriving = SocketMode(app, settings.app_token, self._orders.ping)
        else:
            self.arriving = HttpMode(app, settings.signing_secret, settings.host, settings.port, self.health)
        await self.arriving.start()

    def _known_bot(self) -> Callable[..., Awaitable[AuthorizeResult]]:
        """Return what says for bolt who the bot is: asking Slack at a press could leave it unanswered."""
        known = AuthorizeResult(
            enterprise_id=None,
            team_id=self.report.team,
            bot_user_id=self.report.bot_user,
            bot_token=self._orders.settings.bot_token,
        )

        async def authorize() -> AuthorizeResult:
            return known

        return authorize

    def _watch(self, desk: Desk) -> None:
        """Look at the outbox at once when something moves in this process."""
        loop = asyncio.get_running_loop()

        def observer(moved: Mapping[str, Seen]) -> None:
            loop.call_soon_threadsafe(desk.wake.set)

        self._observer = observer
        for service in self._services():
            service.observers.append(observer)

    def _services(self) -> tuple[Service, ...]:
        return (self._orders.service, *self._orders.watched)


async def _ended(*tasks: asyncio.Task[None]) -> None:
    """Let tasks come to their end, and cut off those that take too long.

    What a worker leased meanwhile and did not take in hand is due again when its lease runs out.
    """
    _, late = await asyncio.wait(tasks, timeout=END_SECONDS)
    for task in late:
        task.cancel()
    for error in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(error, Exception):
            log.error("A part of the bot did not stop in order", exc_info=error)


def _bolt_log() -> logging.Logger:
    """Return bolt's log without its remark about the token in the environment beside the client."""
    found = logging.getLogger("bot.bolt")
    found.addFilter(_no_remark)
    return found


def _no_remark(record: logging.LogRecord) -> bool:
    return record.getMessage() not in (
        warning_client_prioritized_and_token_skipped(),
        warning_token_skipped(),
    )


def kept_alive() -> ClientSession:
    """Return connections for messages, which often come many at a time; made in the loop that uses them.

    One that has been idle is closed here before Slack may close it there: a message that is sent meanwhile
    would have to be looked for. They remember nothing from one message to the next.
    """
    return ClientSession(
        connector=TCPConnector(keepalive_timeout=IDLE_SECONDS),
        timeout=ClientTimeout(total=CALL_SECONDS),
        cookie_jar=DummyCookieJar(),
    )


def make_client(
    settings: BotSettings, *, retry: bool, connections: ClientSession | None = None
) -> AsyncWebClient:
    """Return Slack's client; it must be used in one loop only.

    Args:
        settings: What the bot was told.
        retry: Whether it waits out short rate limits; never for messages, which a retry may post twice.
        connections: What its calls go over; None takes a new one for each.
    """
    handlers = [ShortRateLimits(max_retry_count=2)] if retry else []
    return AsyncWebClient(
        token=settings.bot_token,
        base_url=settings.api_url,
        timeout=CALL_SECONDS,
        retry_handlers=handlers,  # type: ignore[arg-type]
        session=connections,
        logger=logging.getLogger("bot.web"),
    )


def make_patient(settings: BotSettings) -> AsyncWebClient:
    """Return a client that waits out rate limits of a minute, for looking many people up before the start."""
    client = make_client(settings, retry=False)
    client.retry_handlers.append(LongRateLimits(max_retry_count=5))
    return client
