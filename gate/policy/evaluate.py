"""Ask a policy set about one call: pure, never raises, and strict about what it cannot read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from gate.foreign import why_not
from gate.model import Action, Answer, ResolvedEffect, Ruling, Verdict
from gate.model.own_rules import BAD_NAME, NO_POLICY
from gate.policy.policyset import Covering, PolicyFile, PolicySet, Rule, remember
from gate.policy.reading import Subject
from gate.policy.truth import Truth, Unknown, undecided
from gate.requirements import merge
from gate.values import format_path

STRICTNESS: dict[Answer, int] = {"allow": 0, "require_approval": 1, "block": 2}
_UNREADABLE = Unknown(("the arguments cannot be read: give plain values",))
_NOTHING_KNOWN = ResolvedEffect("write", reversible=False, outbound=True, guessed=True)


def evaluate(policy: PolicySet, action: Action) -> Verdict:
    """Judge one call.

    Args:
        policy: The set in force.
        action: The call.

    Returns:
        The strictest answer of every file that covers the call, with everything that gave it.
        A name of another form, and a call that no file has an opinion on, are blocked.
    """
    tool = policy.tool(action)
    if tool is None:
        return _gate_verdict(policy, BAD_NAME, why_not(action.name))
    subject = Subject(action, tool.known)
    found = _opinions(tool.files, subject)
    rules = _sure_rules(found)
    if rules is None:
        return _verdict(policy, subject, found)
    verdict = tool.verdicts.get(rules)
    if verdict is None:
        verdict = _verdict(policy, subject, found)
        remember(tool.verdicts, rules, verdict)
    return verdict


def _sure_rules(found: Sequence[Ruling]) -> tuple[str, ...] | None:
    """Return the ids of rulings that hang on nothing unknown: for one tool they say the same each time."""
    for each in found:
        if each.missing:
            return None
    return tuple([each.rule for each in found])


def verdict_of(policy: PolicySet, files: Sequence[Covering], subject: Subject) -> Verdict:
    """Judge a call by some files.

    Args:
        policy: The set they belong to.
        files: The files that cover the call, with the rules that are about it.
        subject: The call, whose name has the form of one.
    """
    return _verdict(policy, subject, _opinions(files, subject))


def _verdict(policy: PolicySet, subject: Subject, found: Sequence[Ruling]) -> Verdict:
    """Return the strictest answer of some rulings, with everything that gave it."""
    known = subject.known
    answer = max((ruling.answer for ruling in found), key=STRICTNESS.__getitem__)
    rulings = ordered(ruling for ruling in found if ruling.answer == answer)
    return Verdict(
        answer=answer,
        rulings=rulings,
        requirements=merge([each.requirement for each in rulings if each.requirement is not None]),
        effect=known.effect,
        revision=policy.revision,
        decisive=_decisive(policy, subject, rulings),
        redact=known.redact,
        show=known.show,
    )


def _gate_verdict(policy: PolicySet, rule: str, reason: str) -> Verdict:
    ruling = Ruling(rule, "block", reason)
    return Verdict("block", (ruling,), (), _NOTHING_KNOWN, policy.revision, redact=policy.redactions())


def _opinions(files: Sequence[Covering], subject: Subject) -> list[Ruling]:
    """Return the rulings of all files; where none is sure to have an opinion, the gate's own block too.

    A file that abstains but for an unknown rule might have no opinion at all, and a call on which nobody
    has one is blocked: an argument that was spoilt must not turn that into a hold.
    """
    found: list[Ruling] = []
    somebody = False
    for covering in files:
        rulings, sure = _answers(covering, subject)
        found.extend(rulings)
        somebody = somebody or sure
    return found if somebody else [*found, _no_policy(found, subject)]


def _no_policy(unsure: Sequence[Ruling], subject: Subject) -> Ruling:
    ruling = Ruling(NO_POLICY, "block", f"No policy covers {subject.action.name}.")
    whys = tuple(dict.fromkeys(why for each in unsure for why in each.missing))
    return _unsure(ruling, Unknown(whys), "If no rule applies") if whys else ruling


def _answers(covering: Covering, subject: Subject) -> tuple[list[Ruling], bool]:
    """Return the rulings of one file, and whether it surely has an opinion.

    Its rules answer by its own way of resolving; where none surely applies, its default does as well.
    """
    walk = _first_match if covering.file.first_match else _strictest
    rulings, sure = walk(covering.asked(subject), subject)
    if sure:
        return rulings, True
    default = _default(covering, subject.known.effect)
    return [*rulings, *default], bool(default)


def _strictest(rules: Sequence[Rule], subject: Subject) -> tuple[list[Ruling], bool]:
    """Return every rule that applies, and whether one of them surely does."""
    rulings, sure = [], False
    for rule in rules:
        truth = _ask(rule, subject)
        if truth is True:
            rulings.append(rule.ruling)
            sure = True
        elif isinstance(truth, Unknown) and rule.answer != "allow":
            rulings.append(_unsure(rule.ruling, truth))
    return rulings, sure


def _first_match(rules: Sequence[Rule], subject: Subject) -> tuple[list[Ruling], bool]:
    """Return the first rule that surely applies, after those before it that hold or block on unknown."""
    rulings: list[Ruling] = []
    for rule in rules:
        truth = _ask(rule, subject)
        if truth is True:
            return [*rulings, rule.ruling], True
        if isinstance(truth, Unknown) and rule.answer != "allow":
            rulings.append(_unsure(rule.ruling, truth))
    return rulings, False


def _ask(rule: Rule, subject: Subject) -> Truth:
    if rule.condition is None:
        return True
    try:
        return rule.condition.holds(subject)
    except Exception:  # arguments are arbitrary objects; whatever they do, nothing is loosened
        return _UNREADABLE


def _unsure(ruling: Ruling, unknown: Unknown, case: str = "If it applies") -> Ruling:
    """Return a ruling that holds perhaps: what is surely so comes first in its reason."""
    reason = f"{undecided(unknown.whys)} {case}: {ruling.reason}"
    return replace(ruling, reason=reason, missing=unknown.whys)


def _default(covering: Covering, effect: ResolvedEffect) -> list[Ruling]:
    """Return what a file's default says of a tool, worked out once."""
    key = (effect.risk, effect.guessed)
    found = covering.defaults.get(key)
    if found is None:
        found = covering.defaults[key] = _default_of(covering.file, effect)
    return found


def _default_of(file: PolicyFile, effect: ResolvedEffect) -> list[Ruling]:
    if file.default == "abstain":
        return []
    rule = f"{file.name}/default"
    if file.default == "allow" or (file.default == "by_risk" and effect.risk == "read"):
        return [Ruling(rule, "allow", "", file.place)]
    reason = f"No rule of {file.name} allows this call"
    if file.default == "block":
        return [Ruling(rule, "block", f"{reason}, and what no rule allows is blocked.", file.place)]
    why = f", and {_in_words(effect)}" if file.default == "by_risk" else ""
    reason = f"{reason}{why}: a person decides."
    return [Ruling(rule, "require_approval", reason, file.place, (), file.requirement)]


def _in_words(effect: ResolvedEffect) -> str:
    kind = "it destroys" if effect.risk == "destructive" else "it is a write"
    return f"by its name {kind} (a guess)" if effect.guessed else kind


def ordered(rulings: Iterable[Ruling]) -> tuple[Ruling, ...]:
    """Put sure rules first, then unsure ones, then defaults."""
    return tuple(sorted(rulings, key=lambda each: (each.rule.endswith("/default"), bool(each.missing))))


def _decisive(policy: PolicySet, subject: Subject, rulings: Sequence[Ruling]) -> tuple[str, ...]:
    """Return the argument paths that deciding rules read, the effect's paths and declared ones."""
    known = subject.known
    effects = [keys for keys in (known.amount, known.currency) if keys is not None and keys[0] == "args"]
    read = [keys for keys in policy.reads(rulings) if keys[0] == "args" and not subject.lacks(keys[1])]
    paths = [format_path(keys) for keys in (*read, *effects)]
    return tuple(dict.fromkeys((*paths, *known.effect.decisive)))
