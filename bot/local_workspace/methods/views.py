"""views.*: the app opens and changes modals and home tabs."""

from __future__ import annotations

from bot.local_workspace.errors import SlackError
from bot.local_workspace.limits import check_view
from bot.local_workspace.methods.registry import Args, method
from bot.local_workspace.objects import Json, Trigger, View
from bot.local_workspace.state import Workspace


def _view(args: Args, kind: str) -> Json:
    view = args.json("view", "invalid_arguments")
    if view is None:
        raise SlackError.about("invalid_arguments", ["missing required field: view"])
    check_view(view, kind)
    assert isinstance(view, dict)
    return view


def _trigger(workspace: Workspace, args: Args) -> Trigger:
    trigger = workspace.triggers.get(args.text("trigger_id"))
    if trigger is None:
        raise SlackError("invalid_trigger_id" if args.text("trigger_id") else "invalid_arguments")
    if trigger.used:
        raise SlackError("exchanged_trigger_id")
    if workspace.clock() - trigger.born > workspace.settings.trigger_seconds:
        raise SlackError("expired_trigger_id")
    return trigger


def _answer(workspace: Workspace, view: View) -> Json:
    workspace.changed()
    return {"view": view.as_dict()}


@method("views.open")
def open_view(workspace: Workspace, args: Args) -> Json:
    """Open a modal in front of the person whose trigger this is."""
    trigger = _trigger(workspace, args)
    body = _view(args, "modal")
    view = workspace.views.open(trigger.user, body)
    trigger.used = True
    return _answer(workspace, view)


@method("views.push")
def push(workspace: Workspace, args: Args) -> Json:
    """Put a modal on top of the one in which the trigger arose."""
    trigger = _trigger(workspace, args)
    body = _view(args, "modal")
    if trigger.view_id is None or trigger.view_id not in [
        each.id for each in workspace.views.stack(trigger.user)
    ]:
        raise SlackError("not_found")
    view = workspace.views.push(trigger.user, body)
    trigger.used = True
    return _answer(workspace, view)


@method("views.update")
def update(workspace: Workspace, args: Args) -> Json:
    """Put other content into an open view."""
    if not args.text("view_id") and not args.text("external_id"):
        raise SlackError.about("invalid_arguments", ["missing required field: view_id or external_id"])
    view = workspace.views.find(args.text("view_id"), args.text("external_id"))
    body = _view(args, view.body["type"])
    return _answer(workspace, workspace.views.update(view, body, args.text("hash") or None))


@method("views.publish")
def publish(workspace: Workspace, args: Args) -> Json:
    """Show a home tab to one person."""
    user = workspace.user(args.needed("user_id"))
    if user.deleted or user.is_bot or user.is_stranger:
        raise SlackError("not_enabled")
    body = _view(args, "home")
    return _answer(workspace, workspace.views.publish(user.id, body, args.text("hash") or None))
