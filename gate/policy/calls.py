"""Read written calls, as ``gate check`` and test tables take them: JSON Lines or YAML."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from gate.errors import ActionError
from gate.foreign import HOST, SERVER, Originals, adapted, becomes, is_foreign
from gate.model import Action, Parameters, Principal
from gate.policy.paths import did_you_mean
from gate.policy.source import read_text
from gate.values import decimal_of_text, quoted

CALL_KEYS = ("id", "action", "args", "agent", "session", "on_behalf_of", "facts", "call_id", "source", "at")
TABLE_KEYS = (*CALL_KEYS, "expect", "rules")
MAX_LINE = 1_100_000


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """One call that can be judged.

    Attributes:
        id: Its id; the line number where none is written.
        line: Line it begins in, from 1.
        action: The call.
        at: When it is said to happen, or None.
        expect: Expected answer of a test table's row, or None.
        rules: Expected rules, exactly these, or None where any will do.
    """

    id: str
    line: int
    action: Action
    at: datetime | None = None
    expect: str | None = None
    rules: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class UnreadableCall:
    """One line that cannot be judged.

    Attributes:
        id: Its id where one could be read, else the line number.
        line: Line it begins in, from 1.
        code: Stable identifier: ``bad_line`` (no JSON or YAML) or ``bad_call`` (not a call).
        message: What is wrong and what to write instead.
    """

    id: str
    line: int
    code: str
    message: str


_MEANT = {"arguments": "args", "parameters": "args", "params": "args", "input": "args", "tool": "action"}
"""What other systems call the keys of a call."""


class _Bad(ActionError):
    """One written call is not what it must be."""

    code = "bad_call"


def load_calls(
    text: str, *, tools: Mapping[str, Parameters] | None = None, table: bool = False
) -> Iterator[WrittenCall | UnreadableCall]:
    """Yield every call of a text in order, lines that cannot be judged included.

    Args:
        text: JSON Lines where the first character is ``{``, else a YAML list of calls.
        tools: What known tools take, by action name; None closes no list of parameters.
        table: Whether ``expect`` and ``rules`` may stand beside a call's keys.
    """
    text = text.removeprefix("\ufeff")
    rows = _json_rows(text) if text.lstrip()[:1] == "{" else _yaml_rows(text)
    maker = _Maker(tools or {}, TABLE_KEYS if table else CALL_KEYS)
    for line, read in rows:
        yield maker.make(line, read)


def _json_rows(text: str) -> Iterator[tuple[int, Callable[[], Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, lambda line=line: _parse_json(line)  # type: ignore[misc]


def _parse_json(line: str) -> Any:
    if len(line) > MAX_LINE:
        raise _Bad(f"the line is longer than {MAX_LINE:,} characters", code="bad_line")
    try:
        return json.loads(line, parse_float=_exact, parse_constant=_no_constant, object_pairs_hook=_no_twice)
    except RecursionError:
        raise _Bad("the line is nested too deep", code="bad_line") from None
    except ValueError as error:
        raise _Bad(f"the line is not JSON: {error}", code="bad_line") from None


def _exact(text: str) -> Decimal:
    number = decimal_of_text(text)
    if number is None:
        raise _Bad(f"{quoted(text, 40)} is too large a number", code="bad_line")
    return number


def _no_constant(name: str) -> Any:
    raise _Bad(f"{name} is no JSON number", code="bad_line")


def _no_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Bad(f"the key {quoted(twice)} is written twice", code="bad_line")
    return found


def _yaml_rows(text: str) -> Iterator[tuple[int, Callable[[], Any]]]:
    document = read_text(text, "calls")
    rows = document.value
    if not document.ok or not isinstance(rows, list) or not rows:
        said = document.problems[0] if document.problems else None
        message = said.message if said else "must be a list of calls, with at least one"
        yield (said.line if said else 1) or 1, lambda: _raise(f"the text {message}")
        return
    for index, row in enumerate(rows):
        wrong = [each.message for each in document.problems if each.where.startswith(f"[{index}]")]
        line = document.line((index,))
        yield line, (lambda wrong=wrong: _raise("; ".join(wrong))) if wrong else (lambda row=row: row)  # type: ignore[misc]


def _raise(message: str) -> Any:
    raise _Bad(message, code="bad_line")


class _Maker:
    """Turn parsed rows into calls, one after the other."""

    def __init__(self, tools: Mapping[str, Parameters], keys: tuple[str, ...]) -> None:
        self._tools = tools
        self._keys = keys
        self._latest: dict[str, datetime] = {}
        self._originals = Originals()

    def make(self, line: int, read: Callable[[], Any]) -> WrittenCall | UnreadableCall:
        row: Any = None
        try:
            row = read()
            return self._call(line, row)
        except ActionError as error:
            return UnreadableCall(_id(row, line), line, error.code, str(error))

    def _call(self, line: int, row: Any) -> WrittenCall:
        if not isinstance(row, Mapping):
            raise _Bad("a call is a mapping with at least action")
        self._check_keys(row)
        name, source = self._named(row)
        action = Action(
            name=name,
            arguments=_values(row, "args"),
            agent=_text(row, "agent", "check"),
            session=_text(row, "session", "check"),
            on_behalf_of=_principal(row.get("on_behalf_of")),
            call_id=_text(row, "call_id") if row.get("call_id") is not None else None,
            parameters=self._tools.get(name),
            source=source,
            facts=_values(row, "facts") if row.get("facts") is not None else {},
        )
        at = self._at(row.get("at"), action.session)
        return WrittenCall(_id(row, line), line, action, at, _expected(row), _rules(row.get("rules")))

    def _named(self, row: Mapping[str, Any]) -> tuple[str, str]:
        """Return name and source of a call, a name from outside in the form of an action's."""
        name, written = _text(row, "action"), row.get("source")
        if not is_foreign(written):
            written = _choice(row, "source", (HOST, SERVER)) or HOST
        name, source = adapted(name, written)
        if source == written and is_foreign(written) and not becomes(written, name):
            raise _Bad(f"source: {quoted(written)} is not the name of {name} as it came")
        if source not in (HOST, SERVER):
            self._take(name, source)
        return name, source

    def _take(self, name: str, original: str) -> None:
        try:
            self._originals.take(name, original)
        except ActionError as error:
            raise _Bad(str(error)) from None

    def _check_keys(self, row: Mapping[str, Any]) -> None:
        for key in row:
            if key not in self._keys:
                near = f" (did you mean {quoted(_MEANT[key])}?)" if key in _MEANT else ""
                hint = near or did_you_mean(str(key), self._keys)
                raise _Bad(f"{quoted(key)} is not a key of a call{hint}")

    def _at(self, value: Any, session: str) -> datetime | None:
        if value is None:
            return None
        try:
            at = datetime.fromisoformat(value)
        except (TypeError, ValueError):
            raise _Bad("at must be ISO 8601 with a zone, such as 2026-11-20T10:00:00Z") from None
        if at.tzinfo is None:
            raise _Bad("at needs a zone, such as 2026-11-20T10:00:00Z")
        if at < self._latest.get(session, at):
            raise _Bad(f"at goes back within session {quoted(session)}")
        self._latest[session] = at
        return at


def _id(row: Any, line: int) -> str:
    written = row.get("id") if isinstance(row, Mapping) else None
    if isinstance(written, (str, int)) and not isinstance(written, bool):
        return str(written)
    return str(line)


def _text(row: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = row.get(key, default)
    if not isinstance(value, str) or not value:
        raise _Bad(f"{key} must be a text that is not empty")
    return value


def _choice(row: Mapping[str, Any], key: str, words: tuple[str, ...]) -> str | None:
    value = row.get(key)
    if value is not None and value not in words:
        raise _Bad(
            f"{key}: {quoted(value)} is not one of {', '.join(words)}{did_you_mean(str(value), words)}"
        )
    return value


def _values(row: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = row.get(key, {})
    if not isinstance(value, Mapping):
        raise _Bad(f"{key} must be a mapping of names to values")
    _check_numbers(value, key)
    return value


def _check_numbers(values: Any, key: str) -> None:
    """Refuse numbers that are none; YAML can write them. How deep they lie is judged with the call."""
    waiting = [values]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Decimal) and not value.is_finite():
            raise _Bad(f"{key} holds NaN or an infinity, which is no number")
        waiting += value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()


def _principal(value: Any) -> Principal | None:
    if value is None:
        return None
    kinds = ("person", "email", "outside")
    if isinstance(value, Mapping) and len(value) == 1:
        ((kind, ident),) = value.items()
        if kind in kinds and isinstance(ident, str) and ident:
            return Principal(kind, ident)
    raise _Bad('on_behalf_of must be null or one of {"person": …}, {"email": …}, {"outside": …}')


def _expected(row: Mapping[str, Any]) -> str | None:
    return _choice(row, "expect", ("allow", "require_approval", "block"))


def _rules(value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise _Bad("rules must be a list of NAME/rule")
    return tuple(value)
