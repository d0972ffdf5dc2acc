"""Say what the driver's errors mean, and what to do about them."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from types import TracebackType

from gate.errors import StoreBusy, StoreError
from gate.store.files import on_read_only_disk

Raw = sqlite3.Error | MemoryError
RAW = (sqlite3.Error, MemoryError)
"""What the driver raises; with Python's own ``MemoryError`` it says that SQLite found no memory."""

_FULL = (sqlite3.SQLITE_FULL,)
_UNWRITABLE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH)
_DISK = (sqlite3.SQLITE_IOERR, *_UNWRITABLE)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def is_busy(error: sqlite3.Error) -> bool:
    """Tell whether somebody else holds the database."""
    return _kind(error) in _BUSY


def explained(error: sqlite3.Error, path: Path | None) -> StoreError:
    """Return the fault that an error of the driver becomes: what, where, and what to do next."""
    where, kind = f"The store {path}", _kind(error)
    if kind in _BUSY:
        return StoreBusy(f"{where} is held by another process. Nothing ran. Call again.")
    if kind in _FULL:
        said = f"{where} cannot grow: its disk is full. Nothing ran. Make room and call again."
        return StoreError(said, code="store_full")
    if kind in _DISK and path is not None and on_read_only_disk(path):
        said = f"{where} cannot be written: its file system is mounted read-only. Nothing ran. Mount it for "
        return StoreError(f"{said}writing and call again.", code="store_readonly")
    if kind in _UNWRITABLE:
        said = f"{where} cannot be written ({error}). Nothing ran. Let this user write it and its folder."
        return StoreError(said, code="store_readonly")
    if kind == sqlite3.SQLITE_NOTADB:
        return StoreError(
            f"{where} is no store, or one whose beginning is destroyed ({error}). Nothing ran. Name the "
            "store with --db, GATE_DB or db=. If this is it, stop what uses it, keep a copy, put the newest "
            "backup in its place and run 'gate db adopt'.",
            code="store_damaged",
        )
    if kind == sqlite3.SQLITE_CORRUPT:
        return StoreError(
            f"{where} is damaged ({error}). Nothing ran. Stop what uses it, keep a copy, put "
            "the newest backup in its place and run 'gate db adopt'.",
            code="store_damaged",
        )
    if kind == sqlite3.SQLITE_IOERR:
        said = f"{where} cannot be used: {error}. Nothing ran. Its disk fails, or takes no writes any more: "
        return StoreError(f"{said}look at it and call again.")
    return StoreError(f"{where} cannot be used: {error}. Nothing ran.")


def _kind(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def unreadable(path: Path | None = None) -> StoreError:
    """Return the fault that a row becomes which does not hold what it should."""
    where = "The store" if path is None else f"The store {path}"
    return StoreError(
        f"{where} is damaged: a row does not hold what it should. Nothing ran. Stop what uses it, keep a "
        "copy, put the newest backup in its place and run 'gate db adopt'.",
        code="store_damaged",
    )


def without_memory(path: Path | None) -> StoreError:
    """Return the fault that a lack of memory becomes."""
    return StoreError(
        f"The store {path} cannot be used: out of memory. Nothing ran. Let this process have more memory and "
        "call again."
    )


class RawErrors:
    """Turn whatever the driver raises inside a block into StoreError, also of texts that say nothing.

    Args:
        path: The store's file; None for one in memory.
    """

    __slots__ = ("_path",)

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, UnicodeEncodeError):
            raise StoreError(
                "A text has half a surrogate pair, which no store can keep. Nothing was recorded and nothing "
                "ran; send the text without it."
            ) from error
        if isinstance(error, json.JSONDecodeError):
            raise unreadable(self._path) from error
        if isinstance(error, MemoryError):
            raise without_memory(self._path) from error
        if isinstance(error, sqlite3.Error):
            raise explained(error, self._path) from error
