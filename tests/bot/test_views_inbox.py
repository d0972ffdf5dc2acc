"""What ``/gate show`` shows is what the card shows; the home tab tells alike rows apart."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from bot import names
from bot.references import code_of
from bot.views.card import Place, card
from bot.views.home import HomePage, home
from bot.views.inbox import show_blocks
from gate.lifecycle import State
from gate.model import Principal
from gate.model.overview import Answered
from tests.bot.gallery import FROZEN, OLD, denied
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


def test_calls_that_look_alike_are_told_apart_by_their_ids() -> None:
    """Each row under what somebody decided carries the short id that commands take."""
    alike = [replace(OLD, action_id=start * 16) for start in "ef"]
    page = HomePage(answered=tuple(Answered(each, denied("No.")[0]) for each in alike))
    told = texts_in(home(page)["blocks"])
    assert "(eeeeeeee)" in told
    assert "(ffffffff)" in told


def test_a_freeze_says_what_runs_in_spite_of_it() -> None:
    """Declared reads run under a freeze, and the tab does not say otherwise."""
    assert "Frozen: only declared reads run" in texts_in(home(HomePage(freezes=FROZEN))["blocks"])


def test_a_row_that_approves_says_for_whom_and_where() -> None:
    """Two calls that differ in whom or where they are for look different beside the button in the tab."""
    one = refund(on_behalf_of=Principal("outside", "customer cus_82"), target="live account")
    other = refund(on_behalf_of=Principal("person", "U0DAVE"), target="test account")
    for record, pieces in ((one, ("customer cus_82", "live account")), (other, ("U0DAVE", "test account"))):
        shown = json.dumps(home(HomePage(mine=(record,))))
        assert names.APPROVE in shown
        assert all(piece in shown for piece in pieces)
