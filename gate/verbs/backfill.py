"""Let new budgets see what already ran."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from gate.budget import Use
from gate.model import Action, Effect, Parameters
from gate.policy.hidden import Hidden
from gate.policy.policyset import PolicySet
from gate.policy.uses import uses_of
from gate.recorded import LOST, read_back
from gate.store import rows
from gate.store.port import Reader, Row
from gate.values import decimal_of_text
from gate.verbs import ledger
from gate.verbs.turn import AMONG, Turn

KEPT = timedelta(days=35)
"""How long the ledger is kept at least."""

PAGE = 500
"""How many runs one transaction takes at most."""

_KEEP = "ledger_keep_us"
_RUNS = (
    "SELECT l.*, a.name, a.agent, a.session, a.on_behalf_of FROM ledger l JOIN actions a ON a.id = l.action "
    "WHERE l.n > ? AND a.state <> 'blocked' ORDER BY l.n LIMIT ?"
)
"""Runs of the ledger; what a freeze stopped before it began did not run."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the code declared of a tool when it ran.

    Attributes:
        effect: Its effect, or None.
        parameters: What it takes; None where that was not known.
        source: Who wrote its name: ``host``, ``server``, or the name as somebody else wrote it.
    """

    effect: Effect | None = None
    parameters: Parameters | None = None
    source: str = "host"


def missing(reader: Reader, policy: PolicySet) -> tuple[str, ...]:
    """Return the digests of a policy's budgets that the ledger does not count yet."""
    counted = {row["digest"] for row in reader.all("SELECT digest FROM budgets WHERE active = 1")}
    return tuple(dict.fromkeys(each.digest for each in policy.budgets if each.digest not in counted))


def stage(turn: Turn, digests: Iterable[str]) -> dict[str, int]:
    """Make room for new budgets, not counted yet; return the row id of each."""
    return {
        digest: turn.tx.insert("budgets", digest=digest, upto=0, active=0, made_at=turn.us)
        for digest in digests
    }


def page(reader: Reader, after: int) -> list[Row]:
    """Return the next runs of the ledger."""
    return reader.all(_RUNS, (after, PAGE))


def charges(
    runs: Iterable[Row], policy: PolicySet, digests: Iterable[str], seal: Callable[[Use], Use]
) -> list[tuple[Row, list[Use]]]:
    """Return what runs of the ledger add to new budgets: pure, and slow, so outside of transactions.

    Args:
        runs: Rows of the ledger.
        policy: The set that has the new budgets.
        digests: Which budgets are new.
        seal: Makes a bucket fit to be stored.
    """
    wanted = frozenset(digests)
    seen = ((row, uses_of(policy, action_of(row))) for row in runs)
    return [(row, [seal(use) for use in uses if use.digest in wanted]) for row, uses in seen]


def put(turn: Turn, staged: Mapping[str, int], found: Iterable[tuple[Row, list[Use]]]) -> None:
    """Write charges of runs in the order of the ledger; none of what a freeze stopped since it was read."""
    last = 0
    written = list(found)
    stopped = _stopped(turn, [row["action"] for row, _ in written])
    for row, uses in written:
        ran = [] if row["action"] in stopped else uses
        for use in {(use.digest, use.bucket): use for use in ran}.values():
            ledger.add(turn.tx, staged[use.digest], use, row["n"], row["at"])
        last = row["n"]
    for id_ in staged.values() if last else ():
        turn.tx.run("UPDATE budgets SET upto = ? WHERE id = ?", (last, id_))


def _stopped(turn: Turn, ids: list[str]) -> frozenset[str]:
    found = turn.tx.all(
        f"SELECT id FROM actions WHERE id {AMONG} AND state = 'blocked'",  # noqa: S608 - constant
        (json.dumps(ids),),
    )
    return frozenset(row["id"] for row in found)


def adopt(turn: Turn, policy: PolicySet, staged: Mapping[str, int], seal: Callable[[Use], Use]) -> None:
    """Count by the budgets of a policy from now on, exactly: what ran since they were staged is added.

    Args:
        turn: The open turn, in which the policy comes into force.
        policy: The policy.
        staged: Row ids of budgets that were filled before; others are filled now.
        seal: Makes a bucket fit to be stored.
    """
    new = missing(turn.tx, policy)
    ids = {digest: staged[digest] for digest in new if digest in staged}
    ids |= stage(turn, [digest for digest in new if digest not in staged])
    for digest, id_ in ids.items():
        _fill(turn, policy, {digest: id_}, seal)
    wanted = json.dumps([each.digest for each in policy.budgets])
    turn.tx.run(
        "UPDATE budgets SET active = 0, made_at = ? WHERE active = 1 AND digest NOT IN "
        "(SELECT value FROM json_each(?))",
        (turn.us, wanted),
    )
    for id_ in ids.values():
        turn.tx.run("UPDATE budgets SET active = 1 WHERE id = ?", (id_,))
    _keep(turn, policy)


def _fill(turn: Turn, policy: PolicySet, one: Mapping[str, int], seal: Callable[[Use], Use]) -> None:
    (id_,) = one.values()
    row = turn.tx.one("SELECT upto FROM budgets WHERE id = ?", (id_,))
    after = row["upto"] if row else 0
    while runs := page(turn.tx, after):
        put(turn, one, charges(runs, policy, one, seal))
        after = runs[-1]["n"]


def _keep(turn: Turn, policy: PolicySet) -> None:
    """Keep the ledger for the longest window that any stored revision has."""
    longest = max((each.window for each in policy.budgets), default=KEPT)
    us = max(longest, KEPT, kept(turn.tx)) // timedelta(microseconds=1)
    turn.tx.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_KEEP, str(us)))


def kept(reader: Reader) -> timedelta:
    """Return how long the ledger is kept."""
    row = reader.one("SELECT value FROM meta WHERE key = ?", (_KEEP,))
    return timedelta(microseconds=int(row["value"])) if row else KEPT


def action_of(row: Row) -> Action:
    """Return a run of the ledger as the call it was; what was hidden is still hidden."""
    hidden: dict[str, Any] = json.loads(row["hidden"])
    known = rows.load(Told, row["told"])

    def swap(path: str) -> Any:
        kept = hidden.get(path)
        if isinstance(kept, Mapping):
            number = decimal_of_text(str(kept.get("number", "")))
            return kept.get("code", Hidden()) if number is None else number
        return Hidden(kept or "")

    arguments = {name: read_back(value, ("args", name), swap) for name, value in _json(row["arguments"])}
    lost = row["facts"] == LOST
    facts = () if lost else _json(row["facts"])
    return Action(
        name=row["name"],
        arguments=arguments,
        agent=row["agent"],
        session=row["session"],
        on_behalf_of=rows.principal(row["on_behalf_of"]),
        effect=known.effect,
        parameters=known.parameters,
        source=known.source,
        facts={name: read_back(value, ("facts", name), swap) for name, value in facts},
        facts_lost=lost,
    )


def _json(text: str) -> Iterable[tuple[str, Any]]:
    found: dict[str, Any] = json.loads(text)
    return found.items()
