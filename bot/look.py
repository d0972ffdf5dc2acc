"""Run the preflight alone, for ``gate-bot --check``."""

from __future__ import annotations

import asyncio

from bot.preflight import Preflight, Report
from bot.running import make_client
from bot.settings import BotSettings, Transport
from gate.service import Service


def look(service: Service, settings: BotSettings, transport: Transport) -> Report:
    """Look at Slack; nothing is posted and nothing is bound.

    Args:
        service: The store's verbs, for the policy in force.
        settings: What the bot was told.
        transport: How clicks arrive.

    Raises:
        BotFault: The token would go to an address that is not Slack's.
    """
    settings.check_address()
    policy = service.policy()

    async def once() -> Report:
        return await Preflight(make_client(settings, retry=True), settings, transport).check(policy)

    report = asyncio.run(once())
    bound = service.meta("workspace_team")
    if bound and report.team and bound != report.team:
        report.fatal.append(
            f"the store belongs to the workspace {bound}, not {report.team}: name another GATE_DB"
        )
    return report
