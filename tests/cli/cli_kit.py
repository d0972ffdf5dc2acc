"""A kit for tests of the command line: run it in this process, in another one, and fill a store."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from gate.cli.root import cli
from gate.clock import SystemClock
from gate.service import Service
from gate.verbs.claim import End
from tests.kit import act, answer, post, service

COMMAND = [sys.executable, "-m", "gate.cli"]


def run(*words: str | Path, given: str = "", **environment: str) -> Result:
    """Run a command line in this process; nothing may escape it but an exit code."""
    result = CliRunner().invoke(cli, [str(word) for word in words], input=given, env=environment)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    assert "Traceback" not in result.output
    return result


def said(*words: str | Path, **environment: str) -> str:
    """Run a command line that must end well, and return its standard output."""
    result = run(*words, **environment)
    assert result.exit_code == 0, result.output
    return result.stdout


def read(*words: str | Path) -> Any:
    """Run a command line with --json that must end well, and return the one document it writes."""
    return json.loads(said(*words, "--json"))


def start(*words: str | Path, **options: Any) -> subprocess.Popen[str]:
    """Start a command line in a process of its own."""
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    environment = dict(os.environ) | options.pop("environment", {})
    return subprocess.Popen([*COMMAND, *map(str, words)], text=True, env=environment, **options)


@dataclass(frozen=True, slots=True)
class Filled:
    """A store with one call of each kind, by what became of it."""

    db: Path
    allowed: str
    denied: str
    failed: str
    blocked: str
    pending: str

    def words(self) -> list[str]:
        """Return the option that names it."""
        return ["--db", str(self.db)]


def fill(db: Path) -> Iterator[Filled]:
    """Make a store whose agent stays alive while it is looked at."""
    gate = service(db, clock=SystemClock())
    allowed = gate.submit(act(amount=5, to="bob")).record.id
    gate.settle(allowed, End(True, '"ok"'))
    denied = _held(gate, amount=500, to="bob")
    answer(gate, denied, said="deny", comment="No claim on file.")
    failed = _held(gate, amount=600, to="bob", api_token="hunter2-hunter2")
    answer(gate, failed, comment="Within policy.")
    assert gate.claim(failed, act(amount=600, to="bob", api_token="hunter2-hunter2")).run
    gate.settle(failed, End(False, None, "ValueError: no route"))
    blocked = gate.submit(act(amount=5000, to="bob")).record.id
    pending = _held(gate, amount=700, to="dora")
    yield Filled(db, allowed, denied, failed, blocked, pending)
    gate.close()


def _held(gate: Service, **arguments: Any) -> str:
    submission = gate.submit(act(**arguments))
    assert submission.kind == "held"
    post(gate)
    return submission.record.id
