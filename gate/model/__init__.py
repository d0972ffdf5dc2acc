"""The frozen values that travel between the floors: actions, verdicts, decisions, holds."""

from typing import TYPE_CHECKING

from gate.lazy import lazy_exports

if TYPE_CHECKING:
    from gate.model.budgets import BudgetCall, BudgetState
    from gate.model.bursts import Burst, BurstHold
    from gate.model.calls import (
        Action,
        Effect,
        Evidence,
        Parameters,
        PastCall,
        Principal,
        ResolvedEffect,
        Risk,
        Weight,
    )
    from gate.model.edits import Change, Edit, Field
    from gate.model.people import (
        Annotation,
        Card,
        Decision,
        Freeze,
        Notice,
        Person,
        Route,
        Said,
    )
    from gate.model.records import (
        ActionRecord,
        HoldRecord,
        Submission,
    )
    from gate.model.verdicts import (
        Answer,
        Approver,
        HandOver,
        Requirement,
        Ruling,
        Verdict,
    )
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "gate.model.budgets": ("BudgetCall", "BudgetState"),
            "gate.model.bursts": ("Burst", "BurstHold"),
            "gate.model.calls": (
                "Action",
                "Effect",
                "Evidence",
                "Parameters",
                "PastCall",
                "Principal",
                "ResolvedEffect",
                "Risk",
                "Weight",
            ),
            "gate.model.edits": ("Change", "Edit", "Field"),
            "gate.model.people": (
                "Annotation",
                "Card",
                "Decision",
                "Freeze",
                "Notice",
                "Person",
                "Route",
                "Said",
            ),
            "gate.model.records": ("ActionRecord", "HoldRecord", "Submission"),
            "gate.model.verdicts": ("Answer", "Approver", "HandOver", "Requirement", "Ruling", "Verdict"),
        },
    )

__all__ = [
    "Action",
    "ActionRecord",
    "Annotation",
    "Answer",
    "Approver",
    "BudgetCall",
    "BudgetState",
    "Burst",
    "BurstHold",
    "Card",
    "Change",
    "Decision",
    "Edit",
    "Effect",
    "Evidence",
    "Field",
    "Freeze",
    "HandOver",
    "HoldRecord",
    "Notice",
    "Parameters",
    "PastCall",
    "Person",
    "Principal",
    "Requirement",
    "ResolvedEffect",
    "Risk",
    "Route",
    "Ruling",
    "Said",
    "Submission",
    "Verdict",
    "Weight",
]
