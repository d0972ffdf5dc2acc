"""The JSON Schema for editors: up to date, complete, and as strict as one key can tell."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gate.cli.init import POLICY
from gate.policy import schema
from gate.policy.keys import DESCRIPTIONS
from gate.policy.schema_json import FILE_NAME, policy_schema, schema_text
from gate.policy.source import read_text
from tests.policy_kit import load, problems

FOLDER = Path(__file__).parents[2] / "policies"
SHIPPED = [
    path
    for path in sorted([*FOLDER.glob("*.yml"), *FOLDER.glob("examples/*.yml")])
    if ".test." not in path.name
]
RICH = """
version: 1
name: rich
applies_to: "shop.*"
resolve: first_match
default: by_risk
names: {alice: U02ALICE, finance: S03FINANCE, here: C0APPROVALS}
operators: [alice]
limits: {pending_per_session: 5, pending_per_agent: 50, asks_per_session: {count: 3, window: 1h},
         burst: {count: 4, window: 5m}}
approvals: {channel: here, approvers: [alice, {members_of: C0PRIVATE}], quorum: 1, distinct: true,
            expires_in: 4h, use_within: 1h, deliver_within: 10m, comment: {approve: required, deny: optional},
            deny_reasons: [Too much], tell_agent: {approver: name}, on_behalf_of_may_approve: true,
            remind_before: [1h, 15m], hand_over: {after: 30m, approvers: [U03BOB]},
            on_caller_gone: cancel, ask_again_after: 0s}
actions:
  shop.pay: {risk: write, reversible: false, outbound: true, amount: args.amount, currency: EUR, unit: minor,
             count: args.items, describe: "Pay {args.amount}", decisive: [args.to], redact: [args.card],
             params: [amount, items, to, card, tag, note], show: [args.tag]}
  "shop.get_*": {risk: read, amount: none}
redact: ['args["a.b"].c']
show: [args.token]
rules:
  - {id: one, match: [shop.pay], when: {effect.amount: {gt: {EUR: 0, "*": 1}, lte: 5}, agent: clerk},
     then: allow}
  - id: two
    when:
      any:
        - {args.n: {in: [1, a, true]}, args.m: {eq: [1, 2]}, facts.x: {lt: {path: facts.y}}}
        - not: {args.to: {regex: "a.*", optional: true}}
        - all: [{args.t: {length: {lte: 10}}}, {args.u: {length: 3}}, {args.v: {contains: x, exists: true}}]
    then: require_approval
    reason: Why.
    approvers: [finance]
    editable: [args.n, 'args["the m"].x']
  - {id: three, then: block, reason: Why.}
budgets:
  - {id: calls, limit: 50, per: session, window: 1h}
  - {id: money, match: "*", sum: effect.amount, limit: {EUR: 5, "*": 5}, per: args.to, window: 24h,
     reads: true, then: require_approval, reason: Much., headroom: 3}
"""


def _plain(value: Any) -> Any:
    """Return read YAML as JSON has it."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return float(value) if isinstance(value, Decimal) else value


def _wrong(text: str) -> list[str]:
    """Return what the schema has against a text."""
    checker = jsonschema.Draft7Validator(policy_schema())
    return [error.message for error in checker.iter_errors(_plain(read_text(text, "p.yml").value))]


def test_the_schema_itself_is_sound() -> None:
    """It is a schema of draft 7, which editors know."""
    jsonschema.Draft7Validator.check_schema(policy_schema())


def test_the_committed_file_is_up_to_date() -> None:
    """It is what 'gate policy schema' writes."""
    assert (FOLDER / FILE_NAME).read_text() == schema_text()


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_shipped_files_carry_the_line_and_validate(path: Path) -> None:
    """The line names the schema's real place, seen from the file."""
    found = re.match(r"# yaml-language-server: \$schema=(\S+)\n", path.read_text())
    assert found is not None
    assert (path.parent / found[1]).resolve() == FOLDER / FILE_NAME
    assert _wrong(path.read_text()) == []


@pytest.mark.parametrize("text", [POLICY, RICH], ids=["init", "rich"])
def test_what_loads_validates(text: str) -> None:
    """The first policy, and one with every key and operator there is."""
    assert load(text).files
    assert _wrong(text) == []


def test_every_key_is_written_in_the_rich_policy() -> None:
    """So that no key can be left out of the schema unseen."""
    for model, keys in DESCRIPTIONS.items():
        for key in keys:
            assert re.search(rf"\b{key}\b", RICH), (model, key)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("default: by_risk", "default: by_rsk"),
        ("default: by_risk", ""),
        ("resolve: first_match", "resolve: first"),
        ("quorum: 1", "quorum: 21"),
        ("distinct: true", "distinct: 1"),
        ("expires_in: 4h", "expires_in: 4"),
        ("expires_in: 4h", "expries_in: 4h"),
        ("risk: write", "risk: writes"),
        ("decisive: [args.to]", "decisive: [to]"),
        ("then: allow", "then: hodl"),
        ("id: one", "id: default"),
        ("id: one, match: [shop.pay]", "match: [shop.pay]"),
        ("lte: 5}", "ltee: 5}"),
        ("lte: 5}", "lte: five}"),
        ("EUR: 0", "euro: 0"),
        ("agent: clerk", "agents: clerk"),
        ("in: [1, a, true]", "in: []"),
        ("eq: [1, 2]", "eq: null"),
        ("{path: facts.y}", "{paths: facts.y}"),
        ("window: 1h}\n  - {id: money", "window: soon}\n  - {id: money"),
        ("per: session, window", "window"),
        ("headroom: 3", "headroom: 0"),
        ("names: {alice: U02ALICE", "names: {alice: alice"),
        ("count: 3, window: 1h", "window: 1h"),
        ("args.n: {in", "arg.n: {in"),
    ],
)
def test_typical_mistakes_are_seen_by_schema_and_loader(before: str, after: str) -> None:
    """What an editor underlines does not load either."""
    assert before in RICH
    text = RICH.replace(before, after, 1)
    assert _wrong(text), after
    assert problems(text)


def test_every_key_of_every_model_is_described() -> None:
    """Each has one sentence, and no sentence is about a key that is not there."""
    models = {name: model for name in DESCRIPTIONS if (model := getattr(schema, name, None)) is not None}
    assert set(models) == set(DESCRIPTIONS)
    for name, model in models.items():
        assert set(DESCRIPTIONS[name]) == set(model.model_fields), name
    assert json.loads(schema_text())["definitions"]["RuleKeys"]["properties"]["then"]["description"]
