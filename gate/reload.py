"""Bring changed policy files into force while the process runs; for development."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from gate.errors import PolicyError
from gate.policy.folder import policy_files
from gate.policy.load import load_path
from gate.policy.policyset import PolicySet

log = logging.getLogger("gate")

Signature = tuple[tuple[str, int, int], ...]


class PolicyWatch:
    """Look at the files of one policy set; a change is taken once two looks in a row see the same.

    What is only written again, with the text it has, is no change: an older policy that a start left out of
    force stays out of force until somebody changes it.

    Args:
        path: A file or a folder.
        apply: Brings a set into force.
    """

    def __init__(self, path: Path, apply: Callable[[PolicySet], object]) -> None:
        self._path = path
        self._apply = apply
        self._unreadable = False
        self._done = self._seen = self._signature()
        self._texts = self._read()

    def look(self) -> None:
        """Look once; a set that does not load is told in the log and changes nothing."""
        now = self._signature()
        if now is None:
            return
        settled, self._seen = now == self._seen, now
        if not settled or now == self._done:
            return
        self._done, before, self._texts = now, self._texts, self._read()
        if before is not None and before == self._texts:
            return
        try:
            self._apply(load_path(self._path))
        except PolicyError as error:
            log.error("The changed policy does not load; the one in force stays.\n%s", error)
        except BaseException:
            self._done, self._texts = None, before  # nothing was taken, so that the next look tries again
            raise

    def _signature(self) -> Signature | None:
        """Return what the files look like, or None where that cannot be told; the log says so once."""
        try:
            files = sorted(self._path.iterdir()) if self._path.is_dir() else [self._path]
        except OSError as error:
            if not self._unreadable:
                log.error(
                    "The policy in %s cannot be looked at (%s); the one in force stays.", self._path, error
                )
            self._unreadable = True
            return None
        self._unreadable = False
        return tuple(
            (each.name, stat.st_mtime_ns, stat.st_size) for each in files if (stat := _stat(each)) is not None
        )

    def _read(self) -> dict[str, bytes] | None:
        """Return the texts of the set by file; None where one cannot be read, of which loading says why."""
        with suppress(OSError):
            files = policy_files(self._path) if self._path.is_dir() else [self._path]
            return {each.name: each.read_bytes() for each in files}
        return None


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None
