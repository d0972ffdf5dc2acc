"""A guarded call from end to end, on a real store, with people who answer."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from itertools import filterfalse, starmap
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gate import Blocked, Denied, Expired, Gate, InDoubt, Pending, Ran, Undelivered, person
from gate.errors import ActionError, CallIdReused, GuardError, NoSession
from gate.lifecycle import State
from gate.model import Principal
from gate.outcomes import Cancelled, Failed, Refusal, ResultNotKept
from tests.ahead import Ahead
from tests.gate_kit import PATIENCE, People, gate_on, log_of, people, until
from tests.kit import ALICE, BOB, answer


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    """Return a gate with a default session on a store of its own."""
    with gate_on(tmp_path) as made:
        yield made


class Till:
    """Remember every payment that really happened."""

    def __init__(self, gate: Gate, **options: Any) -> None:
        self.paid: list[Any] = []

        @gate.guard("desk.pay", **options)
        def pay(amount: Any, to: str = "bob") -> Any:
            self.paid.append(amount)
            return f"paid {amount}"

        self.pay = pay


def test_an_allowed_call_runs_and_returns(gate: Gate) -> None:
    """What the policy allows runs at once and gives the tool's own result."""
    till = Till(gate)
    assert till.pay(5) == "paid 5"
    assert till.paid == [5]
    assert log_of(gate)[-2:] == ["submit", "settle"]


def test_a_call_runs_while_another_thread_loads_asyncio(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that is only half there, as an import leaves it for a moment, is no loop and no error."""
    monkeypatch.setitem(sys.modules, "asyncio", ModuleType("asyncio"))
    assert Till(gate).pay(5) == "paid 5"


def test_a_blocked_call_does_not_run(gate: Gate) -> None:
    """What the policy blocks raises Blocked with rule and reason, and nothing ran."""
    till = Till(gate)
    with pytest.raises(Blocked, match=r"Never above a thousand\. Nothing ran\.") as caught:
        till.pay(5000)
    assert caught.value.rules == ("desk/huge",)
    assert till.paid == []


def test_a_held_call_goes_on_after_approval(gate: Gate) -> None:
    """A held call waits, runs once after the approval, and hands the comment over."""
    till = Till(gate)
    alice = people(gate, comment="Fine.")
    ran = gate.outcome(till.pay, 50)
    alice.done()
    assert isinstance(ran, Ran)
    assert (ran.result, ran.kept, ran.shared, ran.edits) == ("paid 50", True, False, ())
    assert [(each.person, each.comment) for each in ran.decisions] == [(ALICE, "Fine.")]
    assert 'with the comment: "Fine."' in ran.message_for_agent
    assert till.paid == [50]


def test_a_denied_call_raises_with_the_comment(gate: Gate) -> None:
    """A denial reaches the caller as Denied, with the comment word for word."""
    till = Till(gate)
    bob = people(gate, "deny", "No {claim}.", BOB)
    with pytest.raises(Denied, match=r"No \{claim\}\.") as caught:
        till.pay(50)
    bob.done()
    assert caught.value.decisions[0].person == BOB
    assert str(caught.value) == caught.value.message_for_agent
    assert till.paid == []


def test_a_refusal_can_be_returned(gate: Gate) -> None:
    """With on_refusal="return" the agent gets a false text that carries the outcome."""
    till = Till(gate, on_refusal="return")
    got = till.pay(5000)
    assert isinstance(got, Refusal)
    assert not got
    assert isinstance(got.outcome, Blocked)
    assert till.pay(1) == "paid 1"


def test_without_waiting_the_outcome_is_pending(gate: Gate) -> None:
    """A wait of 0 returns Pending at once; the same call later goes on with the same hold."""
    till = Till(gate, wait=0)
    first = gate.outcome(till.pay, 50)
    assert isinstance(first, Pending)
    answer(gate.service, first.action_id)
    again = gate.outcome(till.pay, 50)
    assert isinstance(again, Ran)
    assert again.action_id == first.action_id
    assert till.paid == [50]


def test_a_wait_that_ends_leaves_the_hold(gate: Gate) -> None:
    """A wait that is over decides nothing: the hold is pending and nobody counts as waiting."""
    till = Till(gate, wait=0.05)
    with pytest.raises(Pending) as caught:
        till.pay(50)
    hold = gate.service.hold(caught.value.action_id)
    assert (hold.state, hold.waiting) == (State.PENDING, False)


def test_an_expired_hold_raises_expired(tmp_path: Path) -> None:
    """A hold that was posted and that nobody answers ends as Expired at its deadline."""
    text = """
version: 1
name: desk
default: require_approval
approvals: {channel: C0APPROVALS, approvers: [U0ALICE], expires_in: 2m, deliver_within: 2m}
"""
    with gate_on(tmp_path, text=text) as gate:
        gate.service.clock = clock = Ahead()
        till = Till(gate)

        def post(hold: Any) -> None:
            for notice in gate.service.lease_notices():
                gate.service.notice_done(notice.id, channel=notice.channel, ts="1.1")
            clock.advance(121)
            gate.service.sweep()

        bot = People(gate, post)
        with pytest.raises(Expired) as caught:
            till.pay(50)
        bot.done()
        assert caught.value.code == "expired_unanswered"
        assert till.paid == []


def test_a_hold_that_nobody_posts_is_undelivered(gate: Gate) -> None:
    """A hold that ends undelivered tells its waiter so."""
    till = Till(gate)
    bot = People(
        gate, lambda hold: gate.service.undeliver(hold.id, code="delivery_failed", reason="channel is gone")
    )
    with pytest.raises(Undelivered, match="channel is gone"):
        till.pay(50)
    bot.done()


def test_ending_the_session_cancels_and_refuses(gate: Gate) -> None:
    """Session.end cancels open holds, tells their waiters, and refuses later calls."""
    till = Till(gate)
    with gate.session("s1", on_behalf_of=None) as session:
        host = People(gate, lambda hold: session.end())
        with pytest.raises(Cancelled) as caught:
            till.pay(50)
        host.done()
        assert caught.value.code == "session_ended"
        with pytest.raises(NoSession, match="has ended"):
            till.pay(5)
    assert till.paid == []


def test_the_tools_own_exception_passes_through(gate: Gate) -> None:
    """The caller gets the very exception; log and later callers get class and redacted text."""
    error = KeyError("password=hunter2")

    @gate.guard("desk.pay")
    def pay(amount: int) -> None:
        raise error

    with gate.call(id="c1"), pytest.raises(KeyError) as caught:
        pay(5)
    assert caught.value is error
    with gate.call(id="c1"):
        later = gate.outcome(pay, 5)
    assert isinstance(later, Failed)
    assert later.error == "KeyError: 'password=(hidden)'"
    assert "may have taken effect" in str(later)
    assert "hunter2" not in json.dumps([record.body for record in gate.service.records()])


def test_stop_iteration_of_a_tool_passes_through(gate: Gate) -> None:
    """Even the exception that generators swallow reaches the caller."""

    @gate.guard("desk.pay")
    def pay(amount: int) -> None:
        raise StopIteration(amount)

    with pytest.raises(StopIteration):
        pay(5)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_interrupted_run_is_in_doubt(gate: Gate, stop: type[BaseException]) -> None:
    """A tool that was stopped from outside may have taken effect: in doubt, and never run again."""
    runs = []

    @gate.guard("desk.pay")
    def pay(amount: int) -> None:
        runs.append(amount)
        raise stop

    with gate.call(id="c1"), pytest.raises(stop):
        pay(5)
    with gate.call(id="c1"):
        later = gate.outcome(pay, 5)
    assert isinstance(later, InDoubt)
    assert later.code == "interrupted"
    assert runs == [5]


def test_the_snapshot_is_what_runs(gate: Gate) -> None:
    """What the caller changes after the call was made neither runs nor is shown."""
    ran = []

    @gate.guard("desk.send")
    def send(lines: list[str]) -> None:
        ran.append(list(lines))
        lines.append("changed by the tool")

    lines = ["a"]

    def act(hold: Any) -> None:
        lines.append("b")
        answer(gate.service, hold)

    alice = People(gate, act)
    send(lines)
    alice.done()
    assert ran == [["a"]]
    assert lines == ["a", "b"]


def test_a_run_with_a_result_of_any_depth_has_succeeded(gate: Gate) -> None:
    """A result too deep to be kept reaches its caller, and the log has the end of the run."""

    @gate.guard("desk.pay")
    def pay(amount: int) -> list[Any]:
        found: list[Any] = []
        for _ in range(400):
            found = [found]
        return found

    with gate.call(id="c1"):
        assert len(pay(5)) == 1
    assert log_of(gate)[-2:] == ["submit", "settle"]
    with gate.call(id="c1"), pytest.raises(ResultNotKept):
        pay(5)


def test_a_failed_settle_never_replaces_the_result(tmp_path: Path) -> None:
    """A tool whose end cannot be recorded has run: its caller gets the result, or its own exception."""
    gate = gate_on(tmp_path)
    gate.open()
    folder = Path(gate.service.store.path).parent
    aside = folder.with_name("aside")

    @gate.guard("desk.pay")
    def pay(amount: int) -> str:
        folder.rename(aside)
        if amount == 6:
            raise KeyError(amount)
        return "paid"

    assert pay(5) == "paid"
    gate.close()
    aside.rename(folder)
    with pytest.raises(KeyError):
        pay(6)
    gate.close()
    aside.rename(folder)
    with gate:
        states = [record.body["move"]["to"] for record in gate.service.records() if "move" in record.body]
    assert states == ["running", "running"]


def test_the_same_call_id_is_the_same_call(gate: Gate) -> None:
    """A call id that ran gives its stored outcome again, shared, without running; another call fails."""
    till = Till(gate)
    with gate.call(id="c1"):
        assert till.pay(5) == "paid 5"
    with gate.call(id="c1"):
        again = gate.outcome(till.pay, 5)
    assert isinstance(again, Ran)
    assert (again.result, again.shared) == ("paid 5", True)
    with gate.call(id="c1"), pytest.raises(CallIdReused):
        till.pay(6)
    assert till.paid == [5]


def test_a_result_that_was_not_kept_is_not_run_again(gate: Gate) -> None:
    """A result that is no plain JSON goes to its caller only; later ones are told that it ran."""
    marker = object()

    @gate.guard("desk.pay")
    def pay(amount: int) -> object:
        return marker

    with gate.call(id="c1"):
        assert pay(5) is marker
    with gate.call(id="c1"), pytest.raises(ResultNotKept, match="do not repeat it"):
        pay(5)
    with gate.call(id="c1"):
        again = gate.outcome(pay, 5)
    assert isinstance(again, Ran)
    assert (again.result, again.kept) == (None, False)


def test_two_waiters_of_one_call_share_one_run(gate: Gate) -> None:
    """Of two callers with one call id exactly one runs the tool; the other gets its outcome, shared."""
    till = Till(gate)
    endings: list[Any] = []

    def caller() -> None:
        with gate.session("s1", on_behalf_of=None), gate.call(id="c1"):
            endings.append(gate.outcome(till.pay, 50))

    threads = [threading.Thread(target=caller) for _ in range(2)]
    for thread in threads:
        thread.start()
    hold = until(gate.service.holds)[0]
    until(lambda: log_of(gate, hold.id).count("rejoin"))
    answer(gate.service, hold)
    for thread in threads:
        thread.join(PATIENCE)
    assert sorted(each.shared for each in endings) == [False, True]
    assert {each.result for each in endings} == {"paid 50"}
    assert till.paid == [50]


def test_options_count_for_one_call_only(gate: Gate) -> None:
    """Options of gate.call are used up by the next guarded call, and by the end of their block."""
    till = Till(gate)
    gate.call(id="c1", note="please")
    till.pay(5)
    till.pay(5)
    with gate.call(id="c2"):
        pass
    till.pay(5)
    ids = [record.body.get("call_id") for record in gate.service.records() if record.body["kind"] == "submit"]
    assert ids == ["c1", None, None]


def test_a_guarded_call_inside_a_tool_knows_its_parent(gate: Gate) -> None:
    """A nested call is an action of its own; inside, the gate tells action id and decisions."""
    till = Till(gate)
    seen: list[Any] = []

    @gate.guard("desk.batch")
    def batch() -> None:
        seen.extend([gate.action_id(), gate.decisions()])
        till.pay(5)

    alice = people(gate, comment="Go.")
    batch()
    alice.done()
    records = [record.body for record in gate.service.records() if record.body["kind"] == "submit"]
    assert [record.get("parent") for record in records] == [None, seen[0]]
    assert seen[1][0].comment == "Go."
    with pytest.raises(GuardError, match="inside a guarded tool"):
        gate.action_id()


def test_a_nested_refusal_is_not_the_outers(gate: Gate) -> None:
    """When a call inside a tool is blocked, the outer one ran and raised; outcome says Failed."""
    till = Till(gate)

    @gate.guard("desk.get_all", on_refusal="return")
    def outer() -> None:
        till.pay(5000)

    with pytest.raises(Blocked):
        outer()
    ended = gate.outcome(outer)
    assert isinstance(ended, Failed)
    assert ended.error.startswith("Blocked: ")


def test_an_awaitable_of_a_def_is_refused(gate: Gate) -> None:
    """A def that returns a coroutine would run outside the gate's sight; the coroutine never runs."""
    ran = []

    async def later() -> None:
        ran.append(1)

    @gate.guard("desk.pay")
    def pay(amount: int) -> Any:
        return later()

    with pytest.raises(GuardError, match="guard the async def itself"):
        pay(5)
    assert ran == []


def test_live_parameters_pass_through_unjudged(gate: Gate) -> None:
    """An excluded parameter reaches the tool as the object it is, and is told of as not shown."""
    got = []

    @gate.guard("desk.send", exclude=["ctx"])
    def send(text: str, ctx: object) -> None:
        got.append(ctx)

    marker = object()
    shown: list[Any] = []

    def act(hold: Any) -> None:
        shown.extend([hold.arguments, hold.not_shown])
        answer(gate.service, hold)

    alice = People(gate, act)
    send("hi", marker)
    alice.done()
    assert got == [marker]
    assert shown == [{"text": "hi"}, ("ctx",)]
    with pytest.raises(ActionError, match="ctx"):
        send("hi", {"amount": 5000})


def test_methods_are_guarded_without_their_receiver(gate: Gate) -> None:
    """A guarded method works on its object, which is neither judged nor shown; outcome takes it bound."""

    class Shop:
        def __init__(self) -> None:
            self.paid = 0

        @gate.guard("desk.pay")
        def pay(self, amount: int) -> int:
            self.paid += amount
            return self.paid

    shop = Shop()
    assert shop.pay(5) == 5
    ran = gate.outcome(shop.pay, 4)
    assert isinstance(ran, Ran)
    assert ran.result == shop.paid == 9


def test_what_cannot_be_judged_is_refused_before_anything_is_stored(gate: Gate) -> None:
    """An argument that cannot be judged raises with its path, and there is no action."""
    till = Till(gate)
    with pytest.raises(ActionError, match=r"args\.amount: nan"):
        till.pay(float("nan"))
    assert till.paid == []
    assert "submit" not in log_of(gate)


def test_a_target_is_shown_and_part_of_the_call(gate: Gate) -> None:
    """The target may be told from the arguments, and people see it."""

    @gate.guard("desk.send", target=lambda arguments: f"account {arguments['to']}", wait=0)
    def send(to: str) -> None:
        """Send nothing."""

    pending = gate.outcome(send, "bob")
    assert isinstance(pending, Pending)
    assert gate.service.hold(pending.action_id).target == "account bob"


def _no_account(arguments: Mapping[str, Any]) -> str:
    raise LookupError(f"no account of {arguments['to']}, token sk_live_4242424242424242abcd")


def test_a_target_that_raises_is_a_fault_and_nothing_runs(gate: Gate) -> None:
    """Where host code cannot say what a call acts on, the fault names the hook; it is in the log."""
    ran: list[str] = []

    @gate.guard("desk.get_mail", target=_no_account)
    def get_mail(to: str) -> None:
        ran.append(to)

    @gate.guard("desk.get_post", target=_no_account)
    async def get_post(to: str) -> None:
        ran.append(to)

    for call in (
        lambda: get_mail("bob"), lambda: asyncio.run(get_post("bob")), lambda: gate.preview(get_mail, "bob")
    ):  # fmt: skip
        with pytest.raises(
            ActionError, match=r"target= of desk\.get_\w+ raised LookupError: no acc.*None"
        ) as why:
            call()
        assert "sk_live_42" not in str(why.value)
    assert ran == []
    assert log_of(gate)[-2:] == ["refused", "refused"]


def test_outside_a_session_nothing_runs(tmp_path: Path) -> None:
    """Without session and default agent a call raises NoSession and does not run."""
    with gate_on(tmp_path, agent=None) as gate:
        till = Till(gate)
        with pytest.raises(NoSession, match="outside any session"):
            till.pay(5)
        with pytest.raises(NoSession, match="needs an agent"):
            gate.session("s1", on_behalf_of=None)
        with gate.session("s1", agent="desk", on_behalf_of=person("U0BOB")):
            assert till.pay(5) == "paid 5"
        assert till.paid == [5]


def test_an_unguarded_callable_has_no_outcome(gate: Gate) -> None:
    """Outcome takes guarded tools only."""
    with pytest.raises(GuardError, match="is not guarded"):
        gate.outcome(len, "x")


def test_tools_are_listed_in_the_catalogue(gate: Gate) -> None:
    """The first call, or opening, lists a tool with its schema and first line."""

    @gate.guard("desk.pay")
    def pay(amount: int, to: str = "bob") -> None:
        """Pay somebody.

        At once.
        """

    pay(5)
    (tool,) = gate.service.tools()
    assert (tool.name, tool.doc) == ("desk.pay", "Pay somebody.")
    assert tool.schema["properties"]["amount"] == {"type": "integer"}


def test_a_session_acts_for_somebody(gate: Gate) -> None:
    """Whom a session acts for stands in the hold; the innermost block counts, and blocks end."""
    till = Till(gate, wait=0)
    with gate.session("outer", on_behalf_of=None), gate.session("inner", on_behalf_of=person("U0BOB")):
        inner = gate.outcome(till.pay, 50)
    assert gate.service.hold(inner.action_id).on_behalf_of == Principal("person", "U0BOB")
    assert gate.service.hold(inner.action_id).session == "inner"
    after = gate.outcome(till.pay, 50)
    assert gate.service.hold(after.action_id).session.startswith("process-")


@pytest.mark.parametrize(
    "lazy",
    [
        lambda: (n for n in (1,)),
        lambda: map(str, (1,)),
        lambda: filter(None, (1,)),
        lambda: starmap(str, ((1,),)),
        lambda: filterfalse(None, (1,)),
    ],
)
def test_work_that_would_run_later_is_refused(tmp_path: Path, lazy: Callable[[], Any]) -> None:
    """What a tool leaves to whoever asks for its values ran under no judgement; it is refused in words."""
    with gate_on(tmp_path) as gate:

        @gate.guard("desk.get_rows")
        def rows() -> Any:
            return lazy()

        with pytest.raises(GuardError, match="return a list"):
            rows()
