"""Adding up what budgets count: exact, strictly above, shares of several limits, rolling windows."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest

from gate.budget import MemoryLedger, Use, is_over, judge, plus, readable, share, together
from gate.model import Ruling

EUR_USD = {"EUR": Decimal(5000), "USD": Decimal(5500), "*": Decimal(5000)}
HOUR = 3_600_000_000


def _d(**amounts: str) -> dict[str, Decimal]:
    return {unit: Decimal(amount) for unit, amount in amounts.items()}


def _use(adds: dict[str, Decimal] | None = None, limit: int = 2, bucket: str = "=s1") -> Use:
    return Use(
        digest="d",
        terms="t",
        bucket=bucket,
        secret=False,
        per="in this session",
        kind="calls",
        adds=adds or {"": Decimal(1)},
        limits={"*": Decimal(limit)},
        window=timedelta(hours=1),
        ruling=Ruling("a/b", "require_approval", ""),
    )


@pytest.mark.parametrize(
    ("charged", "adds", "over"),
    [
        ({}, {"": Decimal(50)}, False),
        ({"": Decimal(49)}, {"": Decimal(1)}, False),
        ({"": Decimal(50)}, {"": Decimal(1)}, True),
        (
            {"": Decimal("49.99999999999999999999999999999")},
            {"": Decimal("0.00000000000000000000000000001")},
            False,
        ),
        (
            {"": Decimal("49.99999999999999999999999999999")},
            {"": Decimal("0.00000000000000000000000000002")},
            True,
        ),
        ({"": Decimal(60)}, {}, False),
        ({"": Decimal(60)}, {"": Decimal(0)}, False),
    ],
)
def test_only_what_is_strictly_above_the_limit_is_over(
    charged: dict[str, Decimal], adds: dict[str, Decimal], over: bool
) -> None:
    """The limit itself passes, one part in 10^29 above does not, and what adds nothing is never over."""
    assert is_over(charged, adds, {"*": Decimal(50)}) is over


def test_shares_of_several_currencies_add_up() -> None:
    """4,999 EUR and 4,999 USD are each below their limit and together over it."""
    assert not is_over({}, _d(EUR="4999"), EUR_USD)
    assert is_over(_d(EUR="4999"), _d(USD="4999"), EUR_USD)
    assert not is_over(_d(EUR="2500"), _d(USD="2750"), EUR_USD)
    assert is_over(_d(EUR="2500"), _d(USD="2750.01"), EUR_USD)
    assert share(_d(EUR="2500", USD="2750"), EUR_USD) == Fraction(1)


def test_a_currency_without_an_entry_falls_under_the_star() -> None:
    """Another currency has the limit of ``*``; where there is none, any amount is all of the budget."""
    assert not is_over({}, _d(CHF="5000"), EUR_USD)
    assert is_over({}, _d(CHF="5001"), EUR_USD)
    assert is_over({}, _d(CHF="1"), {"EUR": Decimal(5000)})
    assert is_over(_d(CHF="1"), _d(EUR="1"), {"EUR": Decimal(5000)})


def test_an_amount_that_could_not_be_read_weighs_as_the_whole_limit() -> None:
    """One fills the budget to its limit; anything beside it is over."""
    assert not is_over({}, {"?": Decimal(1)}, EUR_USD)
    assert is_over({"?": Decimal(1)}, _d(EUR="0.01"), EUR_USD)
    assert is_over(_d(EUR="0.01"), {"?": Decimal(1)}, EUR_USD)


def test_a_limit_of_zero_lets_nothing_pass() -> None:
    """Zero is a limit, not the absence of one."""
    assert is_over({}, {"": Decimal(1)}, {"*": Decimal(0)})
    assert is_over({}, _d(EUR="0.01", USD="1"), {"EUR": Decimal(0), "USD": Decimal(100)})


@pytest.mark.parametrize(
    ("text", "good"), [("1e30", True), ("1e31", False), ("1e-30", True), ("1e-31", False), ("-5", True)]
)
def test_only_numbers_that_can_be_added_exactly_are_readable(text: str, good: bool) -> None:
    """Numbers so large or fine that a sum would cost or round are not added up."""
    assert readable(Decimal(text)) is good


def test_sums_do_not_round() -> None:
    """Thirty digits on both sides of the point stay, where ordinary decimals keep 28 in all."""
    large, fine = Decimal("1e30"), Decimal("1e-30")
    assert large + fine == large  # what ordinary arithmetic makes of it
    assert str(plus(large, fine)) == "1" + "0" * 30 + "." + "0" * 29 + "1"
    assert together([{"": large}, {"": fine}, {"": -large}]) == {"": fine}


def test_a_window_rolls_and_its_far_end_is_out() -> None:
    """A charge counts while less than the window has passed, and no longer at that very instant."""
    books = MemoryLedger()
    books.now = 10 * HOUR
    books.charge([_use()])
    books.now = 11 * HOUR - 1
    assert books.charged(_use()) == {"": Decimal(1)}
    books.charge([_use()])
    books.now = 11 * HOUR
    assert books.charged(_use()) == {"": Decimal(1)}
    books.now = 12 * HOUR
    assert books.charged(_use()) == {}


def test_buckets_do_not_meet() -> None:
    """What one session used is nothing to another."""
    books = MemoryLedger()
    for _ in range(3):
        books.charge([_use()])
    assert [one.over for one in judge([_use(), _use(bucket="=s2")], books)] == [True, False]


def test_a_clock_that_goes_back_never_frees_a_budget() -> None:
    """A charge made at a later time counts for a call that is judged at an earlier one."""
    books = MemoryLedger()
    books.now = 10 * HOUR
    books.charge([_use(), _use(bucket="=s2")])
    books.now = 8 * HOUR
    books.charge([_use()])
    assert books.charged(_use()) == {"": Decimal(2)}


def test_budgets_that_count_the_same_are_charged_once() -> None:
    """Two limits on one count do not count each call twice."""
    books = MemoryLedger()
    books.charge([_use(limit=2), _use(limit=5)])
    assert books.charged(_use()) == {"": Decimal(1)}
