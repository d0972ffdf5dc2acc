"""The tools known to a store: name, effect and the JSON Schema of their arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gate.model import Effect, Parameters


@dataclass(frozen=True, slots=True)
class Tool:
    """One guarded tool.

    Attributes:
        name: Action name.
        effect: What the code declares of it, or None.
        parameters: What it takes, excluded parameters left out.
        schema: JSON Schema of its arguments; a parameter whose annotation has no schema accepts anything.
        doc: First line of its docstring; may be empty.
    """

    name: str
    effect: Effect | None
    parameters: Parameters
    schema: Mapping[str, Any] = field(default_factory=dict)
    doc: str = ""
