"""A card that stands already is only one that this bot posted; anybody can write metadata like ours."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.desk import Desk
from bot.names import BURST_EVENT, EVENT_TYPE
from bot.twins import Twins
from tests.bot.records import NOW, refund
from tests.bot.test_slack_lies import Liar

MINE = {"bot_id": "B0GATE", "user": "U0GATEBOT"}


def message(ts: str, kind: str, payload: Any, **author: Any) -> dict[str, Any]:
    """Return a message of a channel's history with metadata."""
    return {"ts": ts, **author, "metadata": {"event_type": kind, "event_payload": payload}}


def history(*messages: dict[str, Any]) -> Liar:
    """Return an API whose channels hold these messages."""
    return Liar(history={"messages": list(messages)})


def twins(client: AsyncWebClient) -> Twins:
    """Return the search of a bot whose messages carry B0GATE."""
    return Twins(cast("Desk", SimpleNamespace(poster=client, bot_id="B0GATE")))


@pytest.mark.parametrize("author", [{"bot_id": "B0ROBOT"}, {"user": "U0ALICE"}, {"bot_id": None}, {}])
def test_the_message_of_another_app_or_of_a_person_is_no_card(author: dict[str, Any]) -> None:
    """It would keep the real card from being posted, so that the hold ended undelivered."""
    record = refund()
    forged = message("1.1", EVENT_TYPE, {"hold": record.id, "version": 1}, **author)
    own = message("2.2", EVENT_TYPE, {"hold": record.id, "version": 1}, **MINE)

    async def found(client: AsyncWebClient) -> list[str]:
        return [card.ts for card in await twins(client).find(record, "C0APPROVALS")]

    assert history(forged).serve(found) == []
    assert history(forged, own).serve(found) == ["2.2"]


def test_what_others_write_as_metadata_is_not_read() -> None:
    """A payload of a form that this bot does not write keeps nothing from being found."""
    forged = message("1.1", BURST_EVENT, ["burst"], bot_id="B0ROBOT")
    own = message("2.2", BURST_EVENT, {"burst": "b1"}, **MINE)

    async def found(client: AsyncWebClient) -> str:
        return await twins(client).burst("b1", "C0APPROVALS", NOW)

    assert history(forged, own).serve(found) == "2.2"
