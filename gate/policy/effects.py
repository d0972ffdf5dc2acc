"""What a tool does: declared in YAML, declared in code, or guessed from its name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any, Literal

from gate.model import Effect, ResolvedEffect, Risk
from gate.policy.hidden import Hidden
from gate.remembering import remembered
from gate.shapes import model_parts
from gate.values import Glob, parse_path


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


READING = _set("get list read search find fetch lookup look describe")
WRITING = _set(
    "create update add send insert write replace execute run move merge transfer pay approve apply publish "
    "cancel launch sell sale grant upsert save store reset clear mark copy close block ban import sync "
    "trigger start stop"
)
DESTROYING = _set("delete drop remove destroy purge truncate wipe revoke erase")
JOINING = _set("and or then for out")
AMOUNT_WORDS = _set("amount total price sum value cents")
RISKS: tuple[Risk, ...] = ("read", "write", "destructive")
NO_AMOUNT = "none"

Declared = Sequence[tuple[str, Mapping[str, Any]]]
"""For each covering file its name and what it declares of an action, in the set's order."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[^A-Z_.-]+")
_RUNS = re.compile(r"[A-Z]+|[^A-Z_.-]+")
_DIGITS = re.compile(r"[0-9]+")
_CODE = re.compile(r"[A-Za-z]{3}")


@remembered
def words(text: str) -> tuple[str, ...]:
    """Split a name at ``_``, ``-``, ``.`` and changes of case, in lower case."""
    return tuple(word.lower() for word in _WORDS.findall(text))


def _runs(text: str) -> tuple[str, ...]:
    """Split at every change of case, so that ``DELETEall`` shows its first word too."""
    return tuple(word.lower() for word in _RUNS.findall(text))


def _bare(word: str) -> str:
    """Return a word without the digits behind it: ``delete2`` deletes, and ``amount2`` is an amount."""
    return word.rstrip("0123456789")


def _without_digits(*found: str) -> Iterator[str]:
    """Yield the words that digits stand between: ``send2fa`` sends, and ``2delete`` deletes."""
    return (part for word in found for part in _DIGITS.split(word))


@remembered
def guess_risk(name: str, *, server: bool) -> Risk:
    """Guess what a tool does from its name.

    Args:
        name: Action name.
        server: Whether the name was written by somebody else than host code; then it is never a read.

    Returns:
        ``destructive`` if any word of any segment destroys, ``read`` if the last segment surely reads,
        else ``write``.
    """
    if DESTROYING.intersection(_without_digits(*words(name), *_runs(name))):
        return "destructive"
    last = name.rsplit(".", 1)[-1]
    first, *later = words(last) or ("",)
    others = _without_digits(*later, *_runs(last)[1:])
    reads = first in READING and not (JOINING | WRITING).intersection(others)
    return "read" if reads and not server else "write"


@dataclass(frozen=True, slots=True)
class Entry:
    """What one ``actions`` entry of a file declares; None where it leaves a key to others.

    Attributes:
        glob: The actions it is about.
        file: File it stands in, for sources.
        values: Declared keys and their values.
    """

    glob: Glob
    file: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Known:
    """Everything known of one tool before its arguments are looked at.

    Attributes:
        effect: The resolved effect.
        amount: Keys of the amount's path; None where none is declared.
        amount_unclear: Whether the declared amount path cannot be used.
        moves_none: Whether it is declared that no amount moves.
        currency: Keys of the currency's path; None where it is a code or not declared.
        currency_code: Declared code, or None.
        minor: Whether the amount is in cents.
        count: Keys of the count's path; None where none is declared.
        count_unclear: Whether the declared count path cannot be used.
        params: Parameter names that policies list, or None.
        redact: Paths hidden for this action.
        show: Paths for which built-in redaction is lifted.
    """

    effect: ResolvedEffect
    amount: tuple[str, ...] | None = None
    amount_unclear: bool = False
    moves_none: bool = False
    currency: tuple[str, ...] | None = None
    currency_code: str | None = None
    minor: bool = False
    count: tuple[str, ...] | None = None
    count_unclear: bool = False
    params: frozenset[str] | None = None
    redact: tuple[str, ...] = ()
    show: tuple[str, ...] = ()


def from_entries(entries: Sequence[Entry], name: str) -> dict[str, Any]:
    """Return what one file declares of a name, each key from its most specific entry.

    Args:
        entries: The file's entries, most specific first.
        name: Action name.

    Returns:
        Values by key; ``redact`` is the union over all entries that match.
    """
    found: dict[str, Any] = {}
    hidden: list[str] = []
    for entry in entries:
        if entry.glob.matches(name):
            hidden.extend(entry.values.get("redact", ()))
            found = {**entry.values, **found}
    return {**found, "redact": tuple(dict.fromkeys(hidden))} if hidden else found


def resolve(name: str, declared: Declared, code: Effect | None, *, server: bool) -> Known:
    """Combine what the files, the code and the name say of a tool.

    Args:
        name: Action name.
        declared: For each covering file its name and what it declares, in the set's order.
        code: What the code declares, or None.
        server: Whether somebody else than host code wrote the name.

    Returns:
        The combined knowledge: among files the stricter value, else the code's, else the guess.
    """
    sources: dict[str, str] = {}
    risk = _pick("risk", declared, code, RISKS, sources) or guess_risk(name, server=server)
    sources.setdefault("risk", "guess")
    reads = risk == "read" and sources["risk"] != "guess"
    reversible = _pick("reversible", declared, code, (True, False), sources)
    outbound = _pick("outbound", declared, code, (False, True), sources)
    sources.setdefault("reversible", "undeclared")
    sources.setdefault("outbound", "undeclared")
    paths = {key: _first(key, declared, code, sources) for key in ("amount", "currency", "count", "describe")}
    amount, currency = _amount(paths["amount"], declared), _currency(paths["currency"])
    unit, count = _unit(declared, code, sources), _count(paths["count"], declared)
    effect = ResolvedEffect(
        risk=risk,
        reversible=reads if reversible is None else reversible,
        outbound=not reads if outbound is None else outbound,
        guessed=sources["risk"] == "guess",
        amount=None if paths["amount"] == NO_AMOUNT else paths["amount"],
        currency=paths["currency"],
        describe=paths["describe"],
        decisive=_union("decisive", declared) or (code.decisive if code else ()),
        sources=sources,
        unit=unit,
        count=paths["count"],
    )
    return Known(
        effect,
        *amount,
        *currency,
        minor=unit == "minor",
        count=count[0],
        count_unclear=count[1],
        params=_params(declared),
        redact=_union("redact", declared),
        show=_union("show", declared),
    )


def known_of(effect: ResolvedEffect) -> Known:
    """Return what a verdict's effect tells of a tool: where its amount, currency and count are.

    Args:
        effect: As it was stored with the verdict.
    """
    currency, code = _currency(effect.currency)
    return Known(
        effect,
        amount=None if effect.amount is None else parse_path(effect.amount),
        currency=currency,
        currency_code=code,
        minor=effect.unit == "minor",
        count=None if effect.count is None else parse_path(effect.count),
    )


def _pick(
    key: str,
    declared: Declared,
    code: Effect | None,
    order: tuple[Any, ...],
    sources: dict[str, str],
) -> Any:
    """Return the strictest value of a key among files, else the code's; note who gave it."""
    given = [(order.index(values[key]), file) for file, values in declared if key in values]
    if given:
        level, sources[key] = max(given, key=lambda each: each[0])
        return order[level]
    own = getattr(code, key, None)
    if own not in order:
        return None
    sources[key] = "code"
    return own


def _first(key: str, declared: Declared, code: Effect | None, sources: dict[str, str]) -> str | None:
    for file, values in declared:
        if key in values:
            sources[key] = file
            return str(values[key])
    own: str | None = getattr(code, key, None)
    if own is not None:
        sources[key] = "code"
    return own


def _amount(path: str | None, declared: Declared) -> tuple[tuple[str, ...] | None, bool, bool]:
    """Return keys of the amount, whether they are unusable, and whether none moves by declaration."""
    if path is None or path == NO_AMOUNT:
        return None, False, path is not None
    if len({values["amount"] for _, values in declared if "amount" in values}) > 1:
        return None, True, False
    try:
        return parse_path(path), False, False
    except ValueError:
        return None, True, False


def _unit(declared: Declared, code: Effect | None, sources: dict[str, str]) -> Literal["major", "minor"]:
    """Return the unit of the amount; that of the code goes only with an amount that no file declares."""
    written = [(values["unit"], file) for file, values in declared if "unit" in values]
    if not written and code is not None and not any("amount" in values for _, values in declared):
        written = [(code.unit, "code")] if code.unit is not None else []
    if written:
        sources["unit"] = written[0][1]
    return "minor" if written and written[0][0] == "minor" else "major"


def _count(path: str | None, declared: Declared) -> tuple[tuple[str, ...] | None, bool]:
    """Return keys of the count, and whether what was declared is unusable."""
    if path is None:
        return None, False
    if len({values["count"] for _, values in declared if "count" in values}) > 1:
        return None, True
    try:
        keys = parse_path(path)
    except ValueError:
        return None, True
    return (keys, False) if keys[0] == "args" and len(keys) > 1 else (None, True)


def _currency(text: str | None) -> tuple[tuple[str, ...] | None, str | None]:
    if text is None or _CODE.fullmatch(text):
        return None, text and text.upper()
    try:
        return parse_path(text), None
    except ValueError:
        return ("args", ""), None


def _params(declared: Declared) -> frozenset[str] | None:
    lists = [values["params"] for _, values in declared if "params" in values]
    return frozenset(name for names in lists for name in names) if lists else None


def _union(key: str, declared: Declared) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for _, values in declared for path in values.get(key, ())))


def has_amount_like(arguments: Mapping[str, Any]) -> bool:
    """Tell whether some argument reads like an amount that nobody declared."""
    return any(_amount_like(name, value) for name, value in arguments.items())


def _amount_like(name: object, value: object) -> bool:
    return isinstance(name, str) and reads_like_amount(name) and _holds_number(value)


def reads_like_amount(name: str) -> bool:
    """Tell whether a parameter's last word is one for amounts; what other letters spell, nobody can tell."""
    last = next((bare for word in reversed(words(name)) if (bare := _bare(word))), "")
    return not name.isascii() or last in AMOUNT_WORDS


def _holds_number(value: object) -> bool:
    """Tell whether a value is a number, a text with a digit, or has one of them in it; what is hidden may."""
    if isinstance(value, Hidden):
        return True
    if isinstance(value, Enum):
        return _holds_number(value.value)
    if isinstance(value, str):
        return any(char.isnumeric() for char in value)
    model = model_parts(value)
    if model is not None:
        return any(map(_holds_number, model.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_holds_number, value))
    if isinstance(value, Mapping):
        return any(map(_holds_number, value.values()))
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)  # NaN and infinities too


def disagreements(entries: Sequence[Entry], keys: Iterable[str]) -> list[tuple[Entry, Entry, str]]:
    """Find pairs of equally specific globs that one name can match and that differ in a key.

    Args:
        entries: The entries of one file.
        keys: Keys to compare.

    Returns:
        Each pair with the first key that differs, earlier entry first.
    """
    found = []
    for index, one in enumerate(entries):
        for two in entries[:index]:
            if one.glob.specificity == two.glob.specificity and one.glob.overlaps(two.glob):
                key = next((k for k in keys if _differ(one, two, k)), None)
                if key is not None:
                    found.append((two, one, key))
    return found


def _differ(one: Entry, two: Entry, key: str) -> bool:
    return key in one.values and key in two.values and bool(one.values[key] != two.values[key])
