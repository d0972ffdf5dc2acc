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
        Principal,
        ResolvedEffect,
    )
    from gate.model.edits import Change, Edit, Field
    from gate.model.past import PastCall
    from gate.model.people import (
        Annotation,
        Card,
        Decision,
        Freeze,
        Notice,
        Person,
        Route,
    )
    from gate.model.records import (
        ActionRecord,
        HoldRecord,
        Submission,
    )
    from gate.model.verdicts import (
        Approver,
        HandOver,
        Requirement,
        Ruling,
        Verdict,
    )
    from gate.model.words import Answer, Risk, Said, Weight
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
                "Principal",
                "ResolvedEffect",
            ),
            "gate.model.edits": ("Change", "Edit", "Field"),
            "gate.model.past": ("PastCall",),
            "gate.model.people": (
                "Annotation",
                "Card",
                "Decision",
                "Freeze",
                "Notice",
                "Person",
                "Route",
            ),
            "gate.model.records": ("ActionRecord", "HoldRecord", "Submission"),
            "gate.model.verdicts": ("Approver", "HandOver", "Requirement", "Ruling", "Verdict"),
            "gate.model.words": ("Answer", "Risk", "Said", "Weight"),
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
