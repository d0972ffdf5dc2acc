"""Which files of a folder are a policy set, and which say that something was overlooked."""

from __future__ import annotations

import os
from pathlib import Path

ENDINGS = (".yml", ".yaml")
TABLES = (".test.yml", ".test.yaml")


def policy_files(folder: Path) -> list[Path]:
    """Return what lies directly in a folder and looks like a file of its set, by name.

    Test tables and names that begin with a dot are passed over. An ending counts in capitals too, so that
    ``never.YML`` is not passed over: see ``misspelt``.

    Args:
        folder: The folder.

    Raises:
        OSError: It cannot be listed.
    """
    names = sorted(os.listdir(folder))
    return [folder / name for name in names if name.lower().endswith(ENDINGS) and not _is_apart(name)]


def _is_apart(name: str) -> bool:
    return name.startswith(".") or name.endswith(TABLES)


def misspelt(file: Path) -> str:
    """Return why a file of a folder is not read; empty where it can be, and its ending is as it must be."""
    if file.is_fifo() or file.is_socket() or file.is_char_device():
        return "is a pipe, a socket or a device, which may never end: take it away"
    if file.name.endswith(ENDINGS):
        return ""
    right = file.stem + file.suffix.lower()
    return f"would be passed over for its ending, and its rules with it: name it {right}, or take it away"
