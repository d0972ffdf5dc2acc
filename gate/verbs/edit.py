"""Change a held call before it is approved: the next version, with its own digest and a new mark."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gate.budget import Use
from gate.changes import in_words
from gate.clock import to_us
from gate.errors import BadEdit, Fault, IllegalMove
from gate.ids import new_nonce
from gate.lifecycle import MAX_EDITS, State, Verb
from gate.model import Action, Change, Person, Requirement, ResolvedEffect, Route, Ruling, Verdict
from gate.policy.policyset import PolicySet
from gate.policy.spending import with_budgets
from gate.requirements import merge
from gate.store import rows
from gate.store.port import Row
from gate.verbs import ballots, decide, freezing, ledger, look, planning, versions
from gate.verbs.ballots import Ballot
from gate.verbs.turn import Stale, Turn, action_row

_AS_SUBMITTED = " (Said of the call before it was changed.)"


@dataclass(frozen=True, slots=True)
class Revised:
    """A changed call with everything about it that is worked out before the transaction.

    Attributes:
        action: The call as far as the store knows it; what is hidden cannot be read.
        digest: Its digest.
        patch: By path the tagged form of each value that differs from the submitted call's.
        changes: What changes against the version before.
        verdict: What the rules of the policy in force say of it.
        arguments: Its redacted arguments as JSON text.
        hidden: Paths whose value is redacted.
        concealed: Those of them that no policy hides on purpose.
        described: Its describe line, redacted.
        uses: What it would add to each budget.
        facts: The facts of its session that it was judged with, as JSON text.
    """

    action: Action
    digest: str
    patch: Mapping[str, Any] = field(repr=False)
    changes: tuple[Change, ...]
    verdict: Verdict
    arguments: str
    hidden: tuple[str, ...]
    concealed: frozenset[str]
    described: str
    uses: tuple[Use, ...]
    facts: str = field(repr=False)


def edit(
    turn: Turn, ballot: Ballot, store: str, revised: Revised | Fault | None, policy: PolicySet
) -> Fault | None:
    """Change a call; a refusal to do so is recorded too, and returned instead of raised.

    Args:
        turn: The open turn.
        ballot: Who changes which version; their approval of the changed call.
        store: Id of this store.
        revised: The changed call, or why there can be none; None where the hold was not found.
        policy: The policy in force.

    Returns:
        None if there is a next version, or why there is none; the hold stays as it is then.
    """
    row: Row | None = None
    try:
        row = ballots.current(turn, ballot, store)
        _check(turn, row, ballot, policy)
        if revised is None or isinstance(revised, Fault):
            raise revised or IllegalMove(
                "Nothing in this call may be changed: a rule must name the path under editable.",
                code="not_editable",
            )
        revised = _judged(turn, row, revised)
        needs = _needs(turn, row, revised.verdict)
        counts = _counts(row, needs, ballot, policy)
    except Fault as fault:
        _refuse(turn, ballot, fault, revised)
        return fault
    after = _next(turn, row, ballot, revised, needs)
    if not after["view_required"] or _carry_view(turn, after, ballot.person, revised):
        decide.record(turn, after, ballot, counts)
        decide.approve(turn, after, ballot, policy)
    return None


def _check(turn: Turn, row: Row, ballot: Ballot, policy: PolicySet) -> None:
    """Refuse whoever may not approve the version they saw, and what may not be changed any more."""
    counts = ballots.counts_in(row, ballot, policy)
    if row["state"] == State.APPROVED:
        raise IllegalMove(
            "It is approved already: it can be stopped, but not changed any more.", code="already_decided"
        )
    ballots.check_approval(turn, row, ballot, counts)
    if row["version"] > MAX_EDITS:
        raise IllegalMove(
            f"It was changed {MAX_EDITS} times, which is the most; approve it as it is, or deny it "
            "with what you would have instead.",
            code="too_many_edits",
        )


def _judged(turn: Turn, row: Row, revised: Revised) -> Revised:
    """Return the changed call with what freezes and budgets say now.

    Raises:
        BadEdit: The policy blocks the changed call.
    """
    session = turn.tx.one("SELECT facts FROM sessions WHERE id = ?", (row["session"],))
    if session is not None and session["facts"] != revised.facts:
        raise Stale(row["session"], session["facts"])
    verdict = freezing.with_freeze(turn.tx, revised.action, revised.verdict)
    if verdict.answer != "block" and revised.uses:
        found = ledger.judged(turn.tx, revised.uses, turn.us)
        verdict = with_budgets(
            verdict, found, lambda one: ledger.state(turn.tx, one, turn.us, action=row["id"])
        )
    if verdict.answer == "block":
        rules = ", ".join(verdict.rules)
        raise BadEdit(
            f"The policy blocks the call with these values ({rules}): {verdict.reason} The hold stays.",
            code="edit_blocked",
        )
    return replace(revised, verdict=verdict)


def _needs(turn: Turn, row: Row, verdict: Verdict) -> tuple[Requirement, ...]:
    """Return what the changed call requires, on top of what was required before, in the channel of that.

    Who edits may not know that the agent's settings replace the channels of the policy.
    """
    before, added = look.requirements(row), verdict.requirements
    there = next((each.channels for each in before if each.staging), None)
    if there is not None:
        added = tuple(replace(each, channels=there, staging=True) for each in added)
    return planning.timed(merge((*before, *added)), turn.now)


def _counts(row: Row, needs: Sequence[Requirement], ballot: Ballot, policy: PolicySet) -> frozenset[int]:
    """Return where the editor's approval of the changed call counts.

    Raises:
        NotEligible: It counts nowhere any more, since what the change adds bars the editor.
        IllegalMove: What the change adds asks for a comment that was not given.
    """
    after = {**row, "requirements": rows.dump(tuple[Requirement, ...], tuple(needs))}
    counts = ballots.counts_in(after, ballot, policy)
    ballots.check_comment(after, ballot, counts)
    return counts


def _refuse(turn: Turn, ballot: Ballot, fault: Fault, revised: Revised | Fault | None) -> None:
    """Record that a change was refused, with what it would have been."""
    more: dict[str, Any] = {}
    if isinstance(revised, Revised):
        more = {"changes": _told(revised.changes), "revision": revised.verdict.revision}
    turn.log(
        "refused", actor=ballot.actor, action=ballot.hold, code=fault.code, reason=str(fault), edit=True,
        route=rows.told(Route, ballot.route), **more,
    )  # fmt: skip


def _next(turn: Turn, row: Row, ballot: Ballot, revised: Revised, needs: tuple[Requirement, ...]) -> Row:
    """Write the next version, and tell the cards, their threads and those whose approval is void."""
    before, verdict = look.requirements(row), revised.verdict
    rulings = _rulings(row, verdict)
    gone = versions.voided(turn.tx, row["id"], row["version"], ballot.person)
    turn.move(
        row, Verb.EDIT, State.PENDING, actor=ballot.actor, reason=verdict.reason, version=row["version"] + 1,
        name=ballot.person.name, changes=_told(revised.changes), rules=[each.rule for each in rulings],
        reasons=[each.reason for each in rulings if each.reason], revision=verdict.revision,
        digest=revised.digest, input=json.loads(revised.arguments), erased=list(revised.hidden),
        voided=[f"{each.team}/{each.user}" for each in gone], comment=ballot.comment.strip(),
        route=rows.told(Route, ballot.route),
    )  # fmt: skip
    _insert(turn, row, ballot.person, revised, needs, rulings)
    _bring_forward(turn, row, revised, rulings)
    ledger.wait(turn, row["id"], revised.uses)
    after = action_row(turn.tx, row["id"])
    planning.plan(turn, after, needs, again=True)
    planning.count_again(turn, after, before, needs)
    _tell(turn, after, ballot.person, revised.changes, gone, before, needs)
    return after


def _rulings(row: Row, verdict: Verdict) -> tuple[Ruling, ...]:
    """Return why the changed call is held: what is said of it, then what was said of it before."""
    now = verdict.rulings if verdict.answer == "require_approval" else ()
    said = {each.rule for each in now}
    old: Iterable[Ruling] = rows.load(tuple[Ruling, ...], row["rulings"] or "[]")
    stay = [each for each in old if each.rule not in said]
    return (*now, *(replace(each, reason=_once(each.reason)) for each in stay))


def _once(reason: str) -> str:
    return reason if reason.endswith(_AS_SUBMITTED) else reason + _AS_SUBMITTED


def _insert(
    turn: Turn,
    row: Row,
    editor: Person,
    revised: Revised,
    needs: Sequence[Requirement],
    rulings: Sequence[Ruling],
) -> None:
    decisive = _decisive(turn, row, revised)
    before = turn.tx.all("SELECT nonce FROM versions WHERE action = ?", (row["id"],))
    nonce = new_nonce([each["nonce"] for each in before])
    turn.tx.insert(
        "versions", action=row["id"], version=row["version"] + 1, nonce=nonce, digest=revised.digest,
        revision=revised.verdict.revision, arguments=revised.arguments, hidden=json.dumps(revised.hidden),
        decisive=json.dumps(decisive), effect=rows.dump(ResolvedEffect, revised.verdict.effect),
        rulings=rows.dump(tuple[Ruling, ...], tuple(rulings)),
        requirements=rows.dump(tuple[Requirement, ...], tuple(needs)),
        view_required=look.hides_decisive(decisive, revised.concealed), made_at=turn.us,
        patch=json.dumps(revised.patch, ensure_ascii=False, allow_nan=False),
        changes=json.dumps([[each.path, each.before, each.after] for each in revised.changes]),
        editor=json.dumps([editor.team, editor.user, editor.name]),
    )  # fmt: skip


def _decisive(turn: Turn, row: Row, revised: Revised) -> list[str]:
    """Return what decides now, what decided before, and what was changed; nothing where that is all of it."""
    version = turn.tx.one(
        "SELECT decisive FROM versions WHERE action = ? AND version = ?", (row["id"], row["version"])
    )
    before, now = json.loads(version["decisive"]) if version else [], revised.verdict.decisive
    if not before or (not now and revised.verdict.answer == "require_approval"):
        return []
    return list(dict.fromkeys((*now, *before, *(each.path for each in revised.changes))))


def _bring_forward(turn: Turn, row: Row, revised: Revised, rulings: Sequence[Ruling]) -> None:
    """Make the next version the current one; no deadline moves later."""
    needs = revised.verdict.requirements
    expires = min([row["expires_at"], *(to_us(turn.now + each.expires_in) for each in needs)])
    turn.tx.run(
        "UPDATE holds SET version = ?, expires_at = ?, deadline = ?, accepted_at = coalesce(accepted_at, ?) "
        "WHERE action = ?",
        (row["version"] + 1, expires, expires, turn.us, row["id"]),
    )
    planning.shorten_ask_again(turn, row["id"], needs)
    rules = list(dict.fromkeys(each.rule for each in rulings))
    turn.tx.run(
        "UPDATE actions SET rules = ?, described = ? WHERE id = ?",
        (json.dumps(rules), revised.described, row["id"]),
    )


def _carry_view(turn: Turn, after: Row, person: Person, revised: Revised) -> bool:
    """Tell whether a person has seen everything that decides about the changed call, and let it count."""
    found = turn.tx.all(
        "SELECT decisive FROM versions WHERE action = ? AND version >= ? ORDER BY version",
        (after["id"], after["version"] - 1),
    )
    before, now = (json.loads(each["decisive"]) for each in found)
    if versions.decides_more(before, now, {each.path for each in revised.changes}):
        return False
    opened = turn.tx.run(
        "INSERT OR IGNORE INTO views_opened (action, version, team, user, at) "
        "SELECT action, version + 1, team, user, at FROM views_opened "
        "WHERE action = ? AND version = ? AND team = ? AND user = ?",
        (after["id"], after["version"] - 1, person.team, person.user),
    )
    return bool(opened)


def _tell(
    turn: Turn,
    after: Row,
    editor: Person,
    changes: Sequence[Change],
    gone: Sequence[Person],
    before: Sequence[Requirement],
    needs: Sequence[Requirement],
) -> None:
    old = {channel for each in before for channel in each.channels}
    for channel in dict.fromkeys(channel for each in needs for channel in each.channels):
        if channel not in old:
            turn.notify("card", after, channel=channel)
    void = ""
    if gone:
        named = " and ".join(ballots.called(each) for each in gone)
        one = len(gone) == 1
        void = (
            f" The approval{'' if one else 's'} of {named} {'is' if one else 'are'} void: look at it again."
        )
    turn.tell_people(after, f"Changed by {ballots.called(editor)}: {in_words(changes)}.{void}")


def _told(changes: Iterable[Change]) -> list[dict[str, Any]]:
    return [{"path": each.path, "before": each.before, "after": each.after} for each in changes]
