"""Settings of the Slack side, read from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol
from urllib.parse import urlsplit

from gate.errors import Fault
from gate.settings import allows_local

SLACK_API = "https://slack.com/api/"
PORT = 3000
Transport = Literal["socket", "http"]


class BotFault(Fault):
    """Say why the bot cannot start; nothing was posted.

    Codes: ``bot_settings``, ``preflight``.
    """

    code = "preflight"


class Workspace(Protocol):
    """What a local workspace tells the bot that talks to it."""

    bot_token: str
    app_token: str

    @property
    def api_url(self) -> str:
        """Return the base address of its Web API."""
        ...


@dataclass(frozen=True, slots=True)
class BotSettings:
    """What the bot needs to talk to Slack; secrets never stand in its ``repr``.

    Attributes:
        bot_token: Bot token (``xoxb-…``).
        app_token: App-level token (``xapp-…``) for Socket Mode; empty for none.
        signing_secret: Secret of HTTP delivery; empty for none.
        api_url: Base address of Slack's Web API.
        channel: Channel that replaces every channel of the policy; None for none.
        summary_channel: Channel that gets a summary of the week on Mondays 09:00 UTC; None for none.
        host: Address HTTP mode listens on.
        port: TCP port HTTP mode listens on; 0 takes a free one.
        allow_local: Whether a workspace that is not Slack may be talked to.
    """

    bot_token: str = field(default="", repr=False)
    app_token: str = field(default="", repr=False)
    signing_secret: str = field(default="", repr=False)
    api_url: str = SLACK_API
    channel: str | None = None
    summary_channel: str | None = None
    host: str = "127.0.0.1"
    port: int = PORT
    allow_local: bool = False

    @classmethod
    def read(cls, environ: Mapping[str, str] | None = None) -> BotSettings:
        """Read the environment.

        Args:
            environ: The environment; default is the process's.

        Raises:
            Fault: A value cannot be used; the message names it.
        """
        source = os.environ if environ is None else environ
        address = source.get("SLACK_API_URL") or SLACK_API
        return cls(
            bot_token=source.get("SLACK_BOT_TOKEN", ""),
            app_token=source.get("SLACK_APP_TOKEN", ""),
            signing_secret=source.get("SLACK_SIGNING_SECRET", ""),
            api_url=address if address.endswith("/") else f"{address}/",
            channel=source.get("GATE_CHANNEL") or None,
            summary_channel=source.get("GATE_SUMMARY_CHANNEL") or None,
            host=source.get("GATE_BOT_HOST") or "127.0.0.1",
            port=_port(source.get("GATE_BOT_PORT") or str(PORT)),
            allow_local=allows_local(source),
        )

    @classmethod
    def local(cls, workspace: Workspace, *, channel: str | None = None) -> BotSettings:
        """Return what a bot of a local workspace is told; it uses Socket Mode.

        Args:
            workspace: The running local workspace.
            channel: Channel that replaces every channel of the policy; None for none.
        """
        return cls(
            bot_token=workspace.bot_token,
            app_token=workspace.app_token,
            api_url=workspace.api_url,
            channel=channel,
            summary_channel=os.environ.get("GATE_SUMMARY_CHANNEL") or None,
            allow_local=True,
        )

    @property
    def api_host(self) -> str:
        """Return the host of the API."""
        return urlsplit(self.api_url).hostname or ""

    @property
    def is_slack(self) -> bool:
        """Tell whether the API is Slack's own."""
        host = self.api_host
        return any(host == name or host.endswith(f".{name}") for name in ("slack.com", "slack-gov.com"))

    def transport(self, wanted: Transport | None = None) -> Transport:
        """Return how clicks arrive.

        Args:
            wanted: What was said on the command line; None where nothing was.

        Raises:
            BotFault: Nothing is set, both are and neither was said, or what was said is not set.
        """
        have = {"socket": bool(self.app_token), "http": bool(self.signing_secret)}
        if wanted is not None:
            if not have[wanted]:
                name = "SLACK_APP_TOKEN" if wanted == "socket" else "SLACK_SIGNING_SECRET"
                raise BotFault(f"--{wanted} needs {name}, which is not set.", code="bot_settings")
            return wanted
        if all(have.values()):
            raise BotFault(
                "SLACK_APP_TOKEN and SLACK_SIGNING_SECRET are both set: say --socket or --http.",
                code="bot_settings",
            )
        if not any(have.values()):
            bot = "" if self.bot_token else "SLACK_BOT_TOKEN (xoxb-…) is not set. "
            raise BotFault(
                f"{bot}Neither SLACK_APP_TOKEN (Socket Mode) nor SLACK_SIGNING_SECRET (HTTP) is set, so no "
                "click could arrive: set one of them. app_manifest.yml and the README say where they come "
                "from; 'gate-bot --local' runs without Slack.",
                code="bot_settings",
            )
        return "socket" if have["socket"] else "http"

    def check_address(self) -> None:
        """Refuse to send the token anywhere but to Slack, unless a local workspace is allowed.

        Raises:
            BotFault: The address is none, is not Slack's and no local workspace is allowed, or is Slack's
                without encryption.
        """
        if not _is_address(self.api_url):
            raise BotFault(
                f"SLACK_API_URL is no address that can be asked: leave it out for Slack ({SLACK_API}). "
                "No token was sent.",
                code="bot_settings",
            )
        if not self.is_slack and not self.allow_local:
            raise BotFault(
                f"SLACK_API_URL names {self.api_host!r}, which is not Slack. Only a local workspace "
                "may stand there, and only with GATE_ALLOW_LOCAL_WORKSPACE=1. No token was sent.",
                code="bot_settings",
            )
        if self.is_slack and urlsplit(self.api_url).scheme != "https":
            raise BotFault(
                f"SLACK_API_URL names {self.api_host!r} without encryption, so that anybody on the way could "
                "read the token: write https://. No token was sent.",
                code="bot_settings",
            )


def _is_address(text: str) -> bool:
    """Tell whether a text is an address of HTTP with a host, and a port that there can be."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _port(text: str) -> int:
    if not text.isdecimal() or len(text) > 5 or int(text) > 65535:
        raise BotFault(f"GATE_BOT_PORT={text[:20]!r} is no TCP port: write 0 to 65535.", code="bot_settings")
    return int(text)
