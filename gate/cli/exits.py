"""Exit codes, and which of them a fault ends with."""

from __future__ import annotations

from enum import IntEnum

from gate.errors import ClockError, Fault, IllegalMove, NotEligible, PolicyError, StoreError


class Exit(IntEnum):
    """How a command ended, for shells and CI.

    The last two follow the shell's own rule for signals: 128 and the signal's number.
    """

    OK = 0
    FAILED = 1
    USAGE = 2
    POLICY = 3
    STORE = 4
    NOT_FOUND = 5
    INTERRUPTED = 130
    READER_GONE = 141


MEANINGS: dict[Exit, str] = {
    Exit.OK: "Done.",
    Exit.FAILED: "A check failed: a call, a test table, the log, what the doctor or the bot needs.",
    Exit.USAGE: "The command was written wrongly, or a file it names cannot be read.",
    Exit.POLICY: "A policy does not load; every problem stands on standard error with its place.",
    Exit.STORE: "The store cannot be reached, or has another schema than this version.",
    Exit.NOT_FOUND: "What was named is not there, or the move is not legal.",
    Exit.INTERRUPTED: "Interrupted with Ctrl-C.",
    Exit.READER_GONE: "Whoever read the output closed it.",
}

_KINDS: tuple[tuple[type[Fault], Exit], ...] = (
    (PolicyError, Exit.POLICY),
    (StoreError, Exit.STORE),
    (ClockError, Exit.STORE),
    (IllegalMove, Exit.NOT_FOUND),
    (NotEligible, Exit.NOT_FOUND),
)


def exit_of(fault: Fault) -> Exit:
    """Return the exit code that a fault ends the command with."""
    return next((code for kind, code in _KINDS if isinstance(fault, kind)), Exit.FAILED)
