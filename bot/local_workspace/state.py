"""Everything a workspace knows. It is touched in the server's loop only, so it needs no locks."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.local_workspace.errors import SlackError
from bot.local_workspace.objects import (
    Envelope,
    Json,
    Message,
    ResponseUrl,
    Settings,
    Trigger,
    Trouble,
    TroubleKind,
)
from bot.local_workspace.seed import BOT_ID, BOT_USER_ID, Channel, Group, Seed, User
from bot.local_workspace.views import Views


@dataclass(slots=True)
class Secrets:
    """The tokens and the signing secret of the one installed app; fresh for each workspace."""

    bot_token: str = field(default_factory=lambda: f"xoxb-local-{secrets.token_hex(12)}", repr=False)
    app_token: str = field(default_factory=lambda: f"xapp-local-{secrets.token_hex(12)}", repr=False)
    signing_secret: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    bot_status: str = "valid"
    app_status: str = "valid"


class Workspace:
    """One team with one app."""

    def __init__(self, seed: Seed, *, clock: Callable[[], float] = time.time) -> None:
        """Fill a workspace from a seed.

        Args:
            seed: people, groups, channels, scopes. It is copied.
            clock: seconds since the epoch. Default: the system's clock.
        """
        seed = seed.model_copy(deep=True)
        self.clock = clock
        self.base_url = ""
        self.secrets = Secrets()
        self.settings = Settings()
        self.scopes: list[str] = list(seed.scopes)
        self.commands: list[str] = list(seed.commands)
        self.users: dict[str, User] = {each.id: each for each in seed.users}
        self.groups: dict[str, Group] = {each.id: each for each in seed.groups}
        self.channels: dict[str, Channel] = {each.id: each for each in seed.channels}
        self.messages: dict[tuple[str, str], Message] = {}
        self.views = Views(clock)
        self.triggers: dict[str, Trigger] = {}
        self.response_urls: dict[str, ResponseUrl] = {}
        self.uploads: dict[str, Json] = {}
        self.tickets: set[str] = set()
        self.troubles: list[Trouble] = []
        self.calls: list[Json] = []
        self.envelopes: list[Envelope] = []
        self.counter = 0
        self._last_ts = 0
        self._waiting: set[asyncio.Future[None]] = set()

    # ---- changes

    def changed(self) -> None:
        """Count a change and wake everybody who waits for one."""
        self.counter += 1
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)
        self._waiting.clear()

    async def wait_for_change(self, since: int, seconds: float) -> int:
        """Return the counter once it is above `since`, or after `seconds`."""
        if self.counter > since:
            return self.counter
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(waiting)
        await asyncio.wait({waiting}, timeout=seconds)
        self._waiting.discard(waiting)
        return self.counter

    # ---- names

    def new_ts(self) -> str:
        """Return a message timestamp: the clock in microseconds, never the same twice."""
        self._last_ts = max(int(self.clock() * 1_000_000), self._last_ts + 1)
        return f"{self._last_ts // 1_000_000}.{self._last_ts % 1_000_000:06d}"

    def user(self, user_id: str) -> User:
        """Return a person whom the app may see, or refuse as users.info does."""
        found = self.users.get(user_id)
        if found is None:
            raise SlackError("user_not_found")
        if not found.visible:
            raise SlackError("user_not_visible")
        return found

    def app_channel(self, channel_id: str) -> Channel:
        """Return a conversation that the app may know of, or refuse: private ones only as a member."""
        found = self.channels.get(channel_id)
        if found is None or (found.is_private and BOT_USER_ID not in found.members):
            raise SlackError("channel_not_found")
        return found

    def direct_channel(self, user_id: str) -> Channel:
        """Return the conversation of one person with the app; open it if need be."""
        for channel in self.channels.values():
            if channel.user == user_id:
                return channel
        opened = Channel(id=f"D0{user_id[1:]}", members=[user_id, BOT_USER_ID], user=user_id)
        self.channels[opened.id] = opened
        self.changed()
        return opened

    # ---- messages

    def add_message(self, message: Message) -> Message:
        """Keep a message, in its thread if that thread is there.

        A reply to a message that is no longer there becomes a message of the channel, as in Slack.
        """
        root = self.messages.get((message.channel, message.thread_ts or ""))
        if root is not None and root.ephemeral_for is None:
            root = self.messages.get((root.channel, root.thread_ts or root.ts), root)
            message.thread_ts = root.ts
            if message.ephemeral_for is None:
                root.thread_ts = root.ts
                root.replies.append(message.ts)
        else:
            message.thread_ts = None
            message.reply_broadcast = False
        self.messages[message.channel, message.ts] = message
        self.changed()
        return message

    def find_message(self, channel_id: str, ts: str) -> Message | None:
        """Return a message that was not deleted."""
        found = self.messages.get((channel_id, ts))
        return found if found is not None and not found.deleted else None

    def delete_message(self, message: Message) -> None:
        """Delete a message; its replies stay."""
        message.deleted = True
        message.put("", [])
        message.metadata, message.files = None, []
        root = self.messages.get((message.channel, message.thread_ts or ""))
        if root is not None and message.ts in root.replies:
            root.replies.remove(message.ts)
        self.changed()

    def post_as_app(self, channel: str, text: str, blocks: list[Json], **more: object) -> Message:
        """Add a message from the app."""
        message = Message(
            channel=channel, ts=self.new_ts(), user=BOT_USER_ID, text=text, blocks=blocks, bot_id=BOT_ID
        )
        for name, value in more.items():
            setattr(message, name, value)
        return self.add_message(message)

    # ---- leave to act

    def new_trigger(self, user_id: str, view_id: str | None = None) -> str:
        """Return a fresh trigger_id for one person."""
        trigger_id = f"{int(self.clock() * 1000)}.{secrets.token_hex(4)}.{secrets.token_hex(16)}"
        self.triggers[trigger_id] = Trigger(user_id, self.clock(), view_id)
        return trigger_id

    def new_response_url(self, user_id: str, channel: str, ts: str | None, thread_ts: str | None) -> str:
        """Return a fresh response_url for one interaction."""
        name = secrets.token_hex(12)
        self.response_urls[name] = ResponseUrl(user_id, channel, self.clock(), ts, thread_ts)
        return f"{self.base_url}/response/{name}"

    # ---- trouble

    def trouble(self, user_id: str | None, kind: TroubleKind, text: str) -> str:
        """Record a warning that a person saw, and return its sentence."""
        self.troubles.append(Trouble(len(self.troubles) + 1, self.clock(), user_id, kind, text))
        self.changed()
        return text
