"""Policies made by chance, one for each number: rules of every answer, conditions and budgets.

What is compared keeps to its kind (numbers with numbers, texts with texts), since a policy that asks whether
a number is like a text says nothing that a spoilt value could not change. Each tool says where its amount is,
or that it has none: an amount that nobody declared is seen only where it is given.
"""

from __future__ import annotations

import random
from decimal import Decimal
from functools import lru_cache
from typing import Any

from gate.policy.load import load_texts
from gate.policy.source import read_text
from tests.property.mutation_kit import Source, dump, sources

NAMES = [
    "shop.pay",
    "shop.send",
    "shop.get_it",
    "desk.note",
    "desk.delete_it",
    "shop.it",
    "it.get_it",
    "desk.it",
]
_GLOBS: list[Any] = [*NAMES, "shop.*", "*", "*.get_*", ["shop.pay", "desk.*"]]
_ANSWERS = ["allow", "allow", "require_approval", "block"]
_NUMBERS: list[Any] = [0, 1, 2, 250, Decimal("250.01"), 5001]
_TEXTS = ["a", "dev", "bob@ours.example", "x@rival.example", "duplicate"]
_PATTERNS = ["*@ours.example", "a*", "d*e*", "*"]
_REGEXES = ["[^@,]+@ours[.]example", "(dev|a)", ".*a.*"]


def a_source(chance: random.Random, made: int = 400) -> Source:
    """Return a shipped policy, or as often one of so many made ones."""
    return chance.choice(sources()) if chance.random() < 0.5 else made_source(chance.randrange(made))


@lru_cache(maxsize=1024)
def made_source(number: int) -> Source:
    """Return the policy of a number; the same one each time."""
    name = f"made{number}.yml"
    text = dump(_Maker(random.Random(f"policy {number}")).policy())
    return Source(name, text, read_text(text, name).value, load_texts({name: text}))


class _Maker:
    """Make one policy.

    Args:
        chance: Where chance comes from.
    """

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def policy(self) -> dict[str, Any]:
        """Return the tree of a policy that loads."""
        pick = self._chance.choice
        return {
            "version": 1,
            "default": pick(["by_risk", "allow", "require_approval", "block", "abstain"]),
            "resolve": pick(["strictest", "first_match"]),
            "approvals": {"channel": "C0APPROVALS", "approvers": ["U0ALICE", "U0BOB", "U0CAROL"]},
            "actions": {name: self._tool() for name in NAMES},
            "rules": [self._rule(number) for number in range(self._chance.randint(1, 5))],
            **self._budgets(),
        }

    def _tool(self) -> dict[str, Any]:
        keys = {
            "risk": self._chance.choice(["read", "write", "destructive"]),
            "reversible": self._chance.random() < 0.5,
            "amount": self._chance.choice(["args.amount", "none"]),
            "currency": self._chance.choice(["args.currency", "EUR"]),
            "params": ["n", "amount", "currency", "to", "x"],
        }
        return {key: each for key, each in keys.items() if key == "amount" or self._chance.random() < 0.6}

    def _rule(self, number: int) -> dict[str, Any]:
        then = self._chance.choice(_ANSWERS)
        rule: dict[str, Any] = {
            "id": f"r{number}",
            "match": self._chance.choice(_GLOBS),
            "then": then,
            "reason": "Why.",
        }
        if then == "require_approval":
            rule["quorum"] = self._chance.choice([1, 1, 2])
        return rule | ({"when": self._when(2)} if self._chance.random() < 0.9 else {})

    def _budgets(self) -> dict[str, Any]:
        made = [self._budget(number) for number in range(self._chance.choice([0, 0, 1, 2]))]
        return {"budgets": made} if made else {}

    def _budget(self, number: int) -> dict[str, Any]:
        summed = self._chance.choice([None, "effect.amount", "effect.count"])
        limit: Any = self._chance.choice([0, 1, 3])
        budget: dict[str, Any] = {
            "id": f"b{number}",
            "match": self._chance.choice(_GLOBS),
            "limit": {"EUR": 300, "*": 300} if summed == "effect.amount" else limit,
            "per": self._chance.choice(["session", "agent", "everything", "args.to"]),
            "window": "1h",
            "then": self._chance.choice(["require_approval", "block"]),
        }
        return (
            budget
            | ({"sum": summed} if summed else {})
            | ({} if self._chance.random() < 0.6 else {"when": self._when(1)})
        )

    def _when(self, depth: int) -> dict[str, Any]:
        word = self._chance.choice(["leaf", "leaf", "all", "any", "not"]) if depth else "leaf"
        if word == "leaf":
            leaves = [self._leaf() for _ in range(self._chance.choice([1, 1, 2]))]
            return {path: test for leaf in leaves for path, test in leaf.items()}
        if word == "not":
            return {"not": self._when(depth - 1)}
        return {word: [self._when(depth - 1) for _ in range(self._chance.choice([1, 2, 2]))]}

    def _leaf(self) -> dict[str, Any]:
        make = self._chance.choice(
            [self._number, self._number, self._text, self._text, self._money, self._other]
        )
        return make()

    def _number(self) -> dict[str, Any]:
        word, number = (
            self._chance.choice(["gt", "gte", "lt", "lte", "eq", "ne"]),
            self._chance.choice(_NUMBERS),
        )
        many = {self._chance.choice(["in", "not_in"]): self._chance.sample(_NUMBERS, 2)}
        return {f"args.{self._chance.choice(['n', 'amount'])}": self._chance.choice([{word: number}, many])}

    def _text(self) -> dict[str, Any]:
        test: dict[str, Any] = self._chance.choice([
            {self._chance.choice(["eq", "ne", "contains"]): self._chance.choice(_TEXTS)},
            {self._chance.choice(["in", "not_in"]): self._chance.sample(_TEXTS, 2)},
            {self._chance.choice(["glob", "not_glob"]): self._chance.choice(_PATTERNS)},
            {self._chance.choice(["regex", "not_regex"]): self._chance.choice(_REGEXES)},
        ])  # fmt: skip
        more = {"optional": True} if self._chance.random() < 0.1 else {}
        return {f"args.{self._chance.choice(['to', 'x'])}": test | more}

    def _money(self) -> dict[str, Any]:
        limits = {"EUR": self._chance.choice(_NUMBERS), "USD": 300} | (
            {"*": 100} if self._chance.random() < 0.5 else {}
        )
        return {"effect.amount": {self._chance.choice(["gt", "gte", "lt", "lte"]): limits}}

    def _other(self) -> dict[str, Any]:
        return self._chance.choice([
            {"effect.risk": "read"},
            {"effect.reversible": False},
            {"effect.count": {"gt": 1}},
            {"facts.environment": "production"},
            {"args.x": {"exists": self._chance.random() < 0.5}},
            {"action": {"glob": "shop.*"}},
        ])  # fmt: skip
