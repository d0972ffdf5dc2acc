"""What diff calls looser or tighter is so for every call, undecided ones and budgets included."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from gate.errors import PolicyError
from gate.policy.diff import differences
from gate.policy.load import load_texts
from tests.property.mutation_kit import Source, call, dump, is_looser, is_number, judged, nodes, numbered
from tests.property.policy_maker import made_source

WORDS: dict[str, list[Any]] = {
    "default": ["by_risk", "allow", "require_approval", "block", "abstain"],
    "resolve": ["strictest", "first_match"],
    "then": ["allow", "require_approval", "block"],
    "match": ["shop.pay", "shop.*", "*", ["shop.pay", "desk.*"]],
}


def _number(tree: Any, chance: random.Random) -> None:
    """Make some number of a condition, limit or quorum a little larger or smaller."""
    found = [loc for loc, each in nodes(tree) if loc and loc[0] in ("rules", "budgets") and is_number(each)]
    if found:
        holder, step = _place(tree, chance.choice(found))
        holder[step] = max(holder[step] + chance.choice([-1, 1, Decimal("0.01")]), 0)


def _word(tree: Any, chance: random.Random) -> None:
    found = [loc for loc, _ in nodes(tree) if loc and loc[-1] in WORDS]
    holder, step = _place(tree, chance.choice(found))
    holder[step] = chance.choice(WORDS[str(step)])


def _test(tree: Any, chance: random.Random) -> None:
    """Add an operator to the tests of some path, or take one away."""
    found = [loc for loc, each in nodes(tree) if isinstance(each, dict) and str(loc[-1:]).find("args.") > 0]
    if found:
        holder, step = _place(tree, chance.choice(found))
        more: list[Any] = [{"optional": True}, {"exists": True}, {"gt": 1}, {"in": ["a", "dev"]}]
        taken = chance.choice(list(holder[step]))
        holder[step] |= chance.choice(more)
        if chance.random() < 0.3:
            del holder[step][taken]


def _rule(tree: Any, chance: random.Random) -> None:
    """Take a rule or its condition away, or add one of another policy."""
    rules, other = tree["rules"], made_source(chance.randrange(400)).tree["rules"]
    place = chance.randrange(len(rules))
    if chance.random() < 0.4:
        rules.insert(place, copy.deepcopy(chance.choice(other)) | {"id": "new"})
    elif chance.random() < 0.5:
        del rules[place]
    else:
        rules[place]["when"] = copy.deepcopy(chance.choice(other).get("when", {"args.n": 1}))


def _place(tree: Any, loc: tuple[Any, ...]) -> tuple[Any, Any]:
    for step in loc[:-1]:
        tree = tree[step]
    return tree, loc[-1]


_CHANGES: list[Callable[[Any, random.Random], None]] = [_number, _number, _word, _test, _test, _rule]


def _changed(source: Source, chance: random.Random) -> Any:
    """Return the policy with one change, or None where that does not load."""
    tree: Any = copy.deepcopy(source.tree)
    chance.choice(_CHANGES)(tree, chance)
    try:
        return load_texts({source.name: dump(tree)})
    except PolicyError:
        return None


def test_what_is_called_looser_or_tighter_is_so() -> None:
    """No call that a tightened policy lets pass was stopped before, and none the other way round."""

    def check(chance: random.Random) -> None:
        source = made_source(chance.randrange(400))
        policy = _changed(source, chance)
        ways = {each.way for each in differences(source.policy, policy)} if policy else {""}
        if ways not in ({"looser"}, {"tighter"}):
            return
        for action in (call(source, chance) for _ in range(10)):
            old, new = judged(source.policy, [], action), judged(policy, [], action)
            stricter, looser = (new, old) if ways == {"tighter"} else (old, new)
            assert not is_looser(stricter, looser), (differences(source.policy, policy), action)

    numbered("diff", 0.06, check)
