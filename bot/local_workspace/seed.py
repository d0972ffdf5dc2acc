"""What a workspace starts with: people, groups, channels, and what the app may do."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

TEAM_ID = "T0LOCAL"
OTHER_TEAM_ID = "T0OTHER"
BOT_USER_ID = "U0GATEBOT"
BOT_ID = "B0GATE"
APP_ID = "A0GATE"
NOTICE = f"Local workspace: not Slack. Decisions here count only for stores bound to {TEAM_ID}."

SCOPES = (
    "chat:write",
    "commands",
    "users:read",
    "usergroups:read",
    "im:write",
    "channels:read",
    "groups:read",
    "chat:write.public",
    "users:read.email",
    "files:write",
    "metadata.message:read",
    "channels:history",
    "groups:history",
)


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", validate_assignment=True)


class User(_Model):
    """One person or bot, with the flags that Slack reports."""

    id: str
    name: str
    real_name: str = ""
    team_id: str = TEAM_ID
    email: str | None = None
    tz: str = "Europe/Berlin"
    deleted: bool = False
    is_bot: bool = False
    is_admin: bool = False
    is_restricted: bool = False
    is_ultra_restricted: bool = False
    is_stranger: bool = False
    is_invited_user: bool = False
    enterprise_user_id: str | None = None
    visible: bool = True
    bot_id: str | None = None


class Group(_Model):
    """A user group. `error`: what usergroups.users.list answers instead of the members."""

    id: str
    handle: str
    name: str = ""
    users: list[str] = Field(default_factory=list)
    error: str | None = None


class Channel(_Model):
    """A conversation: a public or private channel, or the messages between one person and the app."""

    id: str
    name: str = ""
    members: list[str] = Field(default_factory=list)
    is_private: bool = False
    is_archived: bool = False
    is_ext_shared: bool = False
    user: str | None = None

    @property
    def is_im(self) -> bool:
        """Return whether this is a direct conversation of one person with the app."""
        return self.user is not None


def _default_users() -> list[User]:
    return [
        User(id="U0ALICE", name="alice", real_name="Alice", email="alice@example.com", is_admin=True),
        User(id="U0BOB", name="bob", real_name="Bob", email="bob@example.com", tz="America/New_York"),
        User(id="U0CAROL", name="carol", real_name="Carol", email="carol@example.com"),
        User(id="U0GUEST", name="guest", real_name="A guest", email="guest@example.com", is_restricted=True),
        User(
            id="U0STRANGE",
            name="stranger",
            real_name="A stranger",
            team_id=OTHER_TEAM_ID,
            is_stranger=True,
        ),
        User(id="U0GONE", name="gone", real_name="Someone who left", deleted=True),
        User(id="U0ROBOT", name="robot", real_name="Another bot", is_bot=True, bot_id="B0ROBOT"),
        User(id=BOT_USER_ID, name="gate", real_name="Approval gate", is_bot=True, bot_id=BOT_ID, tz="UTC"),
    ]


def _default_channels() -> list[Channel]:
    everyone = [each.id for each in _default_users() if not each.deleted]
    return [
        Channel(id="C0APPROVALS", name="approvals", members=everyone),
        Channel(id="C0PRIVATE", name="private", members=["U0ALICE", "U0BOB", BOT_USER_ID], is_private=True),
    ]


class Seed(_Model):
    """The start of a workspace; round-trips through JSON."""

    users: list[User] = Field(default_factory=_default_users)
    groups: list[Group] = Field(
        default_factory=lambda: [
            Group(id="S0FINANCE", handle="finance", name="Finance", users=["U0ALICE", "U0BOB"])
        ]
    )
    channels: list[Channel] = Field(default_factory=_default_channels)
    scopes: list[str] = Field(default_factory=lambda: list(SCOPES))
    commands: list[str] = Field(default_factory=lambda: ["/gate"])
