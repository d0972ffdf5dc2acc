"""Effects: declared in YAML over declared in code over guessed from the name."""

from __future__ import annotations

from typing import Any

import pytest

from gate.model import Effect, ResolvedEffect
from gate.policy.effects import guess_risk
from gate.policy.evaluate import evaluate
from tests.policy_kit import APPROVALS, ask, call, load

OK = f"default: by_risk\n{APPROVALS}"


def _effect(actions: str, name: str = "shop.pay", **keys: Any) -> ResolvedEffect:
    return ask(OK + (f"actions: {actions}\n" if actions else ""), call({}, name, **keys)).effect


@pytest.mark.parametrize(
    ("name", "risk"),
    [
        ("a.get_order", "read"),
        ("a.getOrder", "read"),
        ("a.GetHTTPStatus", "read"),
        ("a.list-orders", "read"),
        ("a.lookup", "read"),
        ("a.look_up", "read"),
        ("a.describe_charge", "read"),
        ("a.search_issue", "read"),
        ("a.get_refund", "read"),
        ("a.GET_ORDER", "read"),
        ("a.get_or_create", "write"),
        ("a.get_then_pay", "write"),
        ("a.search_for_x", "write"),
        ("a.read_write", "write"),
        ("a.fetch_and_store", "write"),
        ("a.check_out", "write"),
        ("a.get_transfer", "write"),
        ("a.list_block", "write"),
        ("a.order_get", "write"),
        ("a.getaway", "write"),
        ("a.reads", "write"),
        ("a.get2", "write"),
        ("a.get_x2", "read"),
        ("a.get_send2", "write"),
        ("a.get_send2fa", "write"),
        ("a.get_2send", "write"),
        ("a.delete2fa_key", "destructive"),
        ("a.get_s3_object", "read"),
        ("a.get_order_delete2", "destructive"),
        ("drop3.get_order", "destructive"),
        ("get.order", "write"),
        ("a.issue_refund", "write"),
        ("a.delete_order", "destructive"),
        ("a.get_and_delete", "destructive"),
        ("a.getDELETEd_x", "destructive"),
        ("purge.get_order", "destructive"),
        ("a.drop.get_x", "destructive"),
        ("a.DELETEall", "destructive"),
        ("a.deleted_orders", "write"),
    ],
)
def test_the_guess_from_the_name(name: str, risk: str) -> None:
    """A read only if its first word reads and no later one writes; destruction counts in any segment."""
    assert guess_risk(name, server=False) == risk


def test_names_that_host_code_did_not_write_are_never_guessed_reads() -> None:
    """A server may call anything get_…; a declaration still counts."""
    assert guess_risk("a.get_order", server=True) == "write"
    assert guess_risk("a.delete_order", server=True) == "destructive"
    assert _effect("", "shop.get_it", source="server").risk == "write"
    assert _effect("{shop.get_it: {risk: read}}", "shop.get_it", source="server").declared_read


def test_yaml_counts_over_code_over_guess_key_by_key() -> None:
    """Each key has its own source."""
    code = Effect(risk="read", reversible=False, amount="args.total", describe="Code")
    effect = _effect("{shop.pay: {risk: destructive, describe: Yaml}}", effect=code)
    assert (effect.risk, effect.reversible, effect.amount, effect.describe) == (
        "destructive",
        False,
        "args.total",
        "Yaml",
    )
    assert effect.sources["risk"] == "a.yml"
    assert effect.sources["reversible"] == "code"
    assert effect.sources["outbound"] == "undeclared"
    assert not effect.guessed
    assert _effect("", "shop.pay").guessed


def test_undeclared_means_outbound_and_irreversible_unless_a_declared_read() -> None:
    """A guessed read has the careful values too."""
    guessed = _effect("", "shop.get_it")
    assert (guessed.risk, guessed.reversible, guessed.outbound, guessed.declared_read) == (
        "read",
        False,
        True,
        False,
    )
    declared = _effect("{shop.*: {risk: read}}", "shop.get_it")
    assert (declared.reversible, declared.outbound, declared.declared_read) == (True, False, True)


def test_the_exact_name_counts_over_globs_and_longer_globs_over_shorter() -> None:
    """Key by key: what the more specific entry does not say comes from the next."""
    actions = '{"*": {risk: destructive, outbound: false}, "shop.*": {risk: write}, Shop.PAY: {risk: read}}'
    effect = _effect(actions)
    assert (effect.risk, effect.outbound) == ("read", False)
    assert _effect(actions, "shop.other").risk == "write"
    assert _effect(actions, "other.get").risk == "destructive"


def test_between_files_the_stricter_value_counts_whatever_its_specificity() -> None:
    """Highest risk, not reversible, outbound; the file that decided is named."""
    one = OK + "actions: {shop.pay: {risk: read, reversible: true, outbound: true}}\n"
    two = OK + 'actions: {"*": {risk: write, reversible: false, outbound: false}}\n'
    effect = evaluate(load(one, two), call({}, "shop.pay")).effect
    assert (effect.risk, effect.reversible, effect.outbound) == ("write", False, True)
    assert [effect.sources[key] for key in ("risk", "reversible", "outbound")] == ["b.yml", "b.yml", "a.yml"]


def test_a_file_says_nothing_about_actions_that_it_does_not_cover() -> None:
    """Effects and show of a file concern only what its applies_to names; redact concerns the whole set."""
    away = (
        'applies_to: ["bank.*"]\n'
        + OK
        + 'actions: {"*": {risk: read}}\nshow: [args.token]\nredact: [args.iban]\n'
    )
    verdict = evaluate(load(OK, away), call({}, "shop.pay"))
    assert verdict.effect.risk == "write"
    assert verdict.show == ()
    assert verdict.redact == ("args.iban",)
    assert load(OK, away).redactions() == ("args.iban",)


def test_redaction_of_an_action_adds_to_that_of_the_set() -> None:
    """All entries that match hide; the most specific one shows."""
    text = OK + (
        "redact: [args.a]\nshow: [args.s]\n"
        'actions: {"*": {redact: [args.b], show: [args.t]}, shop.pay: {redact: [args.c], show: [args.u]}}\n'
    )
    verdict = ask(text, call({}, "shop.pay"))
    assert set(verdict.redact) == {"args.a", "args.b", "args.c"}
    assert set(verdict.show) == {"args.s", "args.u"}


def test_unusable_paths_from_code_are_unreadable_and_never_raise() -> None:
    """What code declares wrongly makes money unknown, not free."""
    for path in ("amount", "args", "a b", "effect.amount"):
        text = (
            OK.replace("by_risk", "block")
            + "rules: [{id: r, then: allow, when: {effect.amount: {lte: 5}}}]\n"
        )
        assert ask(text, call({"amount": 1}, effect=Effect(amount=path))).answer == "block"
