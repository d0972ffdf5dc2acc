"""Fill in what a describe line says beside the arguments: effects, facts, and who asks for whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from gate.model import Action, Verdict
from gate.policy.effects import Known
from gate.policy.paths import template_paths
from gate.policy.policyset import PolicySet
from gate.policy.reading import UNREADABLE, Sign, Subject, elements, is_missing, reader, scalar
from gate.redact import CANNOT_READ, HIDDEN, plain, redact, redact_text, written_at
from gate.values import decimal_of, format_path, parse_path

_BEHIND = {("effect", "amount"): "amount", ("effect", "currency"): "currency", ("effect", "count"): "count"}


def with_told(
    policy: PolicySet, action: Action, verdict: Verdict, hidden: Sequence[str], secrets: Sequence[str]
) -> Verdict:
    """Return a verdict whose effect has the values that its describe line takes from beside the arguments.

    Args:
        policy: The set that judged the call.
        action: The call, with its facts.
        verdict: What was judged.
        hidden: Paths of the arguments that people may not see.
        secrets: Texts that were hidden there.
    """
    fields = _others(verdict.effect.describe)
    if not fields:
        return verdict
    subject = Subject(action, policy.known(action))
    texts = {keys: _text(subject, keys, hidden, secrets) for keys in fields}
    told = {format_path(keys): text for keys, text in texts.items() if text}
    return replace(verdict, effect=replace(verdict.effect, told=told))


@lru_cache(maxsize=1024)
def _others(template: str | None) -> tuple[tuple[str, ...], ...]:
    """Return the paths of a template that lead to no argument; code may declare what is no template."""
    try:
        paths = template_paths(template or "")
    except ValueError:
        return ()
    return tuple(dict.fromkeys(keys for keys in paths if keys[0] != "args"))


def _text(subject: Subject, keys: tuple[str, ...], hidden: Sequence[str], secrets: Sequence[str]) -> str:
    """Return the value at a path as people may read it; empty where there is none."""
    if keys[0] == "facts" and not subject.action.facts_lost:
        return _fact(subject.action.facts, keys[1:], secrets)
    if _is_hidden(subject.known, keys, hidden):
        return HIDDEN
    value = subject.action.name if keys == ("action",) else reader(keys)(subject)
    if value is UNREADABLE:
        return CANNOT_READ
    if isinstance(value, Sign) or is_missing(value):
        return ""
    as_number = keys in (("effect", "amount"), ("effect", "count"))
    return ", ".join(_plain(each, as_number) for each in elements(value))


def _plain(value: Any, as_number: bool) -> str:
    found = scalar(value)
    if isinstance(found, Sign) or (as_number and decimal_of(found) is None):
        return CANNOT_READ
    return plain(redact({"v": found}).arguments["v"])


def _is_hidden(known: Known, keys: tuple[str, ...], hidden: Sequence[str]) -> bool:
    """Tell whether the argument behind an effect, or a part of it, is hidden from people."""
    behind = getattr(known, _BEHIND[keys]) if keys in _BEHIND else None
    if behind is None:
        return False
    return any(each[: len(behind)] == behind[: len(each)] for each in map(parse_path, hidden))


def _fact(facts: Mapping[str, Any], keys: tuple[str, ...], secrets: Sequence[str]) -> str:
    """Return a fact without what a key names as secret, and without what was hidden of the arguments."""
    value = written_at(redact(facts, root="facts").arguments, keys)
    return "" if value is None else redact_text(plain(value), secrets=secrets)
