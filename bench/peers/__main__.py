"""Time other gates beside this one: ``python -m bench.peers [--rounds N] [--json]``.

All take turns in one run. What does not install, or does not work, is left out, and a line says so.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from bench.floors import Commits
from bench.peers.environments import python_with

RULES = (10, 1000)
PEERS = {
    "plain_if": ("an if statement", ""),
    "this_gate": ("this gate, FULL", ""),
    "this_gate_normal": ("this gate, normal", ""),
    "govern": ("agent-governance-toolkit-core govern(), in memory", "agent-governance-toolkit-core==5.0.0"),
    "air_gate": ("air-gate GateClient.check, SQLite", "air-gate==0.3.0"),
    "air_gate_jsonl": ("air-gate GateClient.check, JSONL", "air-gate==0.3.0"),
    "approval_gate": ("approval-gate request_approval, file", "approval-gate==0.1.0"),
    "agentctrl": ("agentctrl RuntimeGateway.validate, JSONL", "agentctrl==0.3.1"),
    "cedarpy": ("cedarpy is_authorized, policy-set handle, no log", "cedarpy==4.12.2"),
}
"""Name, and the package it comes from; empty for this environment."""


class Peer:
    """One candidate in a process of its own."""

    def __init__(self, name: str, python: str, folder: Path) -> None:
        worker = Path(__file__).with_name("worker.py")
        path = os.pathsep.join(
            filter(None, [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
        )
        env = dict(os.environ) | ({"PYTHONPATH": path} if python == sys.executable else {})
        self.took: dict[int, list[float]] = {rules: [] for rules in RULES}
        self.problem = ""
        self._process = subprocess.Popen(
            [python, str(worker), name, str(folder / name)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env,
        )  # fmt: skip

    def round(self, rules: int, times: int) -> None:
        """Let it run so many calls under so many rules."""
        if self.problem:
            return
        assert self._process.stdin
        assert self._process.stdout
        try:
            self._process.stdin.write(json.dumps({"rules": rules, "times": times}) + "\n")
            self._process.stdin.flush()
            found = json.loads(self._process.stdout.readline() or '{"error": "its process ended"}')
        except (OSError, ValueError) as error:
            found = {"error": str(error)}
        self.problem = found.get("error", "")
        if not self.problem:
            self.took[rules].append(found["us"])

    def close(self) -> None:
        """End its process."""
        self._process.kill()
        self._process.communicate()


def main() -> None:
    """Print the median of each candidate beside a bare durable commit and an if statement."""
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--times", type=int, default=30, help="calls in a round")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        found = measure(Path(folder), options.rounds, options.times)
    print(json.dumps(found, indent=2) if options.json else table(found))


def measure(folder: Path, rounds: int, times: int) -> dict[str, Any]:
    """Return the median of each candidate, in µs, and those that were left out."""
    peers, left_out = _started(folder)
    commits = Commits(folder)
    for _ in range(rounds):
        commits.take(times)
        for rules in RULES:
            for peer in peers.values():
                peer.round(rules, times)
    commits.close()
    rows = []
    for name, peer in peers.items():
        peer.close()
        if peer.problem:
            left_out[name] = peer.problem
        else:
            rows.append({"what": PEERS[name][0]} | {str(rules): median(peer.took[rules]) for rules in RULES})
    return {"commit_us": commits.median_us(), "rows": rows, "left_out": left_out}


def _started(folder: Path) -> tuple[dict[str, Peer], dict[str, str]]:
    peers, left_out = {}, {}
    for name, (_, package) in PEERS.items():
        python, problem = python_with(package)
        if problem:
            left_out[name] = f"{package} does not install: {problem}"
        else:
            peers[name] = Peer(name, python, folder)
    return peers, left_out


def table(found: dict[str, Any]) -> str:
    """Return the figures as a table, the ones that were left out below."""
    lines = [
        f"{'an allowed call with four arguments, µs p50':54}{'10 rules':>12}{'1,000 rules':>13}{'commits':>9}"
    ]
    for row in found["rows"]:
        share = row["10"] / found["commit_us"]
        lines.append(f"{row['what']:54}{row['10']:>12,.1f}{row['1000']:>13,.1f}{share:>9.2f}")
    lines.append(f"{'a bare durable commit':54}{found['commit_us']:>12,.1f}{'':13}{1:>9.2f}")
    lines += [f"left out: {PEERS[name][0]}: {why}" for name, why in found["left_out"].items()]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
