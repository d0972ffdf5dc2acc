"""Find secrets in texts by their shape, and hide only what matches: a command beside a key stays readable.

One linear pass of RE2 finds candidates; check digits and the like tell which of them are meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from gate.secret_checks import LEAST_RANDOM, is_random
from gate.secret_patterns import LONGEST, SHAPES, Shape
from gate.secret_search import candidate, suspects

SHORTEST = 8
"""Shortest text that can hold a secret by shape."""

_TELLING = 12
"""Shortest span of which first and last characters are told; of a shorter one they would tell too much."""

_MARK = re.compile(r"\(hidden [A-Za-z ]{3,22}, \d{1,9} characters(?:, ..…..)?\)", re.DOTALL)


@cache
def _each() -> tuple[tuple[re.Pattern[str], Shape], ...]:
    """Return the patterns, for candidates alone: those are short, and RE2's way there and back is not.

    They are compiled when the first candidate is there, not at import.
    """
    return tuple((re.compile(each.pattern, re.ASCII), each) for each in SHAPES)


def mark(kind: str, secret: str) -> str:
    """Return what stands for a hidden span: its kind, its length, its first and last two characters."""
    told = f", {secret[:2]}…{secret[-2:]}" if len(secret) >= _TELLING else ""
    return f"(hidden {kind}, {len(secret)} characters{told})"


def is_mark(value: object) -> bool:
    """Tell whether a value is what stands for a secret hidden by its shape, and nothing beside it."""
    return isinstance(value, str) and _MARK.fullmatch(value) is not None


def has_mark(value: object) -> bool:
    """Tell whether a part of a value stands for a secret that was hidden by its shape."""
    return isinstance(value, str) and "(hidden " in value and _MARK.search(value) is not None


def unmarked(text: str) -> str:
    """Return a text without what stands for secrets in it."""
    return _MARK.sub("", text) if "(hidden " in text else text


def hide_shapes(text: str) -> tuple[str, list[str]]:
    """Return a text without the secrets that their shape tells, and those secrets.

    Args:
        text: Anything; all but the spans themselves stays as it is.
    """
    if len(text) < SHORTEST:
        return text, []
    data = text.encode("utf-8", "surrogatepass")
    parts: list[str] = []
    secrets: list[str] = []
    done = 0
    for kind, start, end in _spans(data):
        secret = data[start:end].decode("utf-8", "surrogatepass")
        parts += [data[done:start].decode("utf-8", "surrogatepass"), mark(kind, secret)]
        secrets.append(secret)
        done = end
    if not secrets:
        return _hide_random(text)
    return "".join([*parts, data[done:].decode("utf-8", "surrogatepass")]), secrets


def hide_texts(texts: Iterable[str]) -> dict[str, tuple[str, list[str]]]:
    """Return what ``hide_shapes`` gives for those of many texts that hold a secret.

    Args:
        texts: Texts, each once; they are searched as one.
    """
    asked = list(texts)
    likely = dict.fromkeys(text for text in asked if len(text) >= LEAST_RANDOM and is_random(text))
    likely.update((asked[number], None) for number in suspects(asked))
    return {text: hidden for text in likely if (hidden := hide_shapes(text))[1]}


def _hide_random(text: str) -> tuple[str, list[str]]:
    """Hide a text that is nothing but one random word; within a longer text that may be what would run."""
    return (mark("random text", text), [text]) if _WORD.fullmatch(text) and is_random(text) else (text, [])


_WORD = re.compile(r"[A-Za-z0-9+/_=~.-]{1,256}")


def _spans(data: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield kind and place of every secret, in order, none inside another."""
    at = 0
    while (found := candidate(data, at)) is not None:
        kind, at, until = _judge(data, *found)
        if kind:
            yield kind, at, until
            at = until


def _judge(data: bytes, start: int, end: int) -> tuple[str, int, int]:
    """Return kind, beginning and end of a candidate's secret, or where to look on where there is none."""
    on = _FIRST.match(data, start, end)
    after = start + 1 if on is None else on.end()
    piece = data[start:end].decode("latin-1")
    for pattern, shape in _each():
        found = pattern.match(piece)
        if found is None:
            continue
        part = shape.part(found[0])
        if part is not None:
            return shape.kind, start + part[0], _key_end(data, start + part[1])
        after = max(after, end) if shape.skips else after
    return "", after, after


_FIRST = re.compile(rb"[A-Za-z0-9_]+")
_HEAD_END = b"PRIVATE KEY-----"
_KEY_LINES = re.compile(
    rb"(?:(?:\\[nr]|\s)*+(?:Proc-Type|DEK-Info|Comment|Version): [A-Za-z0-9,. -]{1,60}+)*+"
    rb"(?:(?:\\[nr]|\s)*+[A-Za-z0-9+/=]{40,80}+)*+(?:(?:\\[nr]|\s)*+[A-Za-z0-9+/=]{1,80}+(?=(?:\\[nr]|\s)*+(?:-----END|[\"'`]|$)))?+"
    rb"(?:(?:\\[nr]|\s)*+-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?"
)


def _key_end(data: bytes, end: int) -> int:
    """Return where a secret ends: a private key behind its lines, which are read here."""
    if not data.endswith((_HEAD_END, b"PRIVATE KEY BLOCK-----"), 0, end):
        return end
    found = _KEY_LINES.match(data, end, end + LONGEST)
    return found.end() if found else end
