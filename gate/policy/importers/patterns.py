"""Carry regular expressions over: from a search anywhere in the text to a match of the whole of it."""

from __future__ import annotations

from gate.policy.matching import compile_regex


def whole(pattern: str, *, anything: str = "(?s:.*)") -> str:
    """Return an expression that fits a whole text where the given one is found anywhere in it.

    Args:
        pattern: Expression that is searched for.
        anything: What may stand around it.

    Raises:
        ValueError: It is not an expression that RE2 takes.
    """
    _check(pattern)
    head, body, tail = _parted(pattern)
    if _has_outer_bar(body) or "(?" in pattern:
        head, body, tail = False, f"(?:{pattern})", False
    return f"{'' if head else anything}{body}{'' if tail else anything}"


def after(prefix: str, pattern: str, *, anything: str) -> str:
    """Return an expression for a whole text that begins with a prefix and has the pattern in the rest.

    Args:
        prefix: Expression of the beginning.
        pattern: Expression that is searched for in the rest.
        anything: What may stand around it there.

    Raises:
        ValueError: It is none that RE2 takes, or has ``^`` or ``$`` elsewhere than at its ends.
    """
    _check(pattern)
    head, body, tail = _parted(pattern)
    bar = _has_outer_bar(body)
    if _has_anchor(body) or (bar and (head or tail)):
        raise ValueError("has ^ or $ elsewhere than at its ends: write one rule for each alternative")
    inner = f"(?:{body})" if bar else body
    return f"{prefix}{'' if head else anything}{inner}{'' if tail else anything}"


def _check(pattern: str) -> None:
    compile_regex(pattern)
    if "\\Q" in pattern:
        raise ValueError("has \\Q: escape each character instead")


def _parted(pattern: str) -> tuple[bool, str, bool]:
    """Take ``^`` and ``$`` away from the ends; say which were there."""
    head = pattern.startswith("^")
    body = pattern[1:] if head else pattern
    tail = body.endswith("$") and not _escaped(body, len(body) - 1)
    return head, body[:-1] if tail else body, tail


def _escaped(text: str, index: int) -> bool:
    slashes = 0
    while index > slashes and text[index - slashes - 1] == "\\":
        slashes += 1
    return slashes % 2 == 1


def _tokens(pattern: str) -> list[tuple[str, int]]:
    """Return the characters that mean something, each with its depth in groups."""
    found: list[tuple[str, int]] = []
    depth, index, in_class = 0, 0, False
    while index < len(pattern):
        char = pattern[index]
        if char == "\\":
            index += 2
            continue
        if in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
            index += pattern[index + 1 : index + 2] in ("^", "]")
        else:
            depth += (char == "(") - (char == ")")
            found.append((char, depth))
        index += 1
    return found


def _has_outer_bar(pattern: str) -> bool:
    return ("|", 0) in _tokens(pattern)


def _has_anchor(pattern: str) -> bool:
    return any(char in "^$" for char, _ in _tokens(pattern))
