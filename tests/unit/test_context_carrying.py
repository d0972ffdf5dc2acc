"""Sessions and options follow the context, into threads only where they are carried."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from contextvars import copy_context
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from gate import Evidence, Gate, email, outside, person
from gate.audit import Filter
from gate.context import CallOptions, Context, Running
from gate.errors import ActionError, NoSession
from gate.model import Principal
from tests.gate_kit import PATIENCE, gate_on


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    """Return an open gate without a default session."""
    with gate_on(tmp_path, agent=None) as made:
        yield made


def _in_thread(work: Callable[[], Any]) -> Any:
    got: list[Any] = []

    def target() -> None:
        try:
            got.append(work())
        except Exception as error:
            got.append(error)

    thread = threading.Thread(target=target)
    thread.start()
    thread.join(PATIENCE)
    return got[0]


def test_a_thread_has_no_session_unless_it_is_carried(gate: Gate) -> None:
    """A call in another thread is outside the session; gate.bind carries it there, and only there."""

    @gate.guard("desk.pay")
    def pay(amount: int) -> str:
        return f"paid {amount}"

    with gate.session("s1", agent="desk", on_behalf_of=None):
        assert isinstance(_in_thread(lambda: pay(5)), NoSession)
        carried = gate.bind(lambda: pay(5))
    assert _in_thread(carried) == "paid 5"
    with pytest.raises(NoSession):
        pay(5)


def test_a_bound_function_keeps_its_signature(gate: Gate) -> None:
    """A bound def or async def takes its own arguments and gives its own result."""

    def add(one: int, other: int = 1) -> int:
        return one + other

    async def add_later(one: int) -> int:
        return one + 1

    assert gate.bind(add)(2, other=3) == 5
    assert asyncio.run(gate.bind(add_later)(2)) == 3


def test_parallel_tasks_have_their_own_sessions(gate: Gate) -> None:
    """Each task of a loop is in the session whose block it entered."""

    @gate.guard("desk.pay")
    async def pay(amount: int) -> None:
        """Pay nothing."""

    async def task(name: str) -> None:
        with gate.session(name, agent="desk", on_behalf_of=None):
            await pay(5)

    async def main() -> None:
        await asyncio.gather(*(task(f"s{number}") for number in range(5)))

    asyncio.run(main())
    sessions = [
        record.body["session"] for record in gate.service.records() if record.body["kind"] == "submit"
    ]
    assert sorted(sessions) == ["s0", "s1", "s2", "s3", "s4"]


@pytest.mark.parametrize("ask", ["call", "outcome", "carried"])
def test_a_coroutine_belongs_to_the_session_it_was_called_in(gate: Gate, ask: str) -> None:
    """Wherever it is awaited: outside any session, or in another one; what it calls belongs there too."""

    @gate.guard("desk.get_balance")
    async def balance() -> str:
        return gate._session().id

    @gate.guard("desk.pay")
    async def pay(amount: int) -> str:
        return await balance()

    call: Any = {"call": pay, "outcome": lambda amount: gate.outcome(pay, amount)}.get(ask, pay)
    with gate.session("s1", agent="desk", on_behalf_of=person("U0BOB")):
        call = gate.bind(pay) if ask == "carried" else call
        made = [call(number) for number in (1, 2)]
    free = pay(3)

    async def main() -> None:
        await made[0]
        with gate.session("s2", agent="desk", on_behalf_of=None):
            await made[1]
            assert gate._session().id == "s2"
            assert await free == "s2"
            if ask == "carried":
                await call(4)

    asyncio.run(main())
    submits = [record.body for record in gate.service.records() if record.body["kind"] == "submit"]
    expected = ["s1"] * 4 + ["s2"] * 2 + ["s1"] * 2 * (ask == "carried")
    assert [each["session"] for each in submits] == expected


class Stop:
    """Something to wait for that never comes, without a loop."""

    def __await__(self) -> Any:
        yield


def _begun(call: Any) -> Any:
    """Begin a coroutine in a context of its own, as a task would, and return it where it waits."""
    copy_context().run(call.send, None)
    return call


def test_a_coroutine_thrown_away_elsewhere_changes_no_session_there(gate: Gate) -> None:
    """Whoever drops one, knowingly or by a collection of garbage, stays in the session of its own block."""

    @gate.guard("desk.pay")
    def pay(amount: int) -> None:
        """Pay nothing."""

    async def wait() -> None:
        await Stop()

    with gate.session("s1", agent="desk", on_behalf_of=None):
        bound = gate.bind(wait)
    waiting = _begun(bound())
    with gate.session("s2", agent="desk", on_behalf_of=None):
        del waiting
        pay(5)
    submits = [record.body for record in gate.service.records() if record.body["kind"] == "submit"]
    assert [each["session"] for each in submits] == ["s2"]


def test_a_tool_thrown_away_elsewhere_changes_no_running_action_there() -> None:
    """A running tool that drops another's coroutine is still known for itself."""
    context = Context()

    async def run() -> None:
        with context.inside(Running("one", ())):
            await Stop()

    waiting = _begun(run())
    with context.inside(Running("two", ())):
        del waiting
        assert context.running == Running("two", ())
    assert context.running is None


def test_blocks_may_end_in_any_order() -> None:
    """A session's block that ends before an inner one takes only itself away."""
    context, one, other, frame = Context(), object(), object(), sys._getframe()
    context.enter(one, frame)  # type: ignore[arg-type]
    context.enter(other, frame)  # type: ignore[arg-type]
    context.leave(one, frame)  # type: ignore[arg-type]
    assert context.session is other
    context.leave(one, frame)  # type: ignore[arg-type]
    context.leave(other, frame)  # type: ignore[arg-type]
    assert context.session is None


def test_only_one_call_takes_the_options() -> None:
    """Options are taken once, and not at all after their block."""
    context = Context()
    options = context.offer(CallOptions("c1", 0, None))
    assert context.take_options() is options
    assert context.take_options() is None
    with context.offer(CallOptions("c2", None, None)):
        pass
    assert context.take_options() is None


@pytest.mark.parametrize("options", [{"id": ""}, {"id": 7}, {"note": 7}, {"note": "\ud800"}])
def test_options_that_are_no_text_are_refused(gate: Gate, options: dict[str, Any]) -> None:
    """A call id or note is a text that is not empty."""
    with pytest.raises(TypeError, match="is no text"):
        gate.call(**options)


@pytest.mark.parametrize("name", ["", " ", "x" * 201, "\ud800", 7])
def test_session_ids_are_texts(gate: Gate, name: Any) -> None:
    """A session id is a text of 1 to 200 characters that can be stored."""
    with pytest.raises(TypeError, match="id="):
        gate.session(name, agent="desk", on_behalf_of=None)


@pytest.mark.parametrize("behalf", ["U0BOB", "bob@example.com", 7])
def test_bare_text_says_not_for_whom(gate: Gate, behalf: Any) -> None:
    """A session acts for a principal or None written out; bare text is a TypeError."""
    with pytest.raises(TypeError, match="on_behalf_of"):
        gate.session("s1", agent="desk", on_behalf_of=behalf)


def test_principals_are_what_they_say() -> None:
    """The three ways to say for whom keep kind, id and team."""
    assert person("U07QK3M9D2X", "T0ABC") == Principal("person", "U07QK3M9D2X", "T0ABC")
    assert email("a@example.com") == Principal("email", "a@example.com")
    assert outside("customer cus_81") == Principal("outside", "customer cus_81")


@pytest.mark.parametrize(
    "make",
    [
        lambda: person("bob"),
        lambda: person("U0BOB", "acme"),
        lambda: email("bob"),
        lambda: outside(" "),
        lambda: outside("\ud800"),
        lambda: email("\ud800@x"),
    ],
)
def test_principals_of_another_form_are_refused(make: Callable[[], Principal]) -> None:
    """What is no Slack id, no address or no text is refused."""
    with pytest.raises(ValueError):
        make()


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        ("one text", TypeError),
        ([7], TypeError),
        ([Evidence("x", weight="sure")], ValueError),  # type: ignore[arg-type]
        ([" "], ValueError),
        (["\ud800"], ValueError),
    ],
)
def test_evidence_of_another_form_is_refused(gate: Gate, lines: Any, error: type[Exception]) -> None:
    """Evidence is a list of texts or Evidence with a known weight."""
    with pytest.raises(error):
        gate.session("s1", agent="desk", on_behalf_of=None, evidence=lines)


def test_evidence_is_added_once_and_holds_keep_theirs(gate: Gate) -> None:
    """Opening again adds new lines only; a hold keeps the lines as of its submit."""

    @gate.guard("desk.pay", wait=0)
    def pay(amount: int) -> None:
        """Pay nothing."""

    with gate.session(
        "s1", agent="desk", on_behalf_of=None, evidence=["a", Evidence("b", "strong")]
    ) as session:
        first = gate.outcome(pay, 50)
        session.add_evidence("a", "c")
        gate.session("s1", agent="desk", on_behalf_of=None, evidence=["b"])
        second = gate.outcome(pay, 60)
    lines = [
        [(line.text, line.weight) for line in gate.service.hold(each.action_id).evidence]
        for each in (first, second)
    ]
    assert lines[0] == [("a", "weak"), ("b", "strong")]
    assert lines[1] == [("a", "weak"), ("b", "strong"), ("c", "weak"), ("b", "weak")]


def _lines(gate: Gate) -> int:
    """Return how many lines of evidence the log has."""
    return len(gate.service.records(wanted=Filter(kind="evidence"), limit=2_000))


@pytest.mark.parametrize(
    "more",
    [
        pytest.param([f"line {number}" for number in range(999)], id="lines"),
        pytest.param(["x" * 999_000], id="characters"),
    ],
)
def test_a_session_has_so_much_evidence_and_no_more(gate: Gate, more: list[str]) -> None:
    """A session is filled to its bound; a line more is one fault, none is added, and the session goes on."""
    session = gate.session("s1", agent="desk", on_behalf_of=None, evidence=["first"])
    session.add_evidence(*more)
    full = _lines(gate)
    with pytest.raises(ActionError, match=r"at most 1,000 lines of 1,000,000 characters together; none"):
        session.add_evidence(*more, "one", "y" * 1_000)
    with pytest.raises(ActionError, match="link to the rest"):
        gate.session("s1", agent="desk", on_behalf_of=None, evidence=["one", "y" * 1_000])
    session.add_evidence(*more)
    assert _lines(gate) == full == 1 + len(more)


def test_evidence_without_an_end_is_read_to_the_bound(gate: Gate) -> None:
    """Of an iterable without an end no more is read than a session may have; it opens no session."""
    numbers = count()
    with pytest.raises(ActionError, match="at most 1,000 lines"):
        gate.session("s1", agent="desk", on_behalf_of=None, evidence=(f"line {each}" for each in numbers))
    assert next(numbers) == 1_001
    assert _lines(gate) == 0


def _broken() -> Iterator[str]:
    yield "a line"
    raise OSError("password=hunter2hunter2 is not taken")


@pytest.mark.parametrize("lines", [_broken(), 7])
def test_evidence_that_cannot_be_read_is_a_fault_that_says_so(gate: Gate, lines: Any) -> None:
    """An iterable that raises is a fault of the gate's with the reason, not its secrets; nothing opens."""
    with pytest.raises(ActionError, match=r"evidence: its lines cannot be read \((OS|Type)Error") as fault:
        gate.session("s1", agent="desk", on_behalf_of=None, evidence=lines)
    assert "hunter2" not in str(fault.value)
    assert _lines(gate) == 0


def test_a_session_keeps_whom_it_was_opened_for(gate: Gate) -> None:
    """A session id cannot change agent or person."""
    gate.session("s1", agent="desk", on_behalf_of=person("U0BOB"))
    with pytest.raises(NoSession, match="cannot change hands"):
        gate.session("s1", agent="desk", on_behalf_of=None)
    with pytest.raises(NoSession, match="cannot change hands"):
        gate.session("s1", agent="other", on_behalf_of=person("U0BOB"))


@pytest.mark.parametrize("in_sessions", [True, False])
def test_a_call_that_may_have_lost_its_session_is_told_of_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, in_sessions: bool
) -> None:
    """Where other calls are made in sessions, one in the default session is told of; else it is not."""
    with gate_on(tmp_path) as gate:

        @gate.guard("desk.pay")
        def pay(amount: int) -> None:
            """Pay nothing."""

        pay(5)
        with gate.session("s1", on_behalf_of=None) if in_sessions else nullcontext():
            pay(5)
            _in_thread(lambda: pay(5))
            _in_thread(lambda: pay(5))
        default = gate._session().id
    assert [default in each.message for each in caplog.records] == [True] * in_sessions
