"""What is measured, and what it may take at most, or must reach at least."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unit = Literal["µs", "ms", "s", "×", "%", "MB", "1/s", ""]
COMMIT_US = 100.0
"""What a durable commit costs where the targets in µs hold; they grow with it."""

TIMES: dict[str, float] = {"µs": 1.0, "ms": 1e3, "s": 1e6}


@dataclass(frozen=True, slots=True)
class Target:
    """One line of the table.

    Attributes:
        name: What is measured.
        bound: The target.
        unit: Of bound and figure.
        least: Whether the figure must reach the bound; else it may not pass it.
    """

    name: str
    bound: float
    unit: Unit
    least: bool = False

    def here(self, commit_us: float) -> float:
        """Return the bound on this machine: one in µs grows with what a commit costs."""
        return self.bound * max(1.0, commit_us / COMMIT_US) if self.unit == "µs" else self.bound

    def met(self, value: float, commit_us: float) -> bool:
        """Tell whether a figure is within its bound."""
        return value >= self.bound if self.least else value <= self.here(commit_us)


JUDGE_10 = Target("evaluate: 10 rules for different tools", 6, "µs")
JUDGE_1000 = Target("evaluate: 1,000 rules for 1,000 tools ÷ 10 rules", 1.2, "×")
JUDGE_SAME = Target("evaluate: 1,000 rules with conditions for the tool", 150, "µs")
DIGEST = Target("digest of the call", 20, "µs")
ALLOWED = Target("allowed call, FULL, budgets fed ÷ two bare commits of its rows", 1.6, "×")
ALLOWED_SQL = Target("its statements alone, by plain sqlite3 ÷ the same", 1.6, "×")
COMMITS = Target("allowed call: transactions", 2, "")
NORMAL = Target("allowed call, durability normal, no budget fed", 90, "µs")
NORMAL_SQL = Target("SQLite's part of that call", 90, "µs")
HERE = Target("decided in this process → the tool runs, p50", 1, "ms")
HERE_SQL = Target("SQLite's part of that way, p50", 1, "ms")
HERE_P99 = Target("decided in this process → the tool runs, p99", 5, "ms")
THERE = Target("decided in another process → the tool runs, p50", 30, "ms")
THREADS = Target("8 threads, FULL: rate ÷ one thread's", 0.9, "×", least=True)
THREADS_P99 = Target("8 threads, FULL: p99 ÷ p50", 12, "×")
LONG_LOG = Target("allowed call: long log and ledger ÷ empty store", 1.15, "×")
SCANS = Target("allowed call: tables and indices read from end to end", 0, "")
DUE = Target("10,000 holds due at once → expired and recorded", 0.5, "s")
DUE_SQL = Target("their statements alone, by plain sqlite3", 0.5, "s")
NONE_DUE = Target("a sweep with none due", 0.2, "ms")
WAITERS = Target("500 waiters: idle CPU of one core", 3, "%")
MEMORY = Target("memory after 1,000,000 allowed calls: growth", 10, "MB")
IMPORT = Target("import gate, every name − bare python", 110, "ms")
OPTIONAL = Target("import gate: optional modules loaded", 0, "")
LOAD = Target("load 1,000 rules from YAML", 150, "ms")
LOAD_YAML = Target("their text through the YAML parser alone", 150, "ms")
RELOAD = Target("p99 of calls while new revisions are taken ÷ idle p99", 3, "×")
TEXT_64K = Target("allowed call with 64 KB as one text", 1, "ms")
TEXT_64K_LEAST = Target("its JSON, a hash, a search and two commits alone: text", 1, "ms")
ROWS_64K = Target("allowed call with 64 KB as rows", 4, "ms")
ROWS_64K_LEAST = Target("its JSON, a hash, a search and two commits alone: rows", 4, "ms")
TEXT_1M = Target("allowed call with 1 MB", 50, "ms")
VERIFY = Target("audit verify", 100_000, "1/s", least=True)
CARDS = Target("one bot, 50 holds/s: submit → card posted, p50", 100, "ms")
LOST = Target("one bot, 50 holds/s: holds without a card", 0, "")
