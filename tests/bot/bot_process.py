"""``gate-bot`` as a process of its own, forked from one that has loaded it already."""

from __future__ import annotations

import os
import signal
import sys
from multiprocessing.connection import Connection
from pathlib import Path

from tests.forking import SERVER

PATIENCE = 90.0
"""Seconds after which a process is not waited for any more; a busy machine needs many to start one."""


class Process:
    """One ``gate-bot``; what newcomers start is the installed command itself.

    Args:
        folder: Where it runs.
        words: Its arguments.
        environ: More environment.
    """

    def __init__(self, folder: Path, *words: str, **environ: str) -> None:
        out, err = SERVER.Pipe(duplex=False), SERVER.Pipe(duplex=False)
        orders = (folder, words, {**os.environ, **environ}, out[1], err[1])
        self.run = SERVER.Process(target=gate_bot, args=orders, daemon=True)
        self.run.start()
        out[1].close()
        err[1].close()
        self._out, self._err = (os.fdopen(os.dup(end[0].fileno())) for end in (out, err))

    def line(self, piece: str) -> str:
        """Return the next line of its output that has this in it."""
        for line in self._out:
            if piece in line:
                return line
        raise AssertionError(f"It ended without saying {piece!r}: {self._err.read()}")

    def said(self) -> tuple[int | None, str, str]:
        """Wait for its end and return its exit code, the rest of its output and of its errors."""
        with self._out, self._err:
            out, err = self._out.read(), self._err.read()
        self.run.join(PATIENCE)
        return self.run.exitcode, out, err

    def end(self, number: int = signal.SIGTERM) -> tuple[int | None, str]:
        """Ask it to end and return its exit code and its errors."""
        if self.run.is_alive() and self.run.pid is not None:
            os.kill(self.run.pid, number)
        code, _, err = self.said()
        return code, err

    def kill(self) -> None:
        """End it however it stands."""
        self.run.kill()
        self.run.join(PATIENCE)
        self._out.close()
        self._err.close()


def gate_bot(
    folder: Path, words: tuple[str, ...], environ: dict[str, str], out: Connection, err: Connection
) -> None:
    """Be ``gate-bot``: what a process of that name does, with its output to pipes."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environ)
    for number, pipe in ((1, out), (2, err)):
        os.dup2(pipe.fileno(), number)
        pipe.close()
    sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", buffering=1, closefd=False)
    from bot.command import main

    main(list(words))
