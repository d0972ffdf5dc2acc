"""The kill switch: while something is frozen, nothing of it but declared reads runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, get_args

from gate.clock import from_us
from gate.errors import IllegalMove
from gate.model import Action, Freeze, Ruling, Verdict
from gate.model.own_rules import FREEZE
from gate.store.port import Reader
from gate.values import on_one_line
from gate.verbs.turn import Turn

Scope = Literal["everything", "agent", "session"]

NO_REASON = "No reason was given."


def freezes(reader: Reader) -> list[Freeze]:
    """Return the freezes in force, oldest first."""
    found = reader.all("SELECT * FROM freezes ORDER BY at")
    return [Freeze(row["scope"], row["id"], row["by"], row["reason"], from_us(row["at"])) for row in found]


def freeze_of(reader: Reader, agent: str, session: str) -> Freeze | None:
    """Return a freeze that covers this agent and session, or None."""
    for each in freezes(reader):
        if _covers(each, agent, session):
            return each
    return None


def _covers(freeze: Freeze, agent: str, session: str) -> bool:
    return freeze.scope == "everything" or freeze.id == {"agent": agent, "session": session}[freeze.scope]


def with_freeze(reader: Reader, action: Action, verdict: Verdict) -> Verdict:
    """Return the verdict, or a block where the action is frozen and no declared read."""
    frozen = freeze_of(reader, action.agent, action.session)
    if frozen is None or verdict.effect.declared_read:
        return verdict
    ruling = Ruling(FREEZE, "block", said_of(frozen))
    return replace(verdict, answer="block", rulings=(ruling,), requirements=())


def said_of(freeze: Freeze) -> str:
    """Return the reason of what a freeze blocks."""
    return f"{describe(freeze)}: {freeze.reason}"


def describe(freeze: Freeze) -> str:
    """Say what is frozen, in words."""
    what = _what(freeze)
    return f"{what[0].upper()}{what[1:]} is frozen"


def _sentence(words: str) -> str:
    return words if words.endswith((".", "!", "?", "…")) else f"{words}."


def _what(freeze: Freeze) -> str:
    return "everything" if freeze.scope == "everything" else f"the {freeze.scope} {freeze.id}"


def freeze(
    turn: Turn, scope: Scope, id_: str, *, by: str, reason: str, called: str = "", **told: Any
) -> bool:
    """Freeze everything, an agent or a session.

    Args:
        turn: The open turn.
        scope: What is frozen.
        id_: Which agent or session; empty for everything.
        by: Who freezes.
        reason: Why; empty for no reason. On what is frozen already a reason replaces the older one.
        called: Who freezes, as people read it; default is ``by``.
        told: More fields of the record.

    Returns:
        False where it was frozen already; it stays frozen since then.
    """
    _check(scope, id_)
    fresh = turn.tx.run(
        "INSERT OR IGNORE INTO freezes VALUES (?, ?, ?, ?, ?)", (scope, id_, by, reason or NO_REASON, turn.us)
    )
    if not fresh and reason:
        turn.tx.run(
            "UPDATE freezes SET by = ?, reason = ? WHERE scope = ? AND id = ?", (by, reason, scope, id_)
        )
    turn.log("freeze", actor=by, scope=scope, id=id_, reason=reason or NO_REASON, again=not fresh, **told)
    if fresh:
        named = Freeze(scope, id_, by, reason or NO_REASON, turn.now)
        _tell(
            turn,
            named,
            f"{describe(named)} by {called or by}: {_sentence(named.reason)}"
            " Only declared reads run there now.",
        )
    return bool(fresh)


def unfreeze(
    turn: Turn, scope: Scope, id_: str, *, by: str, reason: str, called: str = "", **told: Any
) -> None:
    """Lift one freeze.

    Args:
        turn: The open turn.
        scope: What is frozen.
        id_: Which agent or session; empty for everything.
        by: Who lifts it.
        reason: Why; empty for no reason.
        called: Who lifts it, as people read it; default is ``by``.
        told: More fields of the record.

    Raises:
        IllegalMove: That is not frozen.
    """
    _check(scope, id_)
    if not turn.tx.run("DELETE FROM freezes WHERE scope = ? AND id = ?", (scope, id_)):
        what = "everything" if scope == "everything" else f"the {scope} {id_}"
        raise IllegalMove(
            f"There is no freeze of {what}; 'gate status' lists what is frozen.", code="not_frozen"
        )
    turn.log("unfreeze", actor=by, scope=scope, id=id_, reason=reason or NO_REASON, **told)
    lifted = Freeze(scope, id_, by, reason, turn.now)
    _tell(turn, lifted, f"No longer frozen, by {called or by}: {_what(lifted)}. {reason or NO_REASON}")


def _check(scope: str, id_: str) -> None:
    if scope not in get_args(Scope) or bool(id_) == (scope == "everything"):
        raise IllegalMove(
            "Name what to freeze: everything, or one agent, or one session by its id.", code="usage"
        )


def _tell(turn: Turn, freeze: Freeze, sentence: str) -> None:
    """Refresh the open cards of what is frozen or no longer is, and say so in their channels."""
    open_holds = [row for row in turn.tx.all(_OPEN) if _covers(freeze, row["agent"], row["session"])]
    for row in open_holds:
        turn.notify("refresh", row)
        turn.moved.add(row["session"])
    for channel in sorted({row["channel"] for row in open_holds if row["channel"]}):
        turn.notify("announce", None, channel=channel, text=on_one_line(sentence))


_OPEN = (
    "SELECT a.id, a.agent, a.session, h.version, c.channel FROM actions a JOIN holds h ON h.action = a.id "
    "LEFT JOIN cards c ON c.action = a.id WHERE a.state IN ('pending', 'approved')"
)
