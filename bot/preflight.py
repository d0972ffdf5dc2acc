"""Look before starting: name everything that is missing, and every configured id with its real name."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from slack_sdk.web.async_client import AsyncWebClient

from bot import scopes
from bot.directory import Directory, LookupFailed
from bot.reach import Reach
from bot.settings import BotSettings, Transport
from bot.slack_errors import ANSWER_FAILURES, Trouble, trouble
from gate.model import Approver
from gate.policy.policyset import PolicySet

LOCAL_TEAM = "T0LOCAL"
AT_ONCE = 8
"""Approvers that are looked up at the same time; Slack answers about a hundred such questions a minute."""


@dataclass(slots=True)
class Report:
    """What a look at Slack found.

    Attributes:
        team: Team id; empty where the token does not work.
        team_name: Its name.
        bot_user: User id of the bot.
        bot_id: Its id as an app's bot, which every message that it posts carries.
        fatal: What keeps the bot from starting.
        problems: What keeps some holds from being posted or approved.
        warnings: What somebody should know.
        names: Every configured id with its real name.
    """

    team: str = ""
    team_name: str = ""
    bot_user: str = ""
    bot_id: str = ""
    fatal: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Tell whether nothing is missing."""
        return not self.fatal and not self.problems

    def lines(self) -> list[str]:
        """Return the report as lines for people."""
        told = [f"missing  {line}" for line in (*self.fatal, *self.problems)]
        return [
            *(f"ok       {line}" for line in self.names),
            *(f"note     {line}" for line in self.warnings),
            *told,
        ]


class Preflight:
    """Check tokens, scopes, channels and approvers.

    Args:
        client: Slack's client.
        settings: What the bot was told.
        transport: How clicks arrive.
        people: Client that people are looked up with; None takes the same.
        patience: Seconds after which people who were not looked up yet are left; None waits for all.
    """

    def __init__(
        self,
        client: AsyncWebClient,
        settings: BotSettings,
        transport: Transport,
        people: AsyncWebClient | None = None,
        patience: float | None = None,
    ) -> None:
        self._client, self._settings, self._transport = client, settings, transport
        self._people, self._patience = people or client, patience
        self._granted: frozenset[str] = frozenset()

    async def check(self, policy: PolicySet) -> Report:
        """Check everything a policy needs; nothing is posted.

        Args:
            policy: The policy in force.
        """
        report = Report()
        await self._token(report)
        await self._delivery(report)
        if report.fatal:
            return report
        directory = Directory(self._client)
        channels = [self._settings.channel] if self._settings.channel else list(policy.named_channels())
        if self._settings.summary_channel:
            channels.append(self._settings.summary_channel)
        for channel in dict.fromkeys(channels):
            await self._channel(report, directory, channel)
        await self._approvers(report, policy.people())
        return report

    async def _token(self, report: Report) -> None:
        token = self._settings.bot_token
        if not token:
            report.fatal.append("SLACK_BOT_TOKEN is not set: the bot token (xoxb-…) of the installed app")
        elif not token.startswith("xoxb-"):
            report.fatal.append("SLACK_BOT_TOKEN is no bot token: it does not begin with 'xoxb-'")
        else:
            await self._ask_who(report)

    async def _ask_who(self, report: Report) -> None:
        try:
            answer = await self._client.auth_test()
        except ANSWER_FAILURES as error:
            found = trouble(error)
            report.fatal.append(_no_answer(found, self._settings.api_host))
            return
        report.team, report.team_name = str(answer.get("team_id") or ""), str(answer.get("team") or "")
        if not report.team:
            report.fatal.append(
                f"{self._settings.api_host} does not say to which workspace the token belongs"
            )
        report.bot_user = str(answer.get("user_id") or "")
        report.bot_id = str(answer.get("bot_id") or "")
        if not report.bot_id:
            report.fatal.append("SLACK_BOT_TOKEN belongs to a person, not to an app: take the bot token")
        report.names.append(f"workspace {report.team} = {report.team_name}")
        self._check_scopes(report, str(answer.headers.get("x-oauth-scopes") or ""))
        self._check_kind(report)

    def _check_scopes(self, report: Report, header: str) -> None:
        self._granted = frozenset(scope.strip() for scope in header.split(",") if scope.strip())
        report.fatal += [
            f"bot scope {scope}: add it under OAuth & Permissions and install the app again"
            for scope in sorted(scopes.required() - self._granted)
        ]
        report.warnings += [
            f"optional bot scope {scope} is not granted: {lost}"
            for scope, lost in scopes.OPTIONAL.items()
            if scope not in self._granted
        ]

    def _check_kind(self, report: Report) -> None:
        local = report.team == LOCAL_TEAM
        if local == self._settings.is_slack:
            report.fatal.append(
                f"{self._settings.api_host} says it is {report.team}: "
                "a local workspace must be that, and Slack must not"
            )

    async def _delivery(self, report: Report) -> None:
        """Check that clicks can arrive."""
        if self._transport == "http":
            return
        token = self._settings.app_token
        if not token.startswith("xapp-"):
            report.fatal.append("SLACK_APP_TOKEN is no app-level token (xapp-…) with connections:write")
        if report.fatal:
            return  # no token goes to what may not be the workspace that is meant
        try:
            await self._client.apps_connections_open(app_token=token)
        except ANSWER_FAILURES as error:
            report.fatal.append(
                f"SLACK_APP_TOKEN: Slack answers {trouble(error).code!r} to apps.connections.open; it needs "
                "connections:write, and Socket Mode must be switched on"
            )

    async def _channel(self, report: Report, directory: Directory, channel_id: str) -> None:
        try:
            found = await directory.channel(channel_id)
        except LookupFailed as failed:
            hint = "invite the bot if it is private" if failed.code == "channel_not_found" else "look again"
            report.problems.append(f"channel {channel_id}: {failed}; {hint}")
            return
        report.names.append(f"channel {channel_id} = #{found.name}")
        if found.archived:
            report.problems.append(f"channel {channel_id} (#{found.name}) is archived")
        elif not found.member:
            self._not_member(report, channel_id, found.name, private=found.private)
        if found.shared:
            report.warnings.append(f"channel {channel_id} (#{found.name}) is shared with another workspace")

    def _not_member(self, report: Report, channel_id: str, name: str, *, private: bool) -> None:
        line = f"the bot is not in channel {channel_id} (#{name}): type /invite @gate there"
        open_to_it = not private and "chat:write.public" in self._granted
        (report.warnings if open_to_it else report.problems).append(line)

    async def _approvers(self, report: Report, approvers: Sequence[Approver]) -> None:
        """Look everybody up, a few at once: one after the other, hundreds would take longer than a start."""
        found: dict[Approver, tuple[list[str], str]] = {}
        directory, few = Directory(self._people), asyncio.Semaphore(AT_ONCE)
        reach = Reach(directory, report.team)

        async def look(approver: Approver) -> None:
            async with few:
                problem = await reach.problems(approver)
                told = await _named(directory, approver) if problem is None else f"approver {problem}"
                found[approver] = (report.names if problem is None else report.problems, told)

        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience), asyncio.TaskGroup() as looks:
                for approver in approvers:
                    looks.create_task(look(approver))
        for lines, told in (found[each] for each in approvers if each in found):
            lines.append(told)
        left = [each for each in approvers if each not in found]
        if left:
            report.warnings.append(
                f"{len(left)} of {len(approvers)} approvers were not looked up in the time that a start has, "
                f"{left[0]} among them: gate-bot --check takes the time for all"
            )


def _no_answer(found: Trouble, host: str) -> str:
    """Say what came of the question whose token it is: of one that was not answered, nothing is known."""
    if found.code in ("cannot_connect", "no_answer"):
        where = "look at the network, and at SLACK_API_URL where it is set"
        return f"{host} does not answer auth.test ({found.code}): {where}"
    return f"SLACK_BOT_TOKEN: {host} answers {found.code!r} to auth.test"


async def _named(directory: Directory, approver: Approver) -> str:
    """Return an approver entry with its real name."""
    try:
        if approver.kind == "user":
            return f"approver {approver.id} = {(await directory.known_user(approver.id)).name}"
        if approver.kind == "group":
            people = [
                await directory.known_user(user) for user in sorted(await directory.group(approver.id))[:5]
            ]
            return f"approvers {approver.id} = {', '.join(person.name for person in people)}"
        return f"approvers {approver} = members of #{(await directory.channel(approver.id)).name}"
    except LookupFailed:
        return f"approver {approver}"
