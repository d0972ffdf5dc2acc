"""The port between the verbs and whatever keeps their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

Row = dict[str, Any]
Params = Sequence[Any] | Mapping[str, Any]


class Reader(Protocol):
    """Read rows."""

    def one(self, sql: str, params: Params = ()) -> Row | None:
        """Return the first row by column name, or None."""
        ...

    def all(self, sql: str, params: Params = ()) -> list[Row]:
        """Return every row by column name."""
        ...


class Tx(Reader, Protocol):
    """Read and write rows inside one transaction."""

    def run(self, sql: str, params: Params = ()) -> int:
        """Execute one statement and return how many rows it changed."""
        ...

    def many(self, sql: str, params: Sequence[Params]) -> int:
        """Execute one statement for each of many parameters and return how many rows that changed."""
        ...

    def insert(self, table: str, **columns: Any) -> int:
        """Insert one row and return its rowid."""
        ...


class Store(Protocol):
    """Open transactions on one database; safe to use from several threads."""

    key: bytes
    """The key of the store's digests; lies beside the database, never in it."""

    key_id: str
    """Which key that is; read before the key, it names that key or an older one."""

    def follow_key(self, wanted: str) -> None:
        """Take the key that another process has put in the place of the one at hand.

        Args:
            wanted: Id of the key that the rows are made with, as they say; see ``gate.store.keys.known``.

        Raises:
            StoreError: There is no file with it (code ``key_missing``).
        """
        ...

    def renew_key(self, tx: Tx) -> None:
        """Replace the key together with a transaction; digests of the old one match nothing any more."""
        ...

    def transaction(self, *, durable: bool = True, shared: bool = False) -> AbstractContextManager[Tx]:
        """Begin a writing transaction; commit on leaving, roll back on any exception.

        Args:
            durable: False lets a crash of the machine lose this transaction, never a part of it.
            shared: Whether it may be committed together with those of other threads, all of which wait for
                that; only for what leaves nothing but rows.

        Raises:
            StoreBusy: Another process held the store for too long.
            StoreError: The store cannot be written, or is not the one that was opened.
        """
        ...

    def reader(self) -> AbstractContextManager[Reader]:
        """Read committed rows, apart from any transaction of this process."""
        ...

    def version(self) -> int | None:
        """Return a number that is another one once anybody has committed; None where nobody can tell."""
        ...

    def backup(self, target: Path) -> None:
        """Copy the store as it stands into a new file, with its key beside it, and check the copy."""
        ...

    def close(self) -> None:
        """Close the connections; safe to call twice."""
        ...
