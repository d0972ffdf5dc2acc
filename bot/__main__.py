"""``python -m bot`` and ``gate-bot``."""

from __future__ import annotations

from gate.cli.launch import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
