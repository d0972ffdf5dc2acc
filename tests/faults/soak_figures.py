"""What the long run measures: memory of each process and the size of the store's files, as time goes on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

MB = 1_000_000
WARM_UP = 0.2
"""Share of the run after which a process has loaded what it needs; growth is counted from there."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One look.

    Attributes:
        at: Seconds since the run began.
        calls: Actions in the store.
        holds: Those of them that were held.
        unsent: Messages that wait for a bot.
        db: Bytes of the database file.
        wal: Bytes of its write-ahead log.
    """

    at: float
    calls: int
    holds: int
    unsent: int
    db: int
    wal: int


@dataclass(slots=True)
class Figures:
    """All samples of a run; memory in bytes, by process."""

    samples: list[Sample] = field(default_factory=list)
    memory: defaultdict[str, list[tuple[float, int]]] = field(default_factory=lambda: defaultdict(list))

    def take(self, sample: Sample, alive: Mapping[str, int]) -> str:
        """Keep one sample with the memory of the processes that live, and return a line about it."""
        self.samples.append(sample)
        found = {name: resident(pid) for name, pid in alive.items()}
        for name, size in found.items():
            self.memory[name].append((sample.at, size))
        each = " ".join(f"{name} {size / MB:.1f}" for name, size in found.items())
        return (
            f"{sample.at:6.0f} s  calls {sample.calls}  holds {sample.holds}  unsent {sample.unsent}"
            f"  db {sample.db / MB:.1f} MB  wal {sample.wal / MB:.1f} MB  resident MB: {each}"
        )

    def summary(self) -> str:
        """Return what grew by how much."""
        first, last = self.samples[0], self.samples[-1]
        calls = max(1, last.calls - first.calls)
        per = 1000 * (last.db - first.db) / calls / MB
        lines = [f"{'process':9} {'first':>8} {'warm':>8} {'last':>8} {'most':>8}  MB resident"]
        for name, seen in sorted(self.memory.items()):
            sizes_ = [size for _, size in seen]
            warm = next((size for at, size in seen if at >= WARM_UP * last.at), sizes_[-1])
            row = (sizes_[0], warm, sizes_[-1], max(sizes_))
            lines.append(f"{name:9} " + " ".join(f"{size / MB:8.1f}" for size in row))
        lines.append(
            f"{last.calls} calls, {last.holds} held, in {last.at:.0f} s; the database grew by {per:.2f} MB"
            f" for 1,000 calls to {last.db / MB:.1f} MB; the write-ahead log was at most"
            f" {max(each.wal for each in self.samples) / MB:.1f} MB"
        )
        return "\n".join(lines)


def resident(pid: int) -> int:
    """Return the bytes of memory that a process has resident; 0 where it is gone."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * 4096


def sizes(db: Path) -> tuple[int, int]:
    """Return the bytes of a database file and of its write-ahead log."""
    wal = db.with_name(db.name + "-wal")
    return db.stat().st_size, wal.stat().st_size if wal.exists() else 0
