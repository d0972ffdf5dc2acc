"""users.* and usergroups.*: who is who."""

from __future__ import annotations

from bot.local_workspace.errors import SlackError
from bot.local_workspace.methods.registry import Args, method, paged
from bot.local_workspace.objects import Json
from bot.local_workspace.render import group_as_slack, user_as_slack
from bot.local_workspace.state import Workspace


def _emails(workspace: Workspace) -> bool:
    return "users:read.email" in workspace.scopes


@method("users.info", scope="users:read")
def info(workspace: Workspace, args: Args) -> Json:
    """Describe one person."""
    return {"user": user_as_slack(workspace.user(args.text("user")), email=_emails(workspace))}


@method("users.lookupByEmail", scope="users:read.email")
def lookup_by_email(workspace: Workspace, args: Args) -> Json:
    """Find a person by e-mail address."""
    wanted = args.needed("email").lower()
    for user in workspace.users.values():
        if (user.email or "").lower() == wanted and user.visible and not user.deleted:
            return {"user": user_as_slack(user, email=True)}
    raise SlackError("users_not_found")


@method("users.list", scope="users:read")
def list_all(workspace: Workspace, args: Args) -> Json:
    """List everybody."""
    emails = _emails(workspace)
    everybody = [user_as_slack(each, email=emails) for each in workspace.users.values() if each.visible]
    return paged(everybody, args, "members")


@method("usergroups.list", scope="usergroups:read")
def list_groups(workspace: Workspace, args: Args) -> Json:
    """List the user groups."""
    with_users = args.flag("include_users")
    groups = workspace.groups.values()
    return {
        "usergroups": [
            group_as_slack(each) | ({"users": each.users} if with_users else {}) for each in groups
        ]
    }


@method("usergroups.users.list", scope="usergroups:read")
def list_members(workspace: Workspace, args: Args) -> Json:
    """List the members of a user group, also those who left the team."""
    group = workspace.groups.get(args.text("usergroup"))
    if group is None:
        raise SlackError("no_such_subteam")
    if group.error:
        raise SlackError(group.error)
    return {"users": list(group.users)}
