"""Read from the log what calls there were; nothing here writes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from gate.store.port import Reader
from gate.values import format_path


def called(reader: Reader) -> frozenset[str]:
    """Return the name of every action that was ever called."""
    return frozenset(row["name"] for row in reader.all("SELECT DISTINCT name FROM actions"))


def facts(reader: Reader) -> frozenset[str]:
    """Return the path of every fact that a call in the log had, such as ``facts.environment``."""
    found = reader.all(
        "SELECT DISTINCT json_extract(body, '$.facts') AS facts FROM audit "
        "WHERE kind = 'submit' AND json_extract(body, '$.facts') IS NOT NULL"
    )
    return frozenset(path for row in found for path in _paths(("facts",), json.loads(row["facts"])))


def _paths(keys: tuple[str, ...], value: Any) -> Iterator[str]:
    if isinstance(value, Mapping) and not any(key.startswith("$") for key in value):
        for key, each in value.items():
            yield from _paths((*keys, key), each)
    else:
        yield format_path(keys)
