"""Spoilt policy files: nothing but documented errors, and never a looser verdict than the file as it was."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from gate.errors import PolicyError, Problem
from gate.policy.keys import DESCRIPTIONS
from gate.policy.load import load_texts
from gate.policy.parsing import OPERATORS
from gate.policy.policyset import PolicySet
from tests.property.mutation_kit import (
    STRICTNESS,
    Source,
    Step,
    calls,
    dump,
    foreign,
    garbled,
    is_looser,
    is_number,
    judged,
    leaves,
    lookalike,
    misspelt,
    nodes,
    numbered,
    put,
    rename,
    sources,
    spoilt,
)
from tests.property.policy_maker import a_source

KEYS = {key for keys in DESCRIPTIONS.values() for key in keys} | {*OPERATORS, "optional", "all", "any", "not"}
WORDS = {"then", "resolve", "default", "risk", "unit", "approve", "deny"}


# ---- any text at all --------------------------------------------------------------------------------------


def _loaded(text: str) -> PolicySet | None:
    """Load a text, or return None where it says what is wrong and where."""
    problems: Sequence[Problem] = ()
    try:
        return load_texts({"spoilt.yml": text})
    except PolicyError as error:
        problems = error.problems
    assert problems
    assert all(each.message and str(each).startswith("spoilt.yml") for each in problems)
    return None


def test_any_text_loads_or_says_what_is_wrong() -> None:
    """Whatever becomes of a shipped file: located errors, or a policy that judges every call."""

    def check(chance: random.Random) -> None:
        source = a_source(chance)
        policy = _loaded(garbled(source.text, chance))
        if policy is not None:
            assert judged(policy, *calls(source, chance)).answer in STRICTNESS

    numbered("text", 0.3, check)


# ---- one word of a policy ---------------------------------------------------------------------------------


def _is_key(loc: tuple[Step, ...]) -> bool:
    free = loc[:-1] in (("names",), ("actions",)) or (loc and isinstance(loc[-1], int))
    return bool(loc) and not free and loc[-1] in KEYS


def _misspelt_key(source: Source, chance: random.Random) -> Any:
    loc = chance.choice([loc for loc, _ in nodes(source.tree) if _is_key(loc)])
    new = misspelt(str(loc[-1]), chance)
    return None if new in KEYS else spoilt(source.tree, loc, rename(new))


def _misspelt_word(source: Source, chance: random.Random) -> Any:
    found = [(loc, each) for loc, each in nodes(source.tree) if loc and loc[-1] in WORDS]
    loc, word = chance.choice([(loc, each) for loc, each in found if isinstance(each, str)])
    return spoilt(source.tree, loc, put(misspelt(word, chance)))


def _foreign_name(source: Source, chance: random.Random) -> Any:
    ids = [loc for loc, each in nodes(source.tree) if loc and loc[-1] in ("id", "name") and len(loc) < 4]
    globs = [("actions", each) for each in source.tree.get("actions", {})]
    loc = chance.choice([*ids, *globs])
    if loc[0] == "actions":
        return spoilt(source.tree, loc, rename(foreign(str(loc[-1]), chance)))
    return spoilt(source.tree, loc, lambda holder, step: put(foreign(holder[step], chance))(holder, step))


def _nothing(source: Source, chance: random.Random) -> Any:
    loc = chance.choice([loc for loc, _ in nodes(source.tree) if loc])
    return spoilt(source.tree, loc, put(None))


def _no_number(source: Source, chance: random.Random) -> Any:
    loc = chance.choice([loc for loc, each in nodes(source.tree) if loc and is_number(each)])
    return spoilt(source.tree, loc, put(Decimal(chance.choice(["NaN", "Infinity"]))))


def test_a_misspelt_policy_never_loads() -> None:
    """A key, an operator, an answer, an id or a glob in other letters, nothing, or no number: an error."""

    def check(chance: random.Random) -> None:
        source = a_source(chance)
        spoil = chance.choice([_misspelt_key, _misspelt_word, _foreign_name, _nothing, _no_number])
        try:
            tree = spoil(source, chance)
        except IndexError:  # the file has nothing of that kind
            return
        if tree is not None:
            text = dump(tree)
            assert _loaded(text) is None, (spoil.__name__, source.name, _difference(source.tree, tree))

    numbered("word", 0.4, check)


def _difference(one: Any, two: Any) -> list[Any]:
    mine, yours = dict(nodes(one)), dict(nodes(two))
    return [(loc, each) for loc, each in yours.items() if loc not in mine or dump(mine[loc]) != dump(each)][
        -3:
    ]


def _number_as_text(source: Source, chance: random.Random) -> Any:
    loc, each = chance.choice([(loc, each) for loc, each in nodes(source.tree) if loc and is_number(each)])
    return spoilt(source.tree, loc, put(str(each)))


def _operand_in_other_letters(source: Source, chance: random.Random) -> Any:
    found = [
        (loc, each)
        for loc, each in nodes(source.tree.get("rules", []))
        if isinstance(each, str) and "when" in loc and {"eq", "ne", "in", "not_in"} & {*map(str, loc[-2:])}
    ]
    loc, each = chance.choice(found)
    return spoilt(source.tree, ("rules", *loc), put(lookalike(each, chance)))


def test_a_spoilt_operand_never_loosens() -> None:
    """A number written as text, a text in other letters: an error, or a verdict that is no looser.

    Calls never say the other letters here: a rule that is about those is another rule, so that only shipped
    policies, which are about none, have texts changed.
    """

    def check(chance: random.Random) -> None:
        source = a_source(chance)
        ways = [_number_as_text, _operand_in_other_letters if source in sources() else _number_as_text]
        try:
            tree = chance.choice(ways)(source, chance)
        except IndexError:
            return
        policy = _loaded(dump(tree))
        before, action = calls(source, chance)
        if policy is not None:
            then, now = judged(source.policy, before, action), judged(policy, before, action)
            assert not is_looser(now, then), (source.name, _difference(source.tree, tree), action, then, now)

    numbered("operand", 0.3, check)


def test_the_mutations_do_spoil() -> None:
    """Each sort of mutation changes what it is made of, and not all of them load."""
    chance = random.Random(1)
    texts = [garbled(sources()[0].text, chance) for _ in range(40)]
    loaded = [_loaded(text) for text in texts]
    assert None in loaded
    assert any(loaded)
    assert all(misspelt("then", chance) != "then" for _ in range(40))
    assert all(lookalike(text, chance) != text for text in ("eur", "EUR", "1", "名") for _ in range(20))
    assert json.loads(dump({"a": [1, Decimal("1.50"), None, "x"]})) == {"a": [1, 1.5, None, "x"]}
    assert len(list(leaves(sources()[0].tree))) > 20
