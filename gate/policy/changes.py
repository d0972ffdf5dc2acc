"""Say in words what differs between two revisions of a policy."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from gate.policy.policyset import PolicyFile, PolicySet

_LISTED = ("rules", "actions", "approvals")


def describe_changes(old: PolicySet | None, new: PolicySet) -> list[str]:
    """Return one sentence for each change, files in order.

    Args:
        old: The revision in force before; None for none.
        new: The revision that replaces it.

    Returns:
        Sentences such as ``refunds/over-250: reason changed from "…" to "…"``; empty where nothing differs.
    """
    before = {file.file: file for file in old.files} if old else {}
    after = {file.file: file for file in new.files}
    lines: list[str] = []
    for name in sorted(before.keys() | after.keys()):
        lines.extend(_file(name, before.get(name), after.get(name)))
    if not lines and old is not None and old.revision != new.revision:
        return ["Only comments or layout changed; every rule is the same."]
    return lines


def _file(name: str, old: PolicyFile | None, new: PolicyFile | None) -> Iterator[str]:
    if old is None and new is not None:
        count = len(new.rules)
        yield f"{name} was added: {count} {'rule' if count == 1 else 'rules'}, default {new.default}"
        yield from (f"{rule.ruling.rule} was added: {rule.answer}" for rule in new.rules)
    elif new is None and old is not None:
        yield f"{name} was removed, with {', '.join(rule.ruling.rule for rule in old.rules) or 'no rule'}"
    elif old is not None and new is not None:
        yield from _keys(name, _top(old), _top(new))
        yield from _keys(f"{name} approvals", _part(old, "approvals"), _part(new, "approvals"))
        yield from _entries(f"{name} actions", _part(old, "actions"), _part(new, "actions"))
        yield from _entries(new.name, _rules(old), _rules(new), sign="/")
        yield from _order(new, old)


def _top(file: PolicyFile) -> dict[str, Any]:
    return {key: value for key, value in file.document.items() if key not in _LISTED}


def _part(file: PolicyFile, key: str) -> Mapping[str, Any]:
    return file.document.get(key) or {}


def _rules(file: PolicyFile) -> dict[str, Mapping[str, Any]]:
    return {rule["id"]: _without_id(rule) for rule in file.document.get("rules") or ()}


def _without_id(rule: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in rule.items() if key != "id"}


def _entries(where: str, old: Mapping[str, Any], new: Mapping[str, Any], sign: str = " ") -> Iterator[str]:
    for key in [*old, *(key for key in new if key not in old)]:
        if key not in new:
            yield f"{where}{sign}{key} was removed"
        elif key not in old:
            yield f"{where}{sign}{key} was added: {new[key].get('then', _short(new[key]))}"
        else:
            yield from _keys(f"{where}{sign}{key}", old[key], new[key])


def _keys(where: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for key in [*old, *(key for key in new if key not in old)]:
        if key not in new:
            yield f"{where}: {key} {_short(old[key])} was removed"
        elif key not in old:
            yield f"{where}: {key} {_short(new[key])} was added"
        elif not _same(old[key], new[key]):
            yield f"{where}: {key} changed from {_short(old[key])} to {_short(new[key])}"


def _order(new: PolicyFile, old: PolicyFile) -> Iterator[str]:
    kept_new = [each for each in _rules(new) if each in _rules(old)]
    kept_old = [each for each in _rules(old) if each in _rules(new)]
    if kept_new != kept_old:
        counts = "the first that applies decides" if new.first_match else "which decides nothing here"
        yield f"{new.name}: the rules stand in another order ({counts}): {', '.join(kept_new)}"


def _same(one: Any, two: Any) -> bool:
    return _short(one, None) == _short(two, None)


def _short(value: Any, limit: int | None = 120) -> str:
    text = json.dumps(value, ensure_ascii=False, default=_number)
    return text if limit is None or len(text) <= limit else text[:limit] + "…"


def _number(value: Any) -> Any:
    return str(value) if isinstance(value, Decimal) else repr(value)
