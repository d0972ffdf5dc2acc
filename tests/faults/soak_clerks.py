"""The people of the long run: they answer each card that still asks, even amounts with yes, odd with no."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from sqlite3 import OperationalError, connect
from typing import Any

from bot import names
from bot.local_workspace import ControlError, LocalWorkspace
from bot.views import modals
from gate.clock import monotonic
from tests.faults import soak_policy

AMOUNT = re.compile(r"Pay (\d+) to")
AGAIN = 20.0
"""Seconds after which a person presses again what led to nothing."""
LOOK = 0.2
"""Seconds between two looks of a person."""
ASKING = (
    "SELECT c.channel, c.ts, a.described FROM cards c JOIN actions a ON a.id = c.action "
    "WHERE a.state = 'pending' ORDER BY c.at"
)


def comment_for(amount: int) -> str:
    """Return what is said to the one call with this amount when it is denied."""
    return f"Not {amount}."


class Clerk:
    """One person, in a thread of their own; two of them share the channels, so that both press in each."""

    def __init__(self, workspace: LocalWorkspace, user: str, folder: Path) -> None:
        self._control, self._user, self._db = workspace.control, user, folder / "gate.db"
        self._own = soak_policy.CLERKS.index(user)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, name=user, daemon=True)
        self._pressed: dict[str, float] = {}
        self._since = 0.0
        self.problems: list[str] = []

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Answer nothing more."""
        self._stopped.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._stopped.wait(LOOK):
            try:
                if not self._in_window():
                    self._on_cards()
            except (ControlError, TimeoutError, OSError, OperationalError):
                continue
            except BaseException as error:
                self.problems.append(f"{self._user} cannot go on: {error!r}")
                return

    def _in_window(self) -> bool:
        views = self._control.views(self._user)
        if not views:
            self._since = monotonic()
            return False
        view = views[-1]
        if view["submit"]:
            values = {modals.COMMENT_BLOCK: {names.COMMENT: comment_for(_amount(str(view["blocks"])))}}
            self._control.submit_view(self._user, view["id"], values)
        elif monotonic() - self._since > AGAIN or "Looking it up" not in str(view["blocks"]):
            self._control.close_view(self._user, view["id"], clear=True)
        return True

    def _on_cards(self) -> None:
        for channel, ts, described in self._asking():
            amount = _amount(described)
            mine = amount // 2 % 2 == self._own
            if not mine or monotonic() - self._pressed.get(ts, -AGAIN) < AGAIN:
                continue
            self._pressed[ts] = monotonic()
            with suppress(ControlError):
                self._control.click(self._user, channel, ts, names.DENY if amount % 2 else names.APPROVE)
            if amount % 2:
                return  # its window comes first

    def _asking(self) -> list[Any]:
        with closing(connect(f"file:{self._db}?mode=ro", uri=True, timeout=30)) as reader:
            found = reader.execute(ASKING).fetchall()
        asking = {ts for _, ts, _ in found}
        self._pressed = {ts: at for ts, at in self._pressed.items() if ts in asking}
        return found


def _amount(text: str | Mapping[str, Any]) -> int:
    found = AMOUNT.search(str(text))
    return int(found[1]) if found else 0
