"""The demo is the main job: it must go as told, and must fail where the policies answer otherwise."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0
"""Seconds after which nothing is waited for any more; no test takes them unless it fails."""
CHANGES = (
    # The refund over 5,000 EUR is allowed, and nobody waits long for the last answer.
    ("effect.amount: {gt: {EUR: 250}}", "effect.amount: {gt: {EUR: 250}, lte: {EUR: 5000}}"),
    ("then: block\n    reason: Refunds over 5,000 EUR are not for agents.", "then: allow"),
    ("expires_in: 20s", "expires_in: 10s"),
    ("deliver_within: 15s", "deliver_within: 10s"),
)


@dataclass(frozen=True, slots=True)
class Demo:
    """One run of the demo, which keeps its files in a folder of its own."""

    process: subprocess.Popen[str]
    folder: Path

    def end(self) -> tuple[int, str, str]:
        """Wait for its end and return exit code, standard output and standard error."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err

    def book(self, question: str) -> list[tuple[object, ...]]:
        """Ask the order book what really happened."""
        (file,) = self.folder.glob("gate-demo-*/orders.db")
        with closing(sqlite3.connect(file)) as rows:
            return rows.execute(question).fetchall()


def _start(folder: Path, *words: str) -> Demo:
    folder.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "demo", "--auto", *words],
        cwd=ROOT,
        env=_environment() | {"TMPDIR": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    return Demo(process, folder)


def _environment() -> dict[str, str]:
    """Return the environment without the settings of whoever runs the tests."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("GATE_", "SLACK_"))}


@pytest.fixture(scope="module")
def demos(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Demo]]:
    """Start both runs at once, since each of them waits for an expiry."""
    base = tmp_path_factory.mktemp("demos")
    lax = base / "policies"
    shutil.copytree(ROOT / "policies", lax)
    text = (lax / "refunds.yml").read_text()
    for old, new in CHANGES:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    (lax / "refunds.yml").write_text(text)
    running = {
        "shipped": _start(base / "shipped"),
        "lax": _start(base / "lax", "--policies", str(lax)),
    }
    yield running
    for demo in running.values():
        demo.process.kill()
        demo.process.communicate()


def test_all_six_go_as_told(demos: dict[str, Demo]) -> None:
    """With the shipped policies: six steps in order, one refund, one reply, no cancellation, exit 0."""
    code, out, err = demos["shipped"].end()
    assert code == 0, out + err
    steps = [line for line in out.splitlines() if line[:2] in {f"{number}." for number in range(1, 10)}]
    assert [line[:2] for line in steps] == ["1.", "2.", "3.", "4.", "5.", "6."]
    assert 'A person denied with the comment: "No damage claim on file for this order."' in out
    assert 'approved with the comment: "Damage claim verified, within policy."' in out
    assert "refund RF-1" in out
    assert "The policy blocked payments.issue_refund." in out
    assert "nobody answered in time" in out
    assert "denied it on the card" in out
    assert re.search(r"the log has \d\d records in all and is whole\.", out)
    (listing,) = [shlex.split(line) for line in out.splitlines() if " audit list --db " in line]
    seen = subprocess.run([sys.executable, "-m", "gate.cli", *listing[1:]], capture_output=True, text=True)
    assert seen.returncode == 0, seen.stderr
    assert f"rm -r {shlex.quote(str(Path(listing[-1]).parent))}\n" in out
    assert out.splitlines()[-1] == "All six went as told."
    assert "Traceback" not in err
    book = demos["shipped"].book
    assert book("SELECT order_id, amount FROM refunds") == [("ORD-1", "400")]
    assert book("SELECT count(*) FROM replies") == [(1,)]
    assert book("SELECT status FROM orders WHERE id = 'ORD-3'") == [("open",)]


def test_a_policy_that_allows_too_much_fails_the_demo(demos: dict[str, Demo]) -> None:
    """Where the policies let the big refund run, it runs, and the demo says so and ends with 1."""
    code, out, err = demos["lax"].end()
    assert code == 1, out + err
    assert "Not as told: step 4." in err
    assert "All six went as told." not in out
    assert ("ORD-2", "14000") in demos["lax"].book("SELECT order_id, amount FROM refunds")
