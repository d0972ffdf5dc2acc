"""What admins do: policies, freezes, keys, the catalogue and the log."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from gate import audit
from gate.budget import Judged, MemoryLedger, Use, judge
from gate.catalogue import Tool
from gate.clock import to_us
from gate.model import Freeze
from gate.policy.backtest import Logged
from gate.policy.policyset import PolicySet
from gate.service.road import Road
from gate.service.turns import afterwards
from gate.shapes import storable
from gate.store import keys, rows
from gate.verbs import ends, freezing, ledger, living, logged, look, ruling, strangers, timing
from gate.verbs.freezing import Scope
from gate.verbs.living import Living
from gate.verbs.ruling import Revision
from gate.verbs.strangers import Stranger
from gate.verbs.tally import Tally, tally


class AdminVerbs(Road):
    """What admins do."""

    def apply(self, policy: PolicySet, *, by: str) -> Sequence[str]:
        """Bring a policy into force and return what changed, in words."""
        return self._bring_into_force(policy, by=by)

    def revisions(self) -> list[Revision]:
        """Return every time a policy came into force, oldest first."""
        with self.store.reader() as reader:
            return ruling.revisions(reader)

    def texts(self, revision: str) -> Mapping[str, str] | None:
        """Return the exact files of a revision by name; None if it was never in force."""
        with self.store.reader() as reader:
            return ruling.texts(reader, revision)

    def freeze(self, scope: Scope, id_: str = "", *, by: str, reason: str) -> bool:
        """Freeze everything, an agent or a session; False where it was frozen already."""
        with self._turn() as turn:
            return freezing.freeze(turn, scope, id_, by=by, reason=storable(reason))

    def stranger(self, scope: Scope, id_: str) -> Stranger | None:
        """Return an agent or a session that was never seen, with names like it; None for one that was."""
        with self.store.reader() as reader:
            return strangers.stranger(reader, scope, id_)

    def unfreeze(self, scope: Scope, id_: str = "", *, by: str, reason: str) -> None:
        """Lift one freeze."""
        with self._turn() as turn:
            freezing.unfreeze(turn, scope, id_, by=by, reason=storable(reason))

    def freezes(self) -> list[Freeze]:
        """Return the freezes in force."""
        with self.store.reader() as reader:
            return freezing.freezes(reader)

    def frozen(self, agent: str, session: str) -> str:
        """Say what is frozen that stops an agent's session; empty for nothing."""
        with self.store.reader() as reader:
            found = freezing.freeze_of(reader, agent, session)
        return freezing.describe(found) if found else ""

    def cancel(self, hold_id: str, *, by: str, reason: str) -> None:
        """Take an open hold back."""
        with self._turn() as turn:
            full = look.full_id(turn.tx, hold_id, table="holds")
            ends.cancel(turn, full, code="cancelled_by_operator", reason=storable(reason), actor=by)

    def renew_key(self, *, by: str) -> int:
        """Replace the store's key, cancel every open hold, and return how many."""
        with self._turn() as turn:
            ended = ends.cancel_open(
                turn, code="key_renewed", reason="The store's key was renewed.", actor=by
            )
            turn.log("key", actor=by, cancelled=ended)
            self.store.renew_key(turn.tx)
        afterwards(self._follow_key)
        return ended

    def _follow_key(self) -> None:
        with self.store.reader() as reader:
            self.store.follow_key(keys.known(reader))

    def register_tool(self, tool: Tool) -> None:
        """Put a tool into the catalogue; one that stands there so already costs no write."""
        body = rows.dump(Tool, tool)
        with self.store.reader() as reader:
            known = reader.one("SELECT body FROM tools WHERE name = ?", (tool.name,))
        if known is None or known["body"] != body:
            with self._turn() as turn:
                turn.tx.run("INSERT OR REPLACE INTO tools VALUES (?, ?, ?)", (tool.name, body, turn.us))

    def tools(self) -> list[Tool]:
        """Return the catalogue by name."""
        with self.store.reader() as reader:
            return [
                rows.load(Tool, row["body"]) for row in reader.all("SELECT body FROM tools ORDER BY name")
            ]

    def seen(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the names of the actions that were called, and the paths of the facts that calls had."""
        with self.store.reader() as reader:
            return logged.called(reader), logged.facts(reader)

    def spent(self, uses: Sequence[Use]) -> list[Judged]:
        """Judge what a call would add by what is charged here; what was never in force has nothing used."""
        us = to_us(self.clock.now())
        self._follow_key()
        with self.store.reader() as reader:
            known = {row["digest"] for row in reader.all("SELECT digest FROM budgets WHERE active = 1")}
            books = ledger.StoreBooks(reader, us)
            return [
                found
                for use in uses
                for found in judge([self._seal(use)], books if use.digest in known else MemoryLedger())
            ]

    def logged(
        self, since: datetime, until: datetime, progress: Callable[[int, int], None]
    ) -> Iterator[Logged]:
        """Yield what the log has of calls within a time, for a replay; see ``verbs.logged.entries``."""
        with self.store.reader() as reader:
            yield from logged.entries(reader, since, until, progress)

    def tally(self, since: datetime, until: datetime, *, values: bool = True) -> Tally:
        """Count what became of the holds of some time; see ``verbs.tally``."""
        with self.store.reader() as reader:
            return tally(reader, since, until, values=values)

    def records(
        self,
        *,
        after: int = 0,
        action: str | None = None,
        limit: int = 1000,
        wanted: audit.Filter | None = None,
        newest: bool = False,
    ) -> list[audit.AuditRecord]:
        """Return records of the log in order; ``wanted`` takes the place of the first two."""
        found = wanted or audit.Filter(after=after, action=action)
        with self.store.reader() as reader:
            return audit.records(reader, found, limit=limit, newest=newest)

    def kinds(self) -> list[str]:
        """Return the kinds of records that the log has, by name."""
        with self.store.reader() as reader:
            return audit.kinds(reader)

    def living(self) -> list[Living]:
        """Return the processes that live."""
        with self.store.reader() as reader:
            return living.alive(reader, timing.time_of(reader, self.clock.now()))

    def full_id(self, prefix: str) -> str:
        """Return the one action id that begins so."""
        with self.store.reader() as reader:
            return look.full_id(reader, prefix)

    def card_action(self, channel: str, ts: str) -> str | None:
        """Return which action a Slack message shows, or None."""
        with self.store.reader() as reader:
            row = reader.one("SELECT action FROM cards WHERE channel = ? AND ts = ?", (channel, ts))
        return row["action"] if row else None
