"""Budgets, limits and names are read strictly: each fault is named with its place and what to write."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from gate.model import Approver
from gate.policy.budgets import Budget
from gate.policy.limits import Limits
from tests.policy_kit import APPROVALS, load, only_problem, problems

HEAD = "default: block\n"


def _budget(keys: str, approvals: str = APPROVALS) -> str:
    return f"{HEAD}{approvals}budgets:\n- {{id: b, {keys}}}\n"


def _loaded(keys: str) -> Budget:
    return load(_budget(keys)).budgets[0]


CALLS = "limit: 5, per: session, window: 1h"


def test_a_budget_has_its_defaults() -> None:
    """Every call, held past the limit, reads left out, no headroom."""
    budget = _loaded(CALLS)
    assert (budget.rule, budget.ruling.answer, budget.reads, budget.headroom) == (
        "a/b",
        "require_approval",
        False,
        0,
    )
    assert (dict(budget.limits), budget.window) == ({"*": Decimal(5)}, timedelta(hours=1))
    assert budget.ruling.place == "a.yml:4"
    assert budget.ruling.requirement is not None


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("per: session, window: 1h", "budgets[0].limit: must be written"),
        ("limit: 5, window: 1h", "budgets[0].per: must be written"),
        ("limit: 5, per: session", "budgets[0].window: must be written"),
        ("limit: 5.5, per: session, window: 1h", "must be a whole number of calls"),
        ('limit: "5", per: session, window: 1h', "must be a number"),
        ("limit: -1, per: session, window: 1h", "must be zero or more"),
        ("limit: {EUR: 5}, per: session, window: 1h", "limits by currency go with sum: effect.amount"),
        ("sum: effect.amount, limit: 5, per: session, window: 1h", "must name the most by currency"),
        ("sum: effect.amount, limit: {EURO: 5}, per: session, window: 1h", '"EURO" is no currency'),
        ("sum: effect.amount, limit: {EUR: -5}, per: session, window: 1h", "must be zero or more"),
        (
            "sum: effect.amount, limit: {path: args.x}, per: session, window: 1h",
            "must be numbers by currency",
        ),
        ("sum: effect.risk, limit: 5, per: session, window: 1h", "cannot be added up"),
        ("sum: arg.n, limit: 5, per: session, window: 1h", '(did you mean "args.n"?)'),
        ("limit: 5, per: sesion, window: 1h", "or write session, agent, on_behalf_of, everything"),
        ("limit: 5, per: session, window: 500d", "must be from 1s to 366d"),
        ("limit: 5, per: session, window: hour", "is not a duration"),
        (f"{CALLS}, then: allow", '"allow" is not one of require_approval, block'),
        (f"{CALLS}, then: block, headroom: 3", "goes with require_approval only"),
        (f"{CALLS}, headroom: 0", "must be a whole number from 1 to 1000"),
        (f"{CALLS}, when: {{}}", "must be a mapping of paths to conditions"),
        (f"{CALLS}, limits: 3", '"limits" is not a key here (did you mean "limit"?)'),
    ],
)
def test_a_fault_in_a_budget_is_named(keys: str, said: str) -> None:
    """One wrong key or value is an error with its place and words."""
    assert any(said in str(each) for each in problems(_budget(keys)))


def test_a_budget_that_can_hold_needs_people() -> None:
    """Channel and approvers, on it or under approvals; one that blocks asks nobody."""
    assert "can hold calls, so channel and approvers must be written" in only_problem(_budget(CALLS, ""))
    assert load(_budget(f"{CALLS}, then: block", "")).requirements() == ()


def test_rules_and_budgets_share_their_ids() -> None:
    """An id names one thing of a file; default is taken."""
    rules = "rules:\n- {id: b, then: allow}\n"
    assert '"b" is used twice, first by rules[0]' in only_problem(_budget(CALLS) + rules)
    taken = _budget(CALLS).replace("id: b", "id: default")
    assert "is the id of the file's default" in only_problem(taken)


def test_people_of_budgets_count_as_the_sets() -> None:
    """Preflight and the local workspace see their channels and approvers, decide their requirement."""
    policy = load(_budget(f"{CALLS}, channel: C0MONEY, approvers: [U0CAROL]", ""))
    assert policy.channels() == ("C0MONEY",)
    assert policy.approvers() == (Approver("user", "U0CAROL"),)
    assert policy.requirement_of("a/b") == policy.budgets[0].ruling.requirement


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("limit: 7, per: session, window: 2h, then: block", True),
        ("limit: 5.0, per: session, window: 1h, reason: Why.", True),
        ("limit: 5, per: agent, window: 1h", False),
        (f"{CALLS}, match: shop.*", False),
        (f"{CALLS}, when: {{args.x: 1}}", False),
        (f"{CALLS}, reads: true", False),
        (f"{CALLS}, sum: args.n", False),
    ],
)
def test_the_digest_tells_what_is_counted(other: str, same: bool) -> None:
    """Limit, window, answer, id and reason do not change what is counted; the rest does."""
    assert (_loaded(other).digest == _loaded(CALLS).digest) is same


def test_a_number_and_its_text_count_different_calls() -> None:
    """So one does not spend what the other has; the same number is the same, however it is written."""
    whole, point, text = (_loaded(f"{CALLS}, when: {{args.x: {x}}}").digest for x in ("5", "5.0", '"5"'))
    assert whole == point
    assert point != text


def test_the_terms_tell_what_was_granted() -> None:
    """A changed limit, window, answer or approver makes other terms; a new id or reason does not."""
    assert _loaded("limit: 6, per: session, window: 1h").terms != _loaded(CALLS).terms
    assert _loaded("limit: 5, per: session, window: 2h").terms != _loaded(CALLS).terms
    assert _loaded(f"{CALLS}, approvers: [U0CAROL]").terms != _loaded(CALLS).terms
    assert _loaded(f"{CALLS}, quorum: 2").terms != _loaded(CALLS).terms
    renamed = load(_budget(f"{CALLS}, reason: Why.").replace("id: b", "id: c")).budgets[0]
    assert renamed.terms == _loaded(CALLS).terms


# ---- limits -----------------------------------------------------------------------------------------------


def test_limits_have_defaults_and_are_read_from_one_file() -> None:
    """What is not written is as designed; a second file with limits is an error."""
    assert load(HEAD).limits == Limits(20, 100, 60, timedelta(hours=1))
    written = f"{HEAD}limits: {{pending_per_session: 3, asks_per_session: {{count: 5, window: 10m}}}}\n"
    assert load(HEAD, written).limits == Limits(3, 100, 5, timedelta(minutes=10))
    assert load(f"{HEAD}limits: {{asks_per_session: {{count: 6}}}}\n").limits == Limits(20, 100, 6)
    said = problems(written, f"name: b\n{written}")
    assert [str(each) for each in said] == [
        "b.yml:3:9: limits: stand in a.yml already: one file of a set has them"
    ]


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ("{pending: 5}", '"pending" is not a key here'),
        ("{pending_per_session: 0}", "must be a whole number from 1"),
        ("{asks_per_session: 60}", "must be a mapping of keys"),
        ("{asks_per_session: {window: 1h}}", "limits.asks_per_session.count: must be written"),
        ("[]", "must be a mapping of keys"),
    ],
)
def test_a_fault_in_limits_is_named(limits: str, said: str) -> None:
    """Strictly, like everything else."""
    assert said in only_problem(f"{HEAD}limits: {limits}\n")


# ---- names ------------------------------------------------------------------------------------------------

NAMES = "names: {alice: U0ALICE, finance: S0FINANCE, room: C0APPROVALS, insiders: G0INSIDE}\n"


def test_names_stand_wherever_an_id_may() -> None:
    """In channels and approvers, under approvals, on rules and on budgets."""
    text = (
        f"default: by_risk\n{NAMES}approvals: {{channel: room, approvers: [alice, U0BOB]}}\n"
        "rules:\n- {id: r, then: require_approval, reason: Why., "
        "approvers: [finance, {members_of: insiders}]}\n"
        f"budgets:\n- {{id: b, {CALLS}, channel: insiders, approvers: [finance]}}\n"
    )
    policy = load(text)
    default, rule, budget = policy.requirements()
    assert list(map(str, default.approvers)) == ["U0ALICE", "U0BOB"]
    assert default.channels == ("C0APPROVALS",)
    assert list(map(str, rule.approvers)) == ["S0FINANCE", "members_of:G0INSIDE"]
    assert budget.channels == ("G0INSIDE",)


def test_names_belong_to_their_file() -> None:
    """Another file of the set does not know them."""
    other = "name: b\ndefault: by_risk\napprovals: {channel: C0ROOM, approvers: [alice]}\n"
    assert any('"alice" is not an approver' in str(each) for each in problems(f"{HEAD}{NAMES}", other))


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("{alice: alice}", '"alice" is not a Slack id'),
        ("{alice: 5}", '"5" is not a Slack id'),
        ("{U0ALICE: U0BOB}", "is itself a Slack id"),
        ('{"a b": U0BOB}', "is not a name"),
        ("[U0ALICE]", "must be a mapping of names to Slack ids"),
        ("{}", "must be a mapping of names to Slack ids"),
    ],
)
def test_a_fault_in_names_is_named(names: str, said: str) -> None:
    """A name is a word for one Slack id."""
    assert said in only_problem(f"{HEAD}names: {names}\n")


def test_a_misspelt_name_says_which_was_meant() -> None:
    """Once, at its place."""
    text = f"default: by_risk\n{NAMES}approvals: {{channel: room, approvers: [alise]}}\n"
    assert '"alise" is not a name of this file (did you mean "alice"?)' in only_problem(text)


def test_one_person_under_two_spellings_is_listed_twice() -> None:
    """A name and the id behind it are one approver, so a quorum of two cannot be met by them."""
    text = f"default: by_risk\n{NAMES}approvals: {{channel: room, approvers: [alice, U0ALICE]}}\n"
    assert "is listed twice" in only_problem(text)


def test_a_name_of_another_kind_is_an_error() -> None:
    """A channel is no person and a person no channel."""
    text = f"default: by_risk\n{NAMES}approvals: {{channel: alice, approvers: [alice]}}\n"
    assert '"U0ALICE" is not a Slack channel id' in only_problem(text)


# ---- unit and count between files -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "key"),
    [
        ("{amount: args.n}", "{amount: args.n, unit: minor}", "unit"),
        ("{count: args.a}", "{count: args.b}", "count"),
    ],
)
def test_two_files_that_read_an_amount_differently_are_an_error(first: str, second: str, key: str) -> None:
    """100 cents to one and 100 euros to the other cannot both be right."""
    found = problems(f"{HEAD}actions: {{a.b: {first}}}\n", f"name: b\n{HEAD}actions: {{a.b: {second}}}\n")
    assert [each.file for each in found] == ["b.yml"]
    assert f"one action has one {key}" in str(found[0])
