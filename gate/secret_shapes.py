"""Find secrets in texts by their shape, and hide only what matches: a command beside a key stays readable.

One linear pass of RE2 finds candidates; check digits and the like tell which of them are meant. Where there
are too many to tell apart, whatever may hold one is hidden whole, so that no text takes long.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, filterfalse, groupby, islice

from gate.joined import Joined
from gate.secret_checks import LEAST_RANDOM, cards, is_mixed, is_random
from gate.secret_patterns import LONGEST, SHAPES
from gate.secret_search import MOST, Candidates, suspects

SHORTEST = 8
"""Shortest text that can hold a secret by shape."""

_TELLING = 12
"""Shortest span of which first and last characters are told; of a shorter one they would tell too much."""

Hidden = tuple[str, list[str]]
"""A text without its secrets, and those."""
Span = tuple[str, int, int]
"""Kind, beginning and end of a secret."""

UNTOLD = "(hidden: too many look like secrets to tell apart)"
"""Stands for what was not searched closely, and among the secrets of a text for those that nobody knows."""

_WHOLE: Hidden = (UNTOLD, [UNTOLD])
_MARK = re.compile(
    rf"\(hidden [A-Za-z ]{{3,22}}, \d{{1,9}} characters(?:, ..…..)?\)|{re.escape(UNTOLD)}", re.DOTALL
)


@cache
def _each() -> tuple[re.Pattern[str], ...]:
    """Return the pattern of each shape; compiled when the first candidate is there, not at import."""
    return tuple(re.compile(each.pattern, re.ASCII) for each in SHAPES)


def mark(kind: str, secret: str) -> str:
    """Return what stands for a hidden span: its kind, its length, its first and last two characters."""
    told = f", {secret[:2]}…{secret[-2:]}" if len(secret) >= _TELLING else ""
    return f"(hidden {kind}, {len(secret)} characters{told})"


def is_mark(value: object) -> bool:
    """Tell whether a value is what stands for a secret hidden by its shape, and nothing beside it."""
    return isinstance(value, str) and _MARK.fullmatch(value) is not None


def has_mark(value: object) -> bool:
    """Tell whether a part of a value stands for a secret that was hidden by its shape."""
    return isinstance(value, str) and "(hidden" in value and _MARK.search(value) is not None


def unmarked(text: str) -> str:
    """Return a text without what stands for secrets in it."""
    return _MARK.sub("", text) if "(hidden" in text else text


def hide_shapes(text: str) -> Hidden:
    """Return a text without the secrets that their shape tells, and those secrets.

    Where too many look like secrets, the rest of it is hidden, and ``UNTOLD`` is among them.

    Args:
        text: Anything; all but the spans themselves stays as it is.
    """
    return hide_texts([text]).get(text) or (text, [])


def hide_texts(texts: Collection[str], *, most: int = MOST) -> dict[str, Hidden]:
    """Return what ``hide_shapes`` gives for those of many texts that hold a secret.

    Where too many of all of them look like secrets, each later text that may hold one is hidden whole.

    Args:
        texts: Texts, each once; they are searched as one.
        most: How many places are looked at closely.
    """
    numbers = [text for text in texts if text.isdecimal() and text.isascii()]
    asked = list(filterfalse(set(numbers).__contains__, texts) if numbers else texts)
    found = _without_spans(asked, most)
    if numbers:  # digits alone can be nothing but a card's number
        found.update((text, (mark("card number", text), [text])) for text in cards(numbers))
    if max(map(len, asked), default=0) >= LEAST_RANDOM:
        words = [text for text in asked if len(text) >= LEAST_RANDOM and text not in found and is_mixed(text)]
        found.update(_without_random(words, most))
    return found


def _without_random(words: Iterable[str], most: int) -> dict[str, Hidden]:
    """Return what hides texts that are one random word; within a longer text it may be what would run.

    Once so many were found, each later word that may be one is hidden.
    """
    found: dict[str, Hidden] = {}
    for word in words:
        if _WORD.fullmatch(word):
            if len(found) >= most:
                found[word] = _WHOLE
            elif is_random(word):
                found[word] = mark("random text", word), [word]
    return found


_WORD = re.compile(r"[A-Za-z0-9+/_=~.-]{1,256}")


def _without_spans(texts: Sequence[str], most: int) -> dict[str, Hidden]:
    """Return each text that has a secret in it, without it, and its secrets."""
    joined = Joined(texts)
    candidates = Candidates(joined.data, most)
    inside = groupby(_spans(joined, candidates), key=lambda span: joined.number(span[1]))
    found = {texts[number]: _without(spans, joined, number) for number, spans in inside}
    if candidates.stopped is not None:
        untold = dict.fromkeys(_suspected(joined, joined.number(candidates.stopped) + 1), _WHOLE)
        untold.update(found)
        return untold
    return found


def _suspected(joined: Joined, first: int) -> Iterator[str]:
    """Yield the texts from one on in which something begins to look like a secret.

    Each run of them is one match of RE2. Where there are many, texts that begin alike are put together first.
    """
    runs = list(islice(_runs(joined, first), _MANY_RUNS))
    yield from chain.from_iterable(joined.texts[begin:end] for begin, end in runs)
    if len(runs) == _MANY_RUNS:
        rest = Joined(sorted(joined.texts[runs[-1][1] :]))
        yield from chain.from_iterable(rest.texts[begin:end] for begin, end in _runs(rest, 0))


def _runs(joined: Joined, first: int) -> Iterator[tuple[int, int]]:
    """Yield which texts from one on are suspect: the number of the first of each run, and behind its last."""
    for start, until in suspects(joined.data, joined.bounds(first - 1)[1] if first else 0):
        yield joined.number(start), joined.number(until - 1) + 1


_MANY_RUNS = 100


def _without(spans: Iterable[Span], joined: Joined, number: int) -> Hidden:
    parts: list[str] = []
    secrets: list[str] = []
    done, end = joined.bounds(number)
    for kind, start, until in spans:
        secret = joined.read(start, until)
        parts += (joined.read(done, start), mark(kind, secret) if kind else UNTOLD)
        secrets.append(secret if kind else UNTOLD)
        done = until
    return "".join([*parts, joined.read(done, end)]), secrets


def _spans(joined: Joined, candidates: Candidates) -> Iterator[Span]:
    """Yield kind and place of every secret, in order, none inside another.

    The last one has no kind where the search was given up: it is the rest of that text, from its last secret
    on.
    """
    at = done = 0
    while (found := candidates.first(at)) is not None:
        kind, start, at = _judge(joined, found)
        if kind:
            done = at
            yield kind, start, at
    if candidates.stopped is not None:
        start, end = joined.bounds(joined.number(candidates.stopped))
        yield "", max(done, start), end


def _judge(joined: Joined, found: re.Match[bytes]) -> Span:
    """Return kind, beginning and end of a candidate's secret, or where to look on where there is none."""
    start, end = found.span()
    piece, first = found[0].decode("latin-1"), (found.lastindex or 1) - 1
    part, after = SHAPES[first].part(piece), end if SHAPES[first].skips else start + 1
    if part is not None:
        return SHAPES[first].kind, start + part[0], _key_end(joined, start + part[1])
    if word := _FIRST.match(joined.data, start, end):
        after = max(after, word.end())
    for shape, pattern in zip(SHAPES[first + 1 :], _each()[first + 1 :], strict=True):
        matched = pattern.match(piece)
        part = matched and shape.part(matched[0])
        if part is not None:
            return shape.kind, start + part[0], _key_end(joined, start + part[1])
        after = max(after, end) if matched and shape.skips else after
    return "", after, after


_FIRST = re.compile(rb"[A-Za-z0-9_]+")
_HEAD_END = b"PRIVATE KEY-----"
_KEY_LINES = re.compile(
    rb"(?:(?:\\[nr]|\s)*+(?:Proc-Type|DEK-Info|Comment|Version): [A-Za-z0-9,. -]{1,60}+)*+"
    rb"(?:(?:\\[nr]|\s)*+[A-Za-z0-9+/=]{40,80}+)*+(?:(?:\\[nr]|\s)*+[A-Za-z0-9+/=]{1,80}+(?=(?:\\[nr]|\s)*+(?:-----END|[\"'`]|$)))?+"
    rb"(?:(?:\\[nr]|\s)*+-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?"
)


def _key_end(joined: Joined, end: int) -> int:
    """Return where a secret ends: a private key behind its lines, which are read here."""
    if not joined.data.endswith((_HEAD_END, b"PRIVATE KEY BLOCK-----"), 0, end):
        return end
    _, last = joined.bounds(joined.number(end - 1))
    found = _KEY_LINES.match(joined.data, end, min(end + LONGEST, last))
    return found.end() if found else end
