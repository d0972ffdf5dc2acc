"""What the body of an acknowledgement does: answers to modals and to slash commands."""

from __future__ import annotations

from bot.local_workspace.delivery import Courier
from bot.local_workspace.errors import SlackError
from bot.local_workspace.inputs import name_blocks
from bot.local_workspace.limits import check_message_blocks, check_view
from bot.local_workspace.objects import Envelope, Json, View
from bot.local_workspace.seed import Channel, User
from bot.local_workspace.state import Workspace

CONNECTING = "There was trouble with the app's answer. Try again."


def answer_submission(courier: Courier, view: View, body: Json, envelope: Envelope) -> None:
    """Apply the answer to a view_submission: close, errors, update, push or clear.

    An answer that Slack would not take changes nothing; the person sees a warning, the app sees none.
    """
    try:
        _apply(courier.workspace, view, body)
    except SlackError as refused:
        detail = "; ".join(refused.more.get("errors", [])) or refused.error
        courier.fail(envelope, "failed_modal", f"{CONNECTING} ({detail})")


def _apply(workspace: Workspace, view: View, body: Json) -> None:
    action = body.get("response_action")
    views = workspace.views
    if not action:
        if view in views.stack(view.user):
            views.close(view)
    elif action == "clear":
        views.close(view, clear=True)
    elif action == "errors":
        view.errors = _errors(view, body.get("errors"))
    elif action in ("update", "push"):
        shown = body.get("view")
        check_view(shown, "modal")
        assert isinstance(shown, dict)
        if action == "push":
            views.push(view.user, shown)
        elif view in views.stack(view.user):
            views.update(view, shown)
    else:
        raise SlackError(f"unknown response_action: {action}")


def _errors(view: View, errors: object) -> dict[str, str]:
    inputs = {block["block_id"] for block in view.blocks if block["type"] == "input"}
    if not isinstance(errors, dict) or not errors:
        raise SlackError("errors must name an input block")
    for block_id, sentence in errors.items():
        if block_id not in inputs or not isinstance(sentence, str):
            raise SlackError(f"errors must name an input block, not {block_id!r}")
    return errors


def answer_command(courier: Courier, user: User, channel: Channel, body: Json, envelope: Envelope) -> None:
    """Show the answer to a slash command: to the person alone, or to the channel if it says so."""
    text, blocks = str(body.get("text") or ""), body.get("blocks") or []
    if not text and not blocks:
        return
    try:
        check_message_blocks(blocks)
    except SlackError as refused:
        courier.fail(envelope, "bad_response", f"{CONNECTING} ({refused.error})")
        return
    only_for = None if body.get("response_type") == "in_channel" else user.id
    courier.workspace.post_as_app(channel.id, text, name_blocks(blocks), ephemeral_for=only_for)
