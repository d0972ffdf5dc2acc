"""Print by how many MB a process grows over allowed calls: ``python -m bench.memory FOLDER [--calls N]``."""

from __future__ import annotations

import argparse
import gc
import logging
import os
from pathlib import Path

from bench import policies
from bench.roads import Desk

WARM = 20_000
"""Calls that are made before it is looked at first; what is remembered of calls is full by then."""


def main() -> None:
    """Make the calls, and print by how much the process has grown since it was warm."""
    parser = argparse.ArgumentParser(prog="python -m bench.memory", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--calls", type=int, default=1_000_000)
    options = parser.parse_args()
    logging.getLogger("gate").setLevel(logging.ERROR)
    print(f"{grown(options.folder, options.calls):.2f}")


def grown(folder: Path, calls: int) -> float:
    """Return the growth of the process's own memory in MB; every call is another one."""
    desk = Desk(folder, policies.for_tools(10), durability="normal")
    for number in range(min(WARM, calls)):
        desk.pay(5, f"warm-{number}", "EUR", "bench")
    before = _resident()
    for number in range(calls):
        desk.pay(5, f"person-{number}", "EUR", "bench")
    after = _resident()
    desk.close()
    return (after - before) / 1e6


def _resident() -> int:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
