"""Who this process is, and the proof that another one is dead.

A process is dead only where host, boot and pid namespace are ours and no process with its pid and start time
is left. Without that proof it may still be running, however long it has been silent.
"""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_GONE = frozenset("ZXx")


@dataclass(frozen=True, slots=True)
class Identity:
    """What tells one process from every other; an empty text or 0 means the system does not say.

    Attributes:
        host: Name of the machine.
        boot: Id of its current boot.
        namespace: Pid namespace.
        pid: Process id.
        start: Start time in clock ticks since boot.
    """

    host: str
    boot: str
    namespace: str
    pid: int
    start: int


def identify() -> Identity:
    """Return the identity of the calling process."""
    pid = os.getpid()
    found = _stat(pid)
    return Identity(platform.node(), _boot(), _namespace(), pid, found[1] if found else 0)


def is_dead(identity: Identity) -> bool:
    """Tell whether a process is surely dead.

    Args:
        identity: As the process itself once wrote it.

    Returns:
        True with proof; False where it lives or where nothing can be proven.
    """
    here = (platform.node(), _boot(), _namespace())
    if not all(here) or not identity.start or here != (identity.host, identity.boot, identity.namespace):
        return False
    if not _exists(identity.pid):
        return True
    found = _stat(identity.pid)
    return found is not None and (found[1] != identity.start or found[0] in _GONE)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _stat(pid: int) -> tuple[str, int] | None:
    """Return state and start time of a process, or None where the system does not say."""
    try:
        text = (_PROC / str(pid) / "stat").read_text(errors="replace")
        fields = text[text.rindex(")") + 2 :].split()
        return fields[0], int(fields[19])
    except (OSError, ValueError, IndexError):
        return None


def _boot() -> str:
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def _namespace() -> str:
    try:
        return str((_PROC / "self/ns/pid").readlink())
    except OSError:
        return ""
