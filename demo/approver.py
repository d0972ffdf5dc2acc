"""The person at the other end, played through the workspace's control API where nobody is there to click."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from bot import names
from bot.local_workspace.client import Control
from bot.views.modals import COMMENT_BLOCK

CHANNEL, APPROVER = "C0APPROVALS", "U0ALICE"
DENIAL = "No damage claim on file for this order."
APPROVAL = "Damage claim verified, within policy."
PATIENCE = 40.0
"""Seconds to wait for a card, a form or a change."""


class Approver:
    """Deny the first card, approve the second, and leave the third alone.

    Args:
        control: The workspace.
        on_error: Called with what went wrong when this person cannot go on.

    Attributes:
        error: What went wrong; None where nothing did.
        cards: Timestamps of the cards seen, in order.
    """

    def __init__(self, control: Control, on_error: Callable[[BaseException], object]) -> None:
        self._control, self._on_error = control, on_error
        self._thread = threading.Thread(target=self._guarded, name="approver", daemon=True)
        self.error: BaseException | None = None
        self.cards: list[str] = []

    def start(self) -> None:
        """Begin to watch the channel; the workspace gives a busy machine more time than Slack would."""
        self._control.settings(ack_seconds=PATIENCE, trigger_seconds=PATIENCE)
        self._thread.start()

    def wait_for_close(self) -> bool:
        """Wait until the last card has closed, and tell whether all went well."""
        self._thread.join(PATIENCE)
        return self.error is None and not self._thread.is_alive()

    def asked(self) -> int:
        """Return how many calls the channel was ever asked about."""
        found = (message.get("metadata") or {} for message in self._control.messages(CHANNEL))
        return sum(each.get("event_type") == names.EVENT_TYPE for each in found)

    def _guarded(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self.error = error
            self._on_error(error)

    def _work(self) -> None:
        self._answer(self._next_card(), names.DENY, DENIAL)
        self._answer(self._next_card(), names.APPROVE_WITH_COMMENT, APPROVAL)
        last = self._next_card()
        self._until(lambda: not _has(self._message(last), names.APPROVE))

    def _next_card(self) -> str:
        card = self._until(lambda: next((ts for ts in self._open_cards() if ts not in self.cards), None))
        self.cards.append(card)
        return str(card)

    def _answer(self, ts: str, action: str, comment: str) -> None:
        self._control.click(APPROVER, CHANNEL, ts, action)
        view = self._until(self._form)
        written = {COMMENT_BLOCK: {names.COMMENT: comment}}
        answer = self._control.submit_view(APPROVER, view["id"], written)
        if answer.get("errors"):
            raise RuntimeError(f"the form was not taken: {answer['errors']}")

    def _form(self) -> dict[str, Any] | None:
        """Return the open form once it asks for a comment; before that it says that it is looked up."""
        asks = (view for view in self._control.views(APPROVER) if _asks_comment(view))
        return next(asks, None)

    def _open_cards(self) -> list[str]:
        return [message["ts"] for message in self._control.messages(CHANNEL) if _has(message, names.APPROVE)]

    def _message(self, ts: str) -> dict[str, Any]:
        return next(message for message in self._control.messages(CHANNEL) if message["ts"] == ts)

    def _until(self, found: Callable[[], Any]) -> Any:
        return self._control.wait_until(lambda _: found(), PATIENCE)


def _asks_comment(view: dict[str, Any]) -> bool:
    return any(block.get("block_id") == COMMENT_BLOCK for block in view["blocks"])


def _elements(message: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for block in message.get("blocks", []) for each in block.get("elements", [])]


def _has(message: dict[str, Any], action: str) -> bool:
    return any(each.get("action_id") == action for each in _elements(message))
