"""One turn of a verb: the open transaction, its one time, who acts, and the three things a turn may do.

Nothing but ``move`` changes the state of an action, and each move writes its record in the same transaction.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any

from gate import audit
from gate.clock import to_us
from gate.errors import IllegalMove
from gate.lifecycle import ENDED, Seen, State, Verb, check_move
from gate.store.port import Reader, Row, Tx
from gate.values import on_one_line

GATE = "gate"
"""Actor of what the gate does by itself."""

AMONG = "IN (SELECT value FROM json_each(?))"
"""One of the values of a JSON list."""

_PLANNED = ("card", "count", "remind", "hand_over")
"""Notices that are for nobody once a hold has ended."""


class Stale(Exception):
    """The call was judged with facts that its session has not any more; judge it again.

    Attributes:
        session: Id of the session.
        facts: Its facts as of now, as JSON text.
    """

    def __init__(self, session: str, facts: str) -> None:
        super().__init__(session)
        self.session, self.facts = session, facts


class MustLast(Exception):
    """More came of a turn than a crash of the machine may lose; it is rolled back and done again, durably."""


@dataclass(slots=True)
class Turn:
    """What every verb works with.

    Attributes:
        tx: The open transaction.
        now: The one time of this turn, UTC: process time, or the store's newest where that is later.
        process: Row id of this process.
        labels: Host, process and version, for the log.
        own: Process time, UTC.
        touched: Which actions this turn held or moved, and where to; told to waiters after the commit.
        moved: Sessions whose holds this turn made or moved.
        head: The newest record that this turn knows: the store's, or its own.
        revision: The policy in force when it began.
        waits: Returns the numbers of this process's waits that are still somebody's.
        us: The one time in microseconds; a dozen rows of one turn bear it.
    """

    tx: Tx
    now: datetime
    process: int
    labels: Mapping[str, Any]
    own: datetime
    touched: dict[str, Seen] = field(default_factory=dict)
    moved: set[str] = field(default_factory=set)
    head: audit.Head = audit.START
    revision: str | None = None
    waits: Callable[[], frozenset[int]] = frozenset
    us: int = field(init=False)

    def __post_init__(self) -> None:
        self.us = to_us(self.now)

    def go_to(self, now: datetime) -> None:
        """Take another time, UTC, for what is left of this turn."""
        self.now, self.us = now, to_us(now)

    def log(self, kind: str, *, actor: str, written: tuple[str, str] | None = None, **told: Any) -> None:
        """Append one record to the log; see ``audit.append``."""
        self.head = audit.append(
            self.tx, self.head, kind, self.now, told, actor=actor, labels=self.labels, written=written
        )

    def move(
        self,
        row: Row,
        verb: Verb,
        end: State,
        *,
        actor: str,
        code: str = "",
        reason: str = "",
        kept: Mapping[str, Any] = MappingProxyType({}),
        **fields: Any,
    ) -> None:
        """Move one action: one conditional update and one record.

        Args:
            row: The action's row as read in this transaction.
            verb: What moves it.
            end: State after.
            actor: Who does it.
            code: Outcome code; empty while it is open or running.
            reason: Why it ended; empty keeps what stands.
            kept: More columns of the action that change with it.
            fields: More fields of the record.

        Raises:
            IllegalMove: The table of moves does not have it, or the row is not in that state any more.
        """
        start = State(row["state"])
        check_move(start, verb, end)
        ended = self.us if end in ENDED else None
        more = "".join(f", {name} = ?" for name in kept)
        changed = self.tx.run(
            "UPDATE actions SET state = ?, code = ?, reason = CASE ? WHEN '' THEN reason ELSE ? "  # noqa: S608
            f"END, ended_at = ?{more} WHERE id = ? AND state = ?",  # names come from code
            (end, code, reason, reason, ended, *kept.values(), row["id"], start),
        )
        if changed != 1:
            raise IllegalMove(f"The action {row['id']} is not {start} any more; look again.")
        self._close_hold(row, end)
        self.touched[row["id"]] = end, row.get("version") or 0
        if row.get("version"):
            self.moved.add(row["session"])
        self.log(
            verb,
            actor=actor,
            action=row["id"],
            move={"from": start, "to": end},
            code=code,
            reason=reason,
            **fields,
        )

    def _close_hold(self, row: Row, end: State) -> None:
        """Take a hold's deadline and its cards not yet posted away once it cannot be decided any more."""
        if end in (State.PENDING, State.APPROVED) or not row.get("version"):
            return
        self.close_holds([row["id"]])

    def close_holds(self, ids: Sequence[str]) -> set[str]:
        """Take away what is planned for holds that were just moved and cannot be decided any more.

        Returns:
            Those whose cards are going to be refreshed: a refresh that waits serves for this move too.
        """
        # Most often one, for which a list would be taken apart three times.
        which, given = ("= ?", ids[0]) if len(ids) == 1 else (AMONG, json.dumps(list(ids)))
        self.tx.run(f"UPDATE holds SET deadline = NULL WHERE action {which}", (given,))  # noqa: S608 - constant
        self.tx.run(f"DELETE FROM waiting_uses WHERE action {which}", (given,))  # noqa: S608 - constant
        waiting = self.tx.all(
            "SELECT id, action, kind, leased_until FROM notices "  # noqa: S608 - constant
            f"WHERE action {which} AND done_at IS NULL",
            (given,),
        )
        planned = [row["id"] for row in waiting if row["kind"] in _PLANNED]
        if planned:
            self.tx.run(
                f"UPDATE notices SET done_at = ? WHERE id {AMONG}",  # noqa: S608 - constant
                (self.us, json.dumps(planned)),
            )
        refreshes = [row for row in waiting if row["kind"] == "refresh" and row["leased_until"] <= self.us]
        return {row["action"] for row in refreshes}

    def notify(
        self, kind: str, row: Row | None, *, channel: str = "", text: str = "", due_at: int | None = None
    ) -> None:
        """Put one notice into the outbox, due now or at its time; a refresh that waits serves for both."""
        action, session, version = (row["id"], row["session"], row["version"]) if row else (None, "", 0)
        # Asked apart: an insert that asks its own table takes half as long again as both.
        waiting = kind == "refresh" and self.tx.one(
            "SELECT 1 FROM notices WHERE action = ? AND kind = 'refresh' AND done_at IS NULL AND "
            "leased_until <= ?",
            (action, self.us),
        )
        if not waiting:
            self.tx.insert(
                "notices", kind=kind, action=action, session=session, version=version, channel=channel,
                text=text, made_at=self.us, due_at=self.us if due_at is None else due_at,
            )  # fmt: skip

    def tell_people(self, row: Row, sentence: str, *, always: bool = False) -> None:
        """Refresh the cards of a hold and say the same in their threads; nothing for an action never held."""
        if always or row.get("version"):
            self.notify("refresh", row)
            self.notify("reply", row, text=on_one_line(sentence))


ACTION = (
    "SELECT a.*, h.version, h.expires_at, h.deliver_by, h.accepted_at, h.use_by, h.ask_again_us, "
    "h.evidence_mark, "
    "h.asker, v.digest AS current_digest, v.nonce, v.requirements, v.rulings, v.view_required, "
    "v.patch "
    "FROM actions a LEFT JOIN holds h ON h.action = a.id "
    "LEFT JOIN versions v ON v.action = a.id AND v.version = h.version "
)
"""Every action with its hold and that hold's current version, where it has one."""


def action_row(reader: Reader, action_id: str) -> Row:
    """Return the row of an action, joined with its hold.

    Raises:
        IllegalMove: There is no such action (code ``unknown_hold``).
    """
    row = reader.one(ACTION + "WHERE a.id = ?", (action_id,))
    if row is None:
        raise IllegalMove(f"There is no action {action_id} in this store.", code="unknown_hold")
    return row
