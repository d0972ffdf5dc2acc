"""LocalWorkspace: the server in its own thread with its own loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib import resources
from types import TracebackType
from typing import Self

from aiohttp import web

from bot.local_workspace.client import Control
from bot.local_workspace.control import ControlApi, refusals
from bot.local_workspace.delivery import Courier
from bot.local_workspace.faults import Faults
from bot.local_workspace.loopback import is_loopback, is_own_request
from bot.local_workspace.response_urls import ResponseUrls
from bot.local_workspace.seed import NOTICE, Seed
from bot.local_workspace.state import Workspace
from bot.local_workspace.web_api import WebApi

START_SECONDS = 30.0
LARGEST_BODY = 20_000_000
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


class LocalWorkspace:
    """A small Slack-like workspace on this machine, for demos and tests.

    Attributes:
        url: address of the page.
        api_url: base address of the Web API, with a slash at the end.
        bot_token: the app's bot token.
        app_token: the app-level token for Socket Mode.
        signing_secret: the secret of HTTP delivery.
        control: a client of the control API.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 0, *, seed: Seed | None = None) -> None:
        """Prepare a workspace; `start` opens it.

        Args:
            host: a loopback address. Default 127.0.0.1.
            port: TCP port; 0, the default, takes a free one.
            seed: what it starts with. Default: a few people, one group, two channels.

        Raises:
            ValueError: if the host is not loopback.
        """
        if not is_loopback(host):
            raise ValueError(
                f"The local workspace binds loopback only, not {host!r}: it has no passwords. Use 127.0.0.1."
            )
        self._host, self._port = host, port
        self._workspace = Workspace(seed or Seed())
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._ended: asyncio.Event | None = None
        self._started = threading.Event()
        self._failure: BaseException | None = None
        self.bot_token = self._workspace.secrets.bot_token
        self.app_token = self._workspace.secrets.app_token
        self.signing_secret = self._workspace.secrets.signing_secret

    @property
    def url(self) -> str:
        """Return the page's address, without a slash at the end.

        Raises:
            RuntimeError: The workspace is not running.
        """
        if not self._workspace.base_url:
            raise RuntimeError("The local workspace is not running. Call start() first.")
        return self._workspace.base_url

    @property
    def api_url(self) -> str:
        """Return the Web API's base address, with a slash at the end.

        Raises:
            RuntimeError: The workspace is not running.
        """
        return f"{self.url}/api/"

    @property
    def control(self) -> Control:
        """Return a client of the control API.

        Raises:
            RuntimeError: The workspace is not running.
        """
        return Control(self.url)

    def start(self) -> Self:
        """Start the server and return when it listens, within thirty seconds.

        Returns:
            This workspace.

        Raises:
            OSError: if the port is taken.
            RuntimeError: if it does not listen in time.
        """
        self._thread = threading.Thread(target=self._run, name="local-workspace", daemon=True)
        self._thread.start()
        if not self._started.wait(START_SECONDS):
            raise RuntimeError(f"The local workspace did not start within {START_SECONDS:.0f} seconds.")
        if self._failure is not None:
            raise self._failure
        return self

    def stop(self) -> None:
        """Stop the server and wait for its thread. Do nothing if it does not run."""
        if self._thread is None or self._loop is None or self._ended is None:
            return
        with suppress(RuntimeError):  # the loop has ended already, and its thread does next
            self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(START_SECONDS)
        self._thread = None

    def wait(self) -> None:
        """Block until the server ends."""
        if self._thread is not None:
            self._thread.join()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as failure:
            self._failure = failure
        finally:
            self._started.set()

    async def _serve(self) -> None:
        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        courier = Courier(self._workspace)
        runner = web.AppRunner(build(self._workspace, courier), access_log=None, shutdown_timeout=0.2)
        await runner.setup()
        try:
            site = web.TCPSite(runner, self._host, self._port)
            await site.start()
            self._workspace.base_url = _address(self._host, runner)
            self._started.set()
            await self._ended.wait()
        finally:
            await courier.close()
            await runner.cleanup()


def _address(host: str, runner: web.AppRunner) -> str:
    port = runner.addresses[0][1]
    return f"http://[{host.strip('[]')}]:{port}" if ":" in host else f"http://{host}:{port}"


def build(workspace: Workspace, courier: Courier) -> web.Application:
    """Return the web application of a workspace."""
    faults = Faults()
    web_api = WebApi(workspace, faults)
    app = web.Application(middlewares=[own_requests, refusals], client_max_size=LARGEST_BODY)
    app.add_routes(
        [
            web.route("*", "/api/{method}", web_api.handle),
            web.get("/socket", courier.hub.handle),
            web.post("/response/{name}", ResponseUrls(workspace).handle),
            web.post("/upload/{file_id}", _upload(workspace)),
            web.get("/", _index),
            web.get("/archives/{tail:.*}", _index),
            web.get("/page/{name}", _page),
            *ControlApi(workspace, courier, faults).routes(),
        ]
    )
    return app


@web.middleware
async def own_requests(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Refuse what another site's page or a foreign name sends here, and say on every answer what this is."""
    if not is_own_request(request.host, request.headers.get("Origin")):
        return web.Response(
            status=403, text="Only this machine and this page may talk to the local workspace."
        )
    return await handler(request)


def _upload(workspace: Workspace) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def handle(request: web.Request) -> web.StreamResponse:
        upload = workspace.uploads.get(request.match_info["file_id"])
        if upload is None or upload["content"] is not None:
            return web.Response(status=404, text="This upload is not known, or was done.")
        upload["content"] = await request.read()
        return web.Response(text=f"OK - {upload['size']}")

    return handle


async def _index(request: web.Request) -> web.Response:
    return _file("index.html") or web.Response(
        text=f"<title>{NOTICE}</title><p>{NOTICE}", content_type="text/html"
    )


async def _page(request: web.Request) -> web.Response:
    return _file(request.match_info["name"]) or web.Response(status=404, text="There is no such file.")


def _file(name: str) -> web.Response | None:
    found = resources.files("bot.local_workspace") / "page" / name
    suffix = name[name.rfind(".") :]
    if "/" in name or suffix not in TYPES or not found.is_file():
        return None
    headers = {"Cache-Control": "no-store"}
    text = found.read_text(encoding="utf-8")
    return web.Response(text=text, content_type=TYPES[suffix], charset="utf-8", headers=headers)
