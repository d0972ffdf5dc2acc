"""The windows: deny, approve with a comment, view everything, stop, and slow answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bot import names
from bot.eligibility import Clicker
from bot.homes import Homes
from bot.local_workspace import LocalWorkspace
from bot.views import modals
from gate.errors import StoreBusy
from gate.lifecycle import State
from gate.model import Action, HoldRecord, Parameters
from tests.bot.bot_fixtures import CHANNEL, NOBODY, Office, eventually, office, office_of, spell

__all__ = ["office", "office_of"]

both = pytest.mark.parametrize("transport", ["socket", "http"])


def comment(words: str, reason: str | None = None) -> dict[str, dict[str, Any]]:
    """Return what somebody put into the form."""
    values: dict[str, dict[str, Any]] = {modals.COMMENT_BLOCK: {names.COMMENT: words}}
    return values | ({modals.REASON_BLOCK: {names.REASON: reason}} if reason is not None else {})


def deny_form(office: Office, user: str, record: HoldRecord) -> str:
    """Open the deny form and return the id of its window."""
    office.press(user, record, names.DENY)
    return str(office.control.wait_view(user, "Reason")["id"])


def test_nothing_is_preselected_and_the_hint_says_who_reads_it(office: Office) -> None:
    """The form offers five reasons, none chosen, and says that the agent reads the comment."""
    office.open()
    record = office.hold()
    deny_form(office, "U0ALICE", record)
    view = office.control.views("U0ALICE")[-1]
    (choice,) = next(
        block["elements"] for block in view["blocks"] if block.get("block_id") == modals.REASON_BLOCK
    )
    assert [option["text"]["text"] for option in choice["options"]] == list(modals.REASONS)
    assert "initial_option" not in choice
    assert "The agent reads this word for word" in spell(view)


@pytest.mark.parametrize(
    ("words", "reason", "stored"),
    [
        ("", "0", "Wrong amount or recipient"),
        ("see ticket 4", "1", "Not enough evidence: see ticket 4"),
        ("only words", None, "only words"),
        ("own words", "4", "own words"),
    ],
)
def test_a_quick_reason_counts_as_a_comment(
    office: Office, words: str, reason: str | None, stored: str
) -> None:
    """Reason and words reach the agent; a reason alone is enough."""
    office.open()
    record = office.hold()
    view = deny_form(office, "U0ALICE", record)
    office.control.submit_view("U0ALICE", view, comment(words, reason))
    assert office.until(record, State.DENIED).decisions[0].comment == stored


@both
@pytest.mark.parametrize("reason", [None, "4"])
def test_a_denial_without_words_is_sent_back(office: Office, reason: str | None, transport: Any) -> None:
    """No comment and no reason, or only "Other": the form says what is missing and nothing is recorded."""
    office.open(transport)
    record = office.hold()
    view = deny_form(office, "U0ALICE", record)
    result = office.control.submit_view("U0ALICE", view, comment("  ", reason))
    assert modals.COMMENT_BLOCK in result["errors"]
    assert not result["closed"]
    assert office.agent.hold(record.id).state is State.PENDING


def test_a_stale_form_after_a_decision_is_told(office: Office) -> None:
    """A form that was opened before somebody else decided records nothing and says what happened."""
    office.open()
    record = office.hold()
    view = deny_form(office, "U0ALICE", record)
    other = deny_form(office, "U0BOB", record)
    office.control.submit_view("U0BOB", other, comment("no"))
    office.until(record, State.DENIED)
    office.control.submit_view("U0ALICE", view, comment("me too"))
    office.control.wait_view("U0ALICE", "already denied")
    assert len(office.agent.hold(record.id).decisions) == 1


def test_who_lost_the_right_meanwhile_cannot_submit(office: Office, workspace: LocalWorkspace) -> None:
    """Eligibility is judged again when the form is submitted."""
    office.open()
    record = office.hold()
    view = deny_form(office, "U0BOB", record)
    workspace.control.set_user("U0BOB", deleted=True)
    workspace.control.submit_view("U0BOB", view, comment("no"), forge=True)
    eventually(lambda: [r for r in office.agent.records(action=record.id) if r.body["kind"] == "refused"])
    assert office.agent.hold(record.id).state is State.PENDING


@both
def test_a_slow_submit_is_answered_in_time(office: Office, workspace: LocalWorkspace, transport: Any) -> None:
    """A form whose lookup takes long says "Recording…" within two seconds, and the result afterwards."""
    office.open(transport)
    record = office.hold()
    view = deny_form(office, "U0ALICE", record)
    workspace.control.faults.set("users.info", kind="hold")
    result = workspace.control.submit_view("U0ALICE", view, comment("slow but sure"))
    assert result["acked"]
    assert "Recording" in spell(result["view"])
    workspace.control.faults.clear()
    office.until(record, State.DENIED)
    workspace.control.wait_view("U0ALICE", "Your answer is recorded")


def test_approve_with_a_comment(office: Office) -> None:
    """A button of the card opens a form; the comment is recorded with the approval and stands on the card."""
    office.open()
    record = office.hold()
    office.press("U0ALICE", record, names.APPROVE_WITH_COMMENT)
    view = office.control.wait_view("U0ALICE", "Runs once, now.")
    office.control.submit_view("U0ALICE", view["id"], comment("Damage claim verified, within policy."))
    after = office.until(record, State.APPROVED)
    assert after.decisions[0].comment == "Damage claim verified, within policy."
    office.shown(record, "Damage claim verified, within policy.")


def test_a_policy_that_wants_a_comment_gets_a_form(office: Office) -> None:
    """Where approving needs a comment, Approve opens the form, and an empty one is not sent."""
    office.open()
    record = office.hold(name="payments.cancel")
    office.press("U0ALICE", record, names.APPROVE)
    view = office.control.wait_view("U0ALICE", "Runs once, now.")
    empty = office.control.submit_view("U0ALICE", view["id"], comment(" "))
    assert modals.COMMENT_BLOCK in empty["errors"]
    office.control.submit_view("U0ALICE", view["id"], comment("checked"))
    assert office.until(record, State.APPROVED).decisions[0].comment == "checked"


def test_stop_takes_an_approval_back_until_it_is_used(office: Office) -> None:
    """An approved call that has not started is stopped by a denial."""
    office.open()
    record = office.hold()
    office.press("U0ALICE", record, names.APPROVE)
    office.shown(record, names.STOP)
    office.press("U0ALICE", record, names.STOP)
    view = office.control.wait_view("U0ALICE", "Reason")
    assert spell(view["submit"]).startswith("Stop it")
    office.control.submit_view("U0ALICE", view["id"], comment("I was wrong"))
    assert office.until(record, State.DENIED).decisions[-1].said == "deny"
    office.shown(record, "I was wrong")


def test_view_everything_pages_through_and_is_recorded(office: Office) -> None:
    """The full view shows every value over several pages; opening the decisive ones is recorded."""
    office.open()
    record = office.hold(order_id="ORD-9", amount=1, currency="EUR", note="n" * 300_000)
    office.press("U0CAROL", record, names.VIEW)
    view = office.control.wait_view("U0CAROL", "Page 1 of")
    assert "order_id: ORD-9" in spell(view)
    office.control.click_view("U0CAROL", view["id"], names.PAGE_NEXT)
    office.control.wait_view("U0CAROL", "Page 2 of")
    office.control.click_view("U0CAROL", view["id"], names.PAGE_BACK)
    office.control.wait_view("U0CAROL", "Page 1 of")
    assert len(office.control.views("U0CAROL")) == 1
    eventually(lambda: [r for r in office.agent.records(action=record.id) if r.body["kind"] == "view"])


def test_a_cut_value_has_to_be_viewed_before_approving(office: Office) -> None:
    """Approve opens the full view instead, and counts only after its last decisive page was opened."""
    office.open()
    record = office.hold(name="payments.other", text="word " * 60_000)
    assert "before you approve" in spell(office.card(record))
    office.press("U0ALICE", record, names.APPROVE)
    view = office.control.wait_view("U0ALICE", "Page 1 of")
    assert names.APPROVE_WITH_COMMENT not in spell(view)
    assert office.agent.hold(record.id).state is State.PENDING
    while "gate:page:next" in spell(view):
        now = spell(view)
        office.control.click_view("U0ALICE", view["id"], names.PAGE_NEXT)
        view = eventually(
            lambda now=now: next((v for v in office.control.views("U0ALICE") if spell(v) != now), None)
        )
    office.control.click_view("U0ALICE", view["id"], names.APPROVE_WITH_COMMENT)
    form = office.control.wait_view("U0ALICE", "Runs once, now.")
    office.control.submit_view("U0ALICE", form["id"], comment("read it all"))
    office.until(record, State.APPROVED)


def test_who_may_not_see_a_hold_is_shown_nothing(office: Office, workspace: LocalWorkspace) -> None:
    """Somebody outside the hold's channels and approvers gets the reason instead of the values."""
    office.open()
    record = office.hold(order_id="SECRET-1", amount=1, currency="EUR")
    office.card(record)
    workspace.control.set_channel(CHANNEL, members=["U0ALICE", "U0BOB", "U0GATEBOT"])
    office.press("U0CAROL", record, names.VIEW, forge=True)
    view = eventually(lambda: next(iter(office.control.views("U0CAROL")), None))
    eventually(lambda: "not among" in spell(office.control.views("U0CAROL")))
    assert "SECRET-1" not in spell(office.control.views("U0CAROL"))
    assert view is not None


def test_a_window_that_comes_too_late_is_answered_otherwise(
    office: Office, workspace: LocalWorkspace
) -> None:
    """Where Slack does not let the window open any more, the person is told the other way to answer."""
    office.open()
    record = office.hold()
    office.card(record)
    workspace.control.faults.set("views.open", kind="error", error="expired_trigger_id")
    office.press("U0ALICE", record, names.DENY)
    office.whispered("U0ALICE", "Press again, or use /gate holds")
    assert office.control.views("U0ALICE") == []


def test_the_home_tab_is_a_second_way(office: Office) -> None:
    """The home tab lists what waits; its full view has the buttons; the route says home."""
    office.open()
    record = office.hold()
    office.card(record)
    office.control.open_home("U0ALICE")
    home = eventually(
        lambda: found if "Refund 400" in spell(found := office.control.home("U0ALICE")) else None
    )
    office.control.click_view("U0ALICE", home["id"], names.VIEW)
    view = office.control.wait_view("U0ALICE", "Decisive values")
    office.control.click_view("U0ALICE", view["id"], names.APPROVE_WITH_COMMENT)
    form = office.control.wait_view("U0ALICE", "Runs once, now.")
    office.control.submit_view("U0ALICE", form["id"], comment(""))
    office.until(record, State.APPROVED)
    told = [each.body for each in office.agent.records(action=record.id) if each.body["kind"] == "approve"]
    assert told[0]["route"]["via"] == "home"


LIMITED = """
version: 1
name: desk
default: allow
approvals: {channel: C0APPROVALS, approvers: [U0ALICE]}
rules: [{id: sent, match: desk.send, then: require_approval, reason: A mail.}]
budgets: [{id: sends, match: desk.send, limit: 1, per: agent, window: 1h, deny_reasons: [Over the limit]}]
"""


def test_a_form_that_was_open_while_more_came_to_be_required_says_so(
    office_of: Callable[[str], Office],
) -> None:
    """A budget that holds an approved call once more voids open forms: their reasons may be others now."""
    office = office_of(LIMITED)
    office.open()
    record, first = office.hold("desk.send", text="second"), office.hold("desk.send", text="first")
    for each in (record, first):
        office.press("U0ALICE", each, names.APPROVE)
        office.until(each, State.APPROVED)
    office.press("U0ALICE", record, names.STOP)
    form = office.control.wait_view("U0ALICE", "Stop this call")
    assert [claim(office, each).run for each in (first, record)] == [True, False]
    office.control.submit_view("U0ALICE", form["id"], comment("", "0"))
    told = spell(office.control.wait_view("U0ALICE", "More is required of it now"))
    assert "Nothing was recorded." in told
    assert office.agent.hold(record.id).state is State.PENDING


def claim(office: Office, record: HoldRecord) -> Any:
    """Claim an approved hold as its agent does."""
    given = dict(record.arguments)
    call = Action("desk.send", given, "support", "s1", NOBODY, parameters=Parameters(frozenset(given)))
    return office.agent.claim(record.id, call)


def test_an_answer_stands_though_its_home_tab_cannot_be_drawn(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the store fails right after an approval, who pressed reads that it is recorded."""
    office.open()
    record = office.hold()
    office.card(record)
    office.control.open_home("U0ALICE")
    home = eventually(
        lambda: found if names.APPROVE in str(found := office.control.home("U0ALICE")) else None
    )

    async def failing(homes: Homes, who: Clicker) -> bool:
        raise StoreBusy("The store is busy.")

    monkeypatch.setattr(Homes, "show", failing)
    office.control.click_view("U0ALICE", home["id"], names.APPROVE)
    office.control.wait_view("U0ALICE", "Your answer is recorded.")
    assert office.agent.hold(record.id).state is State.APPROVED


def test_the_home_tab_says_that_an_answer_stands(office: Office) -> None:
    """Who approves twice in their home tab reads that it is decided already, not that it was not recorded."""
    office.open()
    record = office.hold(name="payments.pay_out")
    office.card(record)
    office.control.open_home("U0ALICE")
    home = eventually(
        lambda: found if names.APPROVE in str(found := office.control.home("U0ALICE")) else None
    )
    for stale in (False, True):  # the second press is one of a screen that the new tab has not reached
        office.control.click_view("U0ALICE", home["id"], names.APPROVE, forge=stale)
    view = office.control.wait_view("U0ALICE", "approved this already")
    assert view["title"]["text"] == "Decided already"


def test_the_home_tab_shows_nothing_to_outsiders(office: Office, workspace: LocalWorkspace) -> None:
    """Who may see no hold gets an empty home tab."""
    office.open()
    workspace.control.set_channel(CHANNEL, members=["U0ALICE", "U0BOB", "U0GATEBOT"])
    record = office.hold()
    office.card(record)
    office.control.open_home("U0CAROL")
    home = eventually(lambda: office.control.home("U0CAROL"))
    assert "Nothing waits for you" in spell(home)


def test_deny_reasons_of_the_policy_replace_the_built_in(office_of: Callable[[str], Office]) -> None:
    """The policy's own reasons are offered, and the chosen one is what the agent reads."""
    office = office_of(
        "version: 1\nname: own\ndefault: require_approval\n"
        "approvals: {channel: C0APPROVALS, approvers: [U0ALICE], deny_reasons: [Too dear, Not now]}\n"
    )
    office.open()
    record = office.hold()
    view = deny_form(office, "U0ALICE", record)
    office.control.submit_view("U0ALICE", view, comment("", "1"))
    assert office.until(record, State.DENIED).decisions[0].comment == "Not now"
