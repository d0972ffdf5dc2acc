"""The ledger: what each run used of which budget, in running totals, so that no call reads its history."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from gate.budget import ZERO, Amounts, Judged, Use, judge, minus, plus, together
from gate.clock import from_us
from gate.errors import StoreError
from gate.model import BudgetCall, BudgetState
from gate.policy.spending import state_of
from gate.store.port import Reader, Row, Tx
from gate.verbs.turn import Turn

_PREFIX = b"gate.bucket.v1\n"

CALLS = 10
"""How many calls that used a budget are named at most."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the ledger keeps of one run, so that later budgets see it too; everything as JSON text.

    Attributes:
        arguments: Redacted arguments.
        hidden: By path what stands for each hidden value: its fingerprint, or the number of an amount.
        facts: Facts, redacted; null where host code could not say them.
        told: What the code declared of the tool.
    """

    arguments: str
    hidden: str
    facts: str
    told: str


@dataclass(frozen=True, slots=True)
class Spending:
    """What a call would add, worked out before the transaction.

    Attributes:
        uses: What it would add to each budget, buckets as they are stored.
        entry: What the ledger keeps of it if it runs.
    """

    uses: tuple[Use, ...]
    entry: Entry


def mark(key: bytes, text: str) -> str:
    """Return the keyed fingerprint of a value that may not be kept."""
    return hmac.new(key, _PREFIX + text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def sealed(use: Use, key: bytes) -> Use:
    """Return a use whose bucket may be stored, and which finds what was counted when it was hidden or not."""
    if not use.bucket.startswith("="):
        return use
    marked = f"#{mark(key, use.bucket[1:])}"
    return (
        replace(use, bucket=marked, also=use.bucket, secret=False)
        if use.secret
        else replace(use, also=marked)
    )


class StoreBooks:
    """Tell what has been charged as of one time.

    Args:
        reader: Where to read; inside a transaction nothing can come in between.
        us: The time, in microseconds.
    """

    def __init__(self, reader: Reader, us: int) -> None:
        self._reader, self._us = reader, us

    def charged(self, use: Use) -> Amounts:
        """Return what has run within the use's window."""
        found = _spent(self._reader, use.digest, use.bucket, self._us - use.window_us, also=use.also)
        if not found:
            raise StoreError(
                f"The store keeps no ledger for the budget {use.ruling.rule}; nothing ran. "
                "Apply the policy again with 'gate policy apply'."
            )
        return _amounts(found)

    def let_pass(self, use: Use) -> bool:
        """Tell whether people have let this budget's next calls pass."""
        return _grant(self._reader, use, self._us) is not None


_NEWEST = (
    "(SELECT c.at || ' ' || c.total FROM charges c WHERE c.series = s.id "
    "ORDER BY c.at DESC, c.n DESC LIMIT 1) AS newest"
)
"""When a series was charged last, and the running total with that."""

_SPENT = (
    f"SELECT s.unit, {_NEWEST}, (SELECT c.amount || ' ' || c.total FROM charges c WHERE c.series = s.id "  # noqa: S608 - constant
    "AND c.at > :since ORDER BY c.at, c.n LIMIT 1) AS first "
    "FROM budgets b LEFT JOIN series s ON s.budget = b.id AND s.bucket IN (:bucket, :also) "
    "WHERE b.digest = :digest AND b.active = 1"
)
"""For each series its newest charge, and the first within the window with the total up to it."""


def charged(reader: Reader, digest: str, bucket: str, since: int) -> dict[str, Decimal]:
    """Return what has been charged to one bucket of a budget after a time, by unit."""
    return _amounts(_spent(reader, digest, bucket, since))


def _spent(reader: Reader, digest: str, bucket: str, since: int, *, also: str = "") -> list[Row]:
    return reader.all(_SPENT, {"digest": digest, "bucket": bucket, "since": since, "also": also})


def _amounts(found: Sequence[Row]) -> dict[str, Decimal]:
    return together({row["unit"]: _since(row)} for row in found if row["first"] is not None)


def _since(row: Row) -> Decimal:
    """Return what was added from the first charge within the window on."""
    (amount, upto), (_, total) = row["first"].split(" "), row["newest"].split(" ")
    return plus(minus(Decimal(total), Decimal(upto)), Decimal(amount))


def _grant(reader: Reader, use: Use, us: int) -> Row | None:
    return reader.one(
        "SELECT * FROM headroom WHERE terms = ? AND bucket = ? AND remaining > 0 AND until > ? "
        "ORDER BY until, n",
        (use.terms, use.bucket, us),
    )


def judged(reader: Reader, uses: Sequence[Use], us: int) -> tuple[Judged, ...]:
    """Judge what a call would add by what has been charged; see ``gate.budget.judge``."""
    return judge(uses, StoreBooks(reader, us)) if uses else ()


def state(reader: Reader, one: Judged, us: int, *, action: str) -> BudgetState:
    """Return what a budget stands at, with what waits and the calls that used it.

    Args:
        reader: Where to read.
        one: The use that is judged.
        us: The time, in microseconds.
        action: Id of the call that is judged; it is not among those that wait.
    """
    waits = reader.all(
        "SELECT unit, amount FROM waiting_uses WHERE digest = ? AND bucket = ? AND action <> ?",
        (one.use.digest, one.use.bucket, action),
    )
    waiting = together({row["unit"]: Decimal(row["amount"])} for row in waits)
    calls = _calls(reader, one.use, us)
    return replace(state_of(one), waiting=waiting, calls=calls[:CALLS], more=len(calls) > CALLS)


def _calls(reader: Reader, use: Use, us: int) -> tuple[BudgetCall, ...]:
    """Return the newest calls within the window, one more than are named."""
    series = reader.all(
        "SELECT s.id, s.unit FROM series s JOIN budgets b ON b.id = s.budget "
        "WHERE b.digest = ? AND b.active = 1 AND s.bucket IN (?, ?)",
        (use.digest, use.bucket, use.also),
    )
    found: dict[int, tuple[Row, dict[str, Decimal]]] = {}
    for each in series:
        for row in reader.all(_CALLS, (each["id"], us - use.window_us, CALLS + 1)):
            found.setdefault(row["n"], (row, {}))[1][each["unit"]] = Decimal(row["amount"])
    newest = sorted(found.items(), reverse=True)[: CALLS + 1]
    return tuple(
        BudgetCall(row["action"], row["described"], from_us(row["at"]), used) for _, (row, used) in newest
    )


_CALLS = (
    "SELECT c.n, c.at, c.amount, l.action, a.described FROM charges c JOIN ledger l ON l.n = c.n "
    "JOIN actions a ON a.id = l.action WHERE c.series = ? AND c.at > ? ORDER BY c.at DESC, c.n DESC LIMIT ?"
)


def charge(turn: Turn, action: str, spending: Spending, found: Iterable[Judged]) -> None:
    """Write that a call runs now: once in the ledger, and once for each budget it adds to.

    Args:
        turn: The open turn, in which the action becomes running.
        action: Its id.
        spending: What it adds.
        found: How its uses were judged; each that people let pass takes one from what they gave.
    """
    entry = spending.entry
    n = turn.tx.insert(
        "ledger", action=action, at=turn.us, arguments=entry.arguments, hidden=entry.hidden,
        facts=entry.facts, told=entry.told,
    )  # fmt: skip
    for use in {(use.digest, use.bucket): use for use in spending.uses}.values():
        _charge(turn, use, n)
    for one in found:
        grant = _grant(turn.tx, one.use, turn.us) if one.passes else None
        if grant is not None:
            turn.tx.run("UPDATE headroom SET remaining = remaining - 1 WHERE n = ?", (grant["n"],))


def _charge(turn: Turn, use: Use, n: int) -> None:
    series = turn.tx.all(_SERIES, (use.bucket, use.digest))
    if not series:
        raise StoreError(f"The store keeps no ledger for the budget {use.ruling.rule}; nothing ran.")
    known, budget = {row["unit"]: row for row in series}, series[0]["budget"]
    for unit, amount in use.adds.items():
        row = known.get(unit) or _new_series(turn.tx, budget, use.bucket, unit)
        _add(turn.tx, row, amount, n, turn.us)


def add(tx: Tx, budget: int, use: Use, n: int, at: int) -> None:
    """Add one charge with its running totals; a charge never lies before the one it follows.

    Args:
        tx: The open transaction.
        budget: Row id of what is counted.
        use: What is added.
        n: Number of the run in the ledger.
        at: When it ran, in microseconds.
    """
    for unit, amount in use.adds.items():
        row = tx.one(_ONE_SERIES, (budget, use.bucket, unit))
        _add(tx, row or _new_series(tx, budget, use.bucket, unit), amount, n, at)


_SERIES = (
    f"SELECT b.id AS budget, s.id, s.unit, {_NEWEST} FROM budgets b "  # noqa: S608 - constant
    "LEFT JOIN series s ON s.budget = b.id AND s.bucket = ? WHERE b.digest = ? AND b.active = 1"
)
"""The series of one bucket of a budget; one row without any where it has none yet."""

_ONE_SERIES = f"SELECT s.id, {_NEWEST} FROM series s WHERE s.budget = ? AND s.bucket = ? AND s.unit = ?"  # noqa: S608 - constant


def _new_series(tx: Tx, budget: int, bucket: str, unit: str) -> Row:
    return {"id": tx.insert("series", budget=budget, bucket=bucket, unit=unit), "newest": None}


def _add(tx: Tx, series: Row, amount: Decimal, n: int, at: int) -> None:
    last, total = (series["newest"] or "0 0").split(" ")
    tx.run(
        "INSERT INTO charges (series, at, n, amount, total) VALUES (?, ?, ?, ?, ?)",
        (series["id"], max(at, int(last)), n, str(amount), str(plus(Decimal(total), amount))),
    )


def release(turn: Turn, action: str) -> None:
    """Take back what a call was charged that never began; the ledger keeps it, and no new budget counts it.

    The running totals behind it are made smaller, so that no window ever sees it. What people let pass once
    is used all the same.

    Args:
        turn: The open turn, in which the action stops being one that runs.
        action: Its id.
    """
    run = turn.tx.one("SELECT n, at FROM ledger WHERE action = ? ORDER BY n DESC LIMIT 1", (action,))
    for row in turn.tx.all(_CHARGED, (run["at"], run["n"])) if run else ():
        place = (row["series"], row["at"], row["n"])
        for later in turn.tx.all(_LATER, place):
            total = minus(Decimal(later["total"]), Decimal(row["amount"]))
            turn.tx.run(
                "UPDATE charges SET total = ? WHERE series = ? AND at = ? AND n = ?",
                (str(total), row["series"], later["at"], later["n"]),
            )
        turn.tx.run("DELETE FROM charges WHERE series = ? AND at = ? AND n = ?", place)


_CHARGED = "SELECT c.* FROM series s JOIN charges c ON c.series = s.id AND c.at >= ? WHERE c.n = ?"
"""The charges of one run, none of which lies before the run itself."""
_LATER = "SELECT at, n, total FROM charges WHERE series = ? AND (at, n) > (?, ?)"


def wait(turn: Turn, action: str, uses: Iterable[Use]) -> None:
    """Write what a held call would add; shown to people, never charged."""
    turn.tx.run("DELETE FROM waiting_uses WHERE action = ?", (action,))
    merged: dict[tuple[str, str], Amounts] = {(use.digest, use.bucket): use.adds for use in uses}
    for (digest, bucket), adds in merged.items():
        for unit, amount in adds.items():
            turn.tx.run(
                "INSERT INTO waiting_uses VALUES (?, ?, ?, ?, ?)", (action, digest, bucket, unit, str(amount))
            )


def told(found: Iterable[Judged]) -> list[dict[str, Any]]:
    """Return what the log tells of the budgets of one call."""
    return [_told(one) for one in found]


def _told(one: Judged) -> dict[str, Any]:
    said: dict[str, Any] = {"budget": one.use.ruling.rule, "over": one.over}
    if not one.use.hidden:
        said |= {"charged": _texts(one.charged), "adds": _texts(one.use.adds)}
    return said | ({"let_pass": True} if one.passes else {})


def _texts(amounts: Amounts) -> dict[str, str]:
    return {unit: str(amount) for unit, amount in amounts.items() if amount != ZERO}
