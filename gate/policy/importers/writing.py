"""Write a draft as the YAML that a person would have written, comments included."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

from gate.errors import PolicyError, Problem
from gate.model import Approver
from gate.policy.importers.draft import Draft, DraftRule, People
from gate.policy.load import load_texts
from gate.policy.source import read_text
from gate.values import format_duration

WIDTH = 100


def write(draft: Draft) -> str:
    """Write a draft.

    Returns:
        A policy text that loads.

    Raises:
        PolicyError: It does not load; says what keeps it from loading.
    """
    parts = [_head(draft), _approvals(draft), _rules(draft.rules)]
    text = "\n".join(line for part in parts for line in part) + "\n"
    try:
        load_texts({f"{draft.name}.yml": text})
    except PolicyError as error:
        said = [
            Problem(draft.source, 0, 0, "", f"cannot be carried over: {each.where} {each.message}")
            for each in error.problems
        ]
        raise PolicyError(said) from error
    return text


def _head(draft: Draft) -> list[str]:
    return [
        *comment(f"Imported from {draft.source}. Try it before it comes into force: gate policy lint, test."),
        *(line for note in draft.notes for line in comment(note, bullet=True)),
        "version: 1",
        f"name: {flow(draft.name)}",
        _said(f"resolve: {draft.resolve[0]}", draft.resolve[1]),
        _said(f"default: {draft.default[0]}", draft.default[1]),
        "",
    ]


def _said(line: str, why: str) -> str:
    return f"{line:<27} # {why}" if why else line


def _approvals(draft: Draft) -> list[str]:
    lines = [
        "approvals:",
        f"  channel: {flow(draft.people.channel)}",
        f"  approvers: {_people(draft.people)}",
    ]
    if draft.expires_in is not None:
        lines.append(f"  expires_in: {format_duration(draft.expires_in)}")
    return lines


def _people(people: People) -> str:
    return flow([approver_form(each) for each in people.approvers])


def approver_form(approver: Approver) -> Any:
    """Return an approver as it is written in a policy."""
    return {"members_of": approver.id} if approver.kind == "members_of" else approver.id


def _rules(rules: Sequence[DraftRule]) -> list[str]:
    if not rules:
        return []
    return ["", "rules:", *(line for rule in rules for line in _rule(rule))][:-1]


def _rule(rule: DraftRule) -> list[str]:
    lines = [line for note in rule.notes for line in comment(note)]
    lines += [f"- id: {flow(rule.id)}", f"  match: {flow(rule.match)}"]
    if rule.when is not None:
        lines += _entry("when", rule.when, "  ")
    lines.append(f"  then: {rule.then}")
    if rule.reason:
        lines.append(f"  reason: {block(rule.reason)}")
    lines += [f"  {key}: {flow(value)}" for key, value in rule.keys.items()]
    return [*(f"  {line}" for line in lines), ""]


def comment(text: str, *, bullet: bool = False) -> list[str]:
    """Return a text as comment lines.

    Args:
        text: What to say; line breaks and other control characters are written as spaces.
        bullet: Whether it is one point of a list.
    """
    plain = "".join(char if char.isprintable() else " " for char in text)
    first, rest = ("# - ", "#   ") if bullet else ("# ", "# ")
    return textwrap.wrap(
        plain, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False
    ) or [first.rstrip()]


def _entry(key: str, value: Any, indent: str) -> list[str]:
    """Write one entry of a mapping: in one line where it fits."""
    short = f"{indent}{flow(key)}: {flow(value)}"
    if len(short) <= WIDTH or not isinstance(value, (Mapping, list)):
        return [short]
    if isinstance(value, Mapping):
        inside = [line for name, each in value.items() for line in _entry(name, each, indent + "  ")]
    else:
        inside = [f"{indent}  - {flow(each)}" for each in value]
    return [f"{indent}{flow(key)}:", *inside]


def flow(value: Any) -> str:
    """Write a value in YAML's flow style."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{flow(key)}: {flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(flow, value)) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Decimal):
        return format(value, "f") if -30 < value.adjusted() < 30 else str(value)
    return str(value) if isinstance(value, int) else _text(str(value), in_flow=True)


def block(text: str) -> str:
    """Write a text that ends its line."""
    return _text(text, in_flow=False)


@lru_cache(maxsize=1024)
def _text(text: str, *, in_flow: bool) -> str:
    """Write a text without quotes where the strict reader takes it for just that text."""
    if _reads_back(text, text, in_flow):
        return text
    single = "'" + text.replace("'", "''") + "'"
    if "\\" in text and text.isprintable() and _reads_back(single, text, in_flow):
        return single
    return json.dumps(text, ensure_ascii=not text.isprintable())


def _reads_back(written: str, text: str, in_flow: bool) -> bool:
    if not text or "\n" in written or " #" in written:
        return False
    document = read_text(f"a: [{written}]\n" if in_flow else f"a: {written}\n", "text")
    wanted = {"a": [text]} if in_flow else {"a": text}
    if in_flow and any(char in written for char in "{}[],:") and written == text:
        return False
    return document.ok and not document.problems and document.value == wanted
