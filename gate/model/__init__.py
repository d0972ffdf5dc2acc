"""The frozen values that travel between the floors: actions, verdicts, decisions, holds."""

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
