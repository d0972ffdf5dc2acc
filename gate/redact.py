"""Write a call down for people and the log, without its secrets.

What a key names as secret is hidden value by value, never a whole subtree; of what is secret by its shape
only the span is hidden; what a policy's ``redact`` path names is hidden whole. The form is JSON; exact
numbers keep their tag, so that ``400`` and ``"400"`` differ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gate.redacting import Found, Rules, Withheld, Writer
from gate.secret_names import is_secret_name
from gate.secret_shapes import UNTOLD, has_mark, hide_shapes, hide_texts, is_mark
from gate.shown_values import HIDDEN, SHORTEST_SECRET
from gate.values import format_path, parse_path

__all__ = [
    "CANNOT_READ", "HIDDEN", "NOT_GIVEN", "TEXT_LIMIT", "Redacted", "Withheld", "describe", "error_text",
    "hide", "is_hidden", "is_secret_name", "keeps_secret", "plain", "redact", "redact_text", "written_at",
]  # fmt: skip

TEXT_LIMIT = 500
NOT_GIVEN = "(not given)"
CANNOT_READ = "(cannot be read)"
MOST_HIDDEN = 1_000
"""How many paths of one call are hidden one by one."""

_LONGEST_READ = 20_000
_LONGEST_NAME = 100

_ASSIGNED = re.compile(r"""(["']?)([A-Za-z][A-Za-z0-9_-]{0,60})\1\s{0,3}[:=]\s{0,3}""")
_ASSIGNEE = re.compile(r"""(["'])(?:(?!\1).)*\1|(?:(?:Bearer|Basic)\s+)?[^\s,;&"'}\])]+""")
_SCHEME = re.compile(r"\b(?P<scheme>Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}")
_ONE_FORM = re.compile(r"[A-Za-z0-9_.~-]*")
"""What every way of writing writes as it is."""
_FIELD = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Redacted:
    """A call's arguments as people and the log may see them.

    Attributes:
        arguments: JSON values by name.
        hidden: Paths of what was hidden, without list indexes.
        secrets: Texts that were hidden, or are shown though they are secret, to be hidden in later texts of
            the same call; never shown. ``UNTOLD`` is among them where nobody knows all of them: then a later
            text is hidden whole.
    """

    arguments: dict[str, Any]
    hidden: tuple[str, ...]
    secrets: tuple[str, ...] = field(default=(), repr=False, compare=False)


def redact(
    arguments: Mapping[str, Any],
    *,
    paths: Sequence[str] = (),
    show: Sequence[str] = (),
    root: str = "args",
    names: bool = True,
    most: int = MOST_HIDDEN,
) -> Redacted:
    """Return the arguments as JSON without secrets.

    Args:
        arguments: Snapshot of the bound arguments.
        paths: Paths that the policy hides; elements of lists on the way are all meant.
        show: Paths for which hiding by key name is lifted; ``paths`` stay hidden.
        root: How paths to the arguments begin.
        names: Whether what a key names as secret is hidden at all.
        most: How many paths are hidden one by one; an argument with more of them is hidden whole.
    """
    rules = Rules(frozenset(map(parse_path, paths)), frozenset(map(parse_path, show)), names, most)
    known: dict[str, Found | None] = {}
    while True:
        writer = Writer(rules, known)
        written = writer.arguments(arguments, root)
        found = hide_texts(writer.texts) if writer.texts else {}
        if not found:
            return Redacted(written, tuple(writer.hidden), tuple(writer.secrets))
        known = {**known, **writer.texts, **found}


def hide(text: str) -> str:
    """Return a text of the host's or the agent's own, such as a note, without secrets of a known shape."""
    return hide_shapes(text)[0]


def is_hidden(value: Any) -> bool:
    """Tell whether a redacted value says nothing but that something was hidden."""
    return bool(value == HIDDEN) or is_mark(value)


def keeps_secret(value: Any) -> bool:
    """Tell whether a redacted value hides something, whole or in part."""
    return bool(value == HIDDEN) or has_mark(value)


def redact_text(text: str, *, secrets: Sequence[str] = ()) -> str:
    """Return free text, such as an exception's, without known secrets, cut to 500 characters.

    Args:
        text: Anything; ``key=value`` and ``key: value`` with a secret's name lose the value, and what is
            secret by its shape is hidden.
        secrets: Texts to hide wherever they stand; shorter ones than four characters are left. With
            ``UNTOLD`` among them, everything is hidden.
    """
    if UNTOLD in secrets:
        return UNTOLD if text else ""
    for secret in sorted({form for each in secrets for form in _forms(each)}, key=len, reverse=True):
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, HIDDEN)
    text = _SCHEME.sub(rf"\g<scheme> {HIDDEN}", _hide_assigned(text[:_LONGEST_READ]))
    text = hide(text)
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "…"


def has_secret(text: str, secrets: Sequence[str]) -> bool:
    """Tell whether a known secret of at least four characters stands in a text, in whatever spelling.

    One may stand in any text where not all of them are known.
    """
    if UNTOLD in secrets:
        return True
    told = (each for each in secrets if len(each) <= len(text))  # no spelling is shorter than the secret
    forms = {form for each in told for form in _forms(each) if len(form) >= SHORTEST_SECRET}
    return any(form in text for form in forms)


def error_text(error: BaseException, *, secrets: Sequence[str] = ()) -> str:
    """Return class and redacted, cut text of an exception, as log, card and other callers see it."""
    name, text = _storable(type(error).__name__)[:_LONGEST_NAME], redact_text(_said(error), secrets=secrets)
    return f"{name}: {text}" if text else name


def describe(
    template: str | None,
    name: str,
    arguments: Mapping[str, Any],
    told: Mapping[str, str] | None = None,
    *,
    write: Callable[[Any], str] | None = None,
) -> str:
    """Return the sentence that says what would happen.

    Args:
        template: Text with ``{path}`` fields and doubled braces, or None for none.
        name: Action name, used where there is no template.
        arguments: Redacted JSON arguments.
        told: Redacted texts of the paths outside the arguments; None for none.
        write: How a value becomes text; default writes it out whole.
    """
    if template is None:
        return name
    writer = write or plain

    def one(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0][0]
        value = _look_up(arguments, told or {}, found[1])
        return NOT_GIVEN if value is None else writer(value)

    return _FIELD.sub(one, template)


def plain(value: Any) -> str:
    """Write one redacted JSON value as text: texts bare, exact numbers by their digits, the rest as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping) and len(value) == 1:
        key, inner = next(iter(value.items()))
        if key in {"$decimal", "$int"}:
            return str(inner)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False)


def _said(error: BaseException) -> str:
    """Return the text of an exception, which is anybody's code: empty where it raises whatever it may."""
    try:
        return _storable(str(error))
    except KeyboardInterrupt:
        raise
    except BaseException:
        return ""


def _storable(text: str) -> str:
    """Return a plain text with a UTF-8 form; half a surrogate pair is spelt out."""
    return str.encode(text, "utf-8", "backslashreplace").decode()


def _forms(secret: str) -> set[str]:
    """Return how a secret may be written inside another text."""
    if _ONE_FORM.fullmatch(secret):
        return {secret}
    from urllib.parse import quote, quote_plus

    return {
        secret,
        repr(secret)[1:-1],
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        quote(secret, safe="", errors="replace"),
        quote_plus(secret, errors="replace"),
    }


def _hide_assigned(text: str) -> str:
    """Hide what a text assigns to a secret's name."""
    parts, done = [], 0
    for found in _ASSIGNED.finditer(text):
        value = _ASSIGNEE.match(text, found.end()) if is_secret_name(found[2]) else None
        if value and found.start() >= done and not value[0].startswith(HIDDEN[:-1]):
            quote = value[1] or ""
            parts += [text[done : found.end()], quote, HIDDEN, quote]
            done = value.end()
    return "".join([*parts, text[done:]])


def _look_up(arguments: Mapping[str, Any], told: Mapping[str, str], path: str) -> Any:
    try:
        keys = parse_path(path.strip())
    except ValueError:
        return None
    return written_at(arguments, keys[1:]) if keys[0] == "args" else told.get(format_path(keys))


def written_at(written: Mapping[str, Any], keys: Sequence[str]) -> Any:
    """Return the value at a path of redacted JSON, None where there is none; through lists, those of each."""
    value: Any = written
    for key in keys:
        value = _step(value, key)
    return value


def _step(value: Any, key: str) -> Any:
    if isinstance(value, list):
        found = [each for item in value if (each := _step(item, key)) is not None]
        return found or None
    inner = value.get("$dict", value) if isinstance(value, Mapping) else {}
    return inner.get(key)
