"""Judge a call of which some values are hidden: decided where they do not matter, and never guessed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from gate.model import Action, Verdict
from gate.policy.budgets import Budget
from gate.policy.conditions import Blind, Compiled, condition_of
from gate.policy.effects import Known, reads_like_amount
from gate.policy.evaluate import STRICTNESS, verdict_of
from gate.policy.parsing import Parser
from gate.policy.policyset import Covering, PolicySet, Rule
from gate.policy.reading import Subject
from gate.policy.source import Document
from gate.policy.truth import Truth, Unknown
from gate.values import format_path

Path = tuple[str, ...]

_CACHED = 4096
_MOST = 8
"""How many rules may hang on hidden values before a call counts as not decidable without more ado."""


@dataclass(frozen=True, slots=True)
class Undecided:
    """That the verdict rests on what is hidden.

    Attributes:
        rules: Rules and budgets that read it.
        paths: The hidden paths that they read.
    """

    rules: tuple[str, ...]
    paths: tuple[str, ...]


class Blinds:
    """Judge calls by one set where values are hidden.

    Args:
        policy: The set.
    """

    def __init__(self, policy: PolicySet) -> None:
        self._policy = policy
        self._whens = {
            f"{file.name}/{raw['id']}": raw.get("when")
            for file in policy.files
            for key in ("rules", "budgets")
            for raw in file.document.get(key) or ()
        }
        self._cache: dict[Any, tuple[Covering, ...]] = {}

    def judge(self, action: Action, hidden: Sequence[Path]) -> Verdict | Undecided:
        """Judge a call by the rules of the set.

        Args:
            action: The call, whose name has the form of one.
            hidden: Paths whose value is not known.
        """
        subject = Subject(action, self._policy.known(action))
        files = self._files(subject, tuple(hidden))
        open_ = [rule for each in files for rule in each.rules if _lost(rule, subject) is not None]
        if not open_:
            return verdict_of(self._policy, files, subject)
        found = list(self._ways(files, open_, subject)) if len(open_) <= _MOST else []
        if found and len({each.answer for each in found}) == 1:
            return _common(found)
        paths = (path for rule in open_ for path in _paths(_lost(rule, subject)))
        return Undecided(tuple(rule.ruling.rule for rule in open_), tuple(dict.fromkeys(paths)))

    def _files(self, subject: Subject, hidden: tuple[Path, ...]) -> tuple[Covering, ...]:
        """Return the files that cover a call, blind for what is hidden; kept, since calls are alike."""
        action = subject.action
        key = (action.name, repr(action.effect), action.source, action.parameters, hidden)
        found = self._cache.get(key)
        if found is None:
            blind = _blind(subject, hidden)
            found = tuple(self._blinded(each, blind) for each in self._policy.covering(action.name))
            if len(self._cache) < _CACHED:
                self._cache[key] = found
        return found

    def _blinded(self, covering: Covering, blind: Blind) -> Covering:
        return replace(covering, rules=tuple(self._blinded_rule(rule, blind) for rule in covering.rules))

    def _blinded_rule(self, rule: Rule, blind: Blind) -> Rule:
        if rule.condition is None or all(blind(keys) is None for keys in rule.condition.reads):
            return rule
        node = Parser(Document("backtest")).mapping(self._whens[rule.ruling.rule], ())
        assert node is not None
        holds = condition_of(node, negated=False, blind=blind)
        return replace(rule, condition=Compiled(holds, rule.condition.reads))

    def _ways(self, files: Sequence[Covering], open_: Sequence[Rule], subject: Subject) -> Iterator[Verdict]:
        """Yield the verdict for each way in which the open rules may turn out."""
        for truths in product((True, False), repeat=len(open_)):
            fixed = {
                id(rule): replace(rule, condition=_always(truth))
                for rule, truth in zip(open_, truths, strict=True)
            }
            yield verdict_of(
                self._policy,
                [
                    replace(each, rules=tuple(fixed.get(id(rule), rule) for rule in each.rules))
                    for each in files
                ],
                subject,
            )

    def budgets(self, action: Action, hidden: Sequence[Path]) -> list[Budget]:
        """Return the budgets of which nobody can tell what a call adds to them."""
        subject = Subject(action, self._policy.known(action))
        blind = _blind(subject, hidden)
        covering = self._policy.covering(action.name)
        return [
            budget
            for each in covering
            for budget in each.budgets
            if (budget.reads or not subject.known.effect.declared_read)
            and any(blind(keys) is not None for keys in budget.paths)
        ]

    def with_budgets(self, action: Action, hidden: Sequence[Path], verdict: Verdict) -> Verdict | Undecided:
        """Return the verdict, unless a budget that reads what is hidden could make it stricter."""
        stricter = [
            budget
            for budget in self.budgets(action, hidden)
            if STRICTNESS[budget.ruling.answer] > STRICTNESS[verdict.answer]
        ]
        if not stricter:
            return verdict
        blind = _blind(Subject(action, self._policy.known(action)), hidden)
        paths = (path for budget in stricter for keys in budget.paths for path in _paths(blind(keys)))
        return Undecided(tuple(budget.rule for budget in stricter), tuple(dict.fromkeys(paths)))


def _common(found: Sequence[Verdict]) -> Verdict:
    """Return a verdict with those rules only that gave it in every way."""
    rulings = [each for each in found[0].rulings if all(each.rule in one.rules for one in found)]
    return replace(found[0], rulings=tuple(rulings))


def _blind(subject: Subject, hidden: Sequence[Path]) -> Blind:
    """Return what tells which paths cannot be read because they, or what they stand for, are hidden."""

    def blind(keys: Path) -> Unknown | None:
        found = [
            format_path(path)
            for one in _behind(keys, subject.known, hidden)
            for path in hidden
            if _touch(one, path) and not (one[0] == "args" and subject.lacks(one[1]))
        ]
        return Unknown(tuple(_MARK + path for path in dict.fromkeys(found))) if found else None

    return blind


_MARK = "hidden in the log: "


def _behind(keys: Path, known: Known, hidden: Iterable[Path]) -> Iterator[Path]:
    """Yield the paths of the call that are read for a path."""
    if keys in (("effect", "amount"), ("effect", "currency")):
        read = (known.amount, known.currency) if keys[1] == "amount" else (known.currency,)
        yield from (path for path in read if path)
        if known.amount is None:
            given = (path for path in hidden if path[0] == "args" and len(path) > 1)
            yield from (path for path in given if reads_like_amount(path[1]))
    elif keys == ("effect", "count") and known.count:
        yield known.count
    elif keys and keys[0] in ("args", "facts"):
        yield keys


def _touch(one: Path, two: Path) -> bool:
    """Tell whether one of two paths lies within the other."""
    length = min(len(one), len(two))
    return one[:length] == two[:length]


def _lost(rule: Rule, subject: Subject) -> Unknown | None:
    """Return what a rule is unknown for where that is something hidden."""
    if rule.condition is None:
        return None
    try:
        truth: Truth = rule.condition.holds(subject)
    except Exception:  # arguments are arbitrary values, as in evaluate
        return None
    return truth if isinstance(truth, Unknown) and any(why.startswith(_MARK) for why in truth.whys) else None


def _paths(unknown: Unknown | None) -> list[str]:
    whys = () if unknown is None else unknown.whys
    return [why.removeprefix(_MARK) for why in whys if why.startswith(_MARK)]


def _always(truth: bool) -> Compiled:
    return Compiled(lambda subject: truth, ())
