"""Heads of the log that were published, and the file beside the database that remembers them.

An anchor is ``#`` and the number of a record, a space, and the first 12 digits of its hash. Posted where the
gate cannot reach, it shows later that the log is still the one it was. The file lets a start notice by itself
that the database is an older copy; it is a help against mistakes, the posts are the evidence.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

DIGITS = 12
LARGEST = 1 << 20
"""Bytes from which on the older half of the file is left out; the posts themselves stay."""

_FORM = re.compile(r"#(\d{1,15})\s+([0-9a-f]{12})(?![0-9a-f])")

log = logging.getLogger("gate")


@dataclass(frozen=True, slots=True)
class Anchor:
    """One published head of the log.

    Attributes:
        seq: Number of the record.
        digits: First 12 digits of its hash.
    """

    seq: int
    digits: str

    def __str__(self) -> str:
        return f"#{self.seq} {self.digits}"


def find(text: str) -> list[Anchor]:
    """Return every anchor that stands in a text, such as a thread copied from Slack, in order."""
    return [Anchor(int(seq), digits) for seq, digits in _FORM.findall(text)]


def path_of(database: Path) -> Path:
    """Return where the published heads of a database are remembered."""
    return database.with_name(database.name + ".anchors")


def read(database: Path) -> list[Anchor]:
    """Return the heads that hold for a database, oldest first; none where the file cannot be read.

    What was published of records that an adopted copy does not have is left out.
    """
    try:
        lines = path_of(database).read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    return _standing(lines)


def _standing(lines: Iterable[str]) -> list[Anchor]:
    standing: list[Anchor] = []
    for line in lines:
        found = find(line)
        if found and " adopted " in line:
            standing = [each for each in standing if each.seq <= found[0].seq]
        standing += found
    return standing


def append(database: Path, anchor: Anchor, at: datetime, *, adopted: bool = False) -> None:
    """Remember that a head was published; where that cannot be written the log of the process says so.

    Args:
        database: The store's file.
        anchor: The head.
        at: When, UTC.
        adopted: Whether it is the last record of an adopted copy; heads behind it count no more.
    """
    line = f"{at.isoformat(timespec='seconds')} {'adopted ' if adopted else ''}{anchor}\n"
    try:
        handle = os.open(path_of(database), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(handle, line.encode())
            os.fsync(handle)
        finally:
            os.close(handle)
        _shorten(path_of(database))
    except OSError as error:
        log.warning(
            "The head %s was published, but %s cannot be written: %s", anchor, path_of(database), error
        )


def _shorten(path: Path) -> None:
    """Leave the older half of a file out that has become too large."""
    if path.stat().st_size <= LARGEST:
        return
    lines = path.read_text("utf-8", "replace").splitlines(keepends=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.touch(0o600)
    fresh.write_text("".join(lines[len(lines) // 2 :]), "utf-8")
    fresh.replace(path)
