"""Run the command line as ``python -m gate.cli``."""

from __future__ import annotations

from gate.cli import main

if __name__ == "__main__":
    main()
