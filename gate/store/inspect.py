"""Look at a store's file without opening it as a store, and bring an older one to this version's schema."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

from gate.errors import StoreError
from gate.store import anchors, keys, migrations
from gate.store.sqlite import SqliteStore

_COUNTED = ("actions", "holds", "decisions", "sessions", "tools", "audit")


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a store's file looks like from outside.

    Attributes:
        path: Where it lies.
        problem: Why it cannot be used and what to do; empty where it can.
        schema: Number of its schema; None where it cannot be read.
        newest: Number of this version's schema.
        key: State of its key: ``present``, or what is wrong with it.
        bytes: Size of the file with its write-ahead log; None where there is none.
        store_id: Its id; empty where unknown.
        made_by: ``gate`` or ``test``; empty where unknown.
        workspace: Team id of the workspace it is bound to; empty for none.
        rows: How many rows its main tables have.
        log_bytes: How much of ``bytes`` is the write-ahead log, not yet moved into the file.
    """

    path: Path
    problem: str
    schema: int | None
    newest: int
    key: str
    bytes: int | None = None
    store_id: str = ""
    made_by: str = ""
    workspace: str = ""
    rows: Mapping[str, int] = field(default_factory=dict)
    log_bytes: int = 0

    @property
    def usable(self) -> bool:
        """Tell whether this version can open it."""
        return not self.problem


def look_at(path: Path) -> Inspection:
    """Look at a store's file, read-only; every fault becomes its ``problem``.

    Args:
        path: Where it lies, or should.
    """
    place = path.absolute()
    try:
        size = place.stat().st_size
    except OSError as error:
        return _missing(place, error)
    if not place.is_file():
        return Inspection(place, "it is no file; name the right one", None, migrations.NEWEST, "unknown")
    waiting = _size(place.with_name(f"{place.name}-wal"))
    try:
        return replace(_read(place, size + waiting), log_bytes=waiting)
    except sqlite3.Error as error:
        said = f"it cannot be read as a store: {error}; name the right file with --db or GATE_DB"
        return Inspection(
            place, said, None, migrations.NEWEST, _key(place), size + waiting, log_bytes=waiting
        )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def migrate(path: Path) -> tuple[int, int]:
    """Bring a store to this version's schema, and return the numbers before and after.

    Raises:
        StoreError: There is no store, it is newer than this version, or it cannot be written.
    """
    found = look_at(path)
    if found.schema is None or (found.schema == 0 and not found.bytes):
        raise StoreError(f"{found.path}: {found.problem}. Nothing was changed.")
    SqliteStore(path, create=False, migrate=True).close()
    return found.schema, migrations.NEWEST


def _missing(place: Path, error: OSError) -> Inspection:
    if isinstance(error, FileNotFoundError):
        said = (
            "there is no store here; the first start of an agent or a bot, or 'gate policy apply', makes it"
        )
    else:
        return Inspection(
            place, f"it cannot be reached: {error.strerror}", None, migrations.NEWEST, "unknown"
        )
    return Inspection(place, said, None, migrations.NEWEST, "none")


def _read(place: Path, size: int) -> Inspection:
    with closing(
        sqlite3.connect(f"file:{quote(os.fsencode(place))}?mode=ro", uri=True, timeout=5)
    ) as connection:
        schema = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if not 0 < schema <= migrations.NEWEST:
            return Inspection(place, _problem(schema), schema, migrations.NEWEST, _key(place), size)
        meta = dict(connection.execute("SELECT key, value FROM meta").fetchall())
        rows = {name: _count(connection, name) for name in _COUNTED}
        older = "" if _problem(schema) else _older(place, connection)
    key = _key(place, meta.get("key_id", ""))
    problem = _problem(schema) or ("" if key == "present" else f"its key is {key}") or older
    id_, made_by, team = (meta.get(name, "") for name in ("store_id", "made_by", "workspace_team"))
    return Inspection(place, problem, schema, migrations.NEWEST, key, size, id_, made_by, team, rows)


def _count(connection: sqlite3.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608 - names from above


def _problem(schema: int) -> str:
    if schema == 0:
        return "it is empty or no store of the gate; name the right file with --db or GATE_DB"
    if schema < migrations.NEWEST:
        return f"its schema {schema} is older than this version's: run 'gate db migrate'"
    newer = (
        f"its schema {schema} is newer than this version's {migrations.NEWEST}: update slack-approval-gate"
    )
    return newer if schema > migrations.NEWEST else ""


def _older(place: Path, connection: sqlite3.Connection) -> str:
    head = connection.execute("SELECT seq FROM audit_head").fetchone()
    if head is None:
        return (
            "it is damaged: its log has no head; put the newest backup in its place and run 'gate db adopt'"
        )
    newest = max((each.seq for each in anchors.read(place)), default=0)
    if newest <= head[0]:
        return ""
    return (
        f"it is an older copy: #{newest} was published, but its log ends at #{head[0]}; see 'gate db adopt'"
    )


def _key(place: Path, wanted: str = "") -> str:
    try:
        if keys.is_there(place, wanted):
            return "present"
    except StoreError as fault:
        if isinstance(fault.__cause__, PermissionError):
            return "closed to this user: run this as the one that it belongs to, or let this one read it"
        return "missing or unreadable: restore the file, or run 'gate key new', which cancels every open hold"
    return "not the one of this store: restore the file, or run 'gate key new', which cancels every open hold"
