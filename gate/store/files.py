"""The files of a store: where they lie, who may read them, and the key beside the database."""

from __future__ import annotations

import errno
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gate.errors import IllegalMove, StoreError

NETWORK_FILE_SYSTEMS = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "ceph", "glusterfs", "lustre", "9p", "davfs"}
    | {"fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.glusterfs", "fuse.cephfs", "fuse.gcsfuse"}
)
"""File systems on which SQLite's locks and write-ahead log cannot be trusted (sqlite.org/wal.html)."""

MOUNTS = Path("/proc/self/mounts")
"""Where the system lists what is mounted where."""

KEY_BYTES = 32


def default_path() -> Path:
    """Return the store's default place in the XDG state folder.

    Raises:
        StoreError: The system tells no home folder of this user, as in some containers.
    """
    try:
        state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    except RuntimeError as error:
        raise StoreError(
            "This user has no home folder, so the store has no default place. Nothing ran. Name a file with "
            "GATE_DB, --db or db=."
        ) from error
    return Path(state) / "slack-approval-gate" / "gate.db"


def is_missing(database: Path) -> bool:
    """Tell whether there is nothing at a store's place.

    Raises:
        StoreError: Nobody can tell, since a folder on the way is closed to this user.
    """
    try:
        database.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except PermissionError as error:
        raise StoreError(
            f"The store {database} cannot be reached: {error.strerror}. Nothing ran. Name a writable file "
            "with GATE_DB or db=, or let this user into its folder.",
            code="store_readonly",
        ) from error
    return False


def key_path(database: Path) -> Path:
    """Return where the key of a database lies."""
    return database.with_name(database.name + ".key")


def prepare(database: Path) -> None:
    """Make the folder (0700) and an empty database file (0600) where there is none.

    A file that is there is never opened here: closing any descriptor of it would drop the locks that SQLite
    holds on it for this process (sqlite.org/howtocorrupt.html, "POSIX advisory locks").

    Args:
        database: Path of the database.

    Raises:
        StoreError: The place cannot be used.
    """
    _refuse_network(database)
    if not is_missing(database) and not database.is_file():
        raise StoreError(f"{database} is no file, so no store. Nothing ran. Name a file with GATE_DB or db=.")
    try:
        database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            os.close(os.open(database, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        if not os.access(database, os.R_OK | os.W_OK):
            kind = errno.EROFS if on_read_only_disk(database) else errno.EACCES
            raise OSError(kind, os.strerror(kind))
    except OSError as error:
        raise StoreError(
            f"The store {database} cannot be opened for writing: {error.strerror}. "
            "Nothing ran. Name a writable file with GATE_DB or db=.",
            code="store_readonly",
        ) from error


def on_read_only_disk(path: Path) -> bool:
    """Tell whether a file lies on a file system that is mounted read-only, as far as the system says."""
    try:
        return bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def read_key(database: Path) -> bytes:
    """Return the key beside a database.

    Raises:
        StoreError: The key is missing or not whole.
    """
    return read_key_file(key_path(database))


def read_key_file(path: Path) -> bytes:
    """Return the key in a file; see ``read_key``."""
    try:
        key = bytes.fromhex(path.read_text("ascii").strip())
    except PermissionError as error:
        raise StoreError(
            f"The key of the store cannot be read: {path}: {error.strerror}. Nothing ran. Run this as the "
            "user that it belongs to, or let this one read it.",
            code="key_missing",
        ) from error
    except (OSError, ValueError) as error:
        raise StoreError(
            f"The key of the store is missing or unreadable: {path}. Nothing ran. Restore that file, or run "
            "'gate key new', which cancels every open hold.",
            code="key_missing",
        ) from error
    if len(key) != KEY_BYTES:
        raise StoreError(
            f"The key {path} is cut or changed; restore it or run 'gate key new'.", code="key_missing"
        )
    return key


def write_key(database: Path, key: bytes | None = None) -> bytes:
    """Write a key (0600) beside a database, replacing any old one, and return it.

    Args:
        database: Path of the database.
        key: The key; None makes a new one.

    Raises:
        StoreError: It cannot be written; the old one stays.
    """
    key = key or secrets.token_bytes(KEY_BYTES)
    write_key_file(key_path(database), key)
    return key


def write_key_file(path: Path, key: bytes) -> None:
    """Write a key (0600) into a file, which has it whole or not at all; see ``write_key``."""
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    with new_file(fresh) as handle:
        with os.fdopen(handle, "w") as file:
            file.write(key.hex())
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
        sync(path)


@contextmanager
def new_file(path: Path) -> Iterator[int]:
    """Make a file (0600) where none stands, and give its descriptor, which the block closes.

    A block that fails leaves no file.

    Raises:
        IllegalMove: There is one already (code ``exists``).
        StoreError: It cannot be written.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise IllegalMove(
            f"{path} is there already. Nothing was written. Name another file.", code="exists"
        ) from None
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}. Nothing was changed.") from error
    try:
        yield handle
    except OSError as error:
        path.unlink(missing_ok=True)
        raise StoreError(f"{path} cannot be written: {error.strerror}. Nothing was changed.") from error
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def sync(path: Path) -> None:
    """Write a file and the entry of its folder to the disk."""
    for place, flags in ((path, os.O_RDONLY), (path.parent, os.O_RDONLY | os.O_DIRECTORY)):
        handle = os.open(place, flags)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def identity(path: Path) -> tuple[int, int]:
    """Return device and inode of a file.

    Raises:
        StoreError: The file is gone, or this user may not reach it.
    """
    try:
        stat = os.stat(path)
    except PermissionError as error:
        raise StoreError(
            f"The store {path} cannot be reached ({error.strerror}). Nothing ran. Let this user write it and "
            "its folder, then call again.",
            code="store_readonly",
        ) from error
    except OSError as error:
        raise StoreError(
            f"The store {path} is gone ({error.strerror}). Nothing ran. Put it back and call again.",
            code="store_replaced",
        ) from error
    return stat.st_dev, stat.st_ino


def _refuse_network(database: Path) -> None:
    kind = _file_system(database)
    if kind in NETWORK_FILE_SYSTEMS:
        raise StoreError(
            f"The store {database} would lie on a network file system ({kind}), whose locks cannot "
            "be trusted. "
            "Name a file on a local disk with GATE_DB or db=."
        )


def _file_system(database: Path) -> str:
    """Return the type of the mount a path lies on; empty where the system does not tell."""
    try:
        mounts = MOUNTS.read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    target, listed = os.path.realpath(database), [line.split(" ") for line in mounts]
    found = [(_unescaped(each[1]), each[2]) for each in listed if len(each) > 2]
    below = [each for each in reversed(found) if _below(target, each[0])]  # of two at one place, the later
    return max(below, key=lambda each: len(each[0]))[1] if below else ""


def _unescaped(mount: str) -> str:
    """Return a path of the list of mounts as it is: blanks and backslashes stand there in octal."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), mount)


def _below(target: str, mount: str) -> bool:
    return mount == "/" or target == mount or target.startswith(mount + "/")
