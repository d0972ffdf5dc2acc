"""Lines of evidence as host code gives them: read once, checked, and bounded in number and size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import cast, get_args

from gate.errors import ActionError
from gate.model import Evidence, Weight
from gate.shapes import named, plain_text

MOST_LINES = 1_000
"""How many lines of evidence a session may have."""

MOST_CHARACTERS = 1_000_000
"""How many characters the texts and links of a session's evidence may have together."""


def evidence_lines(lines: Iterable[str | Evidence]) -> tuple[Evidence, ...]:
    """Return lines of evidence; a plain text is weak.

    Args:
        lines: Texts or ``Evidence``, as many as a session may have; no more than that are read.

    Raises:
        TypeError: ``lines`` is one text, or a line is neither text nor ``Evidence``.
        ValueError: A weight is unknown or a text is empty.
        ActionError: They cannot be read, or are more than a session may have.
    """
    if issubclass(type(lines), (str, Evidence)):
        raise TypeError("evidence takes a list of lines; put the one line into a list.")
    found = tuple(_line(line) for line in _read(lines))
    check_size(len(found), characters(found))
    return found


def characters(lines: Sequence[Evidence]) -> int:
    """Return how many characters some lines have, their links included."""
    return sum(len(line.text) + len(line.url or "") for line in lines)


def check_size(lines: int, size: int) -> None:
    """Refuse more evidence than a session may have: each of its holds keeps all of it.

    Args:
        lines: How many lines there would be.
        size: How many characters they would have.

    Raises:
        ActionError: It is too much.
    """
    if lines > MOST_LINES or size > MOST_CHARACTERS:
        raise ActionError(
            f"evidence: a session has at most {MOST_LINES:,} lines of {MOST_CHARACTERS:,} characters"
            " together; none of these was added. Give what people need to decide, and link to the rest:"
            " Evidence(text, url=…)."
        )


def _read(lines: Iterable[object]) -> list[object]:
    try:
        return list(islice(lines, MOST_LINES + 1))
    except Exception as error:  # going through it may be anybody's code
        from gate.redact import error_text

        raise ActionError(
            f"evidence: its lines cannot be read ({error_text(error)}); none was added."
            " Give a list of texts or Evidence."
        ) from error


def _line(line: object) -> Evidence:
    given = line if type(line) is Evidence else Evidence(line)  # type: ignore[arg-type]
    weight = plain_text(given.weight)
    if not all(issubclass(type(each), str) for each in (given.text, given.url) if each is not None):
        raise TypeError(
            f"{named(line)} is no line of evidence; give a text or Evidence(text, weight=…, url=…)."
        )
    if weight not in get_args(Weight):
        raise ValueError(f"weight={named(given.weight)} is none of {', '.join(get_args(Weight))}.")
    text, url = plain_text(given.text), plain_text(given.url)
    if not text or not text.strip() or (given.url is not None and url is None):
        raise ValueError("A line of evidence is empty or no text; leave it out.")
    return Evidence(text, cast(Weight, weight), url)
