"""Load a policy set from files or texts, strictly: everything wrong is said at once, with its place."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any, cast

from gate.errors import PolicyError, Problem
from gate.model import Answer, Requirement, Ruling
from gate.policy.approvals import Shared, requirement
from gate.policy.budgets import Budget, compile_budget
from gate.policy.conditions import compile_condition
from gate.policy.crosschecks import check_actions, check_set
from gate.policy.effects import Entry
from gate.policy.folder import misspelt, policy_files
from gate.policy.limits import read_limits
from gate.policy.names import read_names, with_ids
from gate.policy.places import Loc
from gate.policy.policyset import Default, PolicyFile, PolicySet, Rule, revision_of
from gate.policy.schema import ActionKeys, ApprovalKeys, PolicyHead, RuleKeys, read_keys
from gate.policy.source import Document, read_bytes, read_text
from gate.values import IDENTIFIER, Glob, quoted

_RESERVED = "gate"


def load_path(path: str | Path) -> PolicySet:
    """Load a set from one file, or from every ``*.yml`` and ``*.yaml`` directly in a folder.

    A file whose ending is in capitals, and one that cannot be read, are errors: a rule may stand in it.

    Args:
        path: File or folder; in a folder test tables and names that begin with a dot are passed over.

    Returns:
        The compiled set.

    Raises:
        PolicyError: Something is wrong; carries every problem of every file.
    """
    root = Path(path)
    try:
        files = policy_files(root) if root.is_dir() else None
    except OSError as error:
        raise PolicyError([Problem(str(path), 0, 0, "", f"cannot be read: {error.strerror}")]) from None
    if files is None:
        return _load({root.name: _read(root)}, place=os.path.realpath(root))
    if not files:
        raise PolicyError(
            [Problem(str(path), 0, 0, "", "the folder holds no policy: write a *.yml file into it")]
        )
    return _load({file.name: _read_listed(file) for file in files}, place=os.path.realpath(root))


def load_texts(texts: Mapping[str, str]) -> PolicySet:
    """Load a set from the texts of its files.

    Args:
        texts: Text by file name, such as ``payments.yml``.

    Raises:
        PolicyError: Something is wrong; carries every problem of every file.
    """
    if not texts:
        raise PolicyError([Problem("policy", 0, 0, "", "the set holds no file")])
    return _load({name: (texts[name], read_text(texts[name], name)) for name in sorted(texts)})


def _read_listed(file: Path) -> tuple[str, Document]:
    said = misspelt(file)
    return _unread(file, said) if said else _read(file)


def _unread(file: Path, said: str) -> tuple[str, Document]:
    document = Document(str(file), ok=False)
    document.add_at(None, (), said)
    return "", document


def _read(file: Path) -> tuple[str, Document]:
    try:
        data = file.read_bytes()
    except OSError as error:
        gone = isinstance(error, FileNotFoundError)
        return _unread(file, "does not exist" if gone else f"cannot be read: {error.strerror}")
    document = read_bytes(data, str(file))
    return data.decode("utf-8", "replace").removeprefix("\ufeff"), document


def _load(sources: Mapping[str, tuple[str, Document]], *, place: str = "") -> PolicySet:
    compiled = {name: _compile_file(name, document) for name, (_, document) in sources.items()}
    documents = [document for _, document in sources.values()]
    files = [(file, sources[name][1]) for name, file in compiled.items() if file is not None]
    check_set(files)
    problems = [problem for document in documents for problem in _sorted(document.problems)]
    if problems:
        raise PolicyError(problems)
    texts = {name: text.removeprefix("\ufeff") for name, (text, _) in sources.items()}
    return PolicySet(_counting([file for file, _ in files]), texts, revision_of(texts), place)


_COUNTED = ("risk", "reversible", "outbound", "amount", "currency", "unit", "count", "params")
"""What an effect says that may change whether, and how much, a call adds to a budget."""


def _counting(files: Sequence[PolicyFile]) -> tuple[PolicyFile, ...]:
    """Return files whose budgets are new ones, to see what already ran, where effects are declared anew."""
    declared = [(entry.glob, _declared(file, entry)) for file in files for entry in file.entries]
    about: dict[tuple[Glob, ...], list[Any]] = {}

    def counting(budget: Budget) -> Budget:
        if budget.match not in about:
            found = (told for glob, told in declared if told and _touches(glob, budget.match))
            about[budget.match] = sorted(found, key=str)
        return budget.counting(about[budget.match])

    return tuple(replace(file, budgets=tuple(map(counting, file.budgets))) for file in files)


def _declared(file: PolicyFile, entry: Entry) -> list[Any]:
    """Return what an entry says that budgets count by; empty for nothing."""
    values = {key: entry.values[key] for key in _COUNTED if key in entry.values}
    covers = sorted({each.pattern.lower() for each in file.applies_to})
    return [entry.glob.pattern.lower(), covers, values] if values else []


def _touches(glob: Glob, match: Iterable[Glob]) -> bool:
    return any(each.matches(glob.pattern) if glob.exact else each.overlaps(glob) for each in match)


def _sorted(problems: list[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda problem: (problem.line, problem.column))


def _compile_file(file: str, document: Document) -> PolicyFile | None:
    """Compile one file; what is wrong is added to its document."""
    if not document.ok:
        return None
    raw = document.value
    if not isinstance(raw, Mapping):
        document.add((), "must be a mapping with version, default and rules")
        return None
    names = read_names(raw.get("names"), document)
    named = _with_ids(raw, names, document)
    head = read_keys(PolicyHead, named, document, ())
    name = _name(head, file, document)
    shared = _shared(named, document)
    entries = _entries(raw, file, document)
    _check_ids(raw, document)
    rules = _rules(named, name, shared, document)
    budgets = _budgets(named, name, shared, document)
    limits = read_limits(raw.get("limits"), document)
    held = _default(head, name, shared, document)
    if head is None:
        return None
    return PolicyFile(
        name=name,
        file=file,
        document=raw,
        applies_to=head.applies_to,
        first_match=head.resolve == "first_match",
        default=cast(Default, head.default),
        place=document.short_place(("default",)),
        requirement=held,
        rules=rules,
        entries=entries,
        redact=head.redact,
        show=head.show,
        budgets=budgets,
        limits=limits,
        operators=head.operators,
    )


def _with_ids(raw: Mapping[str, Any], names: Mapping[str, str], document: Document) -> dict[str, Any]:
    """Return a file's values with ids in the place of its names."""
    found = {**raw, **with_ids({key: raw[key] for key in ("operators",) if key in raw}, names, document, ())}
    if raw.get("approvals") is not None:
        found["approvals"] = with_ids(raw.get("approvals"), names, document, ("approvals",))
    for key in ("rules", "budgets"):
        if isinstance(raw.get(key), list):
            found[key] = [
                with_ids(each, names, document, (key, index)) for index, each in enumerate(raw[key])
            ]
    return found


def _name(head: PolicyHead | None, file: str, document: Document) -> str:
    name = (head.name if head else None) or PurePath(file).stem
    if not IDENTIFIER.fullmatch(name):
        document.add(
            (), f"{quoted(name)} cannot stand in rule ids: write name: with letters, digits, _ and -"
        )
    if name.lower() == _RESERVED:
        document.add(("name",), f'"{_RESERVED}" is the gate\'s own name in rule ids: take another')
    return name


def _shared(raw: Mapping[str, Any], document: Document) -> Shared:
    written = raw.get("approvals") is not None
    keys = read_keys(ApprovalKeys, raw["approvals"], document, ("approvals",)) if written else None
    return Shared(keys, written)


def _entries(raw: Mapping[str, Any], file: str, document: Document) -> tuple[Entry, ...]:
    actions = raw.get("actions")
    if actions is None:
        return ()
    if not isinstance(actions, Mapping):
        document.add(("actions",), "must be a mapping of action names or globs to what they do")
        return ()
    found = [(pattern, _entry(str(pattern), value, file, document)) for pattern, value in actions.items()]
    entries = [(("actions", pattern), entry) for pattern, entry in found if entry is not None]
    check_actions(entries, document)
    return tuple(
        sorted((entry for _, entry in entries), key=lambda entry: entry.glob.specificity, reverse=True)
    )


def _entry(pattern: str, raw: Any, file: str, document: Document) -> Entry | None:
    loc: Loc = ("actions", pattern)
    try:
        glob = Glob(pattern)
    except ValueError as error:
        document.add(loc, str(error), key=True)
        glob = None
    keys = read_keys(ActionKeys, raw, document, loc)
    if glob is None or keys is None:
        return None
    return Entry(glob, file, {key: getattr(keys, key) for key in keys.model_fields_set})


def _rules(raw: Mapping[str, Any], name: str, shared: Shared, document: Document) -> tuple[Rule, ...]:
    written = raw.get("rules")
    if written is None:
        return ()
    if not isinstance(written, list):
        document.add(("rules",), "must be a list of rules")
        return ()
    rules = [_rule(each, name, shared, document, ("rules", index)) for index, each in enumerate(written)]
    return tuple(rule for rule in rules if rule is not None)


def _budgets(raw: Mapping[str, Any], name: str, shared: Shared, document: Document) -> tuple[Budget, ...]:
    written = raw.get("budgets")
    if written is None:
        return ()
    if not isinstance(written, list):
        document.add(("budgets",), "must be a list of budgets")
        return ()
    covers = raw.get("applies_to")
    found = [
        compile_budget(each, name, covers, shared, document, ("budgets", index))
        for index, each in enumerate(written)
    ]
    return tuple(budget for budget in found if budget is not None)


def _check_ids(raw: Mapping[str, Any], document: Document) -> None:
    """Refuse ids that are used twice, case ignored: rules and budgets share them."""
    seen: dict[str, tuple[str, str]] = {}
    for key in ("rules", "budgets"):
        written = raw.get(key)
        for index, each in enumerate(written if isinstance(written, list) else ()):
            own, place = each.get("id") if isinstance(each, Mapping) else None, f"{key}[{index}]"
            first, spelt = seen.setdefault(own.lower(), (place, own)) if isinstance(own, str) else (place, "")
            if first != place:
                said = "" if spelt == own else f" as {quoted(spelt)}"
                document.add((key, index, "id"), f"{quoted(own)} is used twice, first by {first}{said}")


def _rule(raw: Any, name: str, shared: Shared, document: Document, loc: Loc) -> Rule | None:
    keys = read_keys(RuleKeys, raw, document, loc)
    when = raw.get("when") if isinstance(raw, Mapping) else None
    condition = None if when is None else compile_condition(when, document, (*loc, "when"))
    if keys is None:
        return None
    if keys.then != "allow" and keys.reason is None:
        document.add(loc, "needs a reason, which people and agents read where the call does not just run")
    rule_id = f"{name}/{keys.id}"
    held = requirement(rule_id, keys, shared, document, loc) if keys.then == "require_approval" else None
    answer, place = cast(Answer, keys.then), document.short_place(loc)
    return Rule(Ruling(rule_id, answer, keys.reason or "", place, (), held), keys.match, condition)


def _default(head: PolicyHead | None, name: str, shared: Shared, document: Document) -> Requirement | None:
    if head is None or head.default not in ("by_risk", "require_approval"):
        return None
    return requirement(f"{name}/default", None, shared, document, ("default",))
