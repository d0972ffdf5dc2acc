"""``gate-bot`` says whose ``bot`` it found and what is missing, before anything else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

RUN = "from gate.cli.launch import main; main()"


def test_a_users_own_bot_is_named(tmp_path: Path) -> None:
    """A bot.py in the folder that Python looks into first is named, without a traceback."""
    (tmp_path / "bot.py").write_text("print('mine')\n")
    environ = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", RUN], capture_output=True, text=True, env=environ, cwd=tmp_path
    )
    assert done.returncode == 2
    assert str(tmp_path / "bot.py") in done.stderr
    assert "Traceback" not in done.stderr
    assert "mine" not in done.stdout


def test_ours_is_started(tmp_path: Path) -> None:
    """Without a rival the bot's own command answers."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.argv = ['gate-bot', '--help']; {RUN}"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0
    assert "--local" in done.stdout


def test_an_interrupt_while_it_is_loaded(tmp_path: Path) -> None:
    """Ctrl-C in the first second ends with 130, without a word of Python; ``python -m bot`` does the same."""
    (tmp_path / "slow.py").write_text(
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'bot.command':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
    )
    environ = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    for ran in (RUN, "import runpy; runpy.run_module('bot', run_name='__main__')"):
        done = subprocess.run(
            [sys.executable, "-c", f"import slow; {ran}"],
            capture_output=True,
            text=True,
            env=environ,
            cwd=tmp_path,
        )
        assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
