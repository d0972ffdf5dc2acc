"""A support agent that follows a script, where a real one would follow a model."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from demo.orders import OrderBook
from demo.tools import Tools
from gate import Blocked, Denied, Expired, Gate, Ran, Session

THREAD = "conversation-4711"
CLAIM = "The damage claim for ORD-1 was verified by the warehouse."

Say = Callable[[str], None]


class SupportAgent:
    """Work through one customer's case, and note what became of each call.

    Args:
        gate: The gate around the tools.
        tools: The guarded tools.
        book: Where the order book really stands, to check what ran.
        say: Prints what the agent does and reads.

    Attributes:
        told: For each of the first five steps, whether it went as it should.
        denied: Id of the denied call; empty before it was.
    """

    def __init__(self, gate: Gate, tools: Tools, book: OrderBook, say: Say) -> None:
        self._gate, self._tools, self._book, self._say = gate, tools, book, say
        self.told: dict[int, bool] = {}
        self.denied = ""

    def work(self, session: Session) -> None:
        """Take the five steps, one after the other."""
        with session:
            self.look_up()
            self.ask_for_refund()
            session.add_evidence(CLAIM)
            self.ask_again()
            self.ask_for_too_much()
            self.ask_to_cancel()

    def look_up(self) -> None:
        """Step 1: a read runs at once."""
        self._say("1. looks up ORD-1")
        order = self._tools.lookup_order("ORD-1")
        self._say(f"   {order.id}: {order.total} {order.currency}, {order.status}")
        self.told[1] = (order.total, order.status) == (Decimal("400.00"), "delivered")

    def ask_for_refund(self) -> None:
        """Step 2: a refund that a person denies; the customer hears of it."""
        self._say("2. asks for a refund of 400 EUR: waits for a person …")
        outcome = self._refund("ORD-1", Decimal(400))
        self._say(f"   {_read(outcome)}")
        if isinstance(outcome, Denied):
            self.denied = outcome.action_id
            reply = f"I could not refund your order yet: {outcome.decisions[-1].comment}"
            self._tools.reply_to_thread(THREAD, reply)
            self._say(f"   replies: {reply}")
        self.told[2] = isinstance(outcome, Denied) and self._counts() == (0, 1)

    def ask_again(self) -> None:
        """Step 3: with new evidence the same call is held again, approved, and runs once."""
        self._say("3. has new evidence and asks again: waits for a person …")
        outcome = self._refund("ORD-1", Decimal(400))
        self._say(f"   {_read(outcome)}")
        if isinstance(outcome, Ran):
            self._say(f"   refund {outcome.result}")
        self.told[3] = isinstance(outcome, Ran) and bool(outcome.decisions) and self._counts() == (1, 1)

    def ask_for_too_much(self) -> None:
        """Step 4: far too much is blocked, and nobody is asked."""
        self._say("4. asks for a refund of 14,000 EUR on ORD-2")
        outcome = self._refund("ORD-2", Decimal(14_000))
        self._say(f"   {_read(outcome)}")
        self.told[4] = isinstance(outcome, Blocked) and self._counts() == (1, 1)

    def ask_to_cancel(self) -> None:
        """Step 5: nobody answers in time."""
        self._say("5. asks to cancel ORD-3: nobody should answer for 20 seconds …")
        outcome = self._gate.outcome(self._tools.cancel_order, "ORD-3", "the customer changed their mind")
        self._say(f"   {_read(outcome)}")
        self.told[5] = isinstance(outcome, Expired) and self._book.order("ORD-3").status == "open"

    def _refund(self, order: str, amount: Decimal) -> object:
        refund = self._tools.issue_refund
        return self._gate.outcome(refund, order, amount, "EUR", "the item arrived damaged")

    def _counts(self) -> tuple[int, int]:
        return self._book.count("refunds"), self._book.count("replies")


def _read(outcome: object) -> str:
    return str(getattr(outcome, "message_for_agent", outcome))
