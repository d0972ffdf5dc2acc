"""Run the preflight alone, for ``gate-bot --check``."""

from __future__ import annotations

import asyncio

from bot.preflight import Preflight, Report
from bot.running import make_client, make_patient
from bot.settings import BotSettings, Transport
from gate.policy.policyset import PolicySet


def look(policy: PolicySet, settings: BotSettings, transport: Transport, *, bound: str = "") -> Report:
    """Look at Slack; nothing is posted and nothing is bound.

    Args:
        policy: Whose channels and people are looked up.
        settings: What the bot was told.
        transport: How clicks arrive.
        bound: Id of the workspace that the store belongs to; empty for none yet.

    Raises:
        BotFault: The token would go to an address that is not Slack's.
    """
    settings.check_address()

    async def once() -> Report:
        client, people = make_client(settings, retry=True), make_patient(settings)
        return await Preflight(client, settings, transport, people).check(policy)

    report = asyncio.run(once())
    if bound and report.team and bound != report.team:
        report.fatal.append(
            f"the store belongs to the workspace {bound}, not {report.team}: name another GATE_DB"
        )
    return report
