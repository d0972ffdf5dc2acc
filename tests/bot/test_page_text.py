"""The page draws text by Slack's rules, and data never becomes markup."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.page

RENDER = """async ([text, verbatim]) => {
  const { renderMrkdwn } = await import("/page/mrkdwn.js");
  const names = {U0ALICE: "Alice", U0BOB: "Bob"};
  const directory = {
    isMe: (id) => id === "U0ALICE", inMyGroups: () => false, userMention: (id) => "@" + (names[id] ?? id),
    groupMention: () => "@finance", channelMention: (id, label) => "#" + (label ?? id),
  };
  const box = document.createElement("div");
  box.append(...renderMrkdwn(text, directory, {verbatim}));
  return box.innerHTML;
}"""

PLAIN = """async (object) => (await import("/page/text.js")).plainText(object)"""


@pytest.fixture
def drawn(still_page: Any) -> Any:
    """Give a function from mrkdwn to the markup that the page makes of it."""
    return lambda text, verbatim=False: still_page.evaluate(RENDER, [text, verbatim])


STYLES = [
    ("*bold*", "<strong>bold</strong>"),
    ("_slanted_", "<em>slanted</em>"),
    ("~gone~", "<s>gone</s>"),
    ("`*as is*`", "<code>*as is*</code>"),
    ("*_both_*", "<strong><em>both</em></strong>"),
    ("a *b* c", "a <strong>b</strong> c"),
    ("(*b*)", "(<strong>b</strong>)"),
]

LITERAL = [
    "5 * 3 * 2",
    "snake_case",
    "* spaced *",
    "a*b*c",
    "**",
    "`",
    "``",
    "*one\ntwo*",
    "~ no ~",
    "```open",
]


def test_styles_are_drawn(drawn: Any) -> None:
    """Bold, italic, strike and code are drawn where Slack draws them."""
    assert [drawn(text) for text, _ in STYLES] == [markup for _, markup in STYLES]


def test_marks_that_style_nothing_stay_as_they_are(drawn: Any) -> None:
    """Marks without a partner, inside words or beside spaces are plain characters."""
    assert [drawn(text) for text in LITERAL] == LITERAL


def test_data_never_becomes_markup(drawn: Any) -> None:
    """Angle brackets, quotes and script addresses end up as text."""
    assert drawn("&lt;b onclick=x&gt;") == "&lt;b onclick=x&gt;"
    assert drawn("<img src=x onerror=alert(1)>") == "&lt;img src=x onerror=alert(1)&gt;"
    assert "href" not in drawn("<javascript:alert(1)|press me>")
    assert "href" not in drawn("<data:text/html,x|press me>")
    assert drawn("</pre><script>1</script>") == "&lt;/pre&gt;&lt;script&gt;1&lt;/script&gt;"


def test_entities_are_decoded_once(drawn: Any) -> None:
    """A decoded entity is never decoded or parsed again."""
    assert drawn("&amp;lt;") == "&amp;lt;"
    assert drawn("&lt;@U0BOB&gt;") == "&lt;@U0BOB&gt;"
    assert drawn("&quot;") == "&amp;quot;"


def test_links(drawn: Any) -> None:
    """Links are opened elsewhere without telling where they came from; bare ones only where not verbatim."""
    link = drawn("<https://example.com/?a=1&amp;b=2|label>")
    assert 'href="https://example.com/?a=1&amp;b=2"' in link
    assert 'rel="noopener noreferrer"' in link
    assert link.endswith(">label</a>")
    assert ">https://example.com/x</a>." in drawn("see https://example.com/x.")
    assert drawn("see https://example.com/x.", True) == "see https://example.com/x."


def test_mentions(drawn: Any) -> None:
    """People, groups, channels and calls to all are named; the reader's own are marked."""
    assert drawn("<@U0BOB>") == '<span class="mention">@Bob</span>'
    assert drawn("<@U0ALICE|x>") == '<span class="mention mention-me">@Alice</span>'
    assert drawn("<@U0NOBODY>") == '<span class="mention">@U0NOBODY</span>'
    assert "@finance" in drawn("<!subteam^S0FINANCE>")
    assert drawn("<#C1|general>") == '<span class="mention">#general</span>'
    assert "mention-me" in drawn("<!here>")
    assert "mention-me" in drawn("ping @channel now")
    assert drawn("ping @channel now", True) == "ping @channel now"


def test_tokens_stay_live_in_code(drawn: Any) -> None:
    """What notifies in Slack is shown as notifying here too, also in code."""
    assert "mention" in drawn("`<!here>`")
    assert "mention" in drawn("```<@U0BOB>```")


def test_quotes_and_fences(drawn: Any) -> None:
    """Lines are quoted, fences keep their spaces, and everything after three marks is quoted."""
    assert drawn("&gt; a *b*\n&gt; c\nd") == "<blockquote>a <strong>b</strong>\nc</blockquote>d"
    assert drawn("&gt;&gt;&gt; a\nb") == "<blockquote>a\nb</blockquote>"
    assert drawn("a\n```\n  x *y*\n```\nb") == 'a<pre class="mrkdwn-pre">  x *y*</pre>b'


def test_dates(drawn: Any) -> None:
    """Dates follow the template in the reader's time; a broken one shows its fallback."""
    assert ">1970-01-02<" in drawn("<!date^122400^{date_num}|later>")
    assert 'href="https://example.com/"' in drawn("<!date^122400^{date_num}^https://example.com/|later>")
    assert ">later<" in drawn("<!date^soon^{date_num}|later>")
    assert ">{nonsense}<" in drawn("<!date^122400^{nonsense}|later>")


def test_plain_text_is_never_parsed(still_page: Any) -> None:
    """Of plain_text only emoji names are read, and none where emoji is false."""
    read = lambda **object_: still_page.evaluate(PLAIN, object_)  # noqa: E731
    assert read(text="*a* <@U0BOB> &amp; :x:", emoji=False) == "*a* <@U0BOB> &amp; :x:"
    assert read(text="*a* :x: :no_such_name:") == "*a* ❌ :no_such_name:"
