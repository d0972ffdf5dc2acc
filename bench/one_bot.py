"""Run ``gate-bot`` with its pacing for each channel off: the workspace on loopback takes what comes."""

from __future__ import annotations

import bot.pacing
from bot.command import main

if __name__ == "__main__":
    bot.pacing.PER_SECOND = 1e6
    main()
