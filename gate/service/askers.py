"""Say where people are asked and until when, where no bot is there to ask them, and when one has come."""

from __future__ import annotations

import logging
from datetime import datetime

from gate.clock import from_us
from gate.model import ActionRecord
from gate.service.refusing import RefusalVerbs
from gate.verbs import living, look, timing

log = logging.getLogger("gate")


class AskerVerbs(RefusalVerbs):
    """Who would ask about what this process has waiting."""

    _missed = False
    """Whether this process has said that no bot is alive, and not yet that one is."""

    def _tell_who_asks(self, record: ActionRecord) -> None:
        """Warn of a call that nobody asks about; say of any other where it is asked, for those who listen."""
        if not self._a_bot_lives():
            self._warn_without_bot(record)
        elif log.isEnabledFor(logging.INFO):
            self._tell_where(record)

    def _tell_where(self, record: ActionRecord) -> None:
        with self.store.reader() as reader:
            needs = look.hold(reader, self.store_id, record.id).requirements
        log.info(
            "%s is held as %s and waits: people are asked in %s and may answer until %s UTC. "
            "'gate holds show %s' has all of it.",
            record.name,
            record.id,
            ", ".join(dict.fromkeys(channel for need in needs for channel in need.channels)),
            f"{record.expires_at:%Y-%m-%d %H:%M:%S}",
            record.id,
        )

    def _warn_without_bot(self, record: ActionRecord) -> None:
        self._missed = True
        log.warning(
            "%s is held as %s, but no bot is alive to ask anybody: start one with 'gate-bot', or with "
            "'gate-bot --local' to try it without Slack. If nobody is asked by %s, it ends without running.",
            record.name,
            record.id,
            f"{self._deadline(record):%Y-%m-%d %H:%M:%S} UTC",
        )

    def _tell_of_bot(self) -> None:
        """Take a warning back, as loudly, once it is true no more."""
        if self._missed and self._a_bot_lives():
            self._missed = False
            log.warning("A bot is alive now: it asks about what waits.")

    def _a_bot_lives(self) -> bool:
        with self.store.reader() as reader:
            now = timing.time_of(reader, self.clock.now())
            return any(each.kind == "bot" for each in living.alive(reader, now))

    def _deadline(self, record: ActionRecord) -> datetime:
        """Return when a pending call ends if nothing happens: earlier where no card stands yet."""
        with self.store.reader() as reader:
            row = reader.one("SELECT deadline FROM holds WHERE action = ?", (record.id,))
        assert record.expires_at is not None  # it is pending
        return from_us(row["deadline"]) if row and row["deadline"] is not None else record.expires_at
