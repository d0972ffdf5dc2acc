"""The Web API, called with Slack's own client over a real socket."""

from __future__ import annotations

import json
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web import WebClient

from bot.local_workspace import LocalWorkspace, Seed
from tests.bot.workspace_blocks import CHANNEL, section


def refused(client: WebClient, method: str, **args: Any) -> str:
    """Call a method that must be refused, and return the error's name."""
    with pytest.raises(SlackApiError) as refusal:
        client.api_call(method, params=args)
    return str(refusal.value.response["error"])


def test_who_the_token_is(workspace: LocalWorkspace, client: WebClient) -> None:
    """auth.test says team, bot and scopes, as the preflight needs them."""
    answer = client.auth_test()
    assert (answer["team_id"], answer["user_id"], answer["bot_id"]) == ("T0LOCAL", "U0GATEBOT", "B0GATE")
    assert "chat:write" in answer.headers["x-oauth-scopes"].split(",")


def test_tokens(workspace: LocalWorkspace, client: WebClient) -> None:
    """Missing, unknown, wrong and revoked tokens each have their error."""
    api = workspace.api_url
    assert refused(WebClient(base_url=api), "auth.test") == "not_authed"
    assert refused(WebClient("xoxb-other", base_url=api), "auth.test") == "invalid_auth"
    assert refused(client, "apps.connections.open") == "not_allowed_token_type"
    assert refused(WebClient(workspace.app_token, base_url=api), "auth.test") == "not_allowed_token_type"
    workspace.control.revoke_token()
    assert refused(client, "auth.test") == "token_revoked"
    workspace.control.set_tokens(bot="account_inactive")
    assert refused(client, "auth.test") == "account_inactive"
    workspace.control.set_tokens()
    assert client.auth_test()["ok"]


def test_a_missing_scope_is_named(workspace: LocalWorkspace, client: WebClient) -> None:
    """missing_scope says what is needed and what is there."""
    workspace.control.set_scopes(["commands"])
    with pytest.raises(SlackApiError) as refusal:
        client.chat_postMessage(channel=CHANNEL, text="x")
    answer = refusal.value.response
    assert (answer["error"], answer["needed"], answer["provided"]) == (
        "missing_scope",
        "chat:write",
        "commands",
    )


def test_unknown_methods_and_missing_arguments(client: WebClient) -> None:
    """What does not exist, or lacks an argument, is refused by name."""
    assert refused(client, "chat.postMassage") == "unknown_method"
    assert refused(client, "chat.postMessage", text="x") == "invalid_arguments"


def test_form_and_json_bodies_are_the_same(workspace: LocalWorkspace, client: WebClient) -> None:
    """Blocks as JSON text in a form and as JSON arrive alike."""
    blocks = [section("same")]
    client.api_call("chat.postMessage", data={"channel": CHANNEL, "text": "a", "blocks": json.dumps(blocks)})
    client.api_call("chat.postMessage", json={"channel": CHANNEL, "text": "b", "blocks": blocks})
    first, second = workspace.control.messages(CHANNEL)
    assert first["blocks"][0]["text"] == second["blocks"][0]["text"] == blocks[0]["text"]


def test_where_the_bot_may_write(workspace: LocalWorkspace, client: WebClient) -> None:
    """Archived, unknown, foreign private and unjoined public channels each have their error."""
    control = workspace.control
    control.set_channel("C0OTHER", name="other", members=["U0ALICE"])
    control.set_channel("C0SECRET", name="secret", members=["U0ALICE"], is_private=True)
    assert client.chat_postMessage(channel="C0OTHER", text="public")["ok"]
    assert refused(client, "chat.postMessage", channel="C0SECRET", text="x") == "channel_not_found"
    assert refused(client, "chat.postMessage", channel="C0NONE", text="x") == "channel_not_found"
    control.set_scopes(["chat:write"])
    assert refused(client, "chat.postMessage", channel="C0OTHER", text="x") == "not_in_channel"
    ts = client.chat_postMessage(channel=CHANNEL, text="x")["ts"]
    control.archive(CHANNEL)
    assert refused(client, "chat.postMessage", channel=CHANNEL, text="x") == "is_archived"
    assert refused(client, "chat.update", channel=CHANNEL, ts=ts, text="y") == "is_inactive"
    control.unarchive(CHANNEL)
    assert client.chat_update(channel=CHANNEL, ts=ts, text="y")["ok"]


def test_editing(workspace: LocalWorkspace, client: WebClient) -> None:
    """Only own messages that are there and editable; text alone takes the blocks away; metadata stays."""
    said = workspace.control.say("U0ALICE", CHANNEL, "hello")
    assert refused(client, "chat.update", channel=CHANNEL, ts=said["ts"], text="x") == "cant_update_message"
    assert refused(client, "chat.update", channel=CHANNEL, ts="1.000001", text="x") == "message_not_found"
    metadata = {"event_type": "hold", "event_payload": {"id": "h1"}}
    ts = client.chat_postMessage(channel=CHANNEL, text="x", blocks=[section("card")], metadata=metadata)["ts"]
    client.chat_update(channel=CHANNEL, ts=ts, text="only text")
    message = workspace.control.messages(CHANNEL)[-1]
    assert (message["text"], message["blocks"], message["metadata"]) == ("only text", [], metadata)
    workspace.control.settings(edit_window_closed=True)
    assert refused(client, "chat.update", channel=CHANNEL, ts=ts, text="x") == "edit_window_closed"
    workspace.control.delete_message(CHANNEL, ts)
    workspace.control.settings(edit_window_closed=False)
    assert refused(client, "chat.update", channel=CHANNEL, ts=ts, text="x") == "message_not_found"


def test_threads(workspace: LocalWorkspace, client: WebClient) -> None:
    """Replies stay when the root is deleted; a reply to what is gone becomes a message of the channel."""
    root = client.chat_postMessage(channel=CHANNEL, text="root")["ts"]
    client.chat_postMessage(channel=CHANNEL, text="reply", thread_ts=root)
    assert [each["text"] for each in workspace.control.thread(CHANNEL, root)] == ["root", "reply"]
    client.chat_delete(channel=CHANNEL, ts=root)
    shown = workspace.control.state()["channels"][0]["messages"]
    assert [(each["deleted"], each["reply_count"]) for each in shown] == [(True, 1)]
    lost = client.chat_postMessage(channel=CHANNEL, text="lost", thread_ts="1700000000.000001")
    assert "thread_ts" not in lost["message"]
    assert workspace.control.wait_message(CHANNEL, "reply", thread_ts=root)["text"] == "reply"


def test_history_replies_and_metadata(workspace: LocalWorkspace, client: WebClient) -> None:
    """History is newest first without replies; metadata is shown only with its scope."""
    metadata = {"event_type": "hold", "event_payload": {"id": "h1"}}
    first = client.chat_postMessage(channel=CHANNEL, text="one", metadata=metadata)["ts"]
    client.chat_postMessage(channel=CHANNEL, text="reply", thread_ts=first)
    client.chat_postMessage(channel=CHANNEL, text="two")
    found = client.conversations_history(channel=CHANNEL, include_all_metadata=True)["messages"]
    assert [each["text"] for each in found] == ["two", "one"]
    assert found[1]["metadata"] == metadata
    replies = client.conversations_replies(channel=CHANNEL, ts=first)["messages"]
    assert [each["text"] for each in replies] == ["one", "reply"]
    assert refused(client, "conversations.replies", channel=CHANNEL, ts="1.000000") == "thread_not_found"
    page = client.conversations_history(channel=CHANNEL, limit=1)
    assert page["has_more"]
    rest = client.conversations_history(
        channel=CHANNEL, limit=1, cursor=page["response_metadata"]["next_cursor"]
    )
    assert rest["messages"][0]["text"] == "one"
    later = client.conversations_history(channel=CHANNEL, oldest=first)["messages"]
    assert [each["text"] for each in later] == ["two"]
    workspace.control.set_scopes(["channels:history"])
    bare = client.conversations_history(channel=CHANNEL, include_all_metadata=True)["messages"]
    assert all("metadata" not in each for each in bare)


def test_people(workspace: LocalWorkspace, client: WebClient) -> None:
    """users.info shows the flags that eligibility needs, and hides e-mail without its scope."""
    assert client.users_info(user="U0ALICE")["user"]["profile"]["email"] == "alice@example.com"
    assert client.users_info(user="U0GUEST")["user"]["is_restricted"]
    stranger = client.users_info(user="U0STRANGE")["user"]
    assert stranger["is_stranger"]
    assert stranger["team_id"] == "T0OTHER"
    assert client.users_info(user="U0GONE")["user"]["deleted"]
    assert client.users_info(user="U0ROBOT")["user"]["is_bot"]
    assert client.users_lookupByEmail(email="Bob@example.com")["user"]["id"] == "U0BOB"
    assert refused(client, "users.info", user="U0NONE") == "user_not_found"
    workspace.control.set_user("U0CAROL", visible=False)
    assert refused(client, "users.info", user="U0CAROL") == "user_not_visible"
    workspace.control.set_scopes(["users:read"])
    assert "email" not in client.users_info(user="U0ALICE")["user"]["profile"]


def test_groups(workspace: LocalWorkspace, client: WebClient) -> None:
    """A group lists its members, and can fail as on a free plan."""
    assert client.usergroups_users_list(usergroup="S0FINANCE")["users"] == ["U0ALICE", "U0BOB"]
    assert client.usergroups_list(include_users=True)["usergroups"][0]["users"] == ["U0ALICE", "U0BOB"]
    assert refused(client, "usergroups.users.list", usergroup="S0NONE") == "no_such_subteam"
    workspace.control.set_group("S0FINANCE", ["U0CAROL"], error="plan_upgrade_required")
    assert refused(client, "usergroups.users.list", usergroup="S0FINANCE") == "plan_upgrade_required"


def test_channels(workspace: LocalWorkspace, client: WebClient) -> None:
    """A channel says whether the bot is in it, who is, and whether outsiders are."""
    workspace.control.set_channel(CHANNEL, is_ext_shared=True)
    info = client.conversations_info(channel=CHANNEL)["channel"]
    assert info["is_member"]
    assert info["is_ext_shared"]
    assert not info["is_private"]
    assert "U0BOB" in client.conversations_members(channel=CHANNEL)["members"]
    names = [
        each["name"] for each in client.conversations_list(types="public_channel,private_channel")["channels"]
    ]
    assert names == ["approvals", "private"]
    workspace.control.set_scopes(["channels:read"])
    assert refused(client, "conversations.info", channel="C0PRIVATE") == "missing_scope"


def test_direct_messages(workspace: LocalWorkspace, client: WebClient) -> None:
    """A direct conversation is opened once, is seen by its person only, and never for bots and leavers."""
    channel = client.conversations_open(users="U0ALICE")["channel"]["id"]
    assert client.conversations_open(users="U0ALICE")["already_open"]
    assert client.chat_postMessage(channel="U0ALICE", text="for you")["channel"] == channel
    assert channel in [each["id"] for each in workspace.control.state("U0ALICE")["channels"]]
    assert channel not in [each["id"] for each in workspace.control.state("U0BOB")["channels"]]
    assert refused(client, "conversations.open", users="U0GONE") == "user_disabled"
    assert refused(client, "conversations.open", users="U0ROBOT") == "cannot_dm_bot"


def test_ephemeral_messages(workspace: LocalWorkspace, client: WebClient) -> None:
    """An ephemeral message is seen by its person only and cannot be updated."""
    ts = client.chat_postEphemeral(channel=CHANNEL, user="U0BOB", text="just you")["message_ts"]
    assert [each["text"] for each in workspace.control.ephemerals("U0BOB")] == ["just you"]
    assert workspace.control.ephemerals("U0ALICE") == workspace.control.messages(CHANNEL) == []
    assert refused(client, "chat.update", channel=CHANNEL, ts=ts, text="x") == "message_not_found"
    outsider = {"channel": "C0PRIVATE", "user": "U0CAROL", "text": "x"}
    assert refused(client, "chat.postEphemeral", **outsider) == "user_not_in_channel"
    workspace.control.dismiss("U0BOB", CHANNEL, ts)
    assert workspace.control.ephemerals("U0BOB") == []


def test_files_and_permalinks(workspace: LocalWorkspace, client: WebClient) -> None:
    """An uploaded file is a line under a message; a message has an address on the page."""
    client.files_upload_v2(channel=CHANNEL, content="a,b\n", filename="why.csv", initial_comment="The log")
    message = workspace.control.wait_message(CHANNEL, "The log")
    assert message["files"][0]["name"] == "why.csv"
    link = client.chat_getPermalink(channel=CHANNEL, message_ts=message["ts"])["permalink"]
    assert link == f"{workspace.url}/archives/{CHANNEL}/p{message['ts'].replace('.', '')}"


def test_a_seed_round_trips_and_is_not_shared() -> None:
    """A seed survives JSON, and a workspace changes only its own copy."""
    seed = Seed()
    assert Seed.model_validate_json(seed.model_dump_json()) == seed
    with LocalWorkspace(seed=seed) as workspace:
        workspace.control.set_user("U0ALICE", deleted=True)
        assert workspace.control.state()["users"][0]["deleted"]
    assert not seed.users[0].deleted


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.com", ""])
def test_only_loopback_is_bound(host: str) -> None:
    """Any other host is refused before anything is opened."""
    with pytest.raises(ValueError, match="loopback"):
        LocalWorkspace(host)
