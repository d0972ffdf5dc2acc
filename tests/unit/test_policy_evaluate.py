"""Evaluation: which rule answers, what unknown does, and how files are combined."""

from __future__ import annotations

from typing import Any

import pytest

from gate.model import Verdict
from gate.policy.evaluate import evaluate
from tests.policy_kit import APPROVALS, ask, call, load, rule, written

UNKNOWN = {"args.missing": 1}
TRUE = {"args.x": 1}
FALSE = {"args.x": 2}
CALL = call({"x": 1})


def _verdict(*rules: dict[str, Any], **keys: Any) -> Verdict:
    return ask(written(*rules, **keys), CALL)


def test_strictest_ignores_the_order() -> None:
    """Block over require_approval over allow, wherever they stand."""
    rules = [rule("a", "allow"), rule("b", "block"), rule("c", "require_approval")]
    for ordered in (rules, rules[::-1]):
        verdict = _verdict(*ordered)
        assert (verdict.answer, verdict.rules) == ("block", ("a/b",))
    assert _verdict(rules[0], rules[2]).rules == ("a/c",)


def test_first_match_ends_at_the_first_rule_that_applies() -> None:
    """Later rules are not asked."""
    rules = [rule("no", "block", when=FALSE), rule("a", "allow", when=TRUE), rule("b", "block")]
    assert _verdict(*rules, resolve="first_match").rules == ("a/a",)
    assert _verdict(rules[2], rules[1], resolve="first_match").rules == ("a/b",)


def test_a_file_whose_rules_are_silent_gives_its_default() -> None:
    """Only then; a rule that surely applies silences the default."""
    assert _verdict(rule("a", "block", when=FALSE), default="allow").rules == ("a/default",)
    assert _verdict(rule("a", "allow", when=TRUE), default="block").rules == ("a/a",)
    assert _verdict(rule("a", "block", match="other.*"), default="allow").rules == ("a/default",)


@pytest.mark.parametrize("resolve", ["strictest", "first_match"])
@pytest.mark.parametrize(
    ("then", "default", "answer", "rules"),
    [
        ("allow", "block", "block", ("a/default",)),
        ("allow", "require_approval", "require_approval", ("a/default",)),
        ("allow", "allow", "allow", ("a/default",)),
        ("require_approval", "allow", "require_approval", ("a/u",)),
        ("require_approval", "require_approval", "require_approval", ("a/u", "a/default")),
        ("require_approval", "block", "block", ("a/default",)),
        ("block", "allow", "block", ("a/u",)),
        ("require_approval", "abstain", "block", ("gate/no_policy",)),
        ("allow", "abstain", "block", ("gate/no_policy",)),
    ],
)
def test_unknown_gives_the_strictest_of_true_and_false(
    resolve: str, then: str, default: str, answer: str, rules: tuple[str, ...]
) -> None:
    """A spoilt argument never loosens: where only unknown rules applied, the default answers as well."""
    verdict = _verdict(rule("u", then, when=UNKNOWN), default=default, resolve=resolve)
    assert (verdict.answer, verdict.rules) == (answer, rules)


def test_first_match_keeps_an_unknown_hold_in_mind_and_walks_on() -> None:
    """The strictest of the unknown rules and of the first rule that is surely true."""
    hold = rule("hold", "require_approval", when=UNKNOWN)
    assert _verdict(hold, rule("a", "allow"), resolve="first_match").rules == ("a/hold",)
    assert _verdict(hold, rule("b", "block"), rule("a", "allow"), resolve="first_match").rules == ("a/b",)
    both = _verdict(hold, rule("sure", "require_approval"), rule("b", "block"), resolve="first_match")
    assert both.rules == ("a/sure", "a/hold")
    blocked = rule("b", "block", when=UNKNOWN)
    assert _verdict(hold, blocked, rule("a", "allow"), resolve="first_match").rules == ("a/b",)


def test_under_strictest_a_sure_rule_silences_the_default_beside_unknown_ones() -> None:
    """The unknown hold stays; the default does not answer, since a rule surely applied."""
    verdict = _verdict(rule("a", "allow"), rule("u", "require_approval", when=UNKNOWN), default="block")
    assert verdict.rules == ("a/u",)


def test_the_reason_says_what_was_missing_and_how_to_be_decided() -> None:
    """For a missing number, a text, a near miss and a list that disagrees."""
    cases: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        ({}, {"args.amount": {"gt": 5}}, "amount was not given: give amount as a number"),
        (
            {"amount": "14,000"},
            {"args.amount": {"gt": 5}},
            "amount is text where a number is compared: give amount as a number",
        ),
        ({"amount": True}, {"args.amount": {"gt": 5}}, "amount is true or false where a number is compared"),
        (
            {"kind": "Gift "},
            {"args.kind": "gift"},
            "kind differs only in case, space or invisible characters: write kind exactly",
        ),
        (
            {"to": ["x@rival.example", "y@ours.example"]},
            {"args.to": {"glob": "*@rival.example"}},
            "1 of 2 to matches: x@rival.example",
        ),
        (
            {"to": "a\nb"},
            {"args.to": {"glob": "a*b"}},
            "to holds control characters or line breaks: leave them out",
        ),
    ]
    for args, when, said in cases:
        verdict = ask(written(rule("r", "block", when=when), default="allow"), call(args))
        assert verdict.reason.startswith("Could not be decided: ")
        assert verdict.reason.endswith(". If it applies: Reason of r.")
        assert said in verdict.reason
        assert said in verdict.rulings[0].missing[0]


def test_reasons_show_no_value_that_is_hidden_and_no_markup() -> None:
    """What policies redact, what a key names as secret and odd characters stay out of reasons."""
    when = {"args.to": {"glob": "a*"}}
    text = written(rule("r", "block", when=when), default="allow")
    shown = ask(text, call({"to": ["a<!here>*", "b"]})).reason
    assert "a…!here" not in shown
    assert "a……here……" in shown
    hidden = ask(text + "redact: [args.to]\n", call({"to": ["a1", "b"]})).reason
    assert "a1" not in hidden
    assert "1 of 2 to matches;" in hidden
    secret = written(rule("r", "block", when={"args.token": {"glob": "a*"}}), default="allow")
    assert "a1" not in ask(secret, call({"token": ["a1", "b"]})).reason


def test_what_did_not_matter_is_not_said() -> None:
    """Unknown parts beside a part that decided leave no trace."""
    when = {"any": [UNKNOWN, TRUE]}
    ruling = _verdict(rule("r", "block", when=when)).rulings[0]
    assert (ruling.reason, ruling.missing) == ("Reason of r.", ())


def test_by_risk_runs_reads_and_holds_the_rest() -> None:
    """Declared or guessed; the reason says what the tool is taken for."""
    text = written(default="by_risk")
    assert ask(text, call({}, "shop.get_it")).rules == ("a/default",)
    assert ask(text, call({}, "shop.get_it")).answer == "allow"
    held = ask(text, call({}, "shop.pay"))
    assert held.answer == "require_approval"
    assert (
        held.reason
        == "No rule of a allows this call, and by its name it is a write (a guess): a person decides."
    )
    assert held.requirements[0].rules == ("a/default",)


def test_every_ruling_names_its_place() -> None:
    """File and line, for people who ask why."""
    rules = "- {id: a, then: allow}\n- {id: b, then: block, reason: No., when: {args.x: 1}}\n"
    text = f"default: block\n{APPROVALS}rules:\n{rules}"
    assert [each.place for each in ask(text, CALL).rulings] == ["a.yml:5"]
    assert [each.place for each in ask("default: block\n", CALL).rulings] == ["a.yml:1"]


def test_files_are_combined_to_the_strictest_answer() -> None:
    """Each covering file answers by its rules or its default."""
    one, two = written(rule("a", "allow")), written(rule("h", "require_approval"), default="allow")
    verdict = evaluate(load(one, two), CALL)
    assert (verdict.answer, verdict.rules) == ("require_approval", ("b/h",))
    third = written(default="block", applies_to=["bank.*"])
    assert evaluate(load(one, two, third), CALL).rules == ("b/h",)
    assert evaluate(load(one, two, third), call({}, "bank.pay")).rules == ("c/default",)


def test_each_file_resolves_in_its_own_way() -> None:
    """A first_match file ends at its allow rule; the other file still blocks."""
    one = written(rule("a", "allow"), rule("b", "block"), resolve="first_match")
    two = written(rule("c", "block", when=TRUE), default="abstain")
    assert evaluate(load(one), CALL).answer == "allow"
    assert evaluate(load(one, two), CALL).rules == ("b/c",)


def test_abstaining_and_covering_nothing_block_in_the_end() -> None:
    """If nobody has an opinion, the call does not run."""
    away = written(rule("a", "allow"), applies_to=["bank.*"])
    silent = written(rule("a", "allow", when=FALSE), default="abstain")
    for texts in ((away,), (silent,), (away, silent)):
        verdict = evaluate(load(*texts), CALL)
        assert (verdict.answer, verdict.rules, verdict.reason) == (
            "block",
            ("gate/no_policy",),
            "No policy covers shop.run_it.",
        )
    assert evaluate(load(silent, written(default="allow")), CALL).rules == ("b/default",)


@pytest.mark.parametrize(
    "name", ["", "pay", "shop..pay", "shop.pay ", "shop.pây", "shop.pay\n", "shop/pay", "a." * 200 + "b"]
)
def test_a_name_of_another_form_is_blocked_before_anything_is_asked(name: str) -> None:
    """Even where everything is allowed."""
    verdict = ask("default: allow\n", call({}, name))
    assert (verdict.answer, verdict.rules) == ("block", ("gate/bad_name",))


def test_all_that_hold_become_requirements_merged_by_approvers() -> None:
    """Rules with the same approvers make one requirement with the stricter values, others their own."""
    verdict = _verdict(
        rule("a", "require_approval", quorum=2, expires_in="1h"),
        rule("b", "require_approval", expires_in="2h", comment={"approve": "required"}),
        rule("c", "require_approval", approvers=["U0BOB"], channel="C0OTHER"),
        rule("d", "allow"),
    )
    first, second = verdict.requirements
    assert (first.rules, first.quorum, first.expires_in.total_seconds()) == (("a/a", "a/b"), 2, 3600)
    assert first.comment_required == {"approve", "deny"}
    assert (second.rules, second.channels) == (("a/c",), ("C0OTHER",))


def test_decisive_values_are_what_decided_plus_effect_paths_plus_declared() -> None:
    """None at all means all arguments."""
    actions = {"shop.*": {"amount": "args.sum", "currency": "EUR", "decisive": ["args.account"]}}
    verdict = _verdict(
        rule("r", "require_approval", when={"args.x": {"lte": {"path": "args.y"}}, "agent": "bot"}),
        rule("silent", "require_approval", when={"args.w": {"exists": True}}),
        rule("unsure", "require_approval", when={"args.z": 1}),
        default="allow",
        actions=actions,
    )
    assert verdict.decisive == ("args.x", "args.y", "args.z", "args.sum", "args.account")
    assert _verdict(rule("r", "require_approval")).decisive == ()


def test_an_unknown_hold_does_not_lift_the_block_of_what_nobody_covers() -> None:
    """If the condition were false, every file would abstain; the reason says what was missing."""
    unsure = written(rule("u", "require_approval", when=UNKNOWN), default="abstain")
    verdict = evaluate(load(unsure, unsure.replace('"u"', '"v"')), CALL)
    assert verdict.rules == ("gate/no_policy",)
    assert verdict.reason.startswith("Could not be decided: missing was not given")
    assert verdict.reason.endswith(". If no rule applies: No policy covers shop.run_it.")
    sure = written(rule("a", "allow", when=TRUE), default="abstain")
    assert evaluate(load(unsure, sure), CALL).rules == ("a/u",)


def test_the_verdict_carries_the_revision() -> None:
    """So that a claim can tell whether the policy has changed since."""
    policy = load(written(rule("a", "allow")))
    assert evaluate(policy, CALL).revision == policy.revision
