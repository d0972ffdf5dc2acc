"""Say in words what differs between two revisions of a policy, and which way each difference goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gate.policy.implies import all_covered, implies, reaches
from gate.policy.policyset import PolicyFile, PolicySet
from gate.policy.schema import ApprovalKeys
from gate.policy.strictness import Way, opposite, same_in_effect, way_of
from gate.policy.words import short, written
from gate.values import Glob

Kind = Literal["loosened", "tightened", "added", "removed", "changed"]

Shared = tuple[Mapping[str, Any], Mapping[str, Any]]
"""The ``approvals`` before and after, which count where a rule does not say."""

_NOTHING: Shared = ({}, {})
_ASKING = frozenset({*ApprovalKeys.model_fields, "editable"})
_PARTS = ("rules", "budgets", "actions", "approvals", "limits", "names")


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between two revisions.

    Attributes:
        kind: ``added`` or ``removed`` for whole rules, budgets and files; ``loosened`` or ``tightened`` where
            it is sure which way a changed value goes; else ``changed``.
        way: ``looser`` or ``tighter``, also for what was added or removed; empty where that is not sure.
        where: What it is about, such as ``refunds/over-250``.
        text: The difference in words.
    """

    kind: Kind
    way: Way
    where: str
    text: str

    def __str__(self) -> str:
        sure = f" ({self.way})" if self.way and self.kind in ("added", "removed") else ""
        return f"{self.kind.capitalize()}: {self.where}{self.text}{sure}"


def differences(old: PolicySet | None, new: PolicySet) -> tuple[Difference, ...]:
    """Return every difference, files in order.

    Args:
        old: The revision before; None for none.
        new: The revision after.

    Returns:
        The differences; one that names comments and layout where only the texts differ; none where the
        revisions are the same.
    """
    pairs = _pairs(old.files if old else (), new.files)
    found = [each for one, two in pairs for each in _file(one, two, first=old is None)]
    if not found and old is not None and old.revision != new.revision:
        found = [Difference("changed", "", "", "only comments or layout; every rule is the same")]
    return tuple(found)


def describe_changes(old: PolicySet | None, new: PolicySet) -> list[str]:
    """Return one sentence for each difference; see ``differences``."""
    return [str(each) for each in differences(old, new)]


def _pairs(
    old: Sequence[PolicyFile], new: Sequence[PolicyFile]
) -> list[tuple[PolicyFile | None, PolicyFile | None]]:
    """Return the files that are compared: of one file name, else of one name, else the only two."""
    left = list(new)
    found: list[tuple[PolicyFile | None, PolicyFile | None]] = []
    for same in (_same_file, _same_name, lambda one, two: len(old) == len(new) == 1):
        for one in [each for each in old if all(each is not before for before, _ in found)]:
            two = next((each for each in left if same(one, each)), None)
            if two is not None:
                left.remove(two)
                found.append((one, two))
    gone = [(each, None) for each in old if all(each is not before for before, _ in found)]
    return sorted([*found, *gone, *((None, each) for each in left)], key=_file_name)


def _same_file(one: PolicyFile, two: PolicyFile) -> bool:
    return one.file == two.file


def _same_name(one: PolicyFile, two: PolicyFile) -> bool:
    return one.name == two.name


def _file_name(pair: tuple[PolicyFile | None, PolicyFile | None]) -> str:
    return next(each.file for each in pair[::-1] if each is not None)


def _file(old: PolicyFile | None, new: PolicyFile | None, *, first: bool) -> Iterator[Difference]:
    if old is None and new is not None:
        yield Difference("added", "", new.file, f": default {new.default}")
        yield from _of_whole_file("added", new, first=first)
    elif new is None and old is not None:
        yield Difference("removed", "", old.file, f": default {old.default}")
        yield from _of_whole_file("removed", old, first=False)
    elif old is not None and new is not None:
        yield from _both(new.file, old, new)


def _of_whole_file(
    kind: Literal["added", "removed"], file: PolicyFile, *, first: bool
) -> Iterator[Difference]:
    """Yield the rules and budgets of a file that came or went with all that stands in it.

    Where no other file covers a call it is blocked, so that only what blocks, and what adds up, surely
    tightens; the first file ever surely loosens by what it allows.
    """
    for part in ("rules", "budgets"):
        for ident, rule in _rules(file, part).items():
            then = rule.get("then")
            sure = part == "budgets" or then == "block" or (first and then == "allow")
            way: Way = ("looser" if then == "allow" else "tighter") if sure else ""
            way = way if kind == "added" else opposite(way)
            yield Difference(kind, way, f"{file.name}/{ident}", f": {_in_short(rule)}")


def _both(name: str, old: PolicyFile, new: PolicyFile) -> Iterator[Difference]:
    if old.file != new.file:
        yield Difference("changed", "", name, f": was the file {old.file}")
    if old.name != new.name and "name" not in {*old.document, *new.document}:
        yield Difference("changed", "", name, f": its rules are {new.name}/… and were {old.name}/…")
    yield from _keys(name, _top(old), _top(new), "file")
    for part in ("approvals", "limits", "names"):
        yield from _keys(f"{name} {part}", _part(old, part), _part(new, part), part)
    yield from _actions(f"{name} actions", _part(old, "actions"), _part(new, "actions"))
    shared = (_part(old, "approvals"), _part(new, "approvals"))
    for part in ("rules", "budgets"):
        yield from _listed((old, new), _rules(old, part), _rules(new, part), shared)
    yield from _order(old, new)


def _top(file: PolicyFile) -> dict[str, Any]:
    return {key: value for key, value in file.document.items() if key not in _PARTS}


def _part(file: PolicyFile, key: str) -> Mapping[str, Any]:
    return file.document.get(key) or {}


def _rules(file: PolicyFile, part: str = "rules") -> dict[str, Mapping[str, Any]]:
    kind = {"kind": "budget"} if part == "budgets" else {}
    return {
        rule["id"]: kind | {key: value for key, value in rule.items() if key != "id"}
        for rule in file.document.get(part) or ()
    }


def _listed(
    files: tuple[PolicyFile, PolicyFile], old: Mapping[str, Any], new: Mapping[str, Any], shared: Shared
) -> Iterator[Difference]:
    for ident in [*old, *(each for each in new if each not in old)]:
        where = f"{files[1].name}/{ident}"
        if ident not in new:
            way = opposite(_of_rule(old[ident], files))
            yield Difference("removed", way, where, f": {_in_short(old[ident])}")
        elif ident not in old:
            yield Difference("added", _of_rule(new[ident], files), where, f": {_in_short(new[ident])}")
        else:
            yield from _rule(where, old[ident], new[ident], files, shared)


def _of_rule(rule: Mapping[str, Any], files: Sequence[PolicyFile]) -> Way:
    """Return which way adding a rule or budget goes; nothing where that is not sure."""
    if rule.get("then") == "allow":
        return "looser"
    return "tighter" if _only_adds(rule, files) else ""


def _only_adds(rule: Mapping[str, Any], files: Sequence[PolicyFile]) -> bool:
    """Tell whether a rule or budget that does not allow can take nothing away from what stands beside it.

    A rule that asks people takes the place of a default that blocks, or that asks others, and under
    ``first_match`` that of the rules below it.
    """
    if rule.get("kind") == "budget" or rule.get("then") == "block":
        return True
    asks_itself = not _ASKING.isdisjoint(rule)
    return all(_is_looser(file, asks_itself) for file in files)


def _is_looser(file: PolicyFile, asks_itself: bool) -> bool:
    """Tell whether what a file answers without a rule is surely no stricter than asking people."""
    defaults = ("allow",) if asks_itself else ("allow", "by_risk", "require_approval")
    return file.default in defaults and not file.first_match


def _in_short(rule: Mapping[str, Any]) -> str:
    then = rule.get("then", "require_approval")
    if rule.get("kind") == "budget":
        return (
            f"budget of {short(rule.get('limit'))} per {rule.get('per')} in {rule.get('window')}, then {then}"
        )
    match, when = rule.get("match", "*"), rule.get("when")
    return f"{then} {short(match)}" + (f" when {short(when)}" if when is not None else "")


def _rule(
    where: str,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    files: tuple[PolicyFile, PolicyFile],
    shared: Shared,
) -> Iterator[Difference]:
    """Yield the differences of one rule; what it matches and asks goes by what it answers."""
    answers = [each.get("then", "require_approval") for each in (old, new)]
    allows = answers == ["allow", "allow"]
    restricts = "allow" not in answers and all(_only_adds(each, files) for each in (old, new))
    yield from _keys(where, old, new, "budget" if old.get("kind") else "rule", shared)
    for key, wider in (("match", _wider_match), ("when", _wider_allow if allows else _wider_hold)):
        one, two = old.get(key), new.get(key)
        if written(one) != written(two):
            way: Way = wider(one, two) if allows else opposite(wider(one, two)) if restricts else ""
            yield _changed(where, key, one, two, way)


def _wider_match(old: Any, new: Any) -> Way:
    """Return ``looser`` where a rule is about more actions than before."""
    one, two = _globs(old), _globs(new)
    return _wider(all_covered(two, one), all_covered(one, two))


def _globs(match: Any) -> Sequence[Glob]:
    listed = match if isinstance(match, list) else ["*" if match is None else match]
    return [Glob(each) for each in listed]


def _wider_allow(old: Any, new: Any) -> Way:
    """Return ``looser`` where a rule that allows, which must be sure, takes more calls than before."""
    return _wider(implies(old, new), implies(new, old))


def _wider_hold(old: Any, new: Any) -> Way:
    """Return ``looser`` where a rule that holds or blocks, also unsure, takes more calls than before."""
    return _wider(reaches(old, new), reaches(new, old))


def _wider(more: bool, fewer: bool) -> Way:
    return "looser" if more and not fewer else "tighter" if fewer and not more else ""


def _actions(where: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Difference]:
    for pattern in [*old, *(each for each in new if each not in old)]:
        if pattern not in new:
            yield Difference("removed", "", f"{where} {pattern}", f": {short(old[pattern])}")
        elif pattern not in old:
            yield Difference("added", "", f"{where} {pattern}", f": {short(new[pattern])}")
        else:
            yield from _keys(f"{where} {pattern}", old[pattern], new[pattern], "actions")


def _keys(
    where: str, old: Mapping[str, Any], new: Mapping[str, Any], part: str, shared: Shared = _NOTHING
) -> Iterator[Difference]:
    for key in [*old, *(each for each in new if each not in old)]:
        one, two = old.get(key), new.get(key)
        apart = key in ("match", "when") and part in ("rule", "budget")
        if key != "kind" and not apart and written(one) != written(two):
            before, after = (_that_counts(key, each, of) for each, of in zip((old, new), shared, strict=True))
            if not same_in_effect(key, before, after):
                yield _changed(where, key, one, two, way_of(part, key, before, after))


def _that_counts(key: str, written: Mapping[str, Any], approvals: Mapping[str, Any]) -> Any:
    """Return the value that counts for a rule: its own, else what its file says for all of them."""
    found = written.get(key, approvals.get(key))
    if found is None and key == "use_within":
        return _that_counts("expires_in", written, approvals)
    return found


def _changed(where: str, key: str, old: Any, new: Any, way: Way) -> Difference:
    kind: Kind = "loosened" if way == "looser" else "tightened" if way == "tighter" else "changed"
    if old is None:
        return Difference(kind, way, where, f": {key} {short(new)} was added")
    if new is None:
        return Difference(kind, way, where, f": {key} {short(old)} was taken away")
    return Difference(kind, way, where, f": {key} from {short(old)} to {short(new)}")


def _order(old: PolicyFile, new: PolicyFile) -> Iterator[Difference]:
    kept_new = [each for each in _rules(new) if each in _rules(old)]
    kept_old = [each for each in _rules(old) if each in _rules(new)]
    if kept_new != kept_old:
        counts = "the first that applies decides" if new.first_match else "which decides nothing here"
        yield Difference(
            "changed", "", new.name, f": the order of the rules ({counts}): {', '.join(kept_new)}"
        )
