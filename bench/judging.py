"""Time what is pure: evaluation, the digest, and loading a policy."""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import Any

import yaml

from bench import policies, targets
from bench.measure import Plan, Work, alternating, ratio
from bench.targets import Target
from gate.digest import action_digest
from gate.policy.evaluate import evaluate
from gate.policy.load import load_texts

_KEY = b"k" * 32


def judged(plan: Plan) -> dict[Target, float]:
    """Time one verdict under few rules, many, and many for the one tool; and the digest of the call."""
    ten, thousand, same = (
        load_texts({"bench.yml": text})
        for text in (policies.for_tools(10), policies.for_tools(1000), policies.for_one_tool(1000))
    )
    action = policies.call()
    short: dict[str, Work] = {
        "10": partial(evaluate, ten, action),
        "1000": partial(evaluate, thousand, action),
        "digest": partial(action_digest, _KEY, action),
    }
    found = alternating(plan, short, rounds=plan.size(60, 3), times=plan.size(500, 20))
    found |= alternating(
        plan, {"same": partial(evaluate, same, action)}, rounds=plan.size(60, 3), times=plan.size(20, 2)
    )
    return {
        targets.JUDGE_10: median(found["10"]),
        targets.JUDGE_1000: ratio(found["1000"], found["10"]),
        targets.JUDGE_SAME: median(found["same"]),
        targets.DIGEST: median(found["digest"]),
    }


def loaded(plan: Plan) -> dict[Target, float]:
    """Time how long 1,000 rules take to load."""
    text = policies.for_one_tool(1000)
    works: dict[str, Work] = {
        "load": partial(load_texts, {"bench.yml": text}),
        "yaml": partial(_parsed, text),
    }
    found = alternating(plan, works, rounds=plan.size(15, 2), times=1)
    return {
        targets.LOAD: median(found["load"]) / 1000,
        targets.LOAD_YAML: median(found["yaml"]) / 1000,
    }


def _parsed(text: str) -> None:
    """Take every event of a text from the parser that the gate uses, and do nothing with it."""
    parser: Any = yaml.CSafeLoader(text)
    while parser.get_event():
        pass
