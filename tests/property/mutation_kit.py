"""Shipped policies to spoil, calls to ask them about, and numbered mutations: one number, one mutation.

Each run takes the numbers from a start on. ``GATE_MUTATIONS`` says how many policy files are spoilt, and how
many calls (default 2,000 of each, shared out among the sorts), and ``GATE_MUTATION_SEED`` where the numbers
start (default 1). A number that fails is written to ``mutation_seeds.txt`` beside this file, and is tried
first from then on.
"""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from gate.model import Action, Verdict
from gate.policy.load import load_texts
from gate.policy.policyset import PolicySet
from gate.policy.source import read_text
from gate.policy.spending import Rehearsal

POLICIES = Path(__file__).parents[2] / "policies"
COUNT = int(os.environ.get("GATE_MUTATIONS", "2000"))
START = int(os.environ.get("GATE_MUTATION_SEED", "1"))
Step = str | int
STRICTNESS = {"allow": 0, "require_approval": 1, "block": 2}
_KEPT = Path(__file__).with_name("mutation_seeds.txt")


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """One shipped policy file.

    Attributes:
        name: Its file name.
        text: Its text.
        tree: What it says.
        policy: It, loaded alone.
    """

    name: str
    text: str
    tree: Mapping[str, Any]
    policy: PolicySet


@cache
def sources() -> tuple[Source, ...]:
    """Return every policy file that is shipped."""
    found = sorted([*POLICIES.glob("*.yml"), *POLICIES.glob("examples/*.yml")])
    return tuple(_source(path) for path in found if ".test." not in path.name)


def _source(path: Path) -> Source:
    text = path.read_text("utf-8")
    return Source(path.name, text, read_text(text, path.name).value, load_texts({path.name: text}))


def numbered(sort: str, share: float, check: Callable[[random.Random], None]) -> None:
    """Try one sort of mutation under every number, kept ones first.

    Args:
        sort: Name of the sort, as kept beside a number.
        share: Which part of the files or calls falls to this sort.
        check: Makes the mutation that a source of chance leads to, and asserts what must hold.
    """
    count = max(1, round(COUNT * share))
    print(f"{count:,} mutations of the sort {sort} from number {START}")
    for seed in [*_kept(sort), *range(START, START + count)]:
        try:
            check(random.Random(f"{sort} {seed}"))
        except Exception as error:
            _keep(sort, seed)
            error.add_note(f"mutation {sort} {seed}: set GATE_MUTATIONS=1 GATE_MUTATION_SEED={seed}")
            raise


def _kept(sort: str) -> list[int]:
    lines = _KEPT.read_text("utf-8").split("\n") if _KEPT.exists() else []
    return [int(line.split()[1]) for line in lines if line.startswith(f"{sort} ")]


def _keep(sort: str, seed: int) -> None:
    if seed not in _kept(sort):
        with _KEPT.open("a", encoding="utf-8") as file:
            file.write(f"{sort} {seed}\n")


# ---- calls ------------------------------------------------------------------------------------------------

_FEW = [0, 1, 2, 250, 251, Decimal("0.01"), Decimal("250.01"), 5001, -1]
_WORDS = ["a", "EUR", "USD", "bob@ours.example", "x@rival.example", "duplicate", "dev", "single"]


def calls(source: Source, chance: random.Random) -> tuple[list[Action], Action]:
    """Return calls that a policy is about: some that came before, and the one to judge."""
    before = [call(source, chance) for _ in range(chance.choice([0, 0, 1, 3]))]
    return before, call(source, chance)


def call(source: Source, chance: random.Random) -> Action:
    """Return one call, with values out of the policy itself more often than not."""
    name = chance.choice(_names(source))
    entry = source.tree.get("actions", {}).get(name, {})
    params = entry.get("params", ["x", "amount", "currency", "to"])
    pool = [*_FEW, *_WORDS, *_literals(source)]
    args = {each: value(each, pool, chance) for each in params if chance.random() < 0.9}
    facts = {key: chance.choice(_FACTS[key]) for key in _FACTS if chance.random() < 0.8}
    return Action(name, args, "bot", chance.choice(["s1", "s2"]), facts=facts)


_FACTS = {
    "environment": ["production", "staging", "dev"],
    "blast_radius": ["single", "scoped", "broad", "systemic"],
}


@cache
def _names(source: Source) -> list[str]:
    globs = [*source.tree.get("actions", {}), *_globs(source.tree)]
    return [each.replace("*", "it") for each in globs if "." in each]


def _globs(tree: Mapping[str, Any]) -> Iterator[str]:
    for rule in tree.get("rules", []):
        match = rule.get("match", [])
        yield from [match] if isinstance(match, str) else match


@cache
def _literals(source: Source) -> list[Any]:
    return [each for each in leaves(source.tree.get("rules", [])) if isinstance(each, (str, int, Decimal))]


def leaves(tree: Any) -> Iterator[Any]:
    """Yield every scalar of a tree."""
    if isinstance(tree, (Mapping, list)):
        for each in tree.values() if isinstance(tree, Mapping) else tree:
            yield from leaves(each)
    else:
        yield tree


def value(name: str, pool: list[Any], chance: random.Random) -> Any:
    """Return a value of the kind that a parameter takes, or a list of them."""
    if name == "currency":
        return chance.choice(["EUR", "USD", "eur", "JPY"])
    counts = name in ("amount", "cents", "n", "count")
    fitting = [each for each in pool if not isinstance(each, bool) and isinstance(each, str) is not counts]
    if chance.random() < 0.15:
        return [chance.choice(fitting) for _ in range(chance.choice([1, 2, 30]))]
    return chance.choice(fitting)


def judged(policy: PolicySet, before: list[Action], action: Action) -> Verdict:
    """Judge a call after others."""
    rehearsal = Rehearsal(policy)
    for each in before:
        rehearsal.judge(each)
    return rehearsal.judge(action)


def is_looser(now: Verdict, then: Verdict) -> bool:
    """Tell whether a verdict lets pass what another did not, or asks fewer people."""
    if STRICTNESS[now.answer] != STRICTNESS[then.answer]:
        return STRICTNESS[now.answer] < STRICTNESS[then.answer]
    return max((each.quorum for each in now.requirements), default=0) < max(
        (each.quorum for each in then.requirements), default=0
    )


# ---- trees -----------------------------------------------------------------------------------------------


def nodes(tree: Any, loc: tuple[Step, ...] = ()) -> Iterator[tuple[tuple[Step, ...], Any]]:
    """Yield every part of a tree with the way to it."""
    yield loc, tree
    steps = tree.items() if isinstance(tree, Mapping) else enumerate(tree) if isinstance(tree, list) else ()
    for step, each in steps:
        yield from nodes(each, (*loc, step))


def spoilt(tree: Any, loc: tuple[Step, ...], change: Callable[[Any, Step], None]) -> Any:
    """Return a copy in which the holder of a place was changed."""
    made = copy.deepcopy(tree)
    holder = made
    for step in loc[:-1]:
        holder = holder[step]
    change(holder, loc[-1])
    return made


def put(new: Any) -> Callable[[Any, Step], None]:
    """Return a change that puts a value in a place."""

    def change(holder: Any, step: Step) -> None:
        holder[step] = new

    return change


def rename(new: str) -> Callable[[Any, Step], None]:
    """Return a change that gives a key another name, at the same place."""

    def change(holder: Any, step: Step) -> None:
        kept = [(new if key == step else key, each) for key, each in holder.items()]
        holder.clear()
        holder.update(kept)

    return change


def is_number(each: Any) -> bool:
    """Tell whether a value is a number."""
    return isinstance(each, (int, Decimal)) and not isinstance(each, bool)


def foreign(name: str, chance: random.Random) -> str:
    """Return a name with a letter in it that is not ASCII."""
    spot = chance.randrange(len(name) + 1)
    return name[:spot] + chance.choice("éаß\u200bＡ名") + name[spot:]


# ---- text -------------------------------------------------------------------------------------------------


def dump(tree: Any) -> str:
    """Write a tree as YAML in one line; numbers that are none as YAML spells them."""
    if isinstance(tree, Mapping):
        return "{" + ", ".join(f"{json.dumps(key)}: {dump(each)}" for key, each in tree.items()) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(map(dump, tree)) + "]"
    if isinstance(tree, Decimal):
        return f"{tree:f}" if tree.is_finite() else ".nan" if tree.is_nan() else ".inf"
    return json.dumps(tree, ensure_ascii=False)


def misspelt(word: str, chance: random.Random) -> str:
    """Return a word with a letter more, less, twice, swapped, in other case or of another alphabet."""
    spot = chance.randrange(len(word))
    before, letter, after = word[:spot], word[spot], word[spot + 1 :]
    ways = [
        before + after,
        before + letter * 2 + after,
        before + chance.choice("aeinrst_") + letter + after,
        before + after[:1] + letter + after[1:],
        before + letter.swapcase() + after,
        before + _OTHER.get(letter, letter + "\u200b") + after,
        word.upper(),
        word + " ",
    ]
    return chance.choice([each for each in ways if each != word])


_OTHER = {"a": "а", "e": "е", "o": "о", "c": "с", "p": "р", "i": "і", "x": "х"}


def lookalike(text: str, chance: random.Random) -> str:
    """Return a text that only looks like another: other case, width, blanks or what cannot be seen."""
    wide = "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in text)
    spot = chance.randrange(len(text) + 1)
    ways = [text.upper(), text.lower(), text.swapcase(), text.title(), f" {text}", f"{text}\u00a0", wide]
    ways += [text[:spot] + chance.choice("\u200b\u00ad\ufe0f\u2060") + text[spot:]]
    return chance.choice([each for each in ways if each != text] or [f"{text} "])


SNIPPETS = [
    "rules:", "when:", "then: allow", "- id: x", "  ", "\t", "{", "}", "[", "]", ":", "- ", "? ", "|", ">",
    "#", '"', "'", "*", "&a", "*a", "!!python/object:os.system", "!x", "---", "...", "%YAML 1.2", "null",
    "~", ".nan", "-.inf", "NaN", "1e999999", "9" * 5000, "on", "12:30", "017", "0x1f", "2026-11-20", "é",
    "\ufeff", "\u200b", "\0", "\ud800", "\x85", "\u2028", "version: 2", "approvals: {}", "{path: args.x}",
    "<<: x", "=", "[" * 70, "{a: " * 70, "not: {not: {not: {args.x: 1}}}", "regex: '(a+)+$'", "glob: '**'",
    "window: 0s", "quorum: 0",
]  # fmt: skip


def garbled(text: str, chance: random.Random) -> str:
    """Return a text with lines or characters lost, doubled, moved or put in; one change or a few."""
    for _ in range(chance.choice([1, 1, 2, 5])):
        text = chance.choice([_spoil_text, _spoil_lines])(text, chance)
    return text


def _spoil_text(text: str, chance: random.Random) -> str:
    spot = chance.randrange(len(text) + 1)
    after = chance.choice([text[spot:], text[spot + chance.randrange(1, 20) :], ""])
    return text[:spot] + chance.choice(["", chance.choice(SNIPPETS)]) + after


def _spoil_lines(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    spot = chance.randrange(len(lines))
    line, other = lines[spot], chance.choice(lines)
    new = chance.choice([[], [line, line], [other], [f" {line}"], [line + chance.choice(SNIPPETS)]])
    return "\n".join([*lines[:spot], *new, *lines[spot + 1 :]])
