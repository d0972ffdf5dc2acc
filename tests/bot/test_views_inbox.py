"""What ``/gate show`` shows is what the card shows."""

from __future__ import annotations

from typing import Any

from bot.references import code_of
from bot.views.card import Place, card
from bot.views.inbox import show_blocks
from gate.lifecycle import State
from tests.bot.records import refund


def texts_in(shown: Any) -> str:
    """Return all texts of blocks, one right after the other."""
    if isinstance(shown, list):
        return "".join(map(texts_in, shown))
    if isinstance(shown, dict):
        return "".join(texts_in(part) for key, part in shown.items() if key != "type")
    return shown if isinstance(shown, str) else ""


def test_whoever_types_the_code_was_shown_what_decides() -> None:
    """Every decisive value stands there whole, with who asks and why it is held, as on the card."""
    many = {f"name {number}": f"value {number}" for number in range(14)}
    record = refund(arguments=many | {"text": "x" * 3000}, decisive=())
    shown = show_blocks(record, Place())
    assert shown[:-1] == [block for block in card(record, Place()) if block["type"] != "actions"]
    told = texts_in(shown)
    assert "x" * 3000 in told
    assert "value 13" in told
    assert "Held because: " in told
    assert code_of(record) in texts_in(shown[-1])


def test_a_decided_hold_has_no_code() -> None:
    """Nothing is offered that could not be done any more."""
    record = refund(state=State.DENIED)
    assert code_of(record) not in texts_in(show_blocks(record, Place()))
