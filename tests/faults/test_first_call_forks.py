"""A process forks while another of its threads makes the very first call, which loads most of the package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit import POLICY
from tests.patience import PATIENCE

ROOT = Path(__file__).parent.parent.parent
KNOWN = "ignore:This process:DeprecationWarning"
"""What Python says of every fork beside threads, from 3.12 on."""

PROGRAM = """
import os, signal, sys, threading, traceback
from gate import Gate

gate = Gate(policy=sys.argv[1], db=sys.argv[2], agent="desk")


@gate.guard("desk.pay")
def pay(amount: int) -> str:
    return f"paid {amount}"


def in_child() -> int:
    signal.alarm(int(sys.argv[4]))
    return 0 if pay(4) == "paid 4" else 1


first, told = threading.Thread(target=lambda: told.append(pay(5))), []
first.start()
pause = threading.Event()
while sys.argv[3] not in sys.modules:
    pause.wait(0.0005)
child = os.fork()
if child == 0:
    try:
        os._exit(in_child())
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(2)
first.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), told)
"""

OPENS = """
import os, signal, sys, threading
from gate import Gate

gate = Gate(policy=sys.argv[1], db=sys.argv[2], agent="desk")
told, inside, ends = [], threading.Event(), threading.Event()


@gate.guard("desk.pay")
def pay(amount: int) -> str:
    inside.set()
    ends.wait()
    return f"paid {amount}"


def call_first() -> None:
    first.start()
    inside.wait()


first = threading.Thread(target=lambda: told.append(pay(5)))
os.register_at_fork(before=call_first)  # who asked last is asked first
child = os.fork()
if child == 0:
    signal.alarm(int(sys.argv[3]))
    ends = threading.Event()
    ends.set()
    os._exit(0 if pay(4) == "paid 4" else 1)
ends.set()
first.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), told, gate.service.store._times_opened)
"""


@pytest.mark.parametrize("half", ["gate.calling", "gate.runtime", "gate.service.road"])
def test_a_child_that_is_forked_beside_the_first_call_calls_too(tmp_path: Path, half: str) -> None:
    """A fork waits for what is being loaded, so that its child finds nothing half there."""
    assert _said(tmp_path, PROGRAM, half) == ("0 ['paid 5']\n", "")


def test_a_fork_that_begins_before_the_first_store_lets_go_of_it(tmp_path: Path) -> None:
    """A store that another thread opens while a fork is under way is closed for it and opened again."""
    assert _said(tmp_path, OPENS) == ("0 ['paid 5'] 2\n", "")


def _said(tmp_path: Path, program: str, *words: str) -> tuple[str, str]:
    """Run a program on a new store, and return what it wrote."""
    (tmp_path / "desk.yml").write_text(POLICY, "utf-8")
    given = [str(tmp_path / "desk.yml"), str(tmp_path / "store" / "gate.db"), *words, str(int(PATIENCE))]
    words_of_python = [sys.executable, "-W", KNOWN, "-c", program]
    done = subprocess.run([*words_of_python, *given], cwd=ROOT, capture_output=True, text=True)
    return done.stdout, done.stderr
