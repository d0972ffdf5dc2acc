"""What every part of a running bot shares: the store's verbs, Slack's client, and who may answer."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal, ParamSpec, TypeVar

from slack_sdk.web.async_client import AsyncWebClient

from bot.sight import Sight
from bot.views.card import Place
from gate.service import Service

P = ParamSpec("P")
T = TypeVar("T")
Via = Literal["socket", "http", "home", "command"]


@dataclass(slots=True)
class Desk:
    """What handlers and notices work with; belongs to one loop.

    Attributes:
        service: The gate's verbs; they block, so they run in ``pool``.
        client: Slack's client, which waits out rate limits.
        poster: Slack's client without any retry, for messages: a retry may post twice.
        eligibility: Who may answer.
        team: Id of the workspace.
        bot_id: The bot's id as the author of messages.
        api_host: Host of the API, for the record of each decision.
        via: How clicks arrive.
        pool: Threads for everything that blocks.
        place: What cards say about where they are.
        wake: Set when there may be something to post.
    """

    service: Service
    client: AsyncWebClient
    poster: AsyncWebClient
    eligibility: Sight
    team: str
    bot_id: str
    api_host: str
    via: Via
    pool: ThreadPoolExecutor
    place: Place = field(default_factory=Place)
    wake: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run something that blocks off the loop; a cancelled caller does not undo it."""
        loop = asyncio.get_running_loop()
        return await asyncio.shield(loop.run_in_executor(self.pool, functools.partial(verb, *args, **kwargs)))
