"""The describe line of a call as people read it: letters that run from right to left move nothing else.

Digits and words beside such a letter are drawn on its other side, so that an amount would seem to belong to
another value. Where there is one in the line, each value stands in an isolate of its own; what is stored is
the line without them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from bot.views.text import Shown, apart, isolated, one_line, reduced, runs_left
from gate.model import ResolvedEffect
from gate.redact import describe
from gate.redact import plain as plain_value

_GAP = "\ue000"
"""Stands for a value between the template's own words."""


class Call(Protocol):
    """What has a describe line: a hold, or one of a burst."""

    @property
    def name(self) -> str:
        """Return the action's name."""
        ...

    @property
    def described(self) -> str:
        """Return the line as it is stored."""
        ...

    @property
    def arguments(self) -> Mapping[str, Any]:
        """Return the redacted arguments."""
        ...

    @property
    def effect(self) -> ResolvedEffect:
        """Return the effect, with the template."""
        ...


def described(call: Call) -> Shown:
    """Return what a call would do, in one line in which every value stays in its place.

    Args:
        call: The call; a line that is not what its template says is kept together as a whole.
    """
    line = one_line(call.described)
    if not runs_left(line):
        return line
    words, values = _parts(call, plain_value)
    if _joined(words, values) != call.described:
        return apart(line)
    return _shown(words, values)


def brief(call: Call) -> Shown:
    """Return the same for notifications: every value reduced to letters, digits and plain punctuation."""
    words, values = _parts(call, lambda value: reduced(plain_value(value)))
    line = one_line(_joined(words, values))
    return _shown(words, values) if runs_left(line) else line


def _parts(call: Call, write: Callable[[Any], str]) -> tuple[list[str], list[str]]:
    """Return the words of a describe line, and the values between them."""
    values: list[str] = []

    def take(value: Any) -> str:
        values.append(write(value))
        return _GAP

    template = call.effect.describe and call.effect.describe.replace(_GAP, "…")
    words = describe(template, call.name, call.arguments, call.effect.told, write=take)
    return words.split(_GAP, len(values)), values


def _joined(words: Sequence[str], values: Sequence[str]) -> str:
    return "".join(word + value for word, value in zip(words, [*values, ""], strict=True))


def _shown(words: Sequence[str], values: Sequence[str]) -> Shown:
    spelled = [isolated(one_line(value)) for value in values]
    return Shown(_joined([one_line(word) for word in words], spelled))
