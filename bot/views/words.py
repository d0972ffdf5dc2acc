"""The sentences that cards and modals share: who asks, who may answer, how a hold stands or ended."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from bot.views.text import mention, mention_channel, mention_group, moment
from gate.lifecycle import State
from gate.model import Approver, Decision, HoldRecord, Requirement
from gate.requirements import Standing, standing

PEOPLE = 6
"""Most approvers named in one sentence."""
SHORT = timedelta(minutes=10)
"""Time to answer below which seconds are told."""

_KINDS = {"read": "only reads", "write": "changes something", "destructive": "deletes something"}

_ENDED = {
    "denied": "*Denied*",
    "expired_unanswered": "*Expired*: nobody answered in time. Nothing ran.",
    "expired_unused": "*Expired*: it was approved, but the agent did not start it in time. Nothing ran.",
    "cancelled_by_operator": "*Cancelled* by an operator. Nothing ran.",
    "session_ended": "*Cancelled*: the agent's session has ended. Nothing ran.",
    "caller_gone": "*Cancelled*: the agent that asked is gone. Nothing ran.",
    "key_renewed": "*Cancelled*: the store's key was renewed. Nothing ran.",
    "store_adopted": "*Cancelled*: the store was restored from a backup. Nothing ran.",
    "not_delivered_in_time": "*Undelivered*: the question did not reach this channel in time. Nothing ran.",
    "delivery_failed": "*Undelivered*: Slack refused to take the question. Nothing ran.",
    "nobody_can_approve": "*Undelivered*: not enough people can approve this. Nothing ran.",
    "cannot_tell_who_asked": "*Undelivered*: the gate cannot tell who asked for this. Nothing ran.",
    "too_large_to_show": "*Undelivered*: this call is too large to be shown. Nothing ran.",
    "blocked": "*Blocked* by the policy when it was about to run. Nothing ran.",
    "frozen": "*Blocked*: the gate was frozen when it was about to run. Nothing ran.",
    "ran": "*Ran once.*",
    "result_not_kept": "*Ran once.*",
    "failed": "*Ran and failed.* It may have taken effect.",
    "in_doubt": "*In doubt*: it was started and nobody knows how it ended. It may have taken effect.",
    "interrupted": "*In doubt*: it was interrupted while it ran. It may have taken effect.",
}
_BY_STATE = {
    State.BLOCKED: "blocked",
    State.DENIED: "denied",
    State.EXPIRED: "expired_unanswered",
    State.SUCCEEDED: "ran",
    State.FAILED: "failed",
    State.IN_DOUBT: "in_doubt",
}


def ending(record: HoldRecord) -> str:
    """Return the bold first words of a closed card, in mrkdwn."""
    words = _ENDED.get(record.code) or _ENDED.get(_BY_STATE.get(record.state, ""))
    return words or f"*{record.state.value.replace('_', ' ').capitalize()}*"


def standing_line(record: HoldRecord) -> str:
    """Return in mrkdwn how a hold that is no longer pending stands, with people and times."""
    who = people(record)
    if record.state is State.APPROVED:
        until = f", until {moment(record.use_by)}" if record.use_by else ""
        return f"*Approved.* {who} The agent may start it now{until}; then nothing runs."
    if record.state is State.RUNNING:
        return f"*Running.* {who}"
    if record.state is State.DENIED:
        return f"*Denied.* {who} Nothing ran."
    since = "Since" if record.state is State.IN_DOUBT else "Ended"
    when = f" {since} {moment(record.ended_at)}." if record.ended_at else ""
    return f"{ending(record)}{when} {who}".strip()


def people(record: HoldRecord) -> str:
    """Return in mrkdwn who answered what, when, and how long after the call; empty for nobody."""
    last = list({decision.person: decision for decision in record.decisions}.values())[-PEOPLE:]
    return " ".join(
        f"{'Approved' if decision.said == 'approve' else 'Denied'} by {mention(decision.person.user)}"
        f" {moment(decision.at)}, {took(decision.at - record.created_at)} after the call"
        f"{', and the next ones over the budget' if decision.headroom else ''}."
        for decision in last
    )


def took(duration: timedelta) -> str:
    """Write how long something took, in the two largest units that matter."""
    seconds = max(0, int(duration.total_seconds()))
    if seconds < 60:
        return f"{seconds} s"
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if minutes < 60:
        return f"{minutes} min"
    return f"{hours} h {minutes % 60} min" if not days else f"{days} d {hours % 24} h"


def approver_words(approvers: Sequence[Approver]) -> str:
    """Return in mrkdwn who may answer."""
    named = [_one(approver) for approver in approvers[:PEOPLE]]
    more = len(approvers) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def _one(approver: Approver) -> str:
    if approver.kind == "user":
        return mention(approver.id)
    if approver.kind == "group":
        return mention_group(approver.id)
    return f"members of {mention_channel(approver.id)}"


def requirement_line(requirement: Requirement) -> str:
    """Return in mrkdwn how many of whom a requirement needs."""
    count = "One approval" if requirement.quorum == 1 else f"{requirement.quorum} approvals"
    alone = " (people who count nowhere else)" if requirement.distinct else ""
    return f"{count} from {approver_words(requirement.approvers)}{alone}"


def needs_lines(record: HoldRecord, most: int = 4) -> list[str]:
    """Return in mrkdwn, for each requirement, how far it is met, by whom, and who is still needed."""
    given = [decision for decision in record.decisions if decision.said == "approve"]
    found = standing(record.requirements, [decision.counts for decision in given])
    told = [_need_line(each, index, given) for index, each in enumerate(found[:most])]
    told += [f"and {len(found) - most} more requirements"] if len(found) > most else []
    if given and all(each.met for each in found) and record.state is State.PENDING:
        told.append("*Still needed*: one more person, since somebody counts only once here.")
    return told


def _need_line(found: Standing, index: int, given: Sequence[Decision]) -> str:
    line = requirement_line(found.requirement)
    mine = ", ".join([mention(each.person.user) for each in given if index in each.counts][:PEOPLE])
    if found.met:
        return f"{line}: given by {mine}."
    if mine:
        return f"{line}: {found.have} so far, {mine}. *{found.need - found.have} more needed*."
    return f"*Still needed*: {line[0].lower()}{line[1:]}." if given else f"{line}."


def hand_over_lines(record: HoldRecord, most: int = 2) -> list[str]:
    """Return in mrkdwn who may answer as well from when on; nothing that comes after the end, or has come."""
    told = [
        f"From {moment(each.hand_over_at)} on {approver_words(each.hand_over.approvers)} may answer as well."
        for each in record.requirements
        if each.hand_over and each.hand_over_at and not each.handed and each.hand_over_at < record.expires_at
    ]
    left = len(told) - most + 1
    return told if len(told) <= most else [*told[: most - 1], f"and {left} more hand-overs later"]


def deadline_line(record: HoldRecord) -> str:
    """Return in mrkdwn until when an answer counts; to the second where there is little time."""
    short = record.expires_at - record.created_at < SHORT
    return f"Answer by {moment(record.expires_at, seconds=short)}, else nothing runs."


def effect_words(record: HoldRecord) -> list[tuple[str, bool]]:
    """Return what makes the call serious: words of our own, and whether they are bold."""
    effect = record.effect
    words = [("destroys data", True)] if effect.risk == "destructive" else []
    words += [] if effect.reversible else [("cannot be undone", True)]
    words += [("leaves the company", False)] if effect.outbound else []
    words += [(f"{_KINDS[effect.risk]}, judging by its name alone", False)] if effect.guessed else []
    return words


def careful(record: HoldRecord) -> bool:
    """Tell whether approving must not look like the easy answer."""
    return record.effect.risk == "destructive" or not record.effect.reversible
