"""What can only be judged by looking at several parts of a set together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gate.policy.effects import Entry, disagreements, from_entries
from gate.policy.paths import template_paths
from gate.policy.places import Loc
from gate.policy.policyset import PolicyFile
from gate.policy.source import Document
from gate.values import format_path, parse_path, quoted

_TIED = (
    "risk", "reversible", "outbound", "amount", "currency", "unit", "count", "describe", "decisive", "params",
    "show",
)  # fmt: skip
_PATHS = ("amount", "currency", "count")


def check_actions(entries: Sequence[tuple[Loc, Entry]], document: Document) -> None:
    """Add what is wrong between the ``actions`` entries of one file."""
    where = {id(entry): loc for loc, entry in entries}
    for one, two, key in disagreements([entry for _, entry in entries], _TIED):
        pattern = quoted(one.glob.pattern)
        message = f"{pattern} is as specific and says otherwise: make one of the two more specific"
        document.add((*where[id(two)], key), message)
    for loc, entry in entries:
        _check_parameters(loc, entry, document)


def _check_parameters(loc: Loc, entry: Entry, document: Document) -> None:
    """Refuse paths into arguments that the entry's own ``params`` does not list."""
    params = entry.values.get("params")
    if params is None:
        return
    for key, path in _argument_paths(entry):
        if parse_path(path)[1] not in params:
            document.add(
                (*loc, key), f"{quoted(path)} cannot exist: params lists {', '.join(params) or 'none'}"
            )


def _argument_paths(entry: Entry) -> list[tuple[str, str]]:
    single = [(key, entry.values[key]) for key in _PATHS if str(entry.values.get(key, "")).startswith("args")]
    many = [(key, path) for key in ("decisive", "redact", "show") for path in entry.values.get(key) or ()]
    named = template_paths(entry.values["describe"]) if "describe" in entry.values else ()
    return [*single, *many, *(("describe", format_path(keys)) for keys in named if keys[0] == "args")]


def check_set(files: Sequence[tuple[PolicyFile, Document]]) -> None:
    """Add what is wrong between the files of a set to the later file's document."""
    for index, (file, document) in enumerate(files):
        for earlier, _ in files[:index]:
            if earlier.name.lower() == file.name.lower():
                document.add(
                    ("name",),
                    f"the name {quoted(file.name)} is already taken by {earlier.file}: write another name:",
                )
            _check_amounts(earlier, file, document)
            if earlier.limits is not None and file.limits is not None:
                document.add(("limits",), f"stand in {earlier.file} already: one file of a set has them")
            if earlier.operators and file.operators:
                document.add(("operators",), f"stand in {earlier.file} already: one file of a set has them")


def _check_amounts(one: PolicyFile, two: PolicyFile, document: Document) -> None:
    """Refuse two files that find the amount, currency or count of one action in different places."""
    for key in (*_PATHS, "unit"):
        for mine in two.entries:
            theirs = next((each for each in one.entries if _clash(one, two, each, mine, key)), None)
            if theirs is not None:
                loc: Loc = ("actions", mine.glob.pattern, key)
                given = f"{quoted(_given(theirs.values, key))} for {quoted(theirs.glob.pattern)}"
                message = f"{one.file} gives {given}: one action has one {key}"
                document.add(loc, message)


def _clash(one: PolicyFile, two: PolicyFile, theirs: Entry, mine: Entry, key: str) -> bool:
    if None in (_given(theirs.values, key), _given(mine.values, key)):
        return False
    if not theirs.glob.overlaps(mine.glob):
        return False
    exact = next((each.glob.pattern for each in (theirs, mine) if each.glob.exact), None)
    if exact is None:
        return bool(_given(theirs.values, key) != _given(mine.values, key))
    if not all(any(glob.matches(exact) for glob in file.applies_to) for file in (one, two)):
        return False
    ours = (_given(from_entries(file.entries, exact), key) for file in (one, two))
    return len(set(ours)) > 1


def _given(values: Mapping[str, Any], key: str) -> Any:
    """Return what is declared of a key; an amount without a unit is in whole units."""
    found = values.get(key)
    return "major" if key == "unit" and found is None and "amount" in values else found
