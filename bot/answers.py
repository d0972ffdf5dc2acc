"""Answer a press: by a modal where there is one, else by an ephemeral message; never by silence."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence

from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.desk import Desk
from bot.payloads import Press
from bot.slack_errors import CALL_FAILURES, trouble
from bot.views import modals
from bot.views.text import Block, notification, rich_text, visible

log = logging.getLogger("bot")

_MENTION = re.compile(r"<@([UW][A-Z0-9]{1,30})>")
SECONDS = 8


class Answers:
    """Say things to one person.

    Args:
        desk: What the bot works with.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def tell(self, press: Press, title: str, sentence: str) -> None:
        """Say something to who pressed: in the modal they are in, else so that only they see it.

        Args:
            press: What they pressed.
            title: Title of the modal, at most 24 characters.
            sentence: Any text; ``<@U…>`` in it becomes the person's name.
        """
        if press.view:
            await self.update(press.view, modals.told(title, _spoken(sentence)))
        elif press.home:
            await self.open(press, modals.told(title, _spoken(sentence)))
        else:
            await self.whisper(press, said(sentence), sentence)

    async def open(self, press: Press, view: Block) -> str | None:
        """Open a modal and return its id; None where Slack does not let it open any more."""
        try:
            answer = await self._desk.poster.views_open(trigger_id=press.trigger, view=view)
            return str(answer["view"]["id"])
        except CALL_FAILURES as error:
            log.warning("A window could not be opened: %s", trouble(error).code)
            return None

    async def update(self, view_id: str, view: Block) -> bool:
        """Replace a modal; False where it is gone."""
        try:
            await self._desk.client.views_update(view_id=view_id, view=view)
        except CALL_FAILURES as error:
            log.warning("A window could not be updated: %s", trouble(error).code)
            return False
        return True

    async def whisper(self, press: Press, blocks: Sequence[Block], text: str) -> None:
        """Post an ephemeral message: by the response URL, else in the channel."""
        line = notification(_spoken(text))
        if press.response_url and await self._respond(press.response_url, blocks, line):
            return
        try:
            await self._desk.poster.chat_postEphemeral(
                channel=press.channel, user=press.who.user, blocks=list(blocks), text=line
            )
        except CALL_FAILURES as error:
            log.error("%s could not be answered: %s", press.who.user, trouble(error).code)

    async def _respond(self, url: str, blocks: Sequence[Block], line: str) -> bool:
        webhook = AsyncWebhookClient(url, timeout=SECONDS, retry_handlers=[])
        try:
            answer = await webhook.send(
                text=line, blocks=list(blocks), response_type="ephemeral", replace_original=False
            )
        except CALL_FAILURES as error:
            log.warning("A response URL did not answer: %s", trouble(error).code)
            return False
        return answer.status_code == 200


def said(sentence: str) -> list[Block]:
    """Return blocks that show any text as it is, with people's names in place of ``<@U…>``."""
    elements: list[Block] = []
    for index, piece in enumerate(_MENTION.split(sentence)):
        if index % 2:
            elements.append({"type": "user", "user_id": piece})
        elif piece:
            elements.append(rich_text(visible(piece), 2900))
    section = {"type": "rich_text_section", "elements": elements or [rich_text(visible(" "), 1)]}
    return [{"type": "rich_text", "elements": [section]}]


def _spoken(sentence: str) -> str:
    """Return a sentence without mentions, where they cannot be drawn."""
    return _MENTION.sub("somebody", sentence)
