"""What a plain scalar means where YAML 1.1 and the core schema of 1.2 agree, and where they do not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gate.values import decimal_of_text, quoted

_CORE_NULL = re.compile(r"|~|null|Null|NULL")
_CORE_BOOL = re.compile(r"true|True|TRUE|false|False|FALSE")
_CORE_INT = re.compile(r"[-+]?[0-9]+")
_CORE_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL_FLOAT = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_OLD_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_OLD_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?")
_AMBIGUOUS = re.compile(
    r"""y|Y|n|N|(?i:yes|no|on|off)                         # booleans of YAML 1.1
      | [-+]?0b[01_]+ | [-+]?0[0-7_]+ | 0o[0-7]+           # octal and binary
      | [-+]?0x[0-9a-fA-F_]+
      | [-+]?[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?  # underscores, leading zeros, exponents
      | [-+]?\.[0-9_]+(?:[eE][-+]?[0-9]+)?
      | [-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?   # base 60
      | [-+]?0[0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?
      | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:.*)?   # dates
      | << | =""",
    re.VERBOSE,
)
_WORDS = frozenset(["null", "true", "false", "y", "n", "yes", "no", "on", "off"])
"""Words that are no texts in YAML 1.1 or in the core schema of 1.2, in lower case."""
_MOST_DIGITS = 1000
"""Digits of a number, and places before or behind its point: more means a slip, and would take for ever."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """A plain scalar that is no text for everybody.

    Attributes:
        said: What to write instead.
    """

    said: str


def value_of(text: str) -> Any:
    """Return what a plain scalar means: None, a bool, an exact number, itself, or that it is unclear."""
    if text[:1].isalpha() and text.lower() not in _WORDS:
        return text  # everything that is no text begins with another character
    if len(text) <= _MOST_DIGITS and _OLD_INT.fullmatch(text):
        return int(text)
    if _CORE_NULL.fullmatch(text):
        return None
    if _CORE_BOOL.fullmatch(text):
        return text.lower() == "true"
    if _SPECIAL_FLOAT.fullmatch(text):
        return Decimal(text.replace(".", ""))
    value = _number(text) if len(text) <= _MOST_DIGITS and _is_number(text) else text
    said = _ambiguity(text) if value is text else ""
    return Unclear(said) if said else value


def _is_number(text: str) -> bool:
    """Tell whether a plain scalar is a finite number in YAML 1.1 and in the core schema of 1.2."""
    whole = _OLD_INT.fullmatch(text) and _CORE_INT.fullmatch(text)
    return bool(whole or (_OLD_FLOAT.fullmatch(text) and _CORE_FLOAT.fullmatch(text)) or _HEX.fullmatch(text))


def _number(text: str) -> int | Decimal | str:
    """Return the number that a text spells; the text where it has too many places."""
    if _HEX.fullmatch(text):
        return int(text, 16)
    if _CORE_INT.fullmatch(text):
        return int(text)
    number = decimal_of_text(text)
    return text if number is None or abs(number.adjusted()) > _MOST_DIGITS else number


def _ambiguity(text: str) -> str:
    """Say what to write instead of a plain scalar that is no text for everybody; empty where it is one."""
    if _is_number(text):
        return f"{quoted(text, 40)} is too long or too large: write at most {_MOST_DIGITS:,} digits"
    if not _AMBIGUOUS.fullmatch(text):
        return ""
    return f"{quoted(text)} means different things in YAML 1.1 and 1.2: quote it{_or_number(text)}"


def _or_number(text: str) -> str:
    looks = text.lstrip("+-")
    number = looks[:1].isdigit() and ":" not in looks and "-" not in looks
    return ", or write the number in full" if number else ""
