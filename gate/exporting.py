"""Write the log into a file that can be checked without the database; see ``audit_export`` for its form."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gate.audit_export import FORMAT
from gate.store import files
from gate.store.port import Reader

PAGE = 2000


@dataclass(frozen=True, slots=True)
class Span:
    """Which records were written.

    Attributes:
        first: Number of the first.
        last: Number of the last; one less than ``first`` for none.
        head: Hash of the last.
    """

    first: int
    last: int
    head: str


def lines(reader: Reader, store: str, upto: int | None = None) -> Iterator[str]:
    """Yield the lines of an export.

    Args:
        reader: Where to read.
        store: Id of the store.
        upto: Number of the last record; None for the newest.
    """
    base = reader.one("SELECT seq, base_seq, base_hash FROM audit_head") or {}
    last, head = base["base_seq"], base["base_hash"]
    end = base["seq"] if upto is None else upto
    yield _line(format=FORMAT, store=store, first=last + 1, before=head)
    while found := reader.all(
        "SELECT seq, body, hash FROM audit WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?", (last, end, PAGE)
    ):
        for row in found:
            yield _line(seq=row["seq"], body=row["body"], hash=row["hash"])
        last, head = found[-1]["seq"], found[-1]["hash"]
    yield _line(last=last, head=head)


def _line(**fields: Any) -> str:
    return json.dumps(fields, separators=(",", ":")) + "\n"


def write(reader: Reader, store: str, put: Callable[[str], object], upto: int | None = None) -> Span:
    """Write an export line by line, and return which records it has."""
    first = last = 0
    head = ""
    for line in lines(reader, store, upto):
        put(line)
        fields = json.loads(line) if line.startswith(('{"format"', '{"last"')) else {}
        first, last, head = fields.get("first", first), fields.get("last", last), fields.get("head", head)
    return Span(first, last, head)


def write_file(reader: Reader, store: str, path: Path, upto: int | None = None) -> tuple[Span, str]:
    """Write an export into a new file (0600), to the disk, and return its records and its SHA-256.

    Raises:
        IllegalMove: The file is there already (code ``exists``).
        StoreError: It cannot be written; the log stays as it is.
    """
    with files.new_file(path) as handle, os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
        span = write(reader, store, file.write, upto)
        file.flush()
        os.fsync(file.fileno())
    return span, _sha256(path)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
