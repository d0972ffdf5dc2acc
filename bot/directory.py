"""Look people, groups and channels up in Slack, and remember the answers for less than a minute."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from slack_sdk.web.async_client import AsyncWebClient

from bot.accounts import Accounts
from bot.slack_errors import CALL_FAILURES, trouble
from gate.clock import monotonic
from gate.errors import Fault

T = TypeVar("T")

KEEP = 45.0
"""Seconds for which a membership counts as looked up just now."""
KEEP_FAILED = 2.0
"""Seconds for which something is not asked again that Slack did not tell: one group that is gone stands in
many holds and on many home tabs, and asking for each would use up what Slack lets be asked for the others."""
PAGE = 1000
LONGEST_NAME = 80
"""Characters of a display name that are kept; Slack's own limit."""
MOST_PAGES = 50
"""Pages of members after which a list is taken to have no end."""


class LookupFailed(Exception):
    """Say that Slack did not tell.

    Args:
        message: What could not be looked up, and why.
        code: Slack's error name.
        transient: Whether asking again later may help.
    """

    def __init__(self, message: str, *, code: str, transient: bool) -> None:
        super().__init__(message)
        self.code = code
        self.transient = transient


@dataclass(frozen=True, slots=True)
class User:
    """A person as Slack describes them now.

    Attributes:
        id: Their one id: the organisation's where they belong to one, else the workspace's.
        ids: Every id they go by, ``id`` included.
        home: Id of the workspace their account belongs to; empty where Slack does not say.
        teams: Ids of the workspaces and of the organisation they belong to, ``home`` included.
        name: Display name, decoration only.
        deleted: Whether the account is deactivated.
        bot: Whether it is an app.
        guest: Whether it is a guest or only invited.
        stranger: Whether Slack calls them a stranger to this workspace.
    """

    id: str
    ids: frozenset[str]
    home: str
    teams: frozenset[str]
    name: str
    deleted: bool
    bot: bool
    guest: bool
    stranger: bool


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel as Slack describes it now.

    Attributes:
        id: Channel id.
        name: Name without ``#``.
        private: Whether only members can see it.
        shared: Whether people of other workspaces can be in it.
        archived: Whether it is archived.
        member: Whether the bot is in it.
    """

    id: str
    name: str
    private: bool
    shared: bool
    archived: bool
    member: bool


class Directory:
    """Ask Slack about people, groups and channels.

    Args:
        client: Web client of the bot's loop.
        time: Seconds that only go forward; default is the process's own clock.
        accounts: Where it is remembered which ids are one person's; None for this object alone.
    """

    def __init__(
        self,
        client: AsyncWebClient,
        time: Callable[[], float] = monotonic,
        accounts: Accounts | None = None,
    ) -> None:
        self._client = client
        self._accounts = accounts
        self._time = time
        self._kept: dict[tuple[str, str], tuple[float, Any]] = {}
        self._ids: dict[str, tuple[str, frozenset[str]]] = {}

    async def user(self, user_id: str) -> User:
        """Return a person, asked for anew each time.

        Raises:
            LookupFailed: Slack did not tell.
        """
        what = f"the account {user_id}"
        call = self._client.users_info(user=user_id)
        found = await self._ask(what, call, lambda answer: _user(answer["user"]))
        if user_id not in found.ids:
            raise LookupFailed(
                f"Slack did not tell {what} (it told {found.id})", code="other_account", transient=True
            )
        return await self._with_every_id(found)

    async def _with_every_id(self, found: User) -> User:
        """Return somebody with the ids that Slack told before, too: leaving one out makes nobody another.

        Raises:
            LookupFailed: The store does not tell what it remembers of them.
        """
        found = self._told_before(found)
        if self._accounts is not None and self._ids.get(found.id, ("", frozenset()))[1] != found.ids:
            try:
                found = await _remembered(self._accounts, found)
            except Fault as fault:
                what = f"Who {found.id} is could not be looked up in the store ({fault.code})"
                raise LookupFailed(what, code="store", transient=True) from fault
        if len(found.ids) > 1:
            self._ids |= dict.fromkeys(found.ids, (found.id, found.ids))
        return found

    def _told_before(self, found: User) -> User:
        for each in found.ids:
            one, known = self._ids.get(each, (found.id, found.ids))
            if found.ids < known:
                found = replace(found, id=one, ids=known)
        return found

    def knows(self, user_id: str) -> bool:
        """Tell whether a person was asked for within the last minute, and Slack told."""
        at, answer = self._kept.get(("user", user_id), (0.0, None))
        return isinstance(answer, User) and self._time() - at < KEEP

    async def known_user(self, user_id: str) -> User:
        """Return a person as asked for within the last minute; for counting, not for deciding.

        Raises:
            LookupFailed: Slack did not tell.
        """
        return await self._remember("user", user_id, lambda: self.user(user_id))

    async def group(self, group_id: str) -> frozenset[str]:
        """Return the user ids in a user group.

        Raises:
            LookupFailed: Slack did not tell.
        """
        return await self._remember("group", group_id, lambda: self._group(group_id))

    async def members(self, channel_id: str) -> frozenset[str]:
        """Return the user ids in a channel.

        Raises:
            LookupFailed: Slack did not tell.
        """
        return await self._remember("members", channel_id, lambda: self._members(channel_id))

    async def channel(self, channel_id: str) -> Channel:
        """Return a channel.

        Raises:
            LookupFailed: Slack did not tell.
        """
        return await self._remember("channel", channel_id, lambda: self._channel(channel_id))

    async def closed_members(self, channel_id: str) -> frozenset[str]:
        """Return the members of a channel that may name approvers: private and unshared.

        Raises:
            LookupFailed: Slack did not tell, or anybody could join.
        """
        found = await self.channel(channel_id)
        if not found.private or found.shared:
            what = "shared with other workspaces" if found.shared else "public"
            raise LookupFailed(
                f"#{found.name} ({channel_id}) is {what}, so its members cannot be approvers",
                code="open_channel",
                transient=False,
            )
        return await self.members(channel_id)

    async def by_email(self, email: str) -> User | None:
        """Return the person with this address; None where there is none.

        Raises:
            LookupFailed: Slack did not tell.
        """
        try:
            call = self._client.users_lookupByEmail(email=email)
            found = await self._ask("who has that address", call, lambda answer: _user(answer["user"]))
            return await self._with_every_id(found)
        except LookupFailed as failed:
            if failed.code == "users_not_found":
                return None
            raise

    async def _remember(self, kind: str, key: str, ask: Callable[[], Awaitable[T]]) -> T:
        at, answer = self._kept.get((kind, key), (0.0, None))
        keep = KEEP_FAILED if isinstance(answer, LookupFailed) else KEEP
        if answer is None or self._time() - at >= keep:
            at, answer = self._time(), await _told(ask)
            if isinstance(answer, LookupFailed):
                at = self._time()  # Slack may have taken long to say nothing
            self._kept[kind, key] = (at, answer)
        if isinstance(answer, LookupFailed):
            raise LookupFailed(str(answer), code=answer.code, transient=answer.transient)
        found: T = answer
        return found

    async def _ask(self, what: str, call: Awaitable[Any], read: Callable[[Any], T]) -> T:
        """Return what an answer of Slack's says.

        A token that is refused may be taken again a moment later, so that says nothing about who or what was
        asked for.
        """
        try:
            return read(await call)
        except CALL_FAILURES as error:
            found = trouble(error)
            message = f"Slack did not tell {what} ({found.code})"
            raise LookupFailed(message, code=found.code, transient=found.kind != "target") from error
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise LookupFailed(
                f"Slack did not tell {what} in a way that can be read", code="unreadable", transient=True
            ) from error

    async def _group(self, group_id: str) -> frozenset[str]:
        call = self._client.usergroups_users_list(usergroup=group_id, include_disabled=False)
        return await self._ask(
            f"who is in the group {group_id}", call, lambda answer: frozenset(map(str, answer["users"]))
        )

    async def _members(self, channel_id: str) -> frozenset[str]:
        what = f"who is in the channel {channel_id}"
        found: set[str] = set()
        cursor = ""
        for _ in range(MOST_PAGES):
            call = self._client.conversations_members(channel=channel_id, limit=PAGE, cursor=cursor)
            members, cursor = await self._ask(what, call, _members_page)
            found |= members
            if not cursor:
                return frozenset(found)
        raise LookupFailed(
            f"Slack did not tell {what}: its list has no end", code="too_many", transient=False
        )

    async def _channel(self, channel_id: str) -> Channel:
        call = self._client.conversations_info(channel=channel_id)
        return await self._ask(
            f"about the channel {channel_id}", call, lambda answer: _channel(answer["channel"])
        )


async def _remembered(accounts: Accounts, found: User) -> User:
    """Return somebody with the ids that are remembered of them, and have those remembered that are new."""
    known = await accounts.of(found.ids)
    if found.ids < frozenset(known):
        return replace(found, id=known[0], ids=frozenset(known))
    if len(found.ids) > 1 and found.ids != frozenset(known):
        await accounts.learn((found.id, *sorted(found.ids - {found.id})))
    return found


async def _told(ask: Callable[[], Awaitable[T]]) -> T | LookupFailed:
    """Return the answer, or why there is none."""
    try:
        return await ask()
    except LookupFailed as failed:
        return failed


def _members_page(answer: Any) -> tuple[frozenset[str], str]:
    """Return the ids on a page of members, and what asks for the next page; empty for none."""
    more = (answer.get("response_metadata") or {}).get("next_cursor") or ""
    return frozenset(map(str, answer["members"])), str(more)


def _told_of_all(flag: object) -> bool:
    """Return a flag that Slack tells of every account.

    Raises:
        ValueError: It does not, so nothing is known of this one.
    """
    if not isinstance(flag, bool):
        raise ValueError("an account without a word whether it is deactivated")
    return flag


_BOTS = ("is_bot", "is_workflow_bot", "is_connector_bot")


def _user(raw: Mapping[str, Any]) -> User:
    profile = raw.get("profile") or {}
    across = raw.get("enterprise_user") or {}
    name = profile.get("display_name") or raw.get("real_name") or profile.get("real_name") or raw.get("name")
    teams = {raw.get("team_id"), across.get("enterprise_id"), *(across.get("teams") or ())}
    guest = any(raw.get(flag) for flag in ("is_restricted", "is_ultra_restricted", "is_invited_user"))
    ids = [str(each) for each in (across.get("id"), raw["id"]) if each]
    return User(
        id=ids[0],
        ids=frozenset(ids),
        home=str(raw.get("team_id") or ""),
        teams=frozenset(str(team) for team in teams if team),
        name=" ".join(str(name or "").encode("utf-8", "replace").decode("utf-8").split())[:LONGEST_NAME],
        deleted=_told_of_all(raw["deleted"]) or bool(raw.get("is_forgotten")),
        bot=raw["id"] == "USLACKBOT" or any(raw.get(flag) for flag in _BOTS),
        guest=guest,
        stranger=bool(raw.get("is_stranger") or raw.get("is_external")),
    )


def _channel(raw: Mapping[str, Any]) -> Channel:
    flags = ("is_shared", "is_ext_shared", "is_org_shared", "is_pending_ext_shared")
    return Channel(
        id=str(raw["id"]),
        name=str(raw.get("name") or ""),
        private=bool(raw.get("is_private")),
        shared=any(raw.get(flag) for flag in flags),
        archived=bool(raw.get("is_archived")),
        member=bool(raw.get("is_member")),
    )
