"""Tell the story of one call in sentences, from the log's own records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gate.audit import AuditRecord
from gate.changes import in_words
from gate.cli import shapes
from gate.foreign import HOST, SERVER
from gate.model import ActionRecord, Change, HoldRecord
from gate.service import Service
from gate.values import parse_path

Body = Mapping[str, Any]

ARGUMENT = 300
"""How many characters of an argument the story repeats; 'gate holds show' writes them all."""


@dataclass(frozen=True, slots=True)
class Line:
    """What one record of the log tells.

    Attributes:
        seq: Number of the record.
        at: When, ISO 8601, UTC.
        kind: Kind of the record.
        text: The sentences.
        record: The record itself.
    """

    seq: int
    at: str
    kind: str
    text: str
    record: Body


@dataclass(frozen=True, slots=True)
class Story:
    """Everything that happened to one action.

    Attributes:
        action: Its id.
        title: Which call it was.
        state: Where it stands.
        code: Its outcome code; empty while it runs.
        lines: What happened, oldest first.
        ending: How it stands now, in a sentence.
    """

    action: str
    title: str
    state: str
    code: str
    lines: tuple[Line, ...]
    ending: str


def tell(service: Service, action: str) -> Story:
    """Tell the story of an action.

    Args:
        service: The open store.
        action: Its whole id.
    """
    applied = {
        each.revision: f"applied {shapes.moment(each.at)} by {each.by}" for each in service.revisions()
    }
    record = service.action(action)
    asked = _asked(service.hold(action)) if record.version else ""
    version = record.version
    lines = tuple(
        _line(each, applied, asked, version) for each in service.records(action=action, limit=10_000)
    )
    title = f"{record.name}, action {action}"
    return Story(action, title, record.state, record.code, lines, _ending(record))


def _ending(record: ActionRecord) -> str:
    said = record.annotation
    if said is None:
        return _ENDINGS[record.state]
    who = f"{said.person.name or said.person.user} says that it {'ran' if said.ran else 'did not run'}"
    return f"In doubt: it was started once; {who}."


def _line(record: AuditRecord, applied: Mapping[str, str], asked: str, version: int) -> Line:
    body = record.body
    made = 1 if body["kind"] == "submit" else body.get("version") if body["kind"] == "edit" else 0
    more = asked if made == version else ""
    return Line(record.seq, body["at"], body["kind"], _told(body, applied) + more, body)


def _asked(hold: HoldRecord) -> str:
    needs = " and ".join(
        f"{shapes.requirement(each)} in {', '.join(each.channels)}" for each in hold.requirements
    )
    return f"\nAsked: {needs}. To be answered by {shapes.moment(hold.expires_at)}."


def _told(body: Body, applied: Mapping[str, str]) -> str:
    teller = _TELLERS.get(body["kind"])
    if body["kind"] == "submit":
        return _submitted(body, applied)
    return teller(body) if teller else f"{body['actor']}: {body['kind']}{_because(body)}"


def _submitted(body: Body, applied: Mapping[str, str]) -> str:
    agent = body["actor"].removeprefix("agent:")
    behalf = body.get("on_behalf_of", "nobody in particular").replace(":", " ", 1)
    arguments = ", ".join(_argument(name, value) for name, value in body.get("input", {}).items())
    target = f"{_original(body)} at {body['target']}" if body.get("target") else _original(body)
    revision = body.get("revision", "")
    when = f" ({applied[revision]})" if revision in applied else ""
    return (
        f"The agent {agent} called {body['name']}{target} in session {body['session']}, for {behalf}, with "
        f"{arguments or 'no arguments'}.{_hidden(body)}\n{_ANSWERS[body['verdict']]} under policy revision "
        f"{shapes.revision(revision)}{when}:\n{_rules(body)}{_parent(body)}"
    )


def _original(body: Body) -> str:
    """Return the name as somebody else than the host wrote it, where it came so."""
    source = (body.get("tool") or {}).get("source", HOST)
    return "" if source == HOST else " (a server's name)" if source == SERVER else f" (named {source})"


def _argument(name: str, value: Any) -> str:
    text = shapes.argument(value)
    return f"{name} = {text if len(text) <= ARGUMENT else text[:ARGUMENT] + '…'}"


_ANSWERS = {
    "allow": "Allowed without asking anybody,",
    "require_approval": "Held, because people must approve it,",
    "block": "Blocked without asking anybody,",
}


def _hidden(body: Body) -> str:
    erased = body.get("erased", ())
    return f" Hidden: {', '.join('.'.join(parse_path(path)[1:]) for path in erased)}." if erased else ""


def _rules(body: Body) -> str:
    """Return each rule with its place, then the reasons in their order."""
    places = body.get("places", {})
    rules = [f"{rule} ({places[rule]})" if rule in places else rule for rule in body.get("rules", ())]
    reasons = " ".join(body.get("reasons", ())) or _unwritten(body.get("rules", ()))
    return f"{', '.join(rules)}: {reasons}"


def _unwritten(rules: Sequence[str]) -> str:
    by_default = bool(rules) and all(rule.rpartition("/")[2] == "default" for rule in rules)
    return "no rule answered, so the default did." if by_default else "the rule gives no reason."


def _parent(body: Body) -> str:
    return f"\nIt was made inside the action {body['parent']}." if body.get("parent") else ""


def _decided(verb: str) -> Callable[[Body], str]:
    def told(body: Body) -> str:
        name = body.get("name") or body["actor"].rpartition("/")[2]
        comment = f": “{body['comment']}”" if body.get("comment") else ", without a comment."
        more = (
            " More approvals were still needed."
            if body["move"] == {"from": "pending", "to": "pending"}
            else ""
        )
        stopped = " It had been approved, and was stopped before it ran." if _stopped(body) else ""
        return f"{name} ({body['actor']}) {verb} it{_route(body)}{comment}{stopped}{more}"

    return told


def _edited(body: Body) -> str:
    name = body.get("name") or body["actor"].rpartition("/")[2]
    gone = " and ".join(body.get("voided", ()))
    void = f" It made void what {gone} had approved." if gone else ""
    return (
        f"{name} ({body['actor']}) changed it{_route(body)}: {_changes(body)}. "
        f"It is version {body['version']}, held under policy revision "
        f"{shapes.revision(body['revision'])}:\n{_rules(body)}{void}"
    )


def _changes(body: Body) -> str:
    return in_words(Change(each["path"], each["before"], each["after"]) for each in body["changes"])


def _stopped(body: Body) -> bool:
    return bool(body["move"] == {"from": "approved", "to": "denied"})


def _route(body: Body) -> str:
    route = body.get("route", {})
    via = {"home": "on the app's home tab", "command": "with the slash command"}.get(
        route.get("via", ""), "on the card"
    )
    channel = f", channel {route['channel']}" if route.get("channel") else ""
    host = f" (workspace at {route['api_host']})" if "slack" not in route.get("api_host", "slack") else ""
    return f" {via}{channel}{host}"


def _claimed(body: Body) -> str:
    if body["move"]["to"] == "pending":
        by = ", ".join(body.get("rules", ()))
        return f"It was approved, but did not start, because {by} asks for another approval: {body['reason']}"
    if body["move"]["to"] == "blocked":
        by = ", ".join(body.get("rules", ()))
        before = "allowed" if body["move"]["from"] == "running" else "approved"
        return f"It was {before}, but blocked before it ran by {by}: {body.get('reason', '')} Nothing ran."
    revision = shapes.revision(body.get("revision", ""))
    return f"The approved call{_version(body)} was started, under policy revision {revision}."


def _version(body: Body) -> str:
    return f", version {body['version']}," if body.get("version") else ""


def _settled(body: Body) -> str:
    late = "Known after all, though it had been in doubt: it" if body.get("late") else "It"
    if body["move"]["to"] == "succeeded":
        return f"{late} ran and ended well."
    if body.get("error") == "never started":
        return f"{late} was never started: its caller was gone. Nothing ran."
    return f"{late} ran and raised {body.get('error', 'an error')}; it may have taken effect."


def _annotated(body: Body) -> str:
    name = body.get("name") or body["actor"].rpartition("/")[2]
    comment = f": “{body['comment']}”" if body.get("comment") else "."
    who = f"{name} ({body['actor']})"
    return f"{who} said{_route(body)} that it {body['said']}{comment} Nothing was run for that."


def _refused(body: Body) -> str:
    why = f"({body.get('code', '')}): {body.get('reason', '')}"
    tried = "tried to change it" if body.get("edit") else "tried to answer"
    what = "tried to run it" if body.get("claim") else tried
    would = f" into {_changes(body)}" if body.get("changes") else ""
    return f"{body['actor']} {what}{_route(body)}{would} and was refused {why}"


def _because(body: Body) -> str:
    return f": {body['reason']}" if body.get("reason") else "."


_TELLERS: dict[str, Callable[[Body], str]] = {
    "approve": _decided("approved"),
    "deny": _decided("denied"),
    "edit": _edited,
    "expire": lambda body: f"It expired{_because(body)} Nothing ran.",
    "undeliver": lambda body: f"It could not be delivered{_because(body)} Nothing ran.",
    "cancel": lambda body: f"{body['actor']} cancelled it{_because(body)} Nothing ran.",
    "claim": _claimed,
    "settle": _settled,
    "annotate": _annotated,
    "hand_over": lambda body: (
        f"Nobody had met {', '.join(body['rules'])} in time, so {', '.join(body['approvers'])} "
        "may answer as well."
    ),
    "remind": lambda body: "Those who were still needed were reminded.",
    "doubt": lambda body: f"Nobody knows how it ended{_because(body)} It is not run again.",
    "rejoin": lambda body: f"The same call came again and got this action; it was {body['state']}.",
    "refused": _refused,
    "view": lambda body: f"{body['actor']} opened the full view.",
    "notice_failed": lambda body: (
        f"A message for {body.get('channel') or 'Slack'} could not be posted{_because(body)}"
    ),
}

_ENDINGS = {
    "pending": "Pending: it waits for people, and nothing has run.",
    "approved": "Approved and not started: nothing has run.",
    "running": "Running: it was started and has not ended.",
    "blocked": "Blocked: nothing ran.",
    "denied": "Denied: nothing ran.",
    "expired": "Expired: nothing ran.",
    "cancelled": "Cancelled: nothing ran.",
    "undelivered": "Undelivered: nothing ran.",
    "succeeded": "Succeeded: it ran once.",
    "failed": "Failed: it was started once and may have taken effect.",
    "in_doubt": "In doubt: it was started once, and nobody knows how it ended.",
}
