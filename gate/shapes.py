"""Look inside models: pydantic models, dataclasses, named tuples and pydantic's secrets, field by field."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections.abc import Sequence
from typing import Any

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")
_CARRIERS = (str, bytes, int, float, list, dict, set, frozenset)


def spell(root: str, keys: Sequence[str | int]) -> str:
    """Return how people write the place of a value, such as ``args.lines[0]["unit price"]``.

    Args:
        root: Name of the whole, such as ``args``.
        keys: Keys and indexes from the root to the value.
    """
    parts = [root]
    for key in keys:
        if isinstance(key, int):
            parts.append(f"[{key}]")
        else:
            parts.append(f".{key}" if _PLAIN_KEY.fullmatch(key) else f"[{json.dumps(key)}]")
    return "".join(parts)


def has_utf8(text: str) -> bool:
    """Tell whether a text has a UTF-8 form; half a surrogate pair has none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def class_name(kind: type) -> str:
    """Return module and qualified name of a class; the name alone for built-in ones."""
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def model_parts(value: object) -> dict[str, dict[str, Any]] | None:
    """Return everything a model holds, read from its attributes, or None where it is no model.

    Serializers are not asked: they may leave out, rename or hide fields.

    Args:
        value: Anything.

    Returns:
        ``fields`` by name; for pydantic models also ``extra``, ``private`` and which fields were ``set``.
    """
    if isinstance(value, _CARRIERS):
        return None
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {"fields": _present(value, [field.name for field in dataclasses.fields(value)])}
    if isinstance(value, tuple):
        names = getattr(type(value), "_fields", None)
        return {"fields": dict(zip(names, value, strict=True))} if names else None
    if is_secret(value):
        return {"fields": {"value": value.get_secret_value()}}  # type: ignore[attr-defined]
    pydantic = sys.modules.get("pydantic")
    return _pydantic_parts(value) if pydantic and isinstance(value, pydantic.BaseModel) else None


def is_secret(value: object) -> bool:
    """Tell whether a value is one of pydantic's secret types."""
    pydantic = sys.modules.get("pydantic")
    return pydantic is not None and isinstance(value, (pydantic.SecretStr, pydantic.SecretBytes))


def _pydantic_parts(value: Any) -> dict[str, dict[str, Any]]:
    names = type(value).model_fields
    parts = {
        "fields": {name: value.__dict__[name] for name in names if name in value.__dict__},
        "extra": value.__pydantic_extra__ or {},
        "private": value.__pydantic_private__ or {},
        "set": dict.fromkeys(value.__pydantic_fields_set__ & names.keys(), True),
    }
    return {name: part for name, part in parts.items() if part or name == "fields"}


def _present(value: object, names: list[str]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names if hasattr(value, name)}
