"""Every public use with its exact type; checked by mypy in strict mode, never run."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import timedelta
from decimal import Decimal
from typing import Any, assert_type

from gate import (
    Blocked,
    Cancelled,
    Denied,
    Effect,
    Evidence,
    Expired,
    Gate,
    Hold,
    InDoubt,
    Pending,
    Ran,
    Refused,
    Session,
    Undelivered,
    email,
    outside,
    person,
)
from gate.handles import Allowed, Held
from gate.model import Action, Decision
from gate.outcomes import Failed, Outcome, Refusal

gate = Gate(policy="policies", agent="support", wait=timedelta(minutes=5))


@gate.guard("payments.issue_refund")
def issue_refund(order_id: str, amount: Decimal, *, reason: str = "") -> str:
    """Give a text."""
    return order_id


@gate.guard("payments.look", on_refusal="raise", exclude=["ctx"], effect=Effect(risk="read"), target="acme")
async def look(order_id: str, ctx: object) -> int:
    """Give a number later."""
    return 1


@gate.guard("payments.try_refund", on_refusal="return", target=lambda arguments: str(arguments["order_id"]))
def try_refund(order_id: str) -> int:
    """Give a number."""
    return 1


@gate.guard("payments.try_later", on_refusal="return")
async def try_later(order_id: str) -> list[str]:
    """Give texts later."""
    return [order_id]


class Shop:
    """Have a guarded method."""

    @gate.guard("payments.close")
    def close(self, why: str) -> bytes:
        """Give bytes."""
        return b""


assert_type(issue_refund("ORD-1", Decimal("4"), reason="x"), str)
assert_type(try_refund("ORD-1"), int | Refusal)
assert_type(Shop().close("late"), bytes)
assert_type(gate.bind(issue_refund)("ORD-1", Decimal(1)), str)

issue_refund("ORD-1", "4")  # type: ignore[arg-type]
issue_refund("ORD-1")  # type: ignore[call-arg]
try_refund(1)  # type: ignore[arg-type]
issue_refund("ORD-1", Decimal(1), why="x")  # type: ignore[call-arg]
gate.guard("a.b", on_refusal="ignore")  # type: ignore[call-overload]
gate.session("s")  # type: ignore[call-arg]
gate.session("s", on_behalf_of="U1")  # type: ignore[arg-type]
gate.outcome(issue_refund, "ORD-1", 4)  # type: ignore[call-overload]

ended = gate.outcome(issue_refund, "ORD-1", Decimal(4), reason="x")
assert_type(
    ended,
    Ran[str] | Blocked | Denied | Expired | Cancelled | Undelivered | Pending | InDoubt | Failed,
)
if isinstance(ended, Ran):
    assert_type(ended.result, str | None)
    assert_type(ended.decisions, tuple[Decision, ...])
elif isinstance(ended, Refused):
    assert_type(ended.message_for_agent, str)
else:
    assert_type(ended, Pending | InDoubt | Failed)


async def coroutines() -> None:
    """Use what is to be awaited."""
    assert_type(await look("ORD-1", object()), int)
    assert_type(await try_later("ORD-1"), list[str] | Refusal)
    later = await gate.outcome(look, "ORD-1", object())
    if isinstance(later, Ran):
        assert_type(later.result, int | None)
    submitted = await gate.submit_async(Action("a.b", {}, "support", "s"))
    if isinstance(submitted, Held):
        assert_type(await submitted.hold.wait_async(1), Hold)
    if not isinstance(submitted, Blocked):
        async with gate.claim_async(submitted) as run:
            run.result = 1


def primitive() -> None:
    """Use the primitive."""
    submitted = gate.submit(Action("a.b", {}, "support", "s"))
    assert_type(submitted, Allowed | Held | Blocked)
    if isinstance(submitted, Held):
        hold = submitted.hold.wait(timedelta(seconds=1))
        assert_type(hold, Hold)
        assert_type(hold.outcome, Ran[Any] | Outcome)
    if not isinstance(submitted, Blocked):
        with gate.claim(submitted) as run:
            assert_type(run.arguments, dict[str, Any])


def sessions() -> None:
    """Use sessions."""
    for whom in (person("U1"), email("a@example.com"), outside("cus_1"), None):
        with gate.session(
            "s", agent="a", on_behalf_of=whom, evidence=["x", Evidence("y", "strong")]
        ) as session:
            assert_type(session, Session)
            session.add_evidence("z")
    with gate.call(id="c1", wait="until_decided", note="n"):
        assert_type(gate.action_id(), str)


plain: Callable[[str], int | Refusal] = try_refund
awaited: Callable[[str], Coroutine[Any, Any, list[str] | Refusal]] = try_later
with gate as opened:
    assert_type(opened, Gate)
