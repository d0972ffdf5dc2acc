"""What is worked out of a changed call before its transaction, from what the store keeps of the call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gate.catalogue import Tool
from gate.changes import label
from gate.editing import edited_digest, holds_more, is_absent, put, value_at
from gate.errors import BadEdit, Fault, IllegalMove
from gate.fields import Typed, field_of, typed, with_schema
from gate.model import Action, Change, Field, Verdict
from gate.policy.evaluate import evaluate
from gate.policy.policyset import PolicySet
from gate.policy.uses import uses_of
from gate.recorded import facts_shown, read_back
from gate.redact import Redacted, describe, redact
from gate.requirements import editable_paths
from gate.service.describing import with_told
from gate.service.preparing import rerouted_use, rerouted_verdict
from gate.store import rows
from gate.store.port import Reader, Row
from gate.values import parse_path, quoted
from gate.verbs import backfill, ledger, look, versions
from gate.verbs.edit import Revised
from gate.verbs.ledger import Entry
from gate.verbs.versions import Recorded

_ROW = (
    "SELECT a.*, h.recorded, h.version, v.arguments AS shown, v.hidden AS unseen, v.patch, v.requirements, "
    "v.nonce FROM actions a JOIN holds h ON h.action = a.id "
    "JOIN versions v ON v.action = a.id AND v.version = h.version WHERE a.id = ?"
)


def recorded_of(verdict: Verdict, given: Action, redacted: Redacted, entry: Entry) -> str:
    """Return what is kept of a call so that it may be changed later; empty where nothing in it may be.

    Args:
        verdict: What the rules say of it.
        given: The call, with its own facts only.
        redacted: Its arguments as they may be kept.
        entry: What the ledger would keep of it.
    """
    paths = editable_paths(verdict.requirements)
    if not paths:
        return ""
    found = (_field(path, given.arguments, redacted.hidden) for path in paths)
    fields = tuple(field for field in found if field is not None)
    if not fields:
        return ""
    facts = facts_shown(given.facts, lost=given.facts_lost)
    return rows.dump(Recorded, Recorded(fields, entry.hidden, facts, entry.told))


def _field(path: str, arguments: Mapping[str, Any], hidden: tuple[str, ...]) -> Field | None:
    """Return the place of a value that may be changed: it stands there by itself, and nothing is hidden."""
    keys = parse_path(path)
    value = value_at(arguments, keys[1:])
    if (
        is_absent(value)
        or holds_more(arguments, keys[1:])
        or any(_overlaps(keys, parse_path(each)) for each in hidden)
    ):
        return None
    return field_of(path, value)


def _overlaps(one: tuple[str, ...], two: tuple[str, ...]) -> bool:
    shorter = min(len(one), len(two))
    return one[:shorter] == two[:shorter]


def fields_of(reader: Reader, hold: str, policy: PolicySet) -> tuple[Field, ...]:
    """Return the values of a held call that may be changed now, with what the tool's schema says of each.

    Args:
        reader: Where to read.
        hold: Id of the hold.
        policy: The policy in force; what it lets nobody change any more is left out.
    """
    row = reader.one(_ROW, (hold,))
    return () if row is None else _fields(reader, row, policy)


def _fields(reader: Reader, row: Row, policy: PolicySet) -> tuple[Field, ...]:
    kept = versions.recorded(row)
    if kept is None:
        return ()
    needs = look.requirements(row)
    now = [policy.requirement_of(rule) for each in needs for rule in each.rules]
    allowed = set(editable_paths(needs)) & set(editable_paths([*needs, *(each for each in now if each)]))
    body = reader.one("SELECT body FROM tools WHERE name = ?", (row["name"],))
    schema = rows.load(Tool, body["body"]).schema if body else {}
    found = (with_schema(each, schema) for each in kept.fields if each.path in allowed)
    return tuple(each for each in found if each.kind != "unknown")


def revise(
    reader: Reader,
    hold: str,
    given: Mapping[str, Any],
    policy: PolicySet,
    facts: Mapping[str, tuple[str, Mapping[str, Any]]],
    *,
    key: bytes,
    channel: str | None,
) -> Revised | Fault | None:
    """Work out a changed call: what it is, its digest, and what the policy says of it.

    Args:
        reader: Where to read.
        hold: Id of the hold.
        given: By path the new value, or a text that spells it.
        policy: The policy in force.
        facts: By session its facts, as far as this process knows them.
        key: The store's key.
        channel: Channel that replaces every channel of the policy; None for none.

    Returns:
        The changed call; why there can be none; or None where there is no such hold.
    """
    row = reader.one(_ROW, (hold,))
    kept = versions.recorded(row) if row else None
    if row is None or kept is None:
        return None
    try:
        new = _new_values(_fields(reader, row, policy), given)
        text, session = facts.get(row["session"], ("{}", {}))
        return _revised(row, kept, new, policy, text, session, key=key, channel=channel)
    except Fault as fault:
        return fault


def _new_values(fields: tuple[Field, ...], given: Mapping[str, Any]) -> dict[str, Typed]:
    """Read each new value in its type.

    Raises:
        IllegalMove: A value may not be changed.
        BadEdit: A value is none that the tool takes.
    """
    if not isinstance(given, Mapping):
        raise IllegalMove("What is changed must be new values by path; nothing was.", code="not_editable")
    known = {each.path: each for each in fields}
    strange = [path for path in given if path not in known]
    if strange:
        may = f"only {', '.join(known)} may be" if known else "nothing in this call may be"
        named = ", ".join(quoted(path) for path in strange[:5])
        raise IllegalMove(f"{named} may not be changed here; {may}.", code="not_editable")
    found: dict[str, Typed] = {}
    problems: dict[str, str] = {}
    for path, value in given.items():
        try:
            found[path] = typed(known[path], value)
        except ValueError as error:
            problems[path] = str(error)
    if problems:
        said = "; ".join(f"{label(path)} {why}" for path, why in problems.items())
        raise BadEdit(f"The call cannot be changed so: {said}. The hold stays as it was.", problems=problems)
    return found


def _revised(
    row: Row,
    kept: Recorded,
    new: Mapping[str, Typed],
    policy: PolicySet,
    text: str,
    session: Mapping[str, Any],
    *,
    key: bytes,
    channel: str | None,
) -> Revised:
    shown = {name: read_back(value) for name, value in json.loads(row["shown"]).items()}
    changed = {path: each for path, each in new.items() if _differs(shown, path, each)}
    if not changed:
        raise BadEdit("Nothing was changed; to approve the call as it is, press Approve.", code="no_change")
    action = _action(row, kept, changed, session)
    verdict = rerouted_verdict(evaluate(policy, action), channel)
    written = _written(shown, changed, verdict.redact, verdict.show)
    _refuse_hidden(changed, written)
    unseen = tuple(dict.fromkeys((*json.loads(row["unseen"]), *written.hidden)))
    verdict = with_told(policy, action, verdict, unseen, written.secrets)
    patch = json.loads(row["patch"]) | {path: each.tag for path, each in changed.items()}
    uses = uses_of(policy, action) if verdict.answer != "block" else ()
    return Revised(
        action=action,
        digest=edited_digest(key, row["digest"], patch),
        patch=patch,
        changes=_changes(json.loads(row["shown"]), written.arguments, changed),
        verdict=verdict,
        arguments=json.dumps(written.arguments, ensure_ascii=False, allow_nan=False),
        hidden=unseen,
        concealed=frozenset(unseen) - frozenset(verdict.redact),
        described=describe(verdict.effect.describe, action.name, written.arguments, verdict.effect.told),
        uses=tuple(ledger.sealed(rerouted_use(use, channel), key) for use in uses),
        facts=text,
    )


def _differs(shown: Mapping[str, Any], path: str, new: Typed) -> bool:
    before = redact({"v": value_at(shown, parse_path(path)[1:])}, names=False).arguments
    return bool(before != redact({"v": new.value}, names=False).arguments)


def _action(row: Row, kept: Recorded, changed: Mapping[str, Typed], session: Mapping[str, Any]) -> Action:
    """Return the changed call as far as the store knows it; hidden values stay unreadable."""
    told = {"arguments": row["shown"], "hidden": kept.hidden, "facts": kept.facts, "told": kept.told}
    action = backfill.action_of({**row, **told})
    arguments = _with(action.arguments, changed)
    return replace(action, arguments=arguments, facts={**session, **action.facts})


def _with(arguments: Mapping[str, Any], changed: Mapping[str, Typed]) -> Mapping[str, Any]:
    found: Any = dict(arguments)
    for path, each in changed.items():
        found = put(found, parse_path(path)[1:], each.value)
    return dict(found)


def _written(
    shown: Mapping[str, Any], changed: Mapping[str, Typed], paths: tuple[str, ...], show: tuple[str, ...]
) -> Redacted:
    """Return the changed arguments as redacted JSON; what was hidden before stays hidden."""
    return redact(_with(shown, changed), paths=paths, show=show)


def _refuse_hidden(changed: Mapping[str, Typed], written: Redacted) -> None:
    """Refuse values that may not be stored, since they could not reach the call.

    Raises:
        BadEdit: There are some.
    """
    hidden = [parse_path(each) for each in written.hidden]
    said = "reads like a secret, which is neither shown nor stored; deny the call and say so"
    problems = {path: said for path in changed if any(_overlaps(parse_path(path), each) for each in hidden)}
    if problems:
        named = ", ".join(label(path) for path in problems)
        raise BadEdit(f"The new value of {named} {said}.", problems=problems)


def _changes(
    before: Mapping[str, Any], after: Mapping[str, Any], changed: Mapping[str, Typed]
) -> tuple[Change, ...]:
    return tuple(Change(path, _at(before, path), _at(after, path)) for path in changed)


def _at(written: Any, path: str) -> Any:
    """Return what stands at a path of redacted JSON."""
    for key in parse_path(path)[1:]:
        inner = written.get("$dict", written) if isinstance(written, Mapping) else {}
        written = inner.get(key)
    return written
