"""The workspace refuses what Slack refuses, with Slack's error names and pointers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError, SlackObjectFormationError
from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View
from slack_sdk.web import WebClient

from bot.local_workspace.errors import SlackError
from bot.local_workspace.limits import check_message_blocks, check_view
from tests.bot.workspace_blocks import CHANNEL, Json, actions, button, modal, plain, section, text_input


def options(count: int, text: int = 5) -> list[Json]:
    """Return options with distinct values."""
    return [{"text": plain("x" * text), "value": str(number)} for number in range(count)]


def overflow(count: int) -> Json:
    """Return a message block with an overflow menu of `count` options."""
    return actions({"type": "overflow", "action_id": "a", "options": options(count)})


def select(count: int, text: int = 5) -> Json:
    """Return a message block with a menu of `count` options."""
    menu = {"type": "static_select", "action_id": "a", "options": options(count, text)}
    return actions({**menu, "placeholder": plain("Choose")})


def confirming(title: int, text: int, label: int) -> Json:
    """Return a message block whose button has a confirm dialog with texts of these lengths."""
    texts = {"title": plain("t" * title), "text": plain("t" * text)}
    return actions(button("a", confirm={**texts, "confirm": plain("y" * label), "deny": plain("n" * label)}))


def context(count: int) -> Json:
    """Return a context block with `count` elements."""
    return {"type": "context", "elements": [plain("x")] * count}


AT_THE_LIMIT: list[tuple[str, Callable[[int], Json], int]] = [
    ("section text", lambda n: section("x" * n), 3000),
    ("section fields", lambda n: {"type": "section", "fields": [plain("x")] * n}, 10),
    ("block_id", lambda n: {"type": "divider", "block_id": "b" * n}, 255),
    ("header", lambda n: {"type": "header", "text": plain("x" * n)}, 150),
    ("context elements", context, 10),
    ("actions elements", lambda n: actions(*(button(f"a{each}") for each in range(n))), 25),
    ("button text", lambda n: actions(button("x" * n) | {"action_id": "a"}), 75),
    ("button value", lambda n: actions(button("a", "v" * n)), 2000),
    ("button url", lambda n: actions(button("a", url="u" * n)), 3000),
    ("action_id", lambda n: actions(button("a") | {"action_id": "a" * n}), 255),
    ("overflow options", overflow, 5),
    ("select options", select, 100),
    ("image alt text", lambda n: {"type": "image", "image_url": "http://x/y.png", "alt_text": "x" * n}, 2000),
]

AT_THE_LIMIT_OURS_ONLY: list[tuple[str, Callable[[int], Json], int]] = [
    ("field text", lambda n: {"type": "section", "fields": [plain("x" * n)]}, 2000),
    ("option text", lambda n: select(1, n), 75),
    ("confirm title", lambda n: confirming(n, 1, 1), 100),
    ("confirm text", lambda n: confirming(1, n, 1), 300),
    ("confirm labels", lambda n: confirming(1, 1, n), 30),
]


def refused(check: Callable[[], object]) -> bool:
    """Return whether the workspace's check refuses."""
    try:
        check()
    except SlackError:
        return True
    return False


def sdk_refuses(block: Json) -> bool:
    """Return whether Slack's own model of a block refuses it."""
    parsed = Block.parse(block)
    assert parsed is not None
    try:
        parsed.to_dict()
    except SlackObjectFormationError:
        return True
    return False


@pytest.mark.parametrize(("name", "make", "limit"), AT_THE_LIMIT, ids=[each[0] for each in AT_THE_LIMIT])
def test_limits_agree_with_slacks_own_models(name: str, make: Callable[[int], Json], limit: int) -> None:
    """At the limit both take a block; one above, both refuse it."""
    for size in (limit, limit + 1):
        ours = refused(lambda size=size: check_message_blocks([make(size)]))
        assert ours is sdk_refuses(make(size)) is (size > limit), (name, size)


@pytest.mark.parametrize(("name", "make", "limit"), AT_THE_LIMIT_OURS_ONLY)
def test_limits_that_slacks_models_leave_out(name: str, make: Callable[[int], Json], limit: int) -> None:
    """At the limit a block passes; one above, it is refused."""
    check_message_blocks([make(limit)])
    with pytest.raises(SlackError, match="invalid_blocks"):
        check_message_blocks([make(limit + 1)])


@pytest.mark.parametrize(
    ("field", "limit", "make"),
    [
        ("title", 24, lambda n: modal(section("x")) | {"title": plain("t" * n)}),
        ("submit", 24, lambda n: modal(section("x"), submit=plain("t" * n))),
        ("close", 24, lambda n: modal(section("x"), close=plain("t" * n))),
        ("private_metadata", 3000, lambda n: modal(section("x"), private_metadata="p" * n)),
        ("callback_id", 255, lambda n: modal(section("x"), callback_id="c" * n)),
        ("blocks", 100, lambda n: modal(*[section("x")] * n)),
    ],
)
def test_view_limits_agree_with_slacks_own_model(field: str, limit: int, make: Callable[[int], Json]) -> None:
    """At the limit both take a view; one above, both refuse it and the pointer names the field."""
    check_view(make(limit), "modal")
    View(**make(limit)).to_dict()
    with pytest.raises(SlackError) as ours:
        check_view(make(limit + 1), "modal")
    assert f"json-pointer:/view/{field}" in ours.value.more["response_metadata"]["messages"][0]
    with pytest.raises(SlackObjectFormationError):
        View(**make(limit + 1)).to_dict()


def error(client: WebClient, *blocks: Any, **more: Any) -> SlackApiError:
    """Post blocks that must be refused, and return the error."""
    with pytest.raises(SlackApiError) as refusal:
        client.chat_postMessage(channel=CHANNEL, text="x", blocks=list(blocks), **more)
    return refusal.value


def test_a_pointer_says_where(client: WebClient) -> None:
    """invalid_blocks comes with Slack's sentence and the JSON pointer of the field."""
    answer = error(client, section("fine"), section("x" * 3001)).response
    assert answer["error"] == "invalid_blocks"
    sentence = "must be less than 3001 characters [json-pointer:/blocks/1/text/text]"
    assert answer["errors"] == [sentence]
    assert answer["response_metadata"]["messages"] == [f"[ERROR] {sentence}"]


@pytest.mark.parametrize(
    ("blocks", "sentence"),
    [
        ([section("x")] * 51, "no more than 50 items allowed [json-pointer:/blocks]"),
        ([{"type": "sectoin"}], "unsupported type: sectoin [json-pointer:/blocks/0/type]"),
        ([{"text": plain("x")}], "missing required field: type [json-pointer:/blocks/0]"),
        ([{"type": "header"}], "missing required field: text [json-pointer:/blocks/0]"),
        (
            [{"type": "divider", "colour": "red"}],
            "invalid additional property: colour [json-pointer:/blocks/0]",
        ),
        ([section("")], "must be more than 0 characters [json-pointer:/blocks/0/text/text]"),
        ([{"type": "section"}], "must provide text or fields [json-pointer:/blocks/0]"),
        ([actions()], "no fewer than 1 items allowed [json-pointer:/blocks/0/elements]"),
        ([actions(button("a", style="green"))], "must be one of: primary, danger"),
        ([actions(button("a"), button("a"))], "action_id already used in this block: a"),
        ([actions(button("a")), actions(button("b"))], "block_id already exists: buttons"),
        ([actions({"type": "plain_text_input"})], "unsupported type: plain_text_input"),
        ([{"type": "alert", "text": plain("x")}], "unsupported type: alert"),
        ([{"type": "header", "text": {"type": "mrkdwn", "text": "x"}}], "unsupported type: mrkdwn"),
        ([section("x") | {"text": plain("x") | {"emoji": "no"}}], "must be a boolean"),
    ],
)
def test_what_a_message_may_not_hold(client: WebClient, blocks: list[Json], sentence: str) -> None:
    """Each broken rule has its own sentence."""
    refusal = error(client, *blocks)
    assert refusal.response["error"] == "invalid_blocks"
    assert any(each.startswith(sentence) for each in refusal.response["errors"]), refusal.response["errors"]


def test_the_sum_of_all_text_is_limited(client: WebClient) -> None:
    """Five legal sections of 2,700 characters are too long together."""
    assert error(client, *[section("x" * 2700)] * 5).response["error"] == "msg_blocks_too_long"
    client.chat_postMessage(channel=CHANNEL, text="x", blocks=[section("x" * 2700)] * 4)


def test_texts_of_a_message(client: WebClient) -> None:
    """Nothing, and blocks that are no list, are refused; a long text is cut on post, refused on update."""
    for more, name in (
        ({"text": ""}, "no_text"),
        ({"text": "x", "blocks": '{"a": 1}'}, "invalid_blocks_format"),
        ({"text": "x", "blocks": "[1]"}, "invalid_blocks_format"),
        ({"text": "x", "blocks": "[{"}, "invalid_blocks_format"),
    ):
        with pytest.raises(SlackApiError, match=name):
            client.api_call("chat.postMessage", params={"channel": CHANNEL, **more})
    posted = client.chat_postMessage(channel=CHANNEL, text="x" * 40_001)
    assert len(posted["message"]["text"]) == 40_000
    with pytest.raises(SlackApiError, match="msg_too_long"):
        client.chat_update(channel=CHANNEL, ts=posted["ts"], text="x" * 4001)


@pytest.mark.parametrize(
    ("view", "sentence"),
    [
        (modal(text_input()) | {"type": "home"}, "must be one of: modal [json-pointer:/view/type]"),
        ({"type": "modal", "blocks": [section("x")]}, "missing required field: title [json-pointer:/view]"),
        (
            {"type": "modal", "title": plain("x"), "blocks": [text_input()]},
            "missing required field: submit (there is an input block) [json-pointer:/view]",
        ),
        (
            modal(text_input(), text_input()),
            "block_id already exists: comment [json-pointer:/view/blocks/1/block_id]",
        ),
        (
            modal({"type": "markdown", "text": "x"}),
            "unsupported type: markdown [json-pointer:/view/blocks/0/type]",
        ),
    ],
)
def test_what_a_modal_may_not_hold(view: Json, sentence: str) -> None:
    """Each broken rule of a modal has its own sentence."""
    with pytest.raises(SlackError, match="invalid_arguments") as refusal:
        check_view(view, "modal")
    assert sentence in refusal.value.more["errors"]


def test_a_view_of_more_than_250_kilobytes_is_too_large() -> None:
    """Legal blocks can still be too large together."""
    blocks = [{"type": "section", "fields": [plain("x" * 2000)] * 10} for _number in range(13)]
    with pytest.raises(SlackError, match="view_too_large"):
        check_view(modal(*blocks), "modal")
    check_view(modal(*blocks[:12]), "modal")


def test_rich_text_is_checked_to_its_leaves() -> None:
    """Preformatted text passes; an empty text or an unknown part does not."""

    def rich(*parts: Json, kind: str = "rich_text_preformatted") -> Json:
        return {"type": "rich_text", "elements": [{"type": kind, "elements": list(parts)}]}

    check_message_blocks([rich({"type": "text", "text": "$ rm -rf *"})])
    check_message_blocks([rich({"type": "user", "user_id": "U0ALICE"}, kind="rich_text_section")])
    for wrong in (
        rich({"type": "text", "text": ""}),
        rich({"type": "user", "user_id": "U0ALICE"}),
        rich({"type": "blink", "text": "x"}, kind="rich_text_section"),
        rich(kind="rich_text_marquee"),
    ):
        with pytest.raises(SlackError, match="invalid_blocks"):
            check_message_blocks([wrong])
