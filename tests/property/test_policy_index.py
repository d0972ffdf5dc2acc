"""Looking rules up by name and by their first clause changes no verdict: every rule asked says the same."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from gate.model import Action, Effect, Parameters, Verdict
from gate.policy.evaluate import evaluate, verdict_of
from gate.policy.index import NameIndex
from gate.policy.load import load_texts
from gate.policy.policyset import PolicySet
from gate.policy.reading import Subject
from gate.values import Glob

POLICIES, CALLS = 45, 16
HEAD = """version: 1
name: desk
approvals: {channel: C0APPROVALS, approvers: [U0ALICE]}
actions:
  desk.pay: {risk: write, amount: args.amount, currency: args.currency}
  desk.cents: {risk: write, amount: args.amount, currency: args.currency, unit: minor}
"""
NAMES = ("desk.pay", "desk.pay", "desk.cents", "desk.look_up", "Desk.PAY")
TEXTS = (
    "EUR",
    "eur",
    " EUR ",
    "USD",
    "",
    "no",
    "bob",
    "BOB",
    "Straße",
    "strasse",
    "\ud800",
    "1",
    "10",
    "b\u200bob",
)
NUMBERS = (
    0,
    1,
    5,
    10,
    11,
    -3,
    10**20,
    1.0,
    10.5,
    float("nan"),
    float("inf"),
    Decimal("10.00"),
    Decimal("NaN"),
)
OTHERS = (None, True, False, [], ["EUR", "bob"], [1, 5], [1, 100], {"a": 1}, (5,), [[]])
PATHS = ("args.amount", "args.to", "effect.amount", "facts.limit", "effect.count", "agent", "args.deep.x")


def _clause(chance: random.Random, path: str) -> Any:
    """Return what one path is compared with: mostly what can be looked up, sometimes what cannot."""
    low, mostly = chance.randint(-3, 12), chance.random() < 0.8
    if path == "effect.amount":
        by_code = {code: low + n for n, code in enumerate(chance.sample(["EUR", "USD", "*"], 2))}
        return chance.choice(
            [
                {"gt": by_code},
                {"gte": by_code},
                {"lte": by_code},
                {"gte": by_code, "lte": {"*": low + 5}},
                {"lt": by_code},
                {"eq": low},
                {"gt": low},
            ]
        )
    numbers: list[Any] = [
        {"gt": low}, {"gte": low, "lt": low + 4}, {"lte": low}, {"eq": low}, {"in": [low, low + 4]},
        {"gt": low, "exists": True},
    ]  # fmt: skip
    texts: list[Any] = [
        {"in": ["bob", "EUR"]}, {"regex": "b.b", "eq": "bob"}, "Straße", {"eq": "bob", "optional": True},
    ]  # fmt: skip
    others: list[Any] = [
        {"ne": "bob"}, {"in": ["bob", 5]}, {"glob": "b*"}, {"regex": "b.b", "eq": "bob"}, {"contains": "b"},
        {"gt": {"path": "facts.limit"}}, {"not_in": [1, 5]}, {"exists": False}, True,
    ]  # fmt: skip
    if path in ("effect.count", "agent"):
        return chance.choice(numbers if path == "effect.count" else texts)
    plain = numbers if path in ("args.amount", "facts.limit", "effect.count") else texts
    return chance.choice(plain if mostly else [*numbers, *texts, *others])


def _when(chance: random.Random, path: str) -> Any:
    clause = {path: _clause(chance, path)}
    other = chance.choice(PATHS)
    more = {other: _clause(chance, other)}
    return chance.choice(
        [clause] * 8
        + [clause | more, clause | more, {"all": [clause, more]}, {"any": [clause]}, {"not": clause}]
        + [{"any": [clause, more]}, more | clause]
    )  # fmt: skip


def _policy(chance: random.Random) -> PolicySet:
    """Return a set with some paths that enough rules share, and rules without condition among them."""
    paths = [chance.choice(PATHS) for _ in range(2)]
    rules = [_rule(chance, number, chance.choice(paths)) for number in range(chance.randint(15, 40))]
    head = f"resolve: {chance.choice(['strictest', 'first_match'])}\ndefault: {_default(chance)}\n"
    return load_texts({"desk.yml": HEAD + head + "rules:\n" + "".join(rules)})


def _default(chance: random.Random) -> str:
    return chance.choice(["by_risk", "allow", "block", "abstain", "require_approval"])


def _rule(chance: random.Random, number: int, path: str) -> str:
    then = chance.choice(["allow", "require_approval", "block"])
    rule: dict[str, Any] = {
        "id": f"r{number}",
        "match": chance.choice(["*", "*", "desk.*", "desk.pay"]),
        "then": then,
    }
    if chance.random() < 0.98:
        rule["when"] = _when(chance, path)
    return "  - " + json.dumps(rule | {"reason": f"Because of {number}."}) + "\n"


def _call(chance: random.Random) -> Action:
    values: dict[str, Any] = {
        name: chance.choice(chance.choice([TEXTS, NUMBERS, OTHERS])) for name in ("amount", "to", "currency")
    }
    values["currency"] = chance.choice([values["currency"], "EUR", "USD", "CHF"])
    values |= {"amount": chance.choice([values["amount"], *NUMBERS])}
    values["deep"] = {"x": chance.choice([*TEXTS, *NUMBERS])}
    given = {name: value for name, value in values.items() if chance.random() < 0.85}
    takes = None if chance.random() < 0.4 else Parameters(frozenset(given) | {"to"}, chance.random() < 0.2)
    facts: Mapping[str, Any] = {"limit": chance.choice([*NUMBERS, "bob"])} if chance.random() < 0.7 else {}
    effect = Effect(risk="read") if chance.random() < 0.2 else None
    return Action(chance.choice(NAMES), given, "bob", "s1", parameters=takes, facts=facts, effect=effect)


def _every_rule(policy: PolicySet, action: Action) -> Verdict:
    """Return the verdict with every rule asked and nothing remembered."""
    files = [replace(each) for each in policy.covering(action.name)]
    for each in files:
        object.__setattr__(each, "sieve", None)
    return verdict_of(policy, files, Subject(action, policy.known(action)))


def test_what_is_looked_up_answers_as_if_every_rule_was_asked() -> None:
    """For random policies and calls the verdict is the very same, also when it is given again."""
    looked_up = 0
    for seed in range(POLICIES):
        chance = random.Random(seed)
        policy = _policy(chance)
        for _ in range(CALLS):
            action = _call(chance)
            wanted = _every_rule(policy, action)
            assert evaluate(policy, action) == wanted, f"seed {seed}"
            assert evaluate(policy, action) == wanted, f"seed {seed}, again"
            covering = policy.covering(action.name)
            subject = Subject(action, policy.known(action))
            looked_up += sum(len(each.asked(subject)) < len(each.rules) for each in covering)
    assert looked_up > POLICIES * CALLS / 10, "hardly anything was looked up"


def test_names_are_found_as_if_every_glob_was_asked() -> None:
    """The index gives what a look at each glob gives, in the same order."""
    chance = random.Random(1)
    parts = ["desk", "Desk", "pay", "*", "*", "_all", ".", ".", "delete"]
    for _ in range(200):
        patterns = ["".join(chance.choices(parts, k=chance.randint(1, 5))) for _ in range(20)]
        things = [
            (number, (Glob(one), Glob(two)))
            for number, (one, two) in enumerate(zip(patterns, patterns[::-1], strict=True))
        ]
        index = NameIndex(things)
        for _ in range(20):
            name = "".join(chance.choices([each for each in parts if each != "*"], k=chance.randint(1, 5)))
            wanted = tuple(number for number, globs in things if any(glob.matches(name) for glob in globs))
            assert index.about(name) == wanted, (patterns, name)
