"""One finding of the lint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a policy that loads and yet does not do what its writer most likely means.

    Attributes:
        file: File name within the set.
        line: Line, from 1.
        column: Column, from 1.
        kind: ``finding``, which ends the command with 1, or ``advice``, which does not.
        code: Stable identifier of the kind of finding.
        what: What stands there.
        why: Why it matters.
        write: What to write instead.
    """

    file: str
    line: int
    column: int
    kind: Literal["finding", "advice"]
    code: str
    what: str
    why: str
    write: str

    @property
    def place(self) -> str:
        """Return ``file:line:column``."""
        return f"{self.file}:{self.line}:{self.column}"
