"""What the lint looks at: the rules as written, where they stand, the tools that are known, the log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from gate.model import Action, Effect, Parameters
from gate.policy.clauses import Clause, clauses
from gate.policy.effects import Known
from gate.policy.evaluate import STRICTNESS
from gate.policy.implies import within
from gate.policy.lint.finding import Finding
from gate.policy.places import Loc
from gate.policy.policyset import PolicyFile, PolicySet
from gate.policy.source import Document, read_text
from gate.values import Glob, parse_path

_ANY = Parameters(frozenset(), open=True)


@dataclass(frozen=True, slots=True)
class KnownTool:
    """A tool that a store or an export knows.

    Attributes:
        name: Action name.
        effect: What the code declares of it, or None.
        parameters: What it takes.
        required: Parameters that no call may leave out; None where its schema does not say.
    """

    name: str
    effect: Effect | None = None
    parameters: Parameters = _ANY
    required: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """What the log has seen.

    Attributes:
        actions: Names of the actions that were called.
        facts: Paths of the facts that calls had, such as ``facts.environment``.
    """

    actions: frozenset[str] = frozenset()
    facts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Written:
    """One rule or budget as it is written.

    Attributes:
        file: The file it stands in.
        id: ``NAME/rule``.
        then: What it answers.
        match: Globs of the actions it is about, within what its file covers.
        raw: Its keys.
        loc: Way to it in the document.
        clauses: What its condition says.
    """

    file: PolicyFile
    id: str
    then: Literal["allow", "require_approval", "block"]
    match: tuple[Glob, ...]
    raw: Mapping[str, Any]
    loc: Loc
    clauses: tuple[Clause, ...]

    @property
    def when(self) -> Any:
        """Return its written condition; None for always."""
        return self.raw.get("when")

    @property
    def strictness(self) -> int:
        """Return what orders answers: 0 for allow, 2 for block."""
        return STRICTNESS[self.then]

    def about(self, name: str) -> bool:
        """Tell whether it is about an action."""
        covered = any(glob.matches(name) for glob in self.file.applies_to)
        return covered and any(glob.matches(name) for glob in self.match)


@dataclass(frozen=True, slots=True)
class View:
    """Everything the lint may look at.

    Attributes:
        policy: The set.
        tools: Known tools by name; empty where nobody named a catalogue.
        seen: What the log has seen; None where nobody named a store.
        places: Where the tools and the calls are known from, in words.
    """

    policy: PolicySet
    tools: Mapping[str, KnownTool] = field(default_factory=dict)
    seen: Seen | None = None
    places: tuple[str, ...] = ()
    _documents: dict[str, Document] = field(default_factory=dict, repr=False)
    _rules: list[Written] = field(default_factory=list, repr=False)
    _budgets: list[Written] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        for name, text in self.policy.texts.items():
            self._documents[name] = read_text(text, name)
        self._rules.extend(each for file in self.policy.files for each in _written(file, "rules"))
        self._budgets.extend(each for file in self.policy.files for each in _written(file, "budgets"))

    @property
    def rules(self) -> list[Written]:
        """Return every rule, files in order."""
        return self._rules

    @property
    def budgets(self) -> list[Written]:
        """Return every budget, files in order."""
        return self._budgets

    def of(self, file: PolicyFile) -> list[Written]:
        """Return the rules of one file in order."""
        return [rule for rule in self._rules if rule.file is file]

    def names(self) -> list[str]:
        """Return every action name that is known: from the catalogue, the log, or written out in the set."""
        seen = self.seen.actions if self.seen else frozenset()
        return sorted({*self.tools, *seen, *self.declared(), *self._matched()})

    def declared(self) -> set[str]:
        """Return the action names that stand under ``actions``."""
        entries = (entry for file in self.policy.files for entry in file.entries)
        return {entry.glob.pattern for entry in entries if entry.glob.exact}

    def _matched(self) -> set[str]:
        globs = (glob for each in [*self._rules, *self._budgets] for glob in each.match)
        return {glob.pattern for glob in globs if glob.exact and "." in glob.pattern}

    def called(self) -> set[str]:
        """Return the names that a catalogue or the log vouches for."""
        return {*self.tools, *(self.seen.actions if self.seen else ())}

    def of_rule(self, rule: Written) -> list[str]:
        """Return the known names that a rule is about."""
        return [name for name in self.names() if rule.about(name)]

    def known(self, name: str) -> Known:
        """Return what is known of a tool."""
        tool = self.tools.get(name)
        return self.policy.known(Action(name, {}, "lint", "lint", effect=tool.effect if tool else None))

    def takes(self, name: str, parameter: str) -> bool | None:
        """Tell whether a tool takes a parameter; None where its parameters are not known."""
        tool, params = self.tools.get(name), self.known(name).params
        if tool is not None:
            return tool.parameters.open or parameter in tool.parameters.names
        return None if params is None else parameter in params

    def finding(
        self, file: PolicyFile, loc: Loc, code: str, *, what: str, why: str, write: str, advice: bool = False
    ) -> Finding:
        """Return a finding at a place of a file."""
        document = self._documents[file.file]
        mark = document.entry(loc)
        kind: Literal["finding", "advice"] = "advice" if advice else "finding"
        return Finding(file.file, mark.line, mark.column, kind, code, what, why, write)

    def hides(self, rule: Written, keys: tuple[str, ...]) -> str | None:
        """Return the redacted path that covers a path of a rule's calls, or lies in it; None for none."""
        for path in self._redacted(rule):
            other = parse_path(path)
            shorter = min(len(keys), len(other))
            if keys[:shorter] == other[:shorter]:
                return path
        return None

    def _redacted(self, rule: Written) -> Iterator[str]:
        yield from self.policy.redactions()
        for entry in (entry for file in self.policy.files for entry in file.entries):
            if any(entry.glob.overlaps(glob) for glob in rule.match):
                yield from entry.values.get("redact") or ()

    def loc_of(self, rule: Written, *keys: str | int) -> Loc:
        """Return the way to a part of a rule."""
        return (*rule.loc, *keys)


def _written(file: PolicyFile, key: str) -> Iterable[Written]:
    for index, raw in enumerate(file.document.get(key) or ()):
        match = raw.get("match", "*")
        globs = tuple(Glob(each) for each in (match if isinstance(match, list) else [match]))
        yield Written(
            file=file,
            id=f"{file.name}/{raw['id']}",
            then=raw.get("then", "require_approval"),
            match=within(globs, file.applies_to),
            raw=raw,
            loc=(key, index),
            clauses=clauses(raw.get("when"), (key, index, "when")),
        )
