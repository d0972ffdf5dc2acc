"""What the bot does for people: lease and mark notices, bind the workspace, end what is past its deadline."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from gate.clock import from_us, monotonic, pause, to_us
from gate.model import Burst, Notice
from gate.service.road import Road
from gate.shapes import storable
from gate.store import anchors
from gate.verbs import (
    bursts,
    ends,
    forgetting,
    handing,
    living,
    outbox,
    publishing,
    reposting,
    summing,
    timing,
    workspace,
)

_PRUNE_EVERY = timedelta(hours=1)
_PRUNE_FOR = 1.0
"""Seconds after which the next sweep goes on: heartbeats wait for this one, and whoever opens a gate."""

_FOR_PROCESSES = 0.01
"""Seconds between two batches: another process tries every few milliseconds whether the store is free."""
_FOR_THREADS = 0.0005
"""The same for threads of this process, of which the one that waits is woken at once."""
_ORPHANS = timedelta(days=8)


class OutboxVerbs(Road):
    """What the bot does for people."""

    def lease_notices(self, *, limit: int = 10, lease: timedelta = timedelta(seconds=30)) -> list[Notice]:
        """Lease due notices to the caller; see ``verbs.outbox``."""
        with self.store.reader() as reader:
            if not outbox.any_due(reader, timing.time_of(reader, self.clock.now())):
                return []
        with self._turn() as turn:
            return outbox.lease(turn, limit=limit, lease=lease)

    def notice_done(self, notice_id: int, *, channel: str = "", ts: str = "") -> None:
        """Record that a notice was posted."""
        self.notices_done([(notice_id, channel, ts)])

    def notices_done(self, posted: Sequence[tuple[int, str, str]]) -> None:
        """Record that notices were posted, all or none of them.

        Args:
            posted: Each one's id, and channel and timestamp of its message; empty where there is none.
        """
        with self._turn() as turn:
            found = [outbox.done(turn, id_, channel=channel, ts=ts) for id_, channel, ts in posted]
            at = turn.now
        for anchor in found:
            if anchor is not None and self.path is not None:
                anchors.append(self.path, anchor, at)

    def notice_begin(self, notice_id: int) -> bool:
        """Tell whether a reminder or the word of a hand-over may be posted now; see ``verbs.handing``."""
        with self._turn() as turn:
            return handing.begin(turn, notice_id)

    def alone_since(self, when: datetime) -> bool:
        """Tell whether no other bot has lived since a time, so that nobody else has drawn anything."""
        with self.store.reader() as reader:
            return not living.another_bot(reader, self._process, when)

    def bot_before(self) -> living.Living | None:
        """Return the oldest bot that lives and was there before this process; None where there is none."""
        with self.store.reader() as reader:
            return living.bot_before(reader, self._process, timing.time_of(reader, self.clock.now()))

    def post_again(self) -> int:
        """Have the open cards of a local workspace that is gone posted again; see ``verbs.reposting``."""
        with self._turn() as turn:
            return reposting.cards(turn)

    def card_deleted(self, hold_id: str, *, channel: str, ts: str) -> bool:
        """Have a pending hold's card posted again that somebody deleted; see ``verbs.reposting``."""
        with self._turn() as turn:
            return reposting.deleted(turn, hold_id, channel, ts)

    def burst(self, burst_id: str) -> Burst:
        """Return one burst as it stands."""
        with self.store.reader() as reader:
            return bursts.burst(reader, self.store_id, burst_id)

    def burst_posted(self, burst_id: str, ts: str) -> None:
        """Record which message is the card of a burst."""
        with self._turn() as turn:
            bursts.posted(turn, burst_id, ts)

    def burst_deleted(self, burst_id: str, ts: str) -> None:
        """Have an open burst's card posted again that somebody deleted."""
        with self._turn() as turn:
            bursts.deleted(turn, burst_id, ts)

    def notice_retry(self, notice: Notice, *, after: timedelta, error: str) -> None:
        """Give a notice back to be tried again later; one that was leased again since is left alone."""
        with self._turn() as turn:
            outbox.retry(turn, notice, after=after, error=storable(error))

    def notice_failed(self, notice: Notice, *, error: str) -> None:
        """Record that a notice can never be posted; one that was leased again since is left alone."""
        with self._turn() as turn:
            outbox.failed(turn, notice, error=storable(error))

    def learn_card(self, hold_id: str, *, channel: str, ts: str, version: int) -> None:
        """Record that a message shows a hold."""
        with self._turn() as turn:
            outbox.learn(turn, hold_id, version, channel, ts)

    def unlearnt_cards(self) -> list[tuple[str, str]]:
        """Return hold and channel of the cards of a week that may stand though the store never learnt so."""
        with self.store.reader() as reader:
            return outbox.unlearnt(reader, timing.time_of(reader, self.clock.now()) - _ORPHANS)

    def bind_workspace(self, team: str, api_host: str) -> None:
        """Bind the store to the workspace it talks to, once and for good."""
        with self._turn() as turn:
            workspace.bind(turn, team, api_host, allow_local=self.allow_local)

    def sweep(self) -> int:
        """End every hold that is past its deadline, in batches, and return how many.

        Once an hour it also forgets runs that no budget's window reaches any more, and what was posted long
        ago, for a second at most; once a day it has the head of the log posted.
        """
        self._prune()
        ended = 0
        while deadline := self.next_deadline():
            if deadline > self.now():
                break
            with self._turn() as turn:
                batch = ends.sweep(turn)
            if not batch:
                break
            ended += batch
            if batch == ends.SWEEP_BATCH:
                self._give_way()
        self._publish()
        return ended

    def _give_way(self) -> None:
        """Leave the store alone for a moment, so that calls come in between two batches."""
        with self.store.reader() as reader:
            others = len(living.alive(reader, timing.time_of(reader, self.clock.now()))) > 1
        pause(_FOR_PROCESSES if others else _FOR_THREADS)

    def _prune(self) -> None:
        now = self.clock.now()
        if now.timestamp() - self._pruned_at < _PRUNE_EVERY.total_seconds():
            return
        with self.store.reader() as reader:
            newest = forgetting.last_of_yesterday(reader, to_us(timing.time_of(reader, now)))
            series = forgetting.stale(reader, newest)
        gone, until = 1, monotonic() + _PRUNE_FOR
        while gone and monotonic() < until:
            with self._turn(durable=False) as turn:
                gone = forgetting.prune(turn, series, newest) + outbox.forget(turn)
        if not gone:
            self._pruned_at = now.timestamp()

    def _publish(self) -> None:
        """Have the head of the log posted, once a day, where a bot talks to a workspace."""
        day = self.now().date()
        if self.kind == "cli" or day == self._published or self.meta("workspace_team") is None:
            return
        channel = self.channel or next(iter(self.policy().channels()), "")
        with self._turn() as turn:
            publishing.daily(turn, channel)
        self._published = day

    def summary_due(self) -> datetime | None:
        """Return the Monday 09:00 UTC whose summary is still to be posted, or None.

        The first time it is asked there is none: summaries begin with the next Monday.
        """
        with self.store.reader() as reader:
            due, before = summing.latest(timing.time_of(reader, self.clock.now())), summing.last(reader)
        if before is None:
            with self._turn() as turn:
                summing.begin(turn)
            return None
        return due if before < due else None

    def post_summary(self, due: datetime, *, channel: str, text: str) -> bool:
        """Have a summary posted once for a Monday; False where that was done already."""
        with self._turn() as turn:
            return summing.post(turn, due, channel, storable(text))

    def next_deadline(self) -> datetime | None:
        """Return the nearest deadline of an open hold, or None."""
        with self.store.reader() as reader:
            row = reader.one("SELECT min(deadline) AS soonest FROM holds WHERE deadline IS NOT NULL")
        return from_us(row["soonest"]) if row and row["soonest"] is not None else None
