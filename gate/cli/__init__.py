"""The command ``gate``: what admins and developers do from a shell. It never approves anything."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with its exit code.

    Args:
        args: Words after ``gate``; default is the process's own.
    """
    from gate.cli import streams

    streams.ensure()
    try:
        from gate.cli.root import cli
    except KeyboardInterrupt:
        sys.exit(130)
    cli.main(args=None if args is None else list(args), prog_name="gate")
