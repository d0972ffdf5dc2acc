"""Time how fast one bot posts the cards of 50 holds a second, its pacing for each channel off."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from bench import policies, targets
from bench.measure import Plan
from bench.targets import Target
from gate.model import Action
from gate.policy.load import load_texts
from gate.service import Service

A_SECOND = 50
SESSIONS = 10
PATIENCE = 60.0
"""Seconds after which a card that has not come counts as lost."""


def posted(plan: Plan) -> dict[Target, float]:
    """Offer holds at a steady rate to a bot in a process of its own, and time when Slack had their cards."""
    folder, count = plan.place("posting"), plan.size(20 * A_SECOND, A_SECOND)
    plan.floor(20)
    gate = Service(
        folder / "bench.db", policy=load_texts({"bench.yml": policies.for_tools(10)}), allow_local=True
    )
    for number in range(SESSIONS):
        gate.open_session(f"s{number}", agent="bench", on_behalf_of=None)
    with _workspace() as workspace, _bot(gate, workspace):
        _offer(gate, count)
        took = _cards(gate, count)
    gate.close()
    plan.floor(20)
    return {targets.CARDS: median(took) if took else float("inf"), targets.LOST: count - len(took)}


@contextmanager
def _workspace() -> Iterator[Mapping[str, Any]]:
    """Run a local workspace, and give where it is and what it takes."""
    with _running([sys.executable, "-m", "bot.local_workspace"], {}) as line:
        yield json.loads(line)


@contextmanager
def _bot(gate: Service, workspace: Mapping[str, Any]) -> Iterator[None]:
    told = {f"SLACK_{key.upper()}": str(workspace[key]) for key in ("api_url", "bot_token", "app_token")}
    told |= {"GATE_DB": str(gate.path), "GATE_ALLOW_LOCAL_WORKSPACE": "1"}
    with _running([sys.executable, "-m", "bench.one_bot", "--socket"], told) as line:
        if not line.startswith("The bot runs"):
            raise RuntimeError(f"the bot did not start: {line}")
        yield


@contextmanager
def _running(command: list[str], told: Mapping[str, str]) -> Iterator[str]:
    """Run a process until the end of the block, and give its first line."""
    process = subprocess.Popen(
        command, env={**os.environ, **told}, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1]
    )
    try:
        assert process.stdout
        yield process.stdout.readline()
    finally:
        process.terminate()
        process.communicate()


def _offer(gate: Service, count: int) -> None:
    """Submit holds, one every so often, whatever becomes of them."""
    pause, start = threading.Event(), perf_counter()
    for number in range(count):
        pause.wait(max(0.0, start + number / A_SECOND - perf_counter()))
        gate.submit(Action("desk.ask", {"number": number}, "bench", f"s{number % SESSIONS}"), wait=False)


def _cards(gate: Service, count: int) -> list[float]:
    """Return for each hold with a card how long after its submit that was posted, in ms."""
    pause, until = threading.Event(), perf_counter() + PATIENCE
    while True:
        with gate.store.reader() as reader:
            rows = reader.all(
                "SELECT min(c.at) - a.submitted_at AS us FROM actions a JOIN cards c ON c.action = a.id "
                "GROUP BY a.id"
            )
        if len(rows) == count or perf_counter() > until:
            return [row["us"] / 1e3 for row in rows]
        pause.wait(0.1)
