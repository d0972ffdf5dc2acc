"""The key of a store lies in a file beside the database; its id lies inside, so that a new one is noticed."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from contextlib import suppress
from pathlib import Path

from gate.errors import StoreError
from gate.store import files
from gate.store.port import Reader, Tx


def id_of(key: bytes) -> str:
    """Return what tells one key from every other and tells nothing else of it."""
    return hmac.new(key, b"gate.key.v1", hashlib.sha256).hexdigest()[:32]


def known(reader: Reader) -> str:
    """Return the id of the key that the rows were made with; empty where none was noted yet."""
    row = reader.one("SELECT value FROM meta WHERE key = 'key_id'")
    return row["value"] if row else ""


def note(tx: Tx, key: bytes) -> None:
    """Write down that the rows are made with this key from now on."""
    tx.run("INSERT OR REPLACE INTO meta VALUES ('key_id', ?)", (id_of(key),))


def at_start(database: Path | None, wanted: str, *, new: bool) -> bytes:
    """Return the key that a store begins with.

    Args:
        database: Its file; None for one in memory.
        wanted: Id of the key that its rows were made with; empty where none was noted yet.
        new: Whether the store is being made.

    Raises:
        StoreError: The key is missing, or another store's (code ``key_missing``).
    """
    if database is None:
        return secrets.token_bytes(files.KEY_BYTES)
    if new:
        return files.write_key(database)
    return take(database, wanted) if wanted else files.read_key(database)


def stage(database: Path, key: bytes) -> None:
    """Write a key beside the one in use; it comes into use with the transaction that notes it."""
    files.write_key_file(_staged(database, id_of(key)), key)


def take(database: Path, wanted: str) -> bytes:
    """Return the key of that id, from its file or from the one that a renewal left when it was cut off.

    Raises:
        StoreError: Neither has it (code ``key_missing``).
    """
    try:
        return _found(database, wanted)
    except StoreError:
        return _found(database, wanted)  # another process may have moved the file just between two looks


def is_there(database: Path, wanted: str) -> bool:
    """Tell whether the key of that id lies beside a database; where none was noted any key will do.

    Raises:
        StoreError: There is no readable key (code ``key_missing``).
    """
    staged = _staged(database, wanted)
    key = files.read_key_file(staged) if wanted and staged.exists() else files.read_key(database)
    return not wanted or hmac.compare_digest(id_of(key), wanted)


def _found(database: Path, wanted: str) -> bytes:
    place = files.key_path(database)
    fault = StoreError(
        f"The key {place} is not the one of this store, which was renewed or exchanged. Nothing ran. Restore "
        "that file, or run 'gate key new', which cancels every open hold.",
        code="key_missing",
    )
    for path in (_staged(database, wanted), place):
        try:
            key = files.read_key_file(path)
        except StoreError as missing:
            fault = missing if path == place else fault
            continue
        if hmac.compare_digest(id_of(key), wanted):
            if path != place:
                with suppress(OSError):  # where it cannot be moved, it is found here again
                    path.replace(place)
            return key
    raise fault


def _staged(database: Path, key_id: str) -> Path:
    path = files.key_path(database)
    return path.with_name(f"{path.name}.{key_id}")
