"""``gate holds``: list open holds, show one as approvers see it, take one back."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import click

from gate.changes import in_words
from gate.cli import output, shapes
from gate.cli.commands import Verbs
from gate.cli.options import db_option, json_option, limit_option, opened, same_store
from gate.ids import short_code
from gate.lifecycle import OPEN, State
from gate.model import Edit, HoldRecord, PastCall, Ruling
from gate.policy.spending import amounts_words, numbers
from gate.sentences import LOCAL_TEAM
from gate.service import Service


@click.group("holds", cls=Verbs)
def holds_group() -> None:
    """List, show and cancel holds. Approving happens in Slack only."""


@holds_group.command("list")
@click.option("--all", "every", is_flag=True, help="Also those that have ended.")
@limit_option(50)
@db_option
@json_option
def list_command(every: bool, limit: int, db: Path | None, as_json: bool) -> None:
    """List the holds that are open.

    They wait for people, or are approved and wait for their caller.
    """
    with opened(db) as service:
        found = service.holds(None if every else OPEN, limit=limit)
        now = service.now()
    if as_json:
        output.emit({"holds": [hold_json(hold) for hold in found]})
    elif not found:
        ended = f"'gate holds list --all{same_store()}' shows those that ended."
        output.say("No holds." if every else f"No open holds. {ended}")
    else:
        show_holds(found, now)


@holds_group.command("show")
@click.argument("hold_id", metavar="ID")
@db_option
@json_option
def show_command(hold_id: str, db: Path | None, as_json: bool) -> None:
    """Show a hold as its approvers see it.

    With it stands its 4-digit code, for '/gate approve ID CODE' where people answer.
    ID is an id, or at least six characters of it.
    """
    with opened(db) as service:
        hold = service.hold(hold_id)
        now, workspace = service.now(), service.meta("workspace_team")
    if as_json:
        output.emit(hold_json(hold))
    else:
        show_hold(hold, now, workspace)


@holds_group.command("cancel")
@click.argument("hold_id", metavar="ID")
@click.option("--reason", required=True, metavar="TEXT", help="Why; the agent and the log get it.")
@db_option
@json_option
def cancel_command(hold_id: str, reason: str, db: Path | None, as_json: bool) -> None:
    """Take an open hold back: its call does not run.

    ID is an id, or at least six characters of it.
    """
    with opened(db) as service:
        full = cancelled(service, hold_id, reason)
    if as_json:
        output.emit({"id": full, "state": "cancelled", "reason": reason})
    else:
        output.say(f"Cancelled {full}. Nothing ran, and the agent is told so.")


def cancelled(service: Service, hold_id: str, reason: str) -> str:
    """Cancel a hold and return its whole id."""
    full = service.hold(hold_id).id
    service.cancel(full, by=service.actor, reason=reason)
    return full


def hold_json(hold: HoldRecord) -> dict[str, Any]:
    """Return a hold as JSON, with its code while it can be decided."""
    found: dict[str, Any] = shapes.as_json(hold)
    return found | {"short_code": short_code(hold.nonce) if hold.state in OPEN else None}


def show_holds(found: list[HoldRecord], now: datetime) -> None:
    """Write holds as a table."""
    rows = [
        (hold.id, hold.state, output.brief(hold.described), hold.agent, _left(hold, now)) for hold in found
    ]  # fmt: skip
    output.show_table(("ID", "STATE", "WOULD DO", "AGENT", "TIME"), rows, whole=("ID", "STATE"))


def _left(hold: HoldRecord, now: datetime) -> str:
    if hold.state == State.RUNNING:
        return "not ended"
    if hold.state not in OPEN:
        return f"ended {shapes.moment(hold.ended_at, zone=False)}"
    left = _until(hold) - now
    return f"{shapes.span(left)} left" if left > timedelta(0) else "time is over"


def _until(hold: HoldRecord) -> datetime:
    return hold.deadline or hold.use_by or hold.expires_at


def show_hold(hold: HoldRecord, now: datetime, workspace: str | None) -> None:
    """Write one hold as its approvers see it; without a workspace nobody can answer yet."""
    output.say(hold.described, style="bold")
    output.show_facts(_facts(hold, now, workspace))
    for title, lines in _sections(hold):
        output.say()
        output.say(title, style="bold")
        for line in lines:
            output.say(line, indent=2)


def _facts(hold: HoldRecord, now: datetime, workspace: str | None) -> list[tuple[str, object]]:
    asked = shapes.principal(hold.on_behalf_of)
    facts: list[tuple[str, object]] = [
        ("Hold", f"{hold.id}, version {hold.version}"),
        ("State", _state(hold, now)),
        ("Call", hold.name),
        ("Asked by", f"agent {hold.agent}, session {hold.session}, for {asked}"),
        ("Effect", _effect(hold)),
    ]
    if hold.target:
        facts.append(("Target", hold.target))
    if hold.state == State.PENDING:
        facts.append(("Code", f"{short_code(hold.nonce)}  ({_how_to_answer(hold, workspace)})"))
    return facts + _where(hold)


def _how_to_answer(hold: HoldRecord, workspace: str | None) -> str:
    """Say where the code can be typed; nowhere before a bot has bound the store to a workspace."""
    if workspace is None:
        return "nobody can answer yet: start 'gate-bot', or 'gate-bot --local' without Slack"
    place = "on the page of 'gate-bot --local'" if workspace == LOCAL_TEAM else "in Slack"
    return f"for '/gate approve {hold.id} CODE' {place}"


def _where(hold: HoldRecord) -> list[tuple[str, object]]:
    cards = ", ".join(f"{card.channel} {card.ts}" for card in hold.cards) or "none posted yet"
    waits = "yes" if hold.waiting else "no"
    facts: list[tuple[str, object]] = [
        ("Cards", cards),
        ("Policy", f"revision {shapes.revision(hold.revision)}"),
    ]
    return [("Agent waits", waits), *facts] if hold.state in OPEN else facts


def _state(hold: HoldRecord, now: datetime) -> str:
    asked = f"asked {shapes.moment(hold.created_at)}"
    if hold.state == State.RUNNING:
        return f"running: it was started and has not ended ({asked})"
    if hold.state not in OPEN:
        why = f": {hold.end_reason}" if hold.end_reason else ""
        return f"{hold.state} {shapes.moment(hold.ended_at)}{why} ({asked}){_looked(hold)}"
    until = _until(hold)
    unasked = hold.use_by is None and until < hold.expires_at
    verb = "no card yet, post one" if unasked else "start" if hold.use_by else "answer"
    by = f"{verb} by {shapes.moment(until)} ({_left(hold, now)}), else nothing runs"
    return f"{hold.state}, {by}; {asked}"


def _looked(hold: HoldRecord) -> str:
    said = hold.annotation
    if said is None:
        return ""
    who = said.person.name or said.person.user
    comment = f": {said.comment}" if said.comment else ""
    return f"; {who} says that it {'ran' if said.ran else 'did not run'}{comment}"


def _effect(hold: HoldRecord) -> str:
    effect = hold.effect
    words = [f"{effect.risk} (a guess from the name)" if effect.guessed else effect.risk]
    words += [] if effect.risk == "read" else ["can be undone" if effect.reversible else "cannot be undone"]
    return ", ".join([*words, "leaves the company"] if effect.outbound else words)


def _sections(hold: HoldRecord) -> list[tuple[str, list[str]]]:
    found = [
        ("Held because", [line for each in hold.rulings for line in _ruling(each)]),
        ("Arguments", _arguments(hold)),
        ("Changed before approval", [_edit(each) for each in hold.edits]),
        ("Who may answer", _needs(hold)),
        ("Answers so far", [_decision(hold, index) for index in range(len(hold.decisions))]),
        (
            "Evidence",
            [f"{each.weight}: {each.text}{f' <{each.url}>' if each.url else ''}" for each in hold.evidence],
        ),
        ("Earlier in this session, newest first", _history(hold)),
        ("The agent's own words, unverified", [hold.note] if hold.note else []),
        ("Not shown", _not_shown(hold)),
        ("Result", [hold.result] if hold.result else []),
    ]
    return [(title, lines) for title, lines in found if lines]


def _ruling(ruling: Ruling) -> list[str]:
    place = f" ({ruling.place})" if ruling.place else ""
    state = ruling.budget
    lines = [f"{ruling.rule}{place}: {ruling.reason}"]
    if state is None or state.hidden:
        return lines
    told = numbers(ruling.rule, state)
    used = [
        f"used by {output.brief(call.described)} ({amounts_words(call.used, state.kind)}), "
        f"{shapes.moment(call.at)}"
        for call in state.calls
    ]
    more = ["used by earlier calls too"] if state.more else []
    return [*lines, *([] if told in ruling.reason else [told]), *used, *more]


def _arguments(hold: HoldRecord) -> list[str]:
    decisive = frozenset(hold.decisive)
    return [
        f"{name} = {shapes.argument(value)}{'  (decisive)' if f'args.{name}' in decisive else ''}"
        for name, value in hold.arguments.items()
    ] or ["none"]


def _edit(edit: Edit) -> str:
    person = f"{edit.person.name or edit.person.user} ({edit.person.user})"
    void = "".join(f"; void: the approval of {each.name or each.user} ({each.user})" for each in edit.voided)
    return f"version {edit.version}, {person} {shapes.moment(edit.at)}: {in_words(edit.changes)}{void}"


def _needs(hold: HoldRecord) -> list[str]:
    lines = []
    for need in hold.requirements:
        comment = " and ".join(sorted(need.comment_required))
        asks = f"; a comment is needed to {comment}" if comment else ""
        lines.append(
            f"{shapes.requirement(need)}, in {', '.join(need.channels)} ({', '.join(need.rules)}){asks}"
        )
    return lines


def _decision(hold: HoldRecord, index: int) -> str:
    one = hold.decisions[index]
    verb = "approved" if one.said == "approve" else "denied"
    comment = f": “{one.comment}”" if one.comment else ""
    return f"{one.person.name or one.person.user} ({one.person.user}) {verb} {shapes.moment(one.at)}{comment}"


def _history(hold: HoldRecord) -> list[str]:
    lines = [_past(each) for each in hold.history]
    same = hold.identical
    return [f"The identical call {same.action_id} ended {same.state}.", *lines] if same else lines


def _past(call: PastCall) -> str:
    why = f" ({call.reason})" if call.reason else ""
    return f"{shapes.moment(call.at)}  {output.brief(call.described)}: {call.state}{why}"


def _not_shown(hold: HoldRecord) -> list[str]:
    hidden = [f"{path}: hidden by the policy or because its name says secret" for path in hold.hidden]
    return hidden + [f"{name}: passed to the tool, judged by nobody" for name in hold.not_shown]
