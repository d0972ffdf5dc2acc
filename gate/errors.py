"""The tree of faults: what went wrong with the gate itself, never what the policy or a person answered.

    GateError
    ├── Outcome ................ see outcomes.py: what became of a call
    └── Fault .................. the gate could not do its work; nothing ran
        ├── GuardError ......... a tool cannot be guarded as written
        ├── NoSession .......... a guarded call outside any session
        ├── ActionError ........ the arguments or the name of a call cannot be judged
        ├── CallIdReused ....... one call id, two different calls
        ├── PolicyError ........ the policy does not load; carries every problem found
        ├── StoreError ......... the store cannot be opened, read or written
        │   └── StoreBusy ...... another process holds it for too long
        ├── ClockError ......... the clock contradicts the store
        ├── IllegalMove ........ the hold is not in a state that allows this
        │   └── BadEdit ........ a call cannot be changed so
        ├── NotEligible ........ this person may not decide this hold
        └── WouldBlock ......... waiting here would block an event loop

Each fault has a stable ``code``, and its message says what, where and what to do next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


class GateError(Exception):
    """Root of everything the gate raises on purpose.

    Attributes:
        code: Stable lower-case identifier; programs compare this, never the text.
    """

    code: str = "gate_error"


class Fault(GateError):
    """Say that the gate could not do its work; nothing ran.

    Args:
        message: What went wrong, where, and what to do next.
        code: Stable identifier; default is the class's own.
    """

    code = "fault"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


class GuardError(Fault):
    """Say why a tool cannot be guarded as it is written."""

    code = "guard_error"


class NoSession(Fault):
    """Say that a guarded call was made outside any session."""

    code = "no_session"


class ActionError(Fault):
    """Say which argument, or that the name, of a call cannot be judged."""

    code = "action_error"


class CallIdReused(Fault):
    """Say that a call id already stands for a call with other arguments."""

    code = "call_id_reused"


@dataclass(frozen=True, slots=True)
class Problem:
    """One located fault of a policy file.

    Attributes:
        file: Name of the file as the user gave it.
        line: Line, from 1; 0 when the file as a whole is meant.
        column: Column, from 1; 0 when the file as a whole is meant.
        where: Path inside the document, such as ``rules[2].then``; may be empty.
        message: What is wrong and what to write instead.
    """

    file: str
    line: int
    column: int
    where: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{place}: {self.where}: {self.message}" if self.where else f"{place}: {self.message}"


class PolicyError(Fault):
    """Say everything that keeps a policy set from loading.

    Args:
        problems: At least one located problem.
    """

    code = "policy_error"

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class StoreError(Fault):
    """Say why the store cannot be opened, read or written; the action did not run."""

    code = "store_error"


class StoreBusy(StoreError):
    """Say that another process held the store for longer than the gate waits."""

    code = "store_busy"


class ClockError(Fault):
    """Say that the process's clock and the store's contradict each other."""

    code = "clock_error"


class IllegalMove(Fault):
    """Say that a hold is not in a state that allows what was asked.

    Codes: ``illegal_move``, ``unknown_hold``, ``already_decided``, ``late``, ``changed``, ``other_store``,
    ``too_late``, ``frozen``, ``comment_required``, ``view_required``, ``not_editable``, ``too_many_edits``.
    """

    code = "illegal_move"


class BadEdit(IllegalMove):
    """Say why a call cannot be changed so; the hold stays as it was.

    Codes: ``bad_edit``, ``no_change``, ``edit_blocked``.

    Args:
        message: What is wrong, and what to do instead.
        code: Stable identifier; default is the class's own.
        problems: By path what is wrong with the new value; empty where it is the call as a whole.
    """

    code = "bad_edit"

    def __init__(
        self, message: str, *, code: str | None = None, problems: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, code=code)
        self.problems = dict(problems or {})


class NotEligible(Fault):
    """Say why this person may not decide this hold.

    Codes: ``not_eligible``, ``asked_for``, ``guest``, ``stranger``, ``bot``, ``deleted``, ``lookup_failed``.
    """

    code = "not_eligible"


class WouldBlock(Fault):
    """Say that a synchronous guarded call would block the event loop of its thread."""

    code = "would_block"
