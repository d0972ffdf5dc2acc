"""What the home tab and the command list beside open holds: given answers, and how far budgets are used."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from gate.model.budgets import BudgetState
from gate.model.past import PastCall
from gate.model.people import Decision
from gate.model.verdicts import Approver
from gate.model.words import Answer


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer that somebody gave, and what became of the call.

    Attributes:
        call: The call as it stands now.
        decision: Their answer.
    """

    call: PastCall
    decision: Decision


@dataclass(frozen=True, slots=True)
class Spent:
    """How far one budget is used by one of those it is counted for.

    Attributes:
        rule: ``NAME/budget``.
        whose: Whom it is counted for, such as a session's id; empty for everything, or where it may not be
            shown.
        state: Its numbers; ``adds`` is empty.
        share: Which part of the limit is used: 1 is all of it.
        answer: What it answers when it is over.
        approvers: Who is asked then; empty where it blocks.
    """

    rule: str
    whose: str
    state: BudgetState
    share: Decimal
    answer: Answer
    approvers: tuple[Approver, ...]
