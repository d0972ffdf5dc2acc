"""Laws of budgets: order does not matter, the store adds up like memory, spoilt arguments never loosen."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gate.budget import is_over, share, together
from gate.clock import FakeClock
from gate.model import Action
from gate.policy.load import load_texts
from gate.policy.spending import Rehearsal
from gate.service import Service

LIMITS = {"EUR": Decimal(100), "USD": Decimal("110.5"), "*": Decimal(90)}
AMOUNTS = st.decimals(min_value=0, max_value=200, places=3).map(lambda n: n.normalize())
UNITS = st.sampled_from(["EUR", "USD", "CHF", ""])
PARTS = st.lists(st.tuples(UNITS, AMOUNTS).map(lambda each: {each[0]: each[1]}), max_size=8)

POLICY = """
version: 1
name: desk
default: allow
approvals: {channel: C0APPROVALS, approvers: [U0ALICE]}
limits: {pending_per_session: 1000, pending_per_agent: 1000, asks_per_session: {count: 1000, window: 1h}}
actions:
  desk.pay: {risk: write, amount: args.amount, currency: args.currency}
  desk.send: {risk: write, amount: none, count: args.to}
budgets:
  - {id: money, match: desk.pay, sum: effect.amount, limit: {EUR: 100, USD: 110, "*": 90}, per: agent,
     window: 2h}
  - {id: each, match: "desk.*", limit: 4, per: args.whom, window: 1h, then: block}
  - {id: mails, match: desk.send, sum: effect.count, limit: 5, per: session, window: 1h}
"""
SET = load_texts({"desk.yml": POLICY})


@given(parts=PARTS, seed=st.randoms(use_true_random=False))
def test_the_order_of_charges_does_not_matter(parts: list[dict[str, Decimal]], seed: Any) -> None:
    """Sums and shares are exact, so every order gives the same."""
    shuffled = list(parts)
    seed.shuffle(shuffled)
    assert together(parts) == together(shuffled)
    assert share(together(parts), LIMITS) == sum((share(each, LIMITS) for each in shuffled), Fraction(0))


@given(charged=PARTS, adds=PARTS, more=PARTS)
def test_more_charges_never_let_a_call_pass(
    charged: list[dict[str, Decimal]], adds: list[dict[str, Decimal]], more: list[dict[str, Decimal]]
) -> None:
    """What is over stays over whatever else was charged or is added."""
    used, call = together(charged), together(adds)
    if is_over(used, call, LIMITS):
        assert is_over(together([used, *more]), call, LIMITS)
        assert is_over(used, together([call, *more]), LIMITS)


CALLS = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {
                "name": st.just("desk.pay"),
                "amount": st.one_of(st.integers(0, 60), st.decimals(0, 60, places=2)),
                "currency": st.sampled_from(["EUR", "usd", "CHF"]),
                "whom": st.sampled_from(["a", "B", "c"]),
            }
        ),
        st.fixed_dictionaries(
            {
                "name": st.just("desk.send"),
                "to": st.lists(st.just("x"), min_size=1, max_size=3),
                "whom": st.sampled_from(["a", "b "]),
            }
        ),
    ),
    min_size=1,
    max_size=14,
)
STEPS = st.lists(st.sampled_from([0, 60, 1799, 3600, 7199]), min_size=14, max_size=14)


def _action(given: dict[str, Any], number: int) -> Action:
    arguments = {key: value for key, value in given.items() if key != "name"} | {"n": number}
    return Action(given["name"], arguments, "desk", "s1")


@settings(max_examples=40, deadline=None)
@given(calls=CALLS, steps=STEPS)
def test_the_store_answers_as_a_rehearsal_in_memory(calls: list[dict[str, Any]], steps: list[int]) -> None:
    """``gate check`` and production give the same verdicts to the same calls at the same times."""
    clock = FakeClock()
    gate, rehearsal = Service(":memory:", policy=SET, clock=clock), Rehearsal(SET)
    gate.open_session("s1", agent="desk", on_behalf_of=None)
    for number, each in enumerate(calls):
        clock.advance(timedelta(seconds=steps[number]))
        action = _action(each, number)
        expected = rehearsal.judge(action, clock.now())
        assert gate.preview(action).rules == expected.rules
        found = gate.submit(action, wait=False)
        assert {"run": "allow", "held": "require_approval", "ended": "block"}[found.kind] == expected.answer
    gate.close()


SPOILT = st.one_of(
    st.none(),
    st.just([]),
    st.text(max_size=5),
    st.booleans(),
    st.integers(max_value=-1),
    st.just(float("nan")),
    st.just(float("inf")),
    st.just(Decimal("1e99")),
    st.dictionaries(st.just("a"), st.integers(), max_size=1),
)
_STRICT = {"allow": 0, "require_approval": 1, "block": 2}


@given(
    calls=CALLS, key=st.sampled_from(["amount", "currency", "to", "whom"]), value=SPOILT, drop=st.booleans()
)
def test_a_spoilt_argument_never_loosens(
    calls: list[dict[str, Any]], key: str, value: Any, drop: bool
) -> None:
    """The last call with a spoilt or missing argument is answered as strictly as unspoilt, or more."""
    *before, last = calls
    if key not in last:
        return
    if isinstance(value, str) and value.strip().upper() in ("EUR", "USD", "CHF", "A", "B", "C"):
        return
    if key in ("whom", "currency") and isinstance(value, (str, int, Decimal)):
        return  # another readable key or code is another call, not a spoilt one
    rehearsal, spoilt = Rehearsal(SET), Rehearsal(SET)
    for number, each in enumerate(before):
        rehearsal.judge(_action(each, number))
        spoilt.judge(_action(each, number))
    broken = {name: each for name, each in last.items() if name != key} | ({} if drop else {key: value})
    good, bad = rehearsal.judge(_action(last, 99)), spoilt.judge(_action(broken, 99))
    assert _STRICT[bad.answer] >= _STRICT[good.answer]


@given(value=SPOILT)
def test_an_amount_that_cannot_be_read_is_held_by_an_empty_budget(value: Any) -> None:
    """However little was used, nobody lets pass what nobody can read."""
    action = Action("desk.pay", {"amount": value, "currency": "EUR", "whom": "z"}, "desk", "s")
    verdict = Rehearsal(SET).judge(action)
    assert (verdict.answer, verdict.rules) == ("require_approval", ("desk/money",))
