"""A file system that takes no more writes, as a kernel makes it after an error, for one thread to its end.

From outside nobody makes a mount read-only while a file on it is open for writing (EBUSY). So the kernel is
told to answer the writes of one thread so (seccomp), which needs no right. Other threads go on as they were.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.gate_kit import PATIENCE

_MACHINES = {
    # audit number; write, pwrite64, writev, pwritev, ftruncate, fallocate
    "x86_64": (0xC000003E, (1, 18, 20, 296, 77, 285)),
    "aarch64": (0xC00000B7, (64, 68, 66, 70, 46, 47)),
}
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_NUMBER, _ARCH, _FIRST_ARGUMENT = 0, 4, 16
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000 | errno.EROFS


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def apart(work: Callable[[], object]) -> None:
    """Do some work in a thread of its own, which may turn read-only meanwhile, and raise what it raised."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    if raised:
        raise raised[0]


@contextmanager
def read_only(db: Path) -> Iterator[None]:
    """From now on, let this thread write no file of a store that is open; there is no way back for it."""
    code = _filter(_open_files(db))
    libc = ctypes.CDLL(None, use_errno=True)
    program = _Program(len(code) // 8, code)
    for call in (
        (_NO_NEW_PRIVILEGES, 1, 0, 0, 0),
        (_SECCOMP, _FILTER, ctypes.byref(program), 0, 0),
    ):
        if libc.prctl(*call) != 0:
            raise OSError(ctypes.get_errno(), "the kernel takes no filter")
    yield


def _open_files(db: Path) -> list[int]:
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{name}").startswith(str(db)):
                found.append(int(name))
        except FileNotFoundError:
            continue  # that of the listing itself
    assert found
    return found


def _filter(files: Sequence[int]) -> bytes:
    """Return a program that fails every call which writes one of these files."""
    arch, calls = _MACHINES[platform.machine()]
    steps = [
        (_LOAD, 0, 0, _ARCH),
        (_IF_EQUAL, 1, 0, arch),
        (_RETURN, 0, 0, _ALLOW),
        (_LOAD, 0, 0, _NUMBER),
        *((_IF_EQUAL, len(calls) - place, 0, number) for place, number in enumerate(calls)),
        (_RETURN, 0, 0, _ALLOW),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        *((_IF_EQUAL, len(files) - place, 0, file) for place, file in enumerate(files)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _FAIL),
    ]
    return b"".join(struct.pack("HBBI", *step) for step in steps)
