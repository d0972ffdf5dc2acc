"""The support agent's tools, wrapped by the gate: what a user's own ``guards.py`` looks like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from demo.orders import Order, OrderBook
from gate import Gate


@dataclass(frozen=True, slots=True)
class Tools:
    """The four guarded tools."""

    lookup_order: Callable[[str], Order]
    cancel_order: Callable[[str, str], str]
    issue_refund: Callable[[str, Decimal, str, str], str]
    reply_to_thread: Callable[[str, str], None]


def guarded(gate: Gate, book: OrderBook) -> Tools:
    """Wrap the tools over one order book.

    Args:
        gate: The gate that judges their calls.
        book: What they work on.
    """

    @gate.guard("orders.lookup_order")
    def lookup_order(order_id: str) -> Order:
        """Look one order up."""
        return book.order(order_id)

    @gate.guard("orders.cancel_order")
    def cancel_order(order_id: str, reason: str) -> str:
        """Cancel one order."""
        book.cancel(order_id)
        return f"{order_id} is cancelled: {reason}"

    @gate.guard("payments.issue_refund")
    def issue_refund(order_id: str, amount: Decimal, currency: str, reason: str) -> str:
        """Refund money for one order and return the refund's id."""
        return book.refund(order_id, amount, f"{reason} ({currency})")

    @gate.guard("helpdesk.reply_to_thread")
    def reply_to_thread(thread_id: str, message: str) -> None:
        """Answer the customer."""
        book.reply(thread_id, message)

    return Tools(lookup_order, cancel_order, issue_refund, reply_to_thread)
