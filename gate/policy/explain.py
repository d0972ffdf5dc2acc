"""Tell how a policy set comes to its verdict: each rule and condition, its value, its truth and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gate.budget import Judged, MemoryLedger, Use, judge
from gate.model import Action, Verdict
from gate.policy.budgets import Budget, per_words
from gate.policy.conditions import condition_of
from gate.policy.evaluate import evaluate
from gate.policy.parsing import Group, Leaf, Node, Parser
from gate.policy.policyset import Covering, PolicyFile, PolicySet, Rule
from gate.policy.reading import Sign, Subject, is_missing, reader, scalar
from gate.policy.source import Document
from gate.policy.spending import amounts_words, limit_words, state_of, with_budgets
from gate.policy.truth import Truth, Unknown
from gate.policy.uses import uses_of
from gate.policy.words import short
from gate.values import format_duration, is_action_name

Word = Literal["true", "false", "unknown"]
_HIDDEN = "(hidden)"


@dataclass(frozen=True, slots=True)
class ConditionTold:
    """One condition, or a group of them.

    Attributes:
        text: The condition as written; ``all of`` or ``any of`` for a group.
        truth: What it came to; a ``not`` around it is worked in.
        value: What the call has at its path, for people; empty for a group.
        whys: What could not be read and how to be decided; empty unless unknown.
        parts: The conditions of a group.
    """

    text: str
    truth: Word
    value: str = ""
    whys: tuple[str, ...] = ()
    parts: tuple[ConditionTold, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleTold:
    """One rule of a file that covers the call.

    Attributes:
        rule: ``NAME/rule``.
        place: ``file:line``.
        then: What it answers.
        match: Its globs.
        matched: Whether it is about the action.
        truth: What its condition came to; empty where it is not about the action.
        applies: Whether it takes part: an allow on true, the others on unknown too.
        reached: False under ``first_match`` below a rule that surely applies.
        condition: Its condition; None for always, and where it is not about the action.
    """

    rule: str
    place: str
    then: str
    match: tuple[str, ...]
    matched: bool
    truth: Word | Literal[""]
    applies: bool
    reached: bool
    condition: ConditionTold | None


@dataclass(frozen=True, slots=True)
class BudgetTold:
    """One budget that is about the call.

    Attributes:
        budget: ``NAME/budget``.
        place: ``file:line``.
        then: What it answers above its limit.
        limit: The most, in words.
        window: For how long a call counts.
        per: Whose it is, in words; empty for everything.
        condition: Its condition; None for always.
        adds: What the call adds, in words; empty where it adds nothing.
        used: What has run within the window, in words.
        over: Whether it holds or blocks the call.
        whys: What could not be read and how to be decided; empty where all could.
    """

    budget: str
    place: str
    then: str
    limit: str
    window: str
    per: str
    condition: ConditionTold | None
    adds: str
    used: str
    over: bool
    whys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileTold:
    """One file that covers the call.

    Attributes:
        name: Its name.
        file: File name.
        resolve: ``strictest`` or ``first_match``.
        default: Its written default.
        rules: Its rules in order.
        budgets: Those of its budgets that are about the action.
    """

    name: str
    file: str
    resolve: str
    default: str
    rules: tuple[RuleTold, ...]
    budgets: tuple[BudgetTold, ...] = ()


@dataclass(frozen=True, slots=True)
class EffectTold:
    """One key of what the tool does, and who decided it.

    Attributes:
        key: Such as ``risk``.
        value: Its value, for people.
        source: File name, ``code``, ``guess`` or ``undeclared``.
    """

    key: str
    value: str
    source: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a set comes to its verdict.

    Attributes:
        verdict: The verdict.
        effects: What is known of the tool.
        files: The files that cover the call, in order.
        parameters_known: Whether anybody says what the tool takes; else every name counts as one it takes.
    """

    verdict: Verdict
    effects: tuple[EffectTold, ...]
    files: tuple[FileTold, ...]
    parameters_known: bool


Judge = Callable[[Sequence[Use]], Sequence[Judged]]


def with_nothing_spent(uses: Sequence[Use]) -> Sequence[Judged]:
    """Judge what a call adds to budgets to which nothing was charged."""
    return judge(uses, MemoryLedger())


def explain_call(policy: PolicySet, action: Action, spent: Judge = with_nothing_spent) -> Explanation:
    """Explain the verdict on one call.

    Args:
        policy: The set.
        action: The call.
        spent: Judges what the call adds to the budgets; default: with nothing charged to them.
    """
    verdict = evaluate(policy, action)
    if not is_action_name(action.name):
        return Explanation(verdict, (), (), parameters_known=False)
    known = policy.known(action)
    subject = Subject(action, known)
    judged = {each.use.ruling.rule: each for each in spent(uses_of(policy, action))}
    verdict = with_budgets(verdict, list(judged.values()))
    files = tuple(_file(covering, subject, judged) for covering in policy.covering(action.name))
    told = action.parameters is not None or known.params is not None
    return Explanation(verdict, tuple(_effects(subject)), files, parameters_known=told)


def _effects(subject: Subject) -> Iterator[EffectTold]:
    effect = subject.known.effect
    for key, source in effect.sources.items():
        value = getattr(effect, key)
        shown = (
            ("yes" if value else "no") if isinstance(value, bool) else "none" if value is None else str(value)
        )
        yield EffectTold(key, shown, source)


def _file(covering: Covering, subject: Subject, judged: Mapping[str, Judged]) -> FileTold:
    file = covering.file
    raws = file.document.get("rules") or ()
    rules: list[RuleTold] = []
    for rule, raw in zip(file.rules, raws, strict=True):
        reached = not (file.first_match and any(each.truth == "true" for each in rules))
        rules.append(_rule(rule, raw, subject, reached=reached))
    resolve = "first_match" if file.first_match else "strictest"
    budgets = tuple(_budget(budget, file, subject, judged.get(budget.rule)) for budget in covering.budgets)
    return FileTold(file.name, file.file, resolve, file.default, tuple(rules), budgets)


def _budget(budget: Budget, file: PolicyFile, subject: Subject, judged: Judged | None) -> BudgetTold:
    raw = next(each for each in file.document["budgets"] if f"{file.name}/{each['id']}" == budget.rule)
    state = state_of(judged) if judged else None
    return BudgetTold(
        budget=budget.rule,
        place=budget.ruling.place,
        then=budget.ruling.answer,
        limit=limit_words(state) if state else short(raw["limit"]),
        window=format_duration(budget.window),
        per=per_words(budget.per),
        condition=tell_condition(raw["when"], subject) if budget.condition else None,
        adds=amounts_words(state.adds, budget.kind) if state else "",
        used=(amounts_words(state.charged, budget.kind) or "nothing") if state else "",
        over=judged is not None and judged.over,
        whys=judged.use.unsure if judged else (),
    )


def _rule(rule: Rule, raw: Mapping[str, Any], subject: Subject, *, reached: bool) -> RuleTold:
    matched = any(glob.matches(subject.action.name) for glob in rule.match)
    condition = tell_condition(raw["when"], subject) if matched and rule.condition else None
    truth: Word | Literal[""] = "" if not matched else condition.truth if condition else "true"
    return RuleTold(
        rule=rule.ruling.rule,
        place=rule.ruling.place,
        then=rule.answer,
        match=tuple(glob.pattern for glob in rule.match),
        matched=matched,
        truth=truth,
        applies=reached and (truth == "true" or (truth == "unknown" and rule.answer != "allow")),
        reached=reached,
        condition=condition,
    )


def tell_condition(when: Any, subject: Subject) -> ConditionTold:
    """Tell what a written condition that loads comes to for one call."""
    node = Parser(Document("explain")).mapping(when, ())
    assert isinstance(node, Group)
    told = _mapping(node, when, subject, negated=False)
    return told.parts[0] if len(told.parts) == 1 else told


def _mapping(node: Group, raw: Mapping[str, Any], subject: Subject, *, negated: bool) -> ConditionTold:
    pairs = zip(node.parts, raw.items(), strict=True)
    parts = tuple(_entry(part, key, value, subject, negated) for part, (key, value) in pairs)
    return _group("all", node, parts, subject, negated)


def _entry(node: Node, key: str, raw: Any, subject: Subject, negated: bool) -> ConditionTold:
    if isinstance(node, Leaf):
        return _leaf(node, f"{key}: {short(raw)}", subject, negated)
    if key == "not":
        inner = node.parts[0]
        assert isinstance(inner, Group)
        return _unwrapped(_mapping(inner, raw, subject, negated=not negated))
    parts = tuple(
        _mapping(part, each, subject, negated=negated)
        for part, each in zip(node.parts, raw, strict=True)
        if isinstance(part, Group)
    )
    return _group(key, node, tuple(_unwrapped(part) for part in parts), subject, negated)


def _unwrapped(told: ConditionTold) -> ConditionTold:
    return told.parts[0] if len(told.parts) == 1 and told.text.endswith(" of") else told


def _group(
    word: str, node: Node, parts: tuple[ConditionTold, ...], subject: Subject, negated: bool
) -> ConditionTold:
    joined = word if not negated else {"all": "any", "any": "all"}[word]
    truth, whys = _truth(node, subject, negated)
    return ConditionTold(f"{joined} of", truth, "", whys, parts)


def _leaf(node: Leaf, text: str, subject: Subject, negated: bool) -> ConditionTold:
    truth, whys = _truth(node, subject, negated)
    return ConditionTold(f"not {text}" if negated else text, truth, _value(node.keys, subject), whys)


def _truth(node: Node, subject: Subject, negated: bool) -> tuple[Word, tuple[str, ...]]:
    """Ask the very condition that the verdict asks."""
    try:
        truth: Truth = condition_of(node, negated=negated)(subject)
    except Exception:  # arguments are arbitrary objects, as in evaluate
        return "unknown", ("the arguments cannot be read: give plain values",)
    if isinstance(truth, Unknown):
        return "unknown", truth.whys
    return ("true" if truth else "false"), ()


def _value(keys: tuple[str, ...], subject: Subject) -> str:
    """Return what stands at a path, for people; what the policy hides stays hidden."""
    if not subject.may_show(keys):
        return _HIDDEN
    try:
        value = reader(keys)(subject)
    except Exception:
        return "cannot be read"
    if isinstance(value, Sign):
        return value.value
    if is_missing(value):
        return "missing" if value is None else "an empty list"
    return _shown(value)


def _shown(value: Any) -> str:
    plain = scalar(value)
    if isinstance(plain, (list, tuple)):
        return short([_plain(scalar(each)) for each in plain])
    return short(_plain(plain))


def _plain(value: Any) -> Any:
    return value if isinstance(value, (str, bool, int, Mapping)) or hasattr(value, "as_tuple") else str(value)
