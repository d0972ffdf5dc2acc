"""What one call adds to a budget, whose it is, and what holds it because it cannot be read."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from gate.budget import Use
from gate.model import Action, Effect, Principal
from gate.policy.spending import Rehearsal
from gate.policy.uses import uses_of
from tests.policy_kit import call, load, rule, written

MONEY = {"sum": "effect.amount", "limit": {"EUR": 100, "*": 200}}


def _text(budget: dict[str, Any], **keys: Any) -> str:
    body = {"id": "b", "limit": 5, "per": "session", "window": "1h", **budget}
    return written(rule("all", "allow", match="*"), budgets=[body], **keys)


def _uses(budget: dict[str, Any], action: Action, **keys: Any) -> tuple[Use, ...]:
    return uses_of(load(_text(budget, **keys)), action)


def _only(budget: dict[str, Any], action: Action, **keys: Any) -> Use:
    (found,) = _uses(budget, action, **keys)
    return found


def _pays(**keys: Any) -> dict[str, Any]:
    return {"shop.run_it": {"risk": "write", "amount": "args.n", "currency": "args.c", **keys}}


def test_without_sum_a_call_counts_one() -> None:
    """Calls are counted whatever they carry."""
    use = _only({}, call({"n": 7}))
    assert (use.kind, dict(use.adds), use.bucket, use.unsure) == ("calls", {"": Decimal(1)}, "=s1", ())


@pytest.mark.parametrize(
    ("per", "bucket"),
    [
        ("session", "=s1"),
        ("agent", "=bot"),
        ("everything", "*"),
        ("args.customer", "=cus 1"),
        ("facts.tenant", "=7"),
        ("action", "=shop.run_it"),
    ],
)
def test_whose_a_budget_is(per: str, bucket: str) -> None:
    """Session, agent, everything, or the value at a path."""
    action = call({"customer": "Cus 1"}, facts={"tenant": 7})
    assert _only({"per": per}, action).bucket == bucket


@pytest.mark.parametrize("spelt", ["cus_1", "CUS_1", " cus_1\t", "cus\u200b_1", "ｃｕｓ_1"])
def test_spellings_that_read_alike_are_one_bucket(spelt: str) -> None:
    """Case, space, width and invisible characters do not open a new budget."""
    assert _only({"per": "args.customer"}, call({"customer": spelt})).bucket == "=cus_1"


@pytest.mark.parametrize("value", [1, 1.0, Decimal("1.00"), "1"])
def test_a_number_is_the_same_bucket_however_it_is_written(value: Any) -> None:
    """1, 1.0 and "1" name one customer."""
    assert _only({"per": "args.customer"}, call({"customer": value})).bucket == "=1"


@pytest.mark.parametrize(
    "same", [(0, -0.0, Decimal("0.00")), (10**50, 1e50, Decimal("1E50")), (10**300, Decimal("1E300"))]
)
def test_no_number_opens_a_new_bucket_by_its_spelling(same: tuple[Any, ...]) -> None:
    """Zero has no sign, and an exponent spells the same customer as the digits do."""
    buckets = {_only({"per": "args.customer"}, call({"customer": each})).bucket for each in same}
    assert len(buckets) == 1


@pytest.mark.parametrize(
    "args", [{}, {"customer": None}, {"customer": ""}, {"customer": [1]}, {"customer": {"a": 1}}]
)
def test_a_call_that_does_not_say_whose_it_is_shares_one_bucket_and_is_held(args: dict[str, Any]) -> None:
    """A missing, empty or unreadable key is held, however little was used."""
    use = _only({"per": "args.customer"}, call(args))
    assert use.bucket == "?"
    assert use.unsure
    assert Rehearsal(load(_text({"per": "args.customer"}))).judge(call(args)).answer == "require_approval"


def test_on_behalf_of_nobody_shares_one_bucket_too() -> None:
    """A session that acts for nobody is held by a budget for each person."""
    assert _only({"per": "on_behalf_of"}, call()).bucket == "?"
    asked = call(on_behalf_of=Principal("outside", "cus_81"))
    assert _only({"per": "on_behalf_of"}, asked).bucket == "=outside:cus_81"


def test_a_tool_without_the_parameter_is_not_covered() -> None:
    """Neither by the key it lacks nor by the sum it lacks."""
    assert _uses({"per": "args.customer"}, call({"n": 1}, params="n")) == ()
    assert _uses({"sum": "args.n"}, call({"to": "x"}, params="to")) == ()


def test_only_what_match_and_applies_to_name_is_covered() -> None:
    """A budget of another tool, or of a file that does not cover the call, counts nothing."""
    assert _uses({"match": "shop.other"}, call()) == ()
    assert _uses({}, call(), applies_to=["mail.*"]) == ()
    assert _only({"match": ["mail.*", "SHOP.*"]}, call())


def test_declared_reads_are_left_out_unless_it_says_so() -> None:
    """A read by declaration is free; one that is only guessed is not."""
    reads = {"shop.get_it": {"risk": "read"}}
    declared, guessed = call(name="shop.get_it"), call(name="shop.get_other")
    assert _uses({}, declared, actions=reads) == ()
    assert _only({"reads": True}, declared, actions=reads)
    assert _only({}, guessed, actions=reads)


def test_when_counts_on_true_and_on_unknown() -> None:
    """Only what is surely not meant is left out."""
    budget = {"when": {"args.kind": "gift"}}
    assert _only(budget, call({"kind": "gift"}))
    assert _only(budget, call({}))
    assert _only(budget, call({"kind": "GIFT"}))
    assert _uses(budget, call({"kind": "sale"})) == ()


# ---- money ------------------------------------------------------------------------------------------------


def test_money_is_added_up_by_currency() -> None:
    """The code is read trimmed and in any case; numbers exactly."""
    use = _only(MONEY, call({"n": 12.1, "c": " eur "}), actions=_pays())
    assert (use.kind, dict(use.adds), use.unsure) == ("money", {"EUR": Decimal("12.1")}, ())


def test_a_list_of_amounts_adds_up() -> None:
    """Two payments in one call are both counted."""
    assert dict(_only(MONEY, call({"n": [5, 7], "c": "EUR"}), actions=_pays()).adds) == {"EUR": Decimal(12)}


def test_without_a_currency_the_star_counts() -> None:
    """Money in no declared currency is its own unit."""
    actions = {"shop.run_it": {"risk": "write", "amount": "args.n"}}
    assert dict(_only(MONEY, call({"n": 5}), actions=actions).adds) == {"": Decimal(5)}


@pytest.mark.parametrize(
    ("unit", "code", "given", "amount"),
    [("EUR", "EUR", 1250, "12.50"), ("JPY", "JPY", 1250, "1250"), ("BHD", "BHD", 1250, "1.250")],
)
def test_minor_units_count_as_what_they_are_worth(unit: str, code: str, given: int, amount: str) -> None:
    """1,250 cents are 12.50 EUR, 1,250 yen are yen, and dinars have three decimals."""
    use = _only(MONEY, call({"n": given, "c": code}), actions=_pays(unit="minor"))
    assert dict(use.adds) == {unit: Decimal(amount)}


@pytest.mark.parametrize("code", ["QQQ", None])
def test_minor_units_of_an_unknown_currency_cannot_be_read(code: str | None) -> None:
    """Nobody can tell how many of them make one."""
    use = _only(MONEY, call({"n": 5, "c": code}), actions=_pays(unit="minor"))
    assert dict(use.adds) == {"?": Decimal(1)}
    assert use.unsure


@pytest.mark.parametrize(
    "args",
    [
        {"c": "EUR"},
        {"n": None, "c": "EUR"},
        {"n": [], "c": "EUR"},
        {"n": "5", "c": "EUR"},
        {"n": "6,000.00", "c": "EUR"},
        {"n": -5, "c": "EUR"},
        {"n": [5, -1], "c": "EUR"},
        {"n": True, "c": "EUR"},
        {"n": float("nan"), "c": "EUR"},
        {"n": Decimal("1e40"), "c": "EUR"},
        {"n": {"value": 5}, "c": "EUR"},
        {"n": 5},
        {"n": 5, "c": "Bitcoin"},
        {"n": 5, "c": []},
    ],
)
def test_an_amount_that_cannot_be_read_is_held_and_weighs_as_the_limit(args: dict[str, Any]) -> None:
    """Missing, text, negative, too large, or in no readable currency: never nothing."""
    use = _only(MONEY, call(args), actions=_pays())
    assert dict(use.adds) == {"?": Decimal(1)}
    assert use.unsure
    assert "give" in use.unsure[0]


def test_a_currency_without_a_limit_is_held() -> None:
    """Where no entry and no star covers it, nobody said how much may run."""
    use = _only({"sum": "effect.amount", "limit": {"EUR": 100}}, call({"n": 1, "c": "CHF"}), actions=_pays())
    assert use.unsure == ("the budget has no limit in CHF: give the amount in EUR",)


def test_a_write_with_an_undeclared_amount_is_held() -> None:
    """An argument that reads like an amount is not taken for nothing; ``amount: none`` says it moves none."""
    for value in (5, "5", "five or 5", "五百", [500], {"value": 500}, [{"parts": ["5"]}], float("nan"), -5):
        assert _only(MONEY, call({"total_amount": value})).unsure, value
    for value in ("blue", True, None, [], {}, ["blue"]):
        assert _uses(MONEY, call({"total_amount": value})) == (), value
    assert _only(MONEY, call({"am\u043eunt": 5})).unsure, "nobody can tell what other letters spell"
    assert _uses(MONEY, call({"note": "5"})) == ()
    assert _uses(MONEY, call({"total_amount": 5}), actions={"shop.run_it": {"amount": "none"}}) == ()


def test_a_guess_that_it_reads_does_not_exempt() -> None:
    """A name that sounds like a read may still move money."""
    assert _only(MONEY, call({"amount": 5}, name="shop.get_payout")).unsure


def test_an_amount_of_nothing_adds_nothing() -> None:
    """Zero is readable, and no budget holds a call that would add nothing to it."""
    assert _uses(MONEY, call({"n": 0, "c": "EUR"}), actions=_pays()) == ()


# ---- counts and other sums --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "adds"),
    [(["a", "b"], 2), (3, 3), (0.5, Decimal("0.5")), ([{"qty": 2}, {"qty": 3}], 2)],
)
def test_a_path_is_added_up_and_a_list_counts_its_elements(value: Any, adds: Any) -> None:
    """Numbers as they are, lists by how many they hold."""
    assert dict(_only({"sum": "args.n"}, call({"n": value})).adds) == {"": Decimal(adds)}


def test_a_path_through_a_list_adds_its_numbers_up() -> None:
    """Quantities inside items are summed, not counted."""
    items = [{"qty": 2}, {"qty": 3}]
    assert dict(_only({"sum": "args.items.qty"}, call({"items": items})).adds) == {"": Decimal(5)}
    assert _only({"sum": "args.items.qty"}, call({"items": [{"qty": 2}, {}]})).unsure


@pytest.mark.parametrize("args", [{}, {"n": None}, {"n": []}, {"n": "7"}, {"n": -1}, {"n": {"a": 1}}])
def test_a_sum_that_cannot_be_read_weighs_as_the_limit(args: dict[str, Any]) -> None:
    """Left out, empty, text, negative or an object."""
    use = _only({"sum": "args.n"}, call(args))
    assert dict(use.adds) == {"?": Decimal(1)}
    assert use.unsure


def test_a_declared_count_is_counted_and_an_undeclared_one_is_one() -> None:
    """``count`` is a number or a list; the code may declare it as well as the policy."""
    counts = {"shop.run_it": {"risk": "write", "count": "args.ids"}}
    assert dict(_only({"sum": "effect.count"}, call({"ids": [1, 2, 3]}), actions=counts).adds) == {
        "": Decimal(3)
    }
    assert dict(_only({"sum": "effect.count"}, call({"ids": [1, 2, 3]})).adds) == {"": Decimal(1)}
    assert _only({"sum": "effect.count"}, call({}), actions=counts).unsure
    by_code = call({"ids": [1, 2]}, effect=Effect(count="args.ids"))
    assert dict(_only({"sum": "effect.count"}, by_code).adds) == {"": Decimal(2)}


def test_an_argument_that_breaks_when_it_is_looked_at_is_held() -> None:
    """Whatever an object does, it does not get out of a budget."""

    class Trap:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError("no")

        __hash__ = None  # type: ignore[assignment]

    use = _only({"sum": "args.n", "when": {"args.n": {"ne": "x"}}}, call({"n": Trap()}))
    assert use.unsure


# ---- what it says -----------------------------------------------------------------------------------------


def test_a_redacted_amount_does_not_stand_in_the_reason() -> None:
    """What a policy hides is not told by a budget's numbers either."""
    keys = {"actions": _pays(), "redact": ["args.n"]}
    verdict = Rehearsal(load(_text(MONEY, **keys))).judge(call({"n": 7777, "c": "EUR"}))
    assert verdict.answer == "require_approval"
    assert "7,777" not in verdict.reason
    assert "hidden" in verdict.reason


def test_the_reason_tells_the_numbers_and_a_written_one_stays() -> None:
    """Limit, used and added stand in the sentence unless the policy writes its own."""
    used = Rehearsal(load(_text(MONEY, actions=_pays())))
    used.judge(call({"n": 90, "c": "EUR"}))
    told = used.judge(call({"n": 20, "c": "EUR"}))
    assert told.reason == (
        "The budget a/b allows 100 EUR in 1h in this session: 90 EUR used, this call adds 20 EUR."
    )
    own = Rehearsal(load(_text({**MONEY, "reason": "Enough for now."}, actions=_pays())))
    assert own.judge(call({"n": 101, "c": "EUR"})).reason == "Enough for now."


def test_what_a_deciding_budget_reads_is_decisive() -> None:
    """Amount, currency and key stand on the card uncut."""
    policy = load(_text({**MONEY, "per": "args.customer"}, actions=_pays()))
    verdict = Rehearsal(policy).judge(call({"n": 101, "c": "EUR", "customer": "x", "note": "y"}))
    assert set(verdict.decisive) == {"args.n", "args.c", "args.customer"}


def test_a_budget_adds_its_requirement_to_a_rule_that_holds() -> None:
    """Both must be met; a budget that blocks takes the rule's place."""
    held = rule("ask", "require_approval", match="*")
    budget = {"id": "b", "limit": 0, "per": "agent", "window": "1h", "approvers": ["U0CAROL"]}
    both = Rehearsal(load(written(held, budgets=[budget]))).judge(call())
    assert [each.rules for each in both.requirements] == [("a/ask",), ("a/b",)]
    blocks = Rehearsal(load(written(held, budgets=[{**budget, "then": "block"}]))).judge(call())
    assert (blocks.answer, blocks.rules, blocks.requirements) == ("block", ("a/b",), ())


def test_held_and_blocked_calls_are_not_charged() -> None:
    """Only what runs counts, so a smaller call still passes after a large one was held."""
    policy = load(_text(MONEY, actions=_pays()))
    desk = Rehearsal(policy)
    answers = [desk.judge(call({"n": n, "c": "EUR"})).answer for n in (80, 30, 20, 1)]
    assert answers == ["allow", "require_approval", "allow", "require_approval"]
