"""The tools known to a store: name, effect and the JSON Schema of their arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gate.model import Effect, Parameters
from gate.secret_names import is_secret_name
from gate.secret_shapes import hide_shapes
from gate.shapes import storable


@dataclass(frozen=True, slots=True)
class Tool:
    """One guarded tool, without secrets that defaults or examples of its models may hold.

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

    def __post_init__(self) -> None:
        """Keep nothing that may not be stored."""
        object.__setattr__(self, "schema", _without_secrets(self.schema))
        object.__setattr__(self, "doc", _without_secrets(self.doc))


_GIVEN = frozenset({"default", "const", "examples", "enum"})
"""Words of JSON Schema under which values stand."""


def _without_secrets(schema: Any, name: str = "") -> Any:
    """Return a schema without given values of secret parameters and secrets of a known shape, in UTF-8.

    Args:
        schema: The schema, or a part of one.
        name: Key under which it stands.
    """
    if isinstance(schema, Mapping):
        secret = is_secret_name(name) and not schema.keys().isdisjoint({"type", "anyOf", "$ref", "default"})
        kept = {key: each for key, each in schema.items() if not (secret and key in _GIVEN)}
        return {key: _without_secrets(each, key) for key, each in kept.items()}
    if isinstance(schema, list):
        return [_without_secrets(each) for each in schema]
    return hide_shapes(storable(schema))[0] if isinstance(schema, str) else schema
