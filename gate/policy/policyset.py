"""The compiled policy: immutable, indexed by action name, ready to be asked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from gate.model import Action, Answer, Approver, Effect, Requirement, Ruling, Verdict
from gate.policy.budgets import Budget
from gate.policy.conditions import Compiled
from gate.policy.effects import Entry, Known, from_entries, resolve
from gate.policy.index import NameIndex
from gate.policy.limits import Limits
from gate.policy.reading import Subject
from gate.policy.sieve import LEAST, Need, Sieve
from gate.remembering import is_short
from gate.values import Glob, is_action_name

Default = Literal["by_risk", "allow", "require_approval", "block", "abstain"]
_CACHED = 4096


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, compiled.

    Attributes:
        ruling: What it says where it surely applies.
        match: Globs of the actions it is about.
        condition: Its ``when``; None for always.
    """

    ruling: Ruling
    match: tuple[Glob, ...]
    condition: Compiled | None

    @property
    def answer(self) -> Answer:
        """Return what it answers."""
        return self.ruling.answer

    @property
    def need(self) -> Need | None:
        """Return what its condition needs of a plain value before anything else; None for nothing."""
        return self.condition.need if self.condition else None


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """One file of a set, compiled.

    Attributes:
        name: Name in rule ids.
        file: File name.
        document: The written values, for comparing revisions.
        applies_to: Globs of the actions it covers.
        first_match: Whether its first rule that applies decides.
        default: Its written default.
        place: ``file:line`` of the default.
        requirement: What its default requires where it holds; None where it never does.
        rules: Its rules in order.
        entries: Its ``actions``, most specific first.
        redact: Paths hidden in every action of the set.
        show: Paths for which built-in redaction is lifted for actions it covers.
        budgets: Its budgets in order.
        limits: Its ``limits``; None where it has none.
        operators: Its ``operators``; empty where it has none.
    """

    name: str
    file: str
    document: Mapping[str, Any]
    applies_to: tuple[Glob, ...]
    first_match: bool
    default: Default
    place: str
    requirement: Requirement | None
    rules: tuple[Rule, ...]
    entries: tuple[Entry, ...]
    redact: tuple[str, ...]
    show: tuple[str, ...]
    budgets: tuple[Budget, ...] = ()
    limits: Limits | None = None
    operators: tuple[Approver, ...] = ()


@dataclass(frozen=True, slots=True)
class Covering:
    """One file as it concerns one action name.

    Attributes:
        file: The file.
        rules: Those of its rules whose ``match`` fits.
        budgets: Those of its budgets whose ``match`` fits.
        sieve: Finds those of its rules that have to be asked about a call; None: all of them.
        defaults: What its default says, by risk and whether that is a guess; filled as it is asked.
    """

    file: PolicyFile
    rules: tuple[Rule, ...]
    budgets: tuple[Budget, ...] = ()
    sieve: Sieve[Rule] | None = field(init=False, repr=False, compare=False)
    defaults: dict[tuple[str, bool], list[Ruling]] = field(
        init=False, default_factory=dict, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "sieve", Sieve(self.rules) if len(self.rules) >= LEAST else None)

    def asked(self, subject: Subject) -> Sequence[Rule]:
        """Return the rules that have to be asked about a call, in order; every other one is surely false."""
        return self.rules if self.sieve is None else self.sieve.rules(subject)


@dataclass(frozen=True, slots=True)
class Tool:
    """Everything a set knows of one tool, whatever a call's arguments are.

    Attributes:
        files: The files that cover it.
        known: Its effects, parameters and redaction.
        verdicts: Verdicts that rest on sure rules alone, by the ids of those; filled as they are given.
        spending: What each budget reads of it, and what of that is hidden, by id; filled as it is asked.
    """

    files: tuple[Covering, ...]
    known: Known
    spending: dict[str, tuple[tuple[str, ...], bool, bool]] = field(
        init=False, default_factory=dict, repr=False, compare=False
    )
    verdicts: dict[tuple[str, ...], Verdict] = field(
        init=False, default_factory=dict, repr=False, compare=False
    )


class _Index:
    """One file, whose rules, budgets and entries are found by an action's name."""

    __slots__ = ("_budgets", "_rules", "entries", "file")

    def __init__(self, file: PolicyFile) -> None:
        self.file = file
        self._rules = NameIndex((rule, rule.match) for rule in file.rules)
        self._budgets = NameIndex((budget, budget.match) for budget in file.budgets)
        self.entries = NameIndex((entry, (entry.glob,)) for entry in file.entries)

    def covering(self, name: str) -> Covering:
        """Return the file as it concerns one action name."""
        return Covering(self.file, self._rules.about(name), self._budgets.about(name))


@dataclass(frozen=True, slots=True)
class PolicySet:
    """Every file of a policy, with one revision.

    Attributes:
        files: The compiled files, ordered by file name.
        texts: The text of each file, by file name.
        revision: Digest of the texts, hexadecimal.
        place: The file or folder it was loaded from, absolute; empty where it came from no file.
        limits: How much may wait for people.
    """

    files: tuple[PolicyFile, ...]
    texts: Mapping[str, str]
    revision: str
    place: str = field(default="", compare=False)
    limits: Limits = field(init=False, repr=False, compare=False)
    _reads: dict[str, tuple[tuple[str, ...], ...]] = field(
        init=False, default_factory=dict, repr=False, compare=False
    )
    _covering: dict[str, tuple[Covering, ...]] = field(
        init=False, default_factory=dict, repr=False, compare=False
    )
    _known: dict[Any, Known] = field(init=False, default_factory=dict, repr=False, compare=False)
    _tools: dict[Any, Tool] = field(init=False, default_factory=dict, repr=False, compare=False)
    _indices: tuple[_Index, ...] = field(init=False, repr=False, compare=False)
    _required: Mapping[str, Requirement | None] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rules = (rule for file in self.files for rule in file.rules if rule.condition)
        limits = (file.limits for file in self.files if file.limits is not None)
        object.__setattr__(self, "limits", next(limits, None) or Limits())
        object.__setattr__(self, "_indices", tuple(map(_Index, self.files)))
        object.__setattr__(self, "_required", _by_rule(self.files))
        self._reads.update((rule.ruling.rule, rule.condition.reads) for rule in rules if rule.condition)

    @property
    def budgets(self) -> tuple[Budget, ...]:
        """Return every budget, files in order."""
        return tuple(budget for file in self.files for budget in file.budgets)

    @property
    def operators(self) -> tuple[Approver, ...]:
        """Return who lifts a freeze in Slack, and answers for allowed calls in doubt; empty for nobody."""
        return next((file.operators for file in self.files if file.operators), ())

    def requirement_of(self, rule_id: str) -> Requirement | None:
        """Return what a rule, budget or default requires, unmerged.

        Args:
            rule_id: ``NAME/rule``, ``NAME/budget`` or ``NAME/default``.

        Returns:
            The requirement, or None where the set has no such rule or it never holds calls.
        """
        return self._required.get(rule_id)

    def requirements(self) -> tuple[Requirement, ...]:
        """Return what everything that can hold a call requires, unmerged: rules, budgets and defaults."""
        return tuple(_present(each for file in self.files for each in _requirements(file)))

    def channels(self) -> tuple[str, ...]:
        """Return every channel that gets cards, in order of first appearance."""
        return tuple(dict.fromkeys(channel for each in self.requirements() for channel in each.channels))

    def named_channels(self) -> tuple[str, ...]:
        """Return every channel that ``approvals`` name too, also where nothing asks there."""
        own = [channel for file in self.files if (channel := _own_channel(file)) is not None]
        return tuple(dict.fromkeys((*self.channels(), *own)))

    def channels_for(self, name: str) -> tuple[str, ...]:
        """Return the channels for what no rule of an action asks: those of files that cover it first."""
        near = [need for each in self.covering(name) for need in _present(_requirements(each.file))]
        found = [channel for need in near for channel in need.channels]
        return tuple(dict.fromkeys((*found, *self.channels())))

    def approvers(self) -> tuple[Approver, ...]:
        """Return everybody who may approve anything, also once it is handed over, in order of appearance."""
        needs = self.requirements()
        lists = [entries for each in needs for entries in (each.approvers, handed_to(each))]
        return tuple(dict.fromkeys(approver for entries in lists for approver in entries))

    def people(self) -> tuple[Approver, ...]:
        """Return everybody the set names: approvers and operators, in order of first appearance."""
        return tuple(dict.fromkeys((*self.approvers(), *self.operators)))

    def redactions(self) -> tuple[str, ...]:
        """Return the paths that are hidden in every action of the set."""
        return tuple(dict.fromkeys(path for file in self.files for path in file.redact))

    def covering(self, name: str) -> tuple[Covering, ...]:
        """Return the files that cover an action, each with the rules whose ``match`` fits its name."""
        found = self._covering.get(name)
        if found is None:
            covers = (index for index in self._indices if _any(index.file.applies_to, name))
            found = tuple(index.covering(name) for index in covers)
            remember(self._covering, name, found)
        return found

    def tool(self, action: Action) -> Tool | None:
        """Return everything that is known of an action's tool; None where its name is no action name."""
        key = (action.name, action.effect, action.source, action.parameters)
        try:
            found = self._tools.get(key)
        except TypeError:  # what the code declares holds a list; nothing is kept of it
            return self._tool(action)
        if found is None and (found := self._tool(action)) is not None:
            remember(self._tools, key, found)
        return found

    def _tool(self, action: Action) -> Tool | None:
        return Tool(self.covering(action.name), self.known(action)) if is_action_name(action.name) else None

    def known(self, action: Action) -> Known:
        """Return what is known of an action's tool: effects combined, redaction of the whole set included."""
        key = (action.name, action.effect, action.source)
        try:
            found = self._known.get(key)
        except TypeError:
            return self._resolve(action.name, action.effect, action.source)
        if found is None:
            found = self._resolve(*key)
            remember(self._known, key, found)
        return found

    def reads(self, rulings: Iterable[Ruling]) -> tuple[tuple[str, ...], ...]:
        """Return the paths that the conditions of some rules read, in order."""
        return tuple(dict.fromkeys(keys for ruling in rulings for keys in self._reads.get(ruling.rule, ())))

    def _resolve(self, name: str, code: Effect | None, source: str) -> Known:
        covers = [index for index in self._indices if _any(index.file.applies_to, name)]
        files = [index.file for index in covers]
        found = [(index.file.file, from_entries(index.entries.about(name), name)) for index in covers]
        declared = [(file, values) for file, values in found if values]
        known = resolve(name, declared, code, server=source != "host")
        return replace(
            known,
            redact=_joined(self.redactions(), known.redact),
            show=_joined(*(file.show for file in files), known.show),
        )


def handed_to(need: Requirement) -> tuple[Approver, ...]:
    """Return whom a requirement may be handed over to; nobody where it says nothing of it."""
    return need.hand_over.approvers if need.hand_over else ()


def _own_channel(file: PolicyFile) -> str | None:
    """Return the channel of a file's ``approvals``, its name resolved; None for none."""
    written = (file.document.get("approvals") or {}).get("channel")
    return (file.document.get("names") or {}).get(written, written)


def revision_of(texts: Mapping[str, str]) -> str:
    """Return the digest of a set's content: names and texts of its files, whatever their order."""
    digest = hashlib.sha256(b"gate.policy.v1")
    for name in sorted(texts):
        for part in (name.encode(), texts[name].encode()):
            digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def _by_rule(files: Sequence[PolicyFile]) -> dict[str, Requirement | None]:
    """Return what each rule, budget and default requires, by its id, which is given once in a set."""
    found = {ruling.rule: ruling.requirement for file in files for ruling in _rulings(file)}
    return found | {f"{file.name}/default": file.requirement for file in files}


def _requirements(file: PolicyFile) -> list[Requirement | None]:
    return [file.requirement, *(ruling.requirement for ruling in _rulings(file))]


def _rulings(file: PolicyFile) -> list[Ruling]:
    return [*(rule.ruling for rule in file.rules), *(budget.ruling for budget in file.budgets)]


def _present(requirements: Iterable[Requirement | None]) -> list[Requirement]:
    return [each for each in requirements if each is not None]


def _any(globs: Sequence[Glob], name: str) -> bool:
    return any(glob.matches(name) for glob in globs)


def _joined(*lists: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for each in lists for path in each))


def remember(cache: dict[Any, Any], key: Any, value: Any) -> None:
    """Keep a value; names come from outside, so long ones are not kept, and a full cache is emptied."""
    if not is_short([key] if isinstance(key, str) else [each for each in key if isinstance(each, str)]):
        return
    if len(cache) >= _CACHED:
        cache.clear()
    cache[key] = value
