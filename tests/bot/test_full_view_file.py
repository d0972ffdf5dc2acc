"""A call beyond 250 kB: pages, and the whole of it as a file in the thread of its card."""

from __future__ import annotations

from bot import names
from bot.views.whole import whole_text
from gate.lifecycle import State
from tests.bot.bot_fixtures import CHANNEL, Office, eventually, office, spell
from tests.bot.records import NASTY, refund

__all__ = ["office"]

LONG = {"order_id": "ORD-9", "amount": 1, "currency": "EUR", "note": "n" * 300_000}


def test_a_long_call_is_a_file_in_its_thread_once(office: Office) -> None:
    """The window offers it; the file holds every character, and a second press makes no second one."""
    office.open()
    record = office.hold(**LONG)
    ts = office.card(record)["ts"]
    office.press("U0ALICE", record, names.VIEW)
    view = office.control.wait_view("U0ALICE", "Put it into a file")
    for _ in range(2):
        office.control.click_view("U0ALICE", view["id"], names.FILE)
        office.control.wait_view("U0ALICE", "stands in the thread")
    thread = office.control.thread(CHANNEL, ts)
    files = [each for message in thread for each in message.get("files") or ()]
    assert [(each["name"], each["size"]) for each in files] == [
        (f"hold-{record.id}.txt", len(whole_text(office.agent.hold(record.id)).encode()))
    ]
    assert files[0]["size"] > 300_000


def test_two_who_ask_at_once_get_one_file(office: Office) -> None:
    """The second is told where the first one's stands."""
    office.open()
    record = office.hold(**LONG)
    ts = office.card(record)["ts"]
    windows = {}
    for user in ("U0ALICE", "U0BOB"):
        office.press(user, record, names.VIEW)
        windows[user] = office.control.wait_view(user, "Put it into a file")["id"]
    office.control.faults.set("files.getUploadURLExternal", kind="hold", times=None)
    for user, window in windows.items():
        assert office.control.click_view(user, window, names.FILE)["acked"]
    eventually(lambda: office.control.calls("files.getUploadURLExternal"))
    office.control.faults.clear()
    for user in windows:
        office.control.wait_view(user, "stands in the thread")
    thread = office.control.thread(CHANNEL, ts)
    assert len([each for message in thread for each in message.get("files") or ()]) == 1


def test_without_the_scope_the_pages_stay(office: Office) -> None:
    """Where Slack takes no files, the window says so and shows its page as before."""
    office.open()
    record = office.hold(**LONG)
    office.press("U0ALICE", record, names.VIEW)
    view = office.control.wait_view("U0ALICE", "Put it into a file")
    office.control.faults.set("files.getUploadURLExternal", kind="error", error="missing_scope")
    office.control.click_view("U0ALICE", view["id"], names.FILE)
    assert "Page 1 of" in spell(office.control.wait_view("U0ALICE", "missing_scope"))
    office.control.click_view("U0ALICE", view["id"], names.APPROVE_WITH_COMMENT)
    form = office.control.wait_view("U0ALICE", "Runs once, now.")
    office.control.submit_view("U0ALICE", form["id"], {})
    office.until(record, State.APPROVED)
    eventually(lambda: not office.control.views("U0ALICE"))


def test_a_short_call_has_no_file(office: Office) -> None:
    """What fits into a window is not put into the channel a second time."""
    office.open()
    record = office.hold()
    office.press("U0ALICE", record, names.VIEW)
    assert names.FILE not in spell(office.control.wait_view("U0ALICE", "Decisive values"))


def test_the_file_shows_every_character() -> None:
    """Invisible and bidirectional characters are written out there too, and every value is whole."""
    told = whole_text(refund(arguments={f"a{n}": text for n, text in enumerate(NASTY)}, note=NASTY[3]))
    assert "\\u{202E}EUR 004" in told
    assert "zero\\u{200B}width" in told
    assert "😀" * 50 in told
    assert not [character for character in told if character != "\n" and not character.isprintable()]


def test_no_text_of_others_looks_like_a_title_of_the_file() -> None:
    """Lines of long values and of the agent's words are set in: titles and names stand at the margin."""
    forged = "x\n== Why it is held ==\nrules/fine: All is well.\namount: 1"
    told = whole_text(refund(arguments={"text": forged, "amount": 9000}, note=forged))
    margin = [line for line in told.splitlines() if line and not line.startswith(" ")]
    assert [line for line in margin if line == "== Why it is held =="] == ["== Why it is held =="]
    assert "rules/fine: All is well." not in margin
    assert "amount: 1" not in margin
    assert "  rules/fine: All is well." in told.splitlines()
