"""Work the outbox: lease what is due, post or update it, and record what became of it."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from bot.bursts import BurstCards
from bot.cards import Cards
from bot.delivery import Delivery
from bot.desk import Desk
from bot.directory import LookupFailed
from bot.marks import Marks
from bot.names import EVENT_TYPE, UNPARSED
from bot.nudges import Nudges
from bot.pacing import Pacer
from bot.posted import channel_of, ts_of
from bot.slack_errors import CALL_FAILURES, Trouble, trouble
from bot.twins import Twins
from bot.views import blocks
from bot.views.text import notification, visible
from gate.errors import Fault, StoreError
from gate.lifecycle import OPEN
from gate.model import HoldRecord, Notice

log = logging.getLogger("bot")

IDLE = 0.2
"""Seconds between looks at the outbox while nothing is written; what is due later comes so late at most."""
LOOK = 0.02
"""Seconds between looks whether another process has written anything."""
LEASE = timedelta(seconds=30)
IN_HAND = 20
PATIENCE = 10.0
"""Longest that a message is kept in hand for pacing; beyond that it goes back to the store."""
LONGEST_BACKOFF = 60.0
SELDOM_AFTER = 60
"""Tries, which is an hour, after which anything but a card is tried every quarter of an hour."""
SELDOM = 900.0
GIVE_UP = 350
"""Tries, which is three days, after which anything but a card is given up; a card is tried until its hold's
deadline."""

MARK_SECONDS = 2.0
"""How long a bot that stops waits for the store to take what was posted and not marked."""
MARK_AGAIN = 1.0
"""Seconds after which a store that could not take a mark is asked again; a busy one has taken ten before."""
MARK_TRIES = 60
REPLIES_KEPT = 2000
"""Replies in hand or to be tried again, of which is remembered where they stand already."""


class Retry(Exception):
    """Say that a notice has to wait.

    Args:
        after: Seconds; 0 leaves it to the number of tries.
        reason: Why.
    """

    def __init__(self, reason: str, after: float = 0.0) -> None:
        super().__init__(reason)
        self.after = after


class Notices:
    """Post what the store wants posted.

    Args:
        desk: What the bot works with.
        cards: How cards are kept up to date.
        delivery: What has to be true before a first card.
        seen: Called, off the loop, after notices were leased; None for nothing.
    """

    def __init__(
        self, desk: Desk, cards: Cards, delivery: Delivery, seen: Callable[[], None] | None = None
    ) -> None:
        self._desk, self._cards, self._delivery, self._seen = desk, cards, delivery, seen
        self._pacer, self._twins, self._marks = Pacer(), Twins(desk), Marks(desk)
        self._tasks: set[asyncio.Task[None]] = set()
        self._order: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._queued: Counter[str] = Counter()
        self._replied: dict[int, set[tuple[str, str]]] = {}
        nudges = self._nudges = Nudges(desk, self._turn, self._post, self._later)
        self._kinds: dict[str, Callable[[Notice], Awaitable[None]]] = {
            "card": self._card,
            "refresh": self._refresh,
            "reply": self._reply,
            "doubt": self._doubt,
            "count": self._count,
            "burst": BurstCards(desk, self._twins, self._turn, self._post).draw,
            "remind": self._remind,
            "hand_over": nudges.hand_over,
            "announce": self._announce,
        }

    async def work(self, stop: asyncio.Event) -> None:
        """Work until told to stop."""
        while not stop.is_set():
            self._desk.wake.clear()
            try:
                version = await self._version()
                if not await self._lease():
                    await self._idle(version)
            except Exception:
                log.exception("The outbox could not be worked; it is tried again")
                await self._rest(1.0)

    async def flush(self, seconds: float) -> None:
        """Post what is due, for at most so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                while await self._lease() or self._tasks:
                    if self._tasks:
                        await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            log.warning("Some messages were not posted before the bot stopped; they are when it starts again")
            await self._marks.finish(MARK_SECONDS)

    async def _lease(self) -> int:
        room = IN_HAND - len(self._tasks)
        if room <= 0:
            await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
            return 1
        try:
            due = await self._desk.run(self._desk.service.lease_notices, limit=min(room, 10), lease=LEASE)
        except Fault as fault:
            log.warning("The store could not be asked for messages: %s", fault)
            return 0
        for notice in due:
            task = asyncio.get_running_loop().create_task(self._deliver(notice))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        if due and self._seen is not None:
            await self._desk.run(self._seen)
        return len(due)

    async def _idle(self, version: int | None) -> None:
        """Rest until there may be something to post: written here or elsewhere, or due by now."""
        for _ in range(round(IDLE / LOOK)):
            if await self._rest(LOOK) or (version is not None and await self._version() != version):
                return

    async def _version(self) -> int | None:
        try:
            return await self._desk.run(self._desk.service.store.version)
        except Fault:
            return None

    async def _rest(self, seconds: float) -> bool:
        """Rest for so many seconds; True where there may be something to post before that."""
        try:
            async with asyncio.timeout(seconds):
                await self._desk.wake.wait()
        except TimeoutError:
            return False
        return True

    async def _deliver(self, notice: Notice) -> None:
        """Deliver one notice; those of one hold go one after the other."""
        key = notice.hold or f"channel {notice.channel}"
        self._queued[key] += 1
        async with self._order[key]:
            try:
                await self._attempt(notice)
            except Fault as fault:
                log.error("The store could not record a message: %s", fault)
                if _is_lost(notice):
                    await self._try_record(self._lose(notice, fault.code))
            except Exception:
                log.exception("A message could not be posted")
                reason = "error in the bot"
                lost = _is_lost(notice)
                await self._try_record(
                    self._lose(notice, reason) if lost else self._later(notice, reason, 0.0)
                )
            self._queued[key] -= 1
            if not self._queued[key]:
                del self._queued[key], self._order[key]

    async def _attempt(self, notice: Notice) -> None:
        try:
            await self._kinds[notice.kind](notice)
        except Retry as retry:
            await self._later(notice, str(retry), retry.after)
        except LookupFailed as failed:
            await self._later(notice, str(failed), 0.0)
        except CALL_FAILURES as error:
            await self._failed(notice, trouble(error))

    async def _try_record(self, record: Awaitable[None]) -> None:
        try:
            await record
        except Fault as fault:
            log.error("The store could not record a message: %s", fault)

    async def _failed(self, notice: Notice, found: Trouble) -> None:
        """Record a failure: for good, or to be tried again.

        A dead token ends a hold that nobody could be asked about; a card that stands is brought up to date
        when the token is taken again.
        """
        if notice.kind == "card":
            lost = found.permanent and (found.kind != "app" or await self._token_is_dead())
        else:
            lost = found.kind == "target" or _is_lost(notice)
        if lost:
            await self._lose(notice, found.code)
            return
        await self._later(notice, found.code, found.retry_after)

    async def _lose(self, notice: Notice, code: str) -> None:
        log.error("A %s to %s cannot be posted: %s", notice.kind, notice.channel or "its cards", code)
        await self._desk.run(self._desk.service.notice_failed, notice, error=code)
        self._replied.pop(notice.id, None)

    async def _token_is_dead(self) -> bool:
        """Ask again before believing that the token is dead: bursts have been answered so."""
        try:
            await self._desk.poster.auth_test()
        except CALL_FAILURES as error:
            return trouble(error).kind == "app"
        return False

    async def _later(self, notice: Notice, reason: str, after: float) -> None:
        seconds = after or _backoff(notice)
        log.info("A %s is tried again in %.1f s: %s", notice.kind, seconds, reason)
        await self._desk.run(
            self._desk.service.notice_retry, notice, after=timedelta(seconds=seconds), error=reason
        )

    async def _done(self, notice: Notice, channel: str = "", ts: str = "") -> None:
        await self._marks.put(notice.id, channel, ts)
        self._replied.pop(notice.id, None)

    async def _record(self, notice: Notice) -> HoldRecord:
        return await self._desk.run(self._desk.service.hold, notice.hold or "")

    async def _turn(self, channel: str) -> None:
        """Wait until a channel takes another message."""
        wait = self._pacer.take(channel, PATIENCE)
        if wait > PATIENCE:
            raise Retry("the channel is busy", wait)
        if wait:
            await asyncio.sleep(wait)

    async def _card(self, notice: Notice) -> None:
        record = await self._record(notice)
        if not _wants_card(record, notice.channel) or not await self._delivery.ready(record):
            await self._done(notice)
            return
        await self._turn(notice.channel)
        record = await self._record(notice)
        if not _wants_card(record, notice.channel) or await self._stands_already(
            notice, notice.channel, record
        ):
            await self._done(notice)
            return
        await self._post_card(notice, notice.channel, record)

    async def _post_card(self, notice: Notice, channel: str, record: HoldRecord) -> None:
        drawn, text = await self._cards.drawn(record)
        payload = {"hold": record.id, "version": record.version}
        answer = await self._post(
            channel=channel,
            blocks=drawn,
            text=text,
            metadata={"event_type": EVENT_TYPE, "event_payload": payload},
        )
        await self._stands(notice, channel_of(answer), ts_of(answer))
        self._desk.wake.set()  # the next card of its session may go now

    async def _stands(self, notice: Notice, channel: str, ts: str) -> None:
        """Mark a card that was posted; a store that does not take that now is asked again.

        Nobody else knows of it: not marked, it would be posted once more where no history may be read.
        """
        for _ in range(MARK_TRIES - 1):
            try:
                await self._done(notice, channel, ts)
            except StoreError as fault:
                log.warning("The store could not record a card, and is asked again: %s", fault)
                await asyncio.sleep(MARK_AGAIN)
            else:
                return
        await self._done(notice, channel, ts)

    async def _stands_already(self, notice: Notice, channel: str, record: HoldRecord) -> bool:
        """Tell whether an earlier try has posted this card after all; what stands is learnt."""
        if notice.attempts < 2:
            return False
        found = await self._twins.find(record, channel)
        for card in found:
            await self._desk.run(
                self._desk.service.learn_card,
                record.id,
                channel=card.channel,
                ts=card.ts,
                version=card.version,
            )
        return any(card.version == record.version for card in found)

    async def _refresh(self, notice: Notice) -> None:
        await self._cards.refresh_all(await self._record(notice), afresh=notice.attempts > 1)
        await self._done(notice)

    async def _remind(self, notice: Notice) -> None:
        """Remind those still needed, below a card that stands: one that was deleted is posted again."""
        await self._cards.refresh_all(await self._record(notice), afresh=True)
        await self._nudges.remind(notice)

    async def _reply(self, notice: Notice) -> None:
        record = await self._record(notice)
        said = self._said_in(notice)
        for card in record.cards:
            if (card.channel, card.ts) in said:
                continue
            await self._turn(card.channel)
            try:
                await self._post(channel=card.channel, thread_ts=card.ts, **_words(notice.text))
            except CALL_FAILURES as error:
                if trouble(error).kind != "target":
                    raise
                log.warning("A reply in %s was refused: %s", card.channel, trouble(error).code)
            said.add((card.channel, card.ts))
        await self._done(notice)

    def _said_in(self, notice: Notice) -> set[tuple[str, str]]:
        """Return the cards under which a reply stands already that is tried again."""
        if len(self._replied) >= REPLIES_KEPT:  # another bot may have brought the oldest to its end
            del self._replied[next(iter(self._replied))]
        return self._replied.setdefault(notice.id, set())

    async def _doubt(self, notice: Notice) -> None:
        """Ask about an allowed call in doubt, where the policy says whom."""
        record = await self._desk.run(self._desk.service.ask_operators, notice.hold or "")
        if record is None or record.cards:
            await self._done(notice)
            return
        channel = record.requirements[0].channels[0]
        await self._turn(channel)
        if await self._stands_already(notice, channel, record):
            await self._done(notice)
            return
        await self._post_card(notice, channel, record)

    async def _count(self, notice: Notice) -> None:
        """End a hold whose requirements nobody can meet any more, since some were added to it."""
        await self._delivery.still_met(await self._record(notice))
        await self._done(notice)

    async def _announce(self, notice: Notice) -> None:
        await self._turn(notice.channel)
        await self._post(channel=notice.channel, **_words(notice.text))
        await self._done(notice)

    async def _post(self, **message: Any) -> Any:
        message |= UNPARSED
        try:
            return await self._desk.poster.chat_postMessage(unfurl_links=False, unfurl_media=False, **message)
        except CALL_FAILURES as error:
            found = trouble(error)
            if found.code == "ratelimited":
                self._pacer.close(message["channel"], found.retry_after)
            raise


def _is_lost(notice: Notice) -> bool:
    return notice.kind != "card" and notice.attempts >= GIVE_UP


def _backoff(notice: Notice) -> float:
    """Return in how many seconds a notice is tried again."""
    if notice.kind != "card" and notice.attempts >= SELDOM_AFTER:
        return SELDOM
    return min(LONGEST_BACKOFF, 0.25 * float(2 ** min(notice.attempts, 10)))


def _wants_card(record: HoldRecord, channel: str) -> bool:
    """Tell whether a channel still lacks this version's card; a lease that ran out may ask for it twice."""
    shown = any(card.channel == channel and card.version == record.version for card in record.cards)
    return record.state in OPEN and not shown


def _words(text: str) -> dict[str, Any]:
    """Return a message that shows any text as it is."""
    return {"text": notification(text, 1000), "blocks": [blocks.section(visible(text))]}
