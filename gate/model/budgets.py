"""What a budget stood at when it held or blocked a call, and which calls had used it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal


@dataclass(frozen=True, slots=True)
class BudgetCall:
    """One call that used a budget.

    Attributes:
        action_id: Its id.
        described: Its describe line, redacted.
        at: When it was charged, UTC.
        used: What it used, by unit.
    """

    action_id: str
    described: str
    at: datetime
    used: Mapping[str, Decimal]


@dataclass(frozen=True, slots=True)
class BudgetState:
    """What a budget stood at when it held or blocked a call.

    Amounts are by unit: a currency code, or an empty text for calls, plain numbers and money in no declared
    currency. The unit ``?`` counts amounts that could not be read; each weighs as much as the whole limit.

    Attributes:
        digest: Of what the budget counts.
        terms: Of that and its limit, window, answer and approvers; what people let pass is bound to it.
        bucket: Whose budget it is, such as one session's.
        per: Whose, in words: ``in this session``; empty for everything.
        kind: ``calls``, ``money`` or ``sum``.
        limits: The most it allows, by unit; ``*`` is every other unit.
        window: For how long a call counts.
        charged: What has run within the window.
        waiting: What is held and would be added.
        adds: What this call would add.
        calls: Calls that used it, newest first, at most ten.
        more: Whether other calls used it too.
        headroom: How many more calls its approvers may let pass; 0 for none.
        hidden: Whether its numbers may not be shown.
    """

    digest: str
    terms: str
    bucket: str
    per: str
    kind: Literal["calls", "money", "sum"]
    limits: Mapping[str, Decimal]
    window: timedelta
    charged: Mapping[str, Decimal]
    waiting: Mapping[str, Decimal]
    adds: Mapping[str, Decimal]
    calls: tuple[BudgetCall, ...] = ()
    more: bool = False
    headroom: int = 0
    hidden: bool = False
