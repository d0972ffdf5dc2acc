"""From an agent in another process to a person's press and back, with real bolt on real sockets."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from bot import names
from bot.references import code_of
from gate.errors import StoreError
from gate.lifecycle import State
from tests.bot.bot_fixtures import CHANNEL, eventually, spell
from tests.bot.road import REFUND, Road, road, short_road
from tests.patience import PATIENCE

__all__ = ["road", "short_road"]

both = pytest.mark.parametrize("transport", ["socket", "http"])
NOTHING = {"views": 0, "whispers": 0}
VIEW = {"views": 1, "whispers": 0}
WHISPER = {"views": 0, "whispers": 1}
DONE = "refund ORD-1 400 EUR"


@both
def test_an_approved_call_runs_once(road: Road, transport: Any) -> None:
    """One press on Approve: the waiting agent runs the call once; card, thread and log say so."""
    road.open(transport)
    agent = road.agent()
    agent.ask()
    hold = road.hold()
    assert "The agent is waiting." in road.shown(hold, "Refund 400 EUR on ORD-1")
    road.press("U0ALICE", hold)
    told = agent.answer()
    assert (told["kind"], told["result"], told["action"]) == ("Ran", "RF-ORD-1", hold.id)
    assert road.happened() == [DONE]
    closed = road.shown(hold, "Ran once.")
    assert "RF-ORD-1" in closed
    assert names.APPROVE not in closed
    assert any("Approved by alice" in each for each in road.thread(hold, "Approved by alice"))
    road.rest()
    assert road.answers("U0ALICE") == NOTHING
    assert road.log(hold) == ["submit", "approve", "claim", "settle"]


@both
def test_a_denied_call_returns_the_comment(road: Road, transport: Any) -> None:
    """Deny with a comment: the agent gets that outcome and those words, and nothing ran."""
    road.open(transport)
    agent = road.agent()
    agent.ask()
    hold = road.hold()
    words = "No damage claim <on> file & no *photo*."
    road.deny("U0BOB", hold, words)
    told = agent.answer()
    assert (told["kind"], told["code"], told["comments"]) == ("Denied", "denied", [words])
    assert words in told["message"]
    assert road.happened() == []
    assert names.APPROVE not in road.shown(hold, "*Denied.*")
    road.thread(hold, "Denied by bob")
    road.rest()
    assert road.answers("U0BOB") == NOTHING
    assert road.log(hold) == ["submit", "deny"]


def test_a_double_click_runs_once(road: Road) -> None:
    """Two presses of one person at the same moment are one approval, one run, and one answer each."""
    road.open("http")
    agent = road.agent()
    agent.ask()
    hold = road.hold()
    road.card(hold)
    _at_once(lambda _: road.press("U0ALICE", hold, forge=True), [1, 2])
    assert agent.answer()["kind"] == "Ran"
    road.rest()
    assert road.happened() == [DONE]
    assert len(road.store.hold(hold.id).decisions) == 1
    assert road.answers("U0ALICE") == WHISPER
    assert road.log(hold).count("approve") == 1


def test_racing_approvers(road: Road) -> None:
    """Of two people who approve at the same moment one is recorded; the other is told, once."""
    road.open()
    agent = road.agent()
    agent.ask()
    hold = road.hold()
    road.card(hold)
    _at_once(lambda user: road.press(user, hold, forge=True), ["U0ALICE", "U0BOB"])
    assert agent.answer()["kind"] == "Ran"
    road.rest()
    assert road.happened() == [DONE]
    (first,) = [each.person.user for each in road.store.hold(hold.id).decisions]
    second = {"U0ALICE": "U0BOB", "U0BOB": "U0ALICE"}[first]
    assert (road.answers(first), road.answers(second)) == (NOTHING, WHISPER)
    assert road.log(hold).count("approve") == 1


def _at_once(press: Any, each: list[Any]) -> None:
    start = threading.Barrier(len(each))

    def wait_and_press(one: Any) -> None:
        start.wait(PATIENCE)
        press(one)

    with ThreadPoolExecutor() as pool:
        list(pool.map(wait_and_press, each))


def test_outsiders_change_nothing(road: Road) -> None:
    """Stranger, guest, bot, leaver, colleague and asker are each told once, and the agent waits on."""
    road.open("http")
    agent = road.agent(asker="U0ALICE")
    agent.ask()
    hold = road.hold()
    before = road.card(hold)
    outsiders = {
        "U0STRANGE": "stranger",
        "U0GUEST": "guest",
        "U0ROBOT": "bot",
        "U0GONE": "deleted",
        "U0CAROL": "not_eligible",
        "U0ALICE": "asked_for",
    }
    for user in outsiders:
        road.press(user, hold, forge=True)
        road.control.wait_ephemeral(user)
    assert road.card(hold) == before
    assert agent.waits
    road.press("U0BOB", hold)
    assert agent.answer()["kind"] == "Ran"
    road.rest()
    assert {user: road.answers(user) for user in outsiders} == dict.fromkeys(outsiders, WHISPER)
    refused = [f"refused {code}" for code in outsiders.values()]
    assert road.log(hold) == ["submit", *refused, "approve", "claim", "settle"]


def test_a_press_after_expiry(short_road: Road) -> None:
    """Nobody answers: the agent gets Expired, the card closes; a press on the old card is told too late."""
    road = short_road
    road.open()
    agent = road.agent()
    agent.ask()
    hold = road.hold()
    assert names.APPROVE in spell(road.card(hold))
    road.expire()
    told = agent.answer()
    assert (told["kind"], told["code"]) == ("Expired", "expired_unanswered")
    assert names.APPROVE not in road.shown(hold, "*Expired*")
    road.thread(hold, "Expired")
    road.press("U0ALICE", hold, forge=True)
    assert "Too late" in spell(road.control.wait_ephemeral("U0ALICE"))
    road.press("U0BOB", hold, names.DENY, forge=True)
    road.control.wait_view("U0BOB", "expired")
    road.rest()
    assert (road.answers("U0ALICE"), road.answers("U0BOB")) == (WHISPER, VIEW)
    assert road.happened() == []
    assert road.log(hold)[:3] == ["submit", "expire", "refused late"]
    assert road.store.hold(hold.id).decisions == ()


def test_a_stale_form(road: Road) -> None:
    """A deny form sent after another's approval was used records nothing and says so in its window."""
    road.open("http")
    agent = road.agent()
    agent.ask()
    hold = road.hold()
    view = road.form("U0BOB", hold)
    road.press("U0ALICE", hold)
    assert agent.answer()["kind"] == "Ran"
    road.submit("U0BOB", view, "I would not.")
    assert "succeeded" in spell(road.control.wait_view("U0BOB", "not recorded"))
    road.rest()
    assert road.answers("U0BOB") == VIEW
    assert [each.person.user for each in road.store.hold(hold.id).decisions] == ["U0ALICE"]
    assert road.log(hold)[-1] == "refused already_decided"


def test_stop_after_the_approval(road: Road) -> None:
    """Approved while nobody waits, then stopped: the next poll gets the denial, and nothing ran."""
    road.open("http")
    agent = road.agent()
    agent.ask(wait=0, id_="c1")
    assert agent.answer()["kind"] == "Pending"
    hold = road.hold()
    road.press("U0ALICE", hold)
    road.shown(hold, names.STOP)
    road.deny("U0ALICE", hold, "I was wrong.", names.STOP)
    agent.ask(wait=0, id_="c1")
    told = agent.answer()
    assert (told["kind"], told["comments"]) == ("Denied", ["I was wrong."])
    assert road.happened() == []
    road.shown(hold, "*Denied.*")
    road.thread(hold, "I was wrong.")
    road.rest()
    assert road.answers("U0ALICE") == NOTHING
    assert road.log(hold)[:3] == ["submit", "approve", "deny"]


def test_stop_comes_too_late(road: Road) -> None:
    """Stop on a card whose call has run meanwhile undoes nothing and says so in its window."""
    road.open()
    agent = road.agent()
    agent.ask(wait=0, id_="c1")
    agent.answer()
    hold = road.hold()
    road.press("U0ALICE", hold)
    road.shown(hold, names.STOP)
    view = road.form("U0ALICE", hold, names.STOP)
    agent.ask(id_="c1")
    assert agent.answer()["kind"] == "Ran"
    road.submit("U0ALICE", view, "Wait!")
    road.control.wait_view("U0ALICE", "not recorded")
    road.rest()
    assert road.answers("U0ALICE") == VIEW
    assert road.ended(hold).state is State.SUCCEEDED


def test_a_quorum_of_two(road: Road) -> None:
    """One of two approvals keeps the agent waiting; its giver cannot count twice; the second lets it run."""
    road.open()
    agent = road.agent()
    agent.ask("pay_out")
    hold = road.hold()
    road.press("U0ALICE", hold)
    assert names.APPROVE in road.shown(hold, "1 so far")
    road.press("U0ALICE", hold)
    road.control.wait_ephemeral("U0ALICE", "approved this already")
    assert agent.waits
    road.press("U0BOB", hold)
    told = agent.answer()
    assert (told["kind"], told["result"], len(told["comments"])) == ("Ran", "PO-9000", 2)
    road.rest()
    assert (road.answers("U0ALICE"), road.answers("U0BOB")) == (WHISPER, NOTHING)
    assert road.happened() == ["pay out 9000"]


def test_a_bot_restarted_while_a_hold_is_pending(road: Road) -> None:
    """The card that a former bot posted is answered through the new one; there is no second card."""
    road.open()
    agent = road.agent()
    agent.ask()
    hold = road.hold()
    card = road.card(hold)
    road.rest()
    assert agent.waits
    road.open()
    road.press("U0ALICE", hold)
    assert agent.answer()["kind"] == "Ran"
    road.shown(hold, "Ran once.")
    road.rest()
    cards = [each["ts"] for each in road.control.messages(CHANNEL) if "Refund 400" in str(each["blocks"])]
    assert cards == [card["ts"]]
    assert road.answers("U0ALICE") == NOTHING


def test_a_decision_whose_card_cannot_be_updated(road: Road) -> None:
    """A decision stands though the card cannot be updated, and the next bot closes the card."""
    road.open()
    agent = road.agent()
    agent.ask()
    hold = road.hold()
    road.card(hold)
    road.control.faults.set("chat.update", kind="http_500", times=None)
    road.press("U0ALICE", hold)
    assert agent.answer()["kind"] == "Ran"
    road.rest()
    assert road.answers("U0ALICE") == WHISPER
    assert names.APPROVE in spell(road.card(hold))
    road.control.faults.clear()
    road.open()
    road.shown(hold, "Ran once.")
    assert road.happened() == [DONE]


def test_a_bot_started_after_the_call(road: Road) -> None:
    """A call that was held while no bot lived gets its card as soon as one starts."""
    agent = road.agent()
    agent.ask()
    hold = road.hold()
    assert hold.cards == ()
    road.open()
    road.press("U0ALICE", hold)
    assert agent.answer()["kind"] == "Ran"
    assert road.happened() == [DONE]


def test_an_envelope_delivered_three_times(road: Road) -> None:
    """One press that Slack delivers three times is one approval, one run, and no message about the others."""
    road.open()
    agent = road.agent()
    agent.ask()
    hold = road.hold()
    road.card(hold)
    road.control.duplicate_envelopes(True, copies=3)
    road.press("U0ALICE", hold)
    assert agent.answer()["kind"] == "Ran"
    road.rest()
    assert road.happened() == [DONE]
    assert road.log(hold).count("approve") == 1
    assert road.answers("U0ALICE") == NOTHING


def test_a_form_delivered_three_times(road: Road) -> None:
    """One submitted form that Slack delivers three times is one denial, and its window is closed."""
    road.open("http")
    agent = road.agent()
    agent.ask()
    hold = road.hold()
    view = road.form("U0BOB", hold)
    road.control.duplicate_envelopes(True, copies=3)
    road.submit("U0BOB", view, "No.")
    assert agent.answer()["kind"] == "Denied"
    road.rest()
    assert road.answers("U0BOB") == NOTHING
    assert road.log(hold) == ["submit", "deny"]


def test_the_second_way(road: Road) -> None:
    """Without a single button: /gate holds, show, approve with the code; then deny; the agent goes on."""
    road.open("http")
    agent = road.agent()
    agent.ask()
    hold = road.hold()
    road.card(hold)
    assert "Refund 400 EUR on ORD-1" in _typed(road, "U0ALICE", "/gate holds", hold.id)
    code = code_of(hold)
    assert "amount: \n400" in _typed(road, "U0ALICE", f"/gate show {hold.id}", code)
    _typed(road, "U0ALICE", f"/gate approve {hold.id} {code} Verified.", "Your approval is recorded")
    told = agent.answer()
    assert (told["kind"], told["comments"]) == ("Ran", ["Verified."])
    road.shown(hold, "Ran once.")
    agent.ask()
    again = eventually(lambda: [each for each in road.store.holds() if each.id != hold.id])[0]
    road.card(again)
    _typed(road, "U0BOB", f"/gate deny {again.id} Once is enough.", "Your denial is recorded")
    assert agent.answer()["comments"] == ["Once is enough."]
    road.rest()
    assert (road.answers("U0ALICE")["whispers"], road.answers("U0BOB")["whispers"]) == (3, 1)
    assert road.happened() == [DONE]


def _typed(road: Road, user: str, command: str, piece: str) -> str:
    assert road.control.slash(user, CHANNEL, command)["acked"]
    return spell(road.control.wait_ephemeral(user, piece))


@pytest.mark.parametrize(("team", "host"), [("T0REAL", "acme.slack.com"), ("T0REAL", "127.0.0.1")])
def test_a_store_used_locally_stays_local(road: Road, team: str, host: str) -> None:
    """A store that a local bot has used refuses every other workspace, and its own goes on to work."""
    road.open()
    road.rest()
    with pytest.raises(StoreError) as caught:
        road.store.bind_workspace(team, host)
    assert "Nothing was posted" in str(caught.value)
    road.open()


def test_a_store_of_slack_refuses_the_local_workspace(road: Road) -> None:
    """A store that is bound to a Slack workspace is not opened to the local one; nothing is posted there."""
    road.store.bind_workspace("T0REAL", "slack.com")
    agent = road.agent()
    agent.ask(wait=0)
    assert agent.answer()["kind"] == "Pending"
    with pytest.raises(StoreError) as caught:
        road.open()
    assert caught.value.code == "other_workspace"
    assert "GATE_DB" in str(caught.value)
    assert road.control.messages(CHANNEL) == []
    assert road.hold().cards == ()


def test_two_agents_beside_each_other(road: Road) -> None:
    """Two agent processes wait on one store; each gets the answer to its own call."""
    road.open()
    agents = [road.agent(session) for session in ("s1", "s2")]
    for agent in agents:
        agent.ask()
    eventually(lambda: len(road.store.holds()) == 2)
    holds = {each.session: each for each in road.store.holds()}
    road.deny("U0ALICE", holds["s1"], "Not this one.")
    road.press("U0BOB", holds["s2"])
    assert [agent.answer()["kind"] for agent in agents] == ["Denied", "Ran"]
    assert road.happened() == [DONE]
    assert dict(road.store.hold(holds["s1"].id).arguments) == REFUND
