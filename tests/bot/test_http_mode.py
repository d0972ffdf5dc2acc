"""HTTP mode: only what Slack signed a moment ago is heard; everything else gets a 4xx."""

from __future__ import annotations

import http.client
import json
import time
from urllib.parse import urlencode, urlsplit

import pytest
from slack_sdk.signature import SignatureVerifier

from bot import names
from bot.app import SlackBot
from bot.settings import BotFault
from gate.lifecycle import State
from tests.bot.bot_fixtures import CHANNEL, Office, office, office_of, settings
from tests.patience import PATIENCE

__all__ = ["office", "office_of"]


class Caller:
    """Somebody who sends requests to the bot.

    Args:
        bot: The running bot.
        secret: Secret to sign with.
    """

    def __init__(self, bot: SlackBot, secret: str) -> None:
        self._where = urlsplit(bot.address)
        self._signer = SignatureVerifier(secret)

    def send(
        self,
        body: bytes,
        *,
        path: str = "/slack/events",
        method: str = "POST",
        stamp: str | None = None,
        signature: str | None = None,
        kind: str = "application/x-www-form-urlencoded",
    ) -> tuple[int, bytes]:
        """Send one request and return status and body."""
        stamp = stamp if stamp is not None else str(int(time.time()))
        if signature is None:
            signature = self._signer.generate_signature(timestamp=stamp, body=body) or ""
        headers = {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": signature, "Content-Type": kind}
        link = http.client.HTTPConnection(self._where.hostname or "", self._where.port or 0, timeout=PATIENCE)
        try:
            link.request(method, path, body=body, headers=headers)
            answer = link.getresponse()
            return answer.status, answer.read()
        finally:
            link.close()


@pytest.fixture
def caller(office: Office) -> Caller:
    """Give a caller who knows the secret, and a bot in HTTP mode."""
    return Caller(office.open("http"), office.workspace.signing_secret)


COMMAND = urlencode(
    {"command": "/gate", "text": "help", "user_id": "U0ALICE", "team_id": "T0LOCAL", "channel_id": CHANNEL}
).encode()


def test_a_signed_request_is_heard(caller: Caller) -> None:
    """A fresh signature is accepted."""
    assert caller.send(COMMAND)[0] == 200


@pytest.mark.parametrize(
    "stamp",
    [
        "",
        "abc",
        "12.5",
        "-5",
        "1e9",
        "0",
        "9" * 30,
        "١٢٣",
        pytest.param(str(int(time.time()) - 400), id="stale"),
    ],
)
def test_a_bad_or_stale_timestamp_is_refused(caller: Caller, stamp: str) -> None:
    """A timestamp that is no number, or too old, gets 401 and never 500."""
    try:
        status, _ = caller.send(COMMAND, stamp=stamp, signature="v0=00")
    except UnicodeEncodeError:
        return
    assert status == 401


def test_a_future_timestamp_is_refused(caller: Caller) -> None:
    """A rightly signed request from ahead of the window is refused."""
    assert caller.send(COMMAND, stamp=str(int(time.time()) + 400))[0] == 401


@pytest.mark.parametrize("signature", ["", "v0=", "v0=deadbeef", "x" * 5000, "v1=00"])
def test_a_wrong_signature_is_refused(caller: Caller, signature: str) -> None:
    """Unsigned and wrongly signed requests get 401, ssl_check among them."""
    assert caller.send(COMMAND, signature=signature)[0] == 401
    assert caller.send(b"ssl_check=1", signature=signature)[0] == 401


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"payload=",
        b"payload={",
        b"payload=%5B%5D",
        b"payload=null",
        b"payload=%7B%22type%22%3A%22block_actions%22%7D",
        b"payload=%7B%22type%22%3A%22view_submission%22%7D",
        b'payload={"type":"block_actions","actions":null,"user":null}',
        b'payload={"type":"block_actions","actions":[{"action_id":"gate:approve","type":"button"}],"user":{"id":5}}',
        b"{}",
        b"[]",
    ],
)
def test_a_signed_body_that_is_no_payload_is_no_server_error(caller: Caller, body: bytes) -> None:
    """Whatever is inside, the answer is never a 5xx."""
    for kind in ("application/x-www-form-urlencoded", "application/json"):
        assert caller.send(body, kind=kind)[0] < 500


def test_a_body_that_is_no_text_is_refused(caller: Caller) -> None:
    """Bytes that are not UTF-8 get a 400."""
    assert caller.send(b"\xff\xfe", signature="v0=00")[0] == 400


def test_a_body_that_is_too_large_is_refused(caller: Caller) -> None:
    """Two megabytes are not read."""
    assert caller.send(b"x" * 2_000_000)[0] == 413


def test_only_post_is_heard(caller: Caller) -> None:
    """Other methods and paths are refused."""
    assert caller.send(b"", method="GET")[0] == 405
    assert caller.send(COMMAND, path="/else")[0] == 404


def test_health_tells_that_it_works(caller: Caller) -> None:
    """The health page says that clicks can arrive and messages are posted."""
    status, body = caller.send(b"", path="/health", method="GET")
    assert status == 200
    assert json.loads(body) == {"ok": True, "clicks": True, "posting": True, "team": "T0LOCAL"}


def test_a_url_verification_is_answered(caller: Caller) -> None:
    """Slack's first request to a new address gets its challenge back."""
    body = json.dumps({"type": "url_verification", "challenge": "abc", "token": "x"}).encode()
    status, answer = caller.send(body, kind="application/json")
    assert status == 200
    assert b"abc" in answer


def test_a_replayed_press_counts_once(office: Office) -> None:
    """The same signed request sent again records nothing more."""
    office.open("http")
    record = office.hold(name="payments.pay_out")
    office.press("U0ALICE", record, names.APPROVE)
    office.shown(record, "1 so far")
    assert office.control.replay()["acked"]
    assert len(office.agent.hold(record.id).decisions) == 1
    assert office.control.ephemerals("U0ALICE") == []
    assert office.agent.hold(record.id).state is State.PENDING


def test_an_address_that_is_taken_is_said(office: Office) -> None:
    """A port in use is one clear message."""
    port = urlsplit(office.open("http").address).port or 0
    second = SlackBot(office.agent, settings(office.workspace, port=port), transport="http")
    with pytest.raises(BotFault, match="cannot listen"):
        second.start()
