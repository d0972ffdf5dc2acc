"""Answer a press: by a modal where there is one, else by a message that only they see; never by silence."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.desk import Desk
from bot.names import UNPARSED
from bot.payloads import Press
from bot.slack_errors import ANSWER_FAILURES, trouble
from bot.views import blocks, modals
from bot.views.text import Block, notification, visible

log = logging.getLogger("bot")

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

        Where neither a window nor an ephemeral message reaches them, the bot writes to them directly.

        Args:
            press: What they pressed.
            title: Title of the modal, at most 24 characters.
            sentence: Any text.
        """
        if press.view and await self.update(press.view, modals.told(title, sentence)):
            return
        if press.home and not press.view and await self.open(press, modals.told(title, sentence)):
            return
        await self.whisper(press, said(sentence), sentence)

    async def open(self, press: Press, view: Block) -> str | None:
        """Open a modal and return its id; None where Slack does not let it open any more."""
        try:
            answer = await self._desk.poster.views_open(trigger_id=press.trigger, view=view)
            return str(answer["view"]["id"])
        except ANSWER_FAILURES as error:
            log.warning("A window could not be opened: %s", trouble(error).code)
            return None

    async def update(self, view_id: str, view: Block) -> bool:
        """Replace a modal; False where it is gone."""
        try:
            await self._desk.client.views_update(view_id=view_id, view=view)
        except ANSWER_FAILURES as error:
            log.warning("A window could not be updated: %s", trouble(error).code)
            return False
        return True

    async def whisper(self, press: Press, content: Sequence[Block], text: str) -> None:
        """Say something to one person: by the response URL, else in the channel, else directly."""
        line = notification(text)
        if press.response_url and await self._respond(press.response_url, content, line):
            return
        if press.channel and await self._post_ephemeral(press, content, line):
            return
        try:
            await self._desk.poster.chat_postMessage(
                channel=press.who.user, blocks=list(content), text=line, **UNPARSED
            )
        except ANSWER_FAILURES as error:
            log.error("%s could not be answered: %s", press.who.user, trouble(error).code)

    async def _post_ephemeral(self, press: Press, content: Sequence[Block], line: str) -> bool:
        try:
            await self._desk.poster.chat_postEphemeral(
                channel=press.channel, user=press.who.user, blocks=list(content), text=line, **UNPARSED
            )
        except ANSWER_FAILURES as error:
            log.warning("A message in %s reached nobody: %s", press.channel, trouble(error).code)
            return False
        return True

    async def _respond(self, url: str, content: Sequence[Block], line: str) -> bool:
        webhook = AsyncWebhookClient(url, timeout=SECONDS, retry_handlers=[])
        try:
            answer = await webhook.send(
                text=line, blocks=list(content), response_type="ephemeral", replace_original=False
            )
        except ANSWER_FAILURES as error:
            log.warning("A response URL did not answer: %s", trouble(error).code)
            return False
        return answer.status_code == 200


def said(sentence: str) -> list[Block]:
    """Return blocks that show any text as it is."""
    return [blocks.section(visible(sentence))]
