"""The kill switch: while something is frozen, nothing of it but declared reads runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

from gate.clock import from_us
from gate.errors import IllegalMove
from gate.model import Action, Freeze, Ruling, Verdict
from gate.model.own_rules import FREEZE
from gate.store.port import Reader
from gate.verbs.turn import Turn

Scope = Literal["everything", "agent", "session"]


def freezes(reader: Reader) -> list[Freeze]:
    """Return the freezes in force, oldest first."""
    found = reader.all("SELECT * FROM freezes ORDER BY at")
    return [Freeze(row["scope"], row["id"], row["by"], row["reason"], from_us(row["at"])) for row in found]


def freeze_of(reader: Reader, agent: str, session: str) -> Freeze | None:
    """Return a freeze that covers this agent and session, or None."""
    for each in freezes(reader):
        if each.scope == "everything" or each.id == {"agent": agent, "session": session}[each.scope]:
            return each
    return None


def with_freeze(reader: Reader, action: Action, verdict: Verdict) -> Verdict:
    """Return the verdict, or a block where the action is frozen and no declared read."""
    frozen = freeze_of(reader, action.agent, action.session)
    if frozen is None or verdict.effect.declared_read:
        return verdict
    ruling = Ruling(FREEZE, "block", f"{describe(frozen)}: {frozen.reason}")
    return replace(verdict, answer="block", rulings=(ruling,), requirements=())


def describe(freeze: Freeze) -> str:
    """Say what is frozen, in words."""
    return (
        "Everything is frozen"
        if freeze.scope == "everything"
        else f"The {freeze.scope} {freeze.id} is frozen"
    )


def freeze(turn: Turn, scope: Scope, id_: str, *, by: str, reason: str) -> bool:
    """Freeze everything, an agent or a session.

    Returns:
        False where it was frozen already; the older freeze stands.
    """
    _check(scope, id_)
    changed = turn.tx.run(
        "INSERT OR IGNORE INTO freezes VALUES (?, ?, ?, ?, ?)", (scope, id_, by, reason, turn.us)
    )
    if changed:
        turn.log("freeze", actor=by, scope=scope, id=id_, reason=reason)
        _refresh_cards(turn)
    return bool(changed)


def unfreeze(turn: Turn, scope: Scope, id_: str, *, by: str, reason: str) -> None:
    """Lift one freeze.

    Raises:
        IllegalMove: That is not frozen.
    """
    _check(scope, id_)
    if not turn.tx.run("DELETE FROM freezes WHERE scope = ? AND id = ?", (scope, id_)):
        what = "Everything" if scope == "everything" else f"The {scope} {id_}"
        raise IllegalMove(f"{what} is not frozen; 'gate status' lists what is.", code="not_frozen")
    turn.log("unfreeze", actor=by, scope=scope, id=id_, reason=reason)
    _refresh_cards(turn)


def _check(scope: str, id_: str) -> None:
    if scope not in get_args(Scope) or bool(id_) == (scope == "everything"):
        raise IllegalMove(
            "Name what to freeze: everything, or one agent, or one session by its id.", code="usage"
        )


def _refresh_cards(turn: Turn) -> None:
    open_holds = turn.tx.all(
        "SELECT a.id, a.session, h.version FROM actions a JOIN holds h ON h.action = a.id "
        "WHERE a.state IN ('pending', 'approved')"
    )
    for row in open_holds:
        turn.notify("refresh", row)
