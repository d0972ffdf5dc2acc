"""An environment for each candidate, kept in a cache folder, so that none meets another's packages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def cache() -> Path:
    """Return the folder that keeps the environments between runs."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "slack-approval-gate" / "bench-peers"


def python_with(package: str) -> tuple[str, str]:
    """Return a Python that has a package, or an empty text and why there is none.

    Args:
        package: Name and version, such as ``name==1.0``; empty for this very Python.
    """
    if not package:
        return sys.executable, ""
    folder = cache() / package
    ready, python = folder / "ready", folder / "bin" / "python"
    if not ready.exists():
        problem = _install(package, folder)
        if problem:
            return "", problem
        ready.touch()
    return str(python), ""


def _install(package: str, folder: Path) -> str:
    """Make the environment; return what went wrong."""
    made = _run([sys.executable, "-m", "venv", "--clear", str(folder)])
    pip = [
        str(folder / "bin" / "python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        package,
    ]
    return made or _run(pip)


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
    return "" if done.returncode == 0 else lines[-1]
