"""Signed HTTP delivery to a real bolt app, and the workspace's own doors."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from aiohttp import ClientSession, WSServerHandshakeError, web
from slack_bolt.async_app import AsyncApp
from slack_sdk.signature import SignatureVerifier
from slack_sdk.web import WebClient

from bot.local_workspace import NOTICE, Channel, ControlError, LocalWorkspace, Seed
from tests.bot.workspace_blocks import CHANNEL, actions, button, modal, text_input
from tests.patience import PATIENCE


class HttpApp:
    """A bolt app behind aiohttp on loopback, in its own thread."""

    def __init__(self, workspace: LocalWorkspace, listen: Callable[[AsyncApp], None]) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.workspace, self.listen = workspace, listen
        self.url = asyncio.run_coroutine_threadsafe(self._start(), self.loop).result(PATIENCE)

    async def _start(self) -> str:
        app = AsyncApp(token=self.workspace.bot_token, signing_secret=self.workspace.signing_secret)
        app.client.base_url = self.workspace.api_url
        self.listen(app)
        self.runner = web.AppRunner(app.web_app("/slack/events"))
        await self.runner.setup()
        await web.TCPSite(self.runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{self.runner.addresses[0][1]}/slack/events"

    def stop(self) -> None:
        """End the server and its thread."""
        asyncio.run_coroutine_threadsafe(self.runner.cleanup(), self.loop).result(PATIENCE)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(PATIENCE)


@pytest.fixture
def serve(workspace: LocalWorkspace) -> Iterator[Callable[[Callable[[AsyncApp], None]], HttpApp]]:
    """Give a function that serves a bolt app and switches the workspace to HTTP."""
    running: list[HttpApp] = []

    def start(listen: Callable[[AsyncApp], None]) -> HttpApp:
        running.append(HttpApp(workspace, listen))
        workspace.control.set_transport("http", running[-1].url)
        return running[-1]

    yield start
    for each in running:
        each.stop()


def test_clicks_modals_commands_and_events_over_http(
    workspace: LocalWorkspace, client: WebClient, serve: Callable[..., HttpApp]
) -> None:
    """The same listeners work over signed HTTP, and bolt accepts the signature."""
    opened = threading.Event()

    def listen(app: AsyncApp) -> None:
        @app.action("deny")
        async def deny(ack: Any, body: dict[str, Any], client: Any) -> None:
            await client.views_open(
                trigger_id=body["trigger_id"], view=modal(text_input(), callback_id="deny")
            )
            await ack()

        @app.view("deny")
        async def submit(ack: Any) -> None:
            await ack(response_action="errors", errors={"comment": "More."})

        @app.command("/gate")
        async def gate(ack: Any) -> None:
            await ack(text="No holds.", response_type="ephemeral")

        @app.event("app_home_opened")
        async def home() -> None:
            opened.set()

    serve(listen)
    ts = client.chat_postMessage(channel=CHANNEL, text="card", blocks=[actions(button("deny"))])["ts"]
    assert workspace.control.click("U0ALICE", CHANNEL, ts, "deny")["acked"]
    view = workspace.control.wait_view("U0ALICE")
    refused = workspace.control.submit_view("U0ALICE", view["id"], {"comment": {"text": "x"}})
    assert refused["errors"] == {"comment": "More."}
    workspace.control.slash("U0ALICE", CHANNEL, "/gate holds")
    assert workspace.control.wait_ephemeral("U0ALICE", "No holds.")
    assert workspace.control.open_home("U0ALICE")["acked"]
    assert opened.wait(PATIENCE)


def test_an_unmatched_click_over_http_is_an_error(
    workspace: LocalWorkspace, client: WebClient, serve: Callable[..., HttpApp]
) -> None:
    """A 404 of the app's server is shown to the person as trouble."""
    serve(lambda app: None)
    ts = client.chat_postMessage(channel=CHANNEL, text="card", blocks=[actions(button("approve"))])["ts"]
    result = workspace.control.click("U0ALICE", CHANNEL, ts, "approve")
    assert not result["acked"]
    assert workspace.control.troubles("U0ALICE")[-1]["kind"] == "http_error"


def test_forged_and_repeated_requests_over_http(
    workspace: LocalWorkspace, client: WebClient, serve: Callable[..., HttpApp]
) -> None:
    """A stale timestamp or a bad signature is refused by bolt; the same signed request again is not."""
    seen: list[str] = []

    def listen(app: AsyncApp) -> None:
        @app.action("approve")
        async def approve(ack: Any, body: dict[str, Any]) -> None:
            seen.append(body["trigger_id"])
            await ack()

    serve(listen)
    ts = client.chat_postMessage(channel=CHANNEL, text="card", blocks=[actions(button("approve"))])["ts"]
    workspace.control.click("U0ALICE", CHANNEL, ts, "approve")
    assert workspace.control.replay()["http_status"] == 200
    first, second = workspace.control.envelopes()
    assert first["timestamp"] == second["timestamp"]
    assert seen[0] == seen[1]
    payload = first["payload"]
    stale = workspace.control.forge(payload, timestamp="1700000000")
    unsigned = workspace.control.forge(payload, headers={"X-Slack-Signature": "v0=00"})
    assert (stale["http_status"], unsigned["http_status"]) == (401, 401)
    assert len(seen) == 2
    workspace.control.duplicate_envelopes()
    workspace.control.click("U0ALICE", CHANNEL, ts, "approve")
    assert len(seen) == 4


def test_a_silent_server_is_trouble_too(workspace: LocalWorkspace, client: WebClient) -> None:
    """A request URL where nobody answers is not delivered."""
    with LocalWorkspace() as other:
        dead = other.url
    workspace.control.set_transport("http", f"{dead}/slack/events")
    ts = client.chat_postMessage(channel=CHANNEL, text="card", blocks=[actions(button("approve"))])["ts"]
    assert not workspace.control.click("U0ALICE", CHANNEL, ts, "approve")["delivered"]


def test_the_signature_is_slacks(workspace: LocalWorkspace) -> None:
    """Slack's own verifier accepts the request, and refuses it with one byte changed."""
    seen: list[tuple[bytes, dict[str, str]]] = []

    async def handle(request: web.Request) -> web.Response:
        seen.append((await request.read(), dict(request.headers)))
        return web.Response()

    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def start() -> web.AppRunner:
        app = web.Application()
        app.router.add_post("/", handle)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner

    runner = asyncio.run_coroutine_threadsafe(start(), loop).result(PATIENCE)
    workspace.control.set_transport("http", f"http://127.0.0.1:{runner.addresses[0][1]}/")
    workspace.control.slash("U0ALICE", CHANNEL, "/gate show @bob")
    body, headers = seen[0]
    verifier = SignatureVerifier(workspace.signing_secret)
    assert verifier.is_valid_request(body, headers)
    assert not verifier.is_valid_request(body + b"x", headers)
    assert b"%3C%40U0BOB%7Cbob%3E" in body
    asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(PATIENCE)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(PATIENCE)


@pytest.mark.parametrize("url", ["https://example.com/slack", "http://10.0.0.1/", "ftp://127.0.0.1/", None])
def test_a_request_url_is_on_this_machine(workspace: LocalWorkspace, url: str | None) -> None:
    """Nothing is ever sent to another machine."""
    with pytest.raises(ControlError, match="on this machine"):
        workspace.control.set_transport("http", url)


def status(url: str, **headers: str) -> int:
    """Send an empty JSON object and return the HTTP status."""
    request = Request(url, data=b"{}", headers={"Content-Type": "application/json", **headers})
    try:
        with urlopen(request) as answer:
            return int(answer.status)
    except HTTPError as refused:
        with refused:
            return refused.code


def test_other_sites_may_not_talk_to_the_workspace(workspace: LocalWorkspace) -> None:
    """A foreign Origin or Host is refused; the page's own is not."""
    target = f"{workspace.url}/control/faults/clear"
    assert status(target) == 200
    assert status(target, Origin=workspace.url) == 200
    assert status(target, Origin="https://example.com") == 403
    assert status(target, Origin="null") == 403
    assert status(target, Host="example.com") == 403


def test_every_surface_says_what_it_is(workspace: LocalWorkspace) -> None:
    """The page and the state say that this is not Slack."""
    assert workspace.control.state()["notice"] == NOTICE
    with urlopen(workspace.url) as answer:
        assert NOTICE in answer.read().decode()


def test_files_of_the_page_are_served_and_nothing_else(workspace: LocalWorkspace) -> None:
    """Only files of the page's folder are given out."""
    with urlopen(f"{workspace.url}/page/index.html") as answer:
        assert answer.headers["Content-Type"].startswith("text/html")
    for name in ("nothing.js", "..%2Fserver.py", "%2Fetc%2Fpasswd", "__init__.py"):
        with pytest.raises(HTTPError, match="404"):
            urlopen(f"{workspace.url}/page/{name}")


def test_the_page_is_told_of_changes(workspace: LocalWorkspace, client: WebClient) -> None:
    """The WebSocket sends the counter at once and again after a change; another site gets none."""

    async def watch() -> tuple[int, int]:
        async with ClientSession() as session:
            with pytest.raises(WSServerHandshakeError):
                await session.ws_connect(f"{workspace.url}/control/live", origin="https://example.com")
            async with session.ws_connect(f"{workspace.url}/control/live", origin=workspace.url) as socket:
                first = (await socket.receive_json(timeout=PATIENCE))["counter"]
                await asyncio.to_thread(client.chat_postMessage, channel=CHANNEL, text="x")
                return first, (await socket.receive_json(timeout=PATIENCE))["counter"]

    first, second = asyncio.run(watch())
    assert second > first


def test_a_wait_says_what_was_seen(workspace: LocalWorkspace) -> None:
    """A wait in vain ends with a TimeoutError that names what was there."""
    with pytest.raises(TimeoutError, match="#approvals: 0 messages"):
        workspace.control.wait_message(CHANNEL, "never", timeout=0.1)


def test_one_that_could_not_start_is_stopped_without_a_word(workspace: LocalWorkspace) -> None:
    """On a port that is taken it says so, and stopping it afterwards, once or twice, does nothing more."""
    second = LocalWorkspace(port=int(workspace.url.rpartition(":")[2]))
    with pytest.raises(OSError, match="in use"):
        second.start()
    second.stop()
    second.stop()


def test_it_runs_on_its_own() -> None:
    """`python -m bot.local_workspace` prints one JSON line with what an app needs, and serves."""
    command = [sys.executable, "-m", "bot.local_workspace", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        client = WebClient(ready["bot_token"], base_url=ready["api_url"])
        assert client.auth_test()["team_id"] == "T0LOCAL"
        process.terminate()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--host", "0.0.0.0"], "loopback only"),
        (["--seed", "{seed}"], "users/0/name: Field required"),
    ],
    ids=["host", "seed"],
)
def test_it_refuses_what_is_wrong_with_one_sentence(
    tmp_path: Path, options: list[str], sentence: str
) -> None:
    """Another host, or a broken seed, ends with a sentence that says where, and no traceback."""
    seed = tmp_path / "seed.json"
    seed.write_text('{"users": [{"id": "U1"}]}')
    command = [sys.executable, "-m", "bot.local_workspace", *(each.format(seed=seed) for each in options)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_it_starts_from_a_seed() -> None:
    """Only the people and channels of the file are there."""
    seed = Seed(channels=[Channel(id="C0X", name="x", members=["U0GATEBOT"])])
    with LocalWorkspace(seed=Seed.model_validate_json(seed.model_dump_json())) as workspace:
        assert [each["name"] for each in workspace.control.state()["channels"]] == ["x"]
