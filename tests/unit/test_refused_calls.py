"""Calls that are refused before they are judged: nothing of them runs, and the log tells of each once."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gate import Blocked, Gate
from gate.adapters import mcp
from gate.errors import ActionError, NoSession, WouldBlock
from tests.gate_kit import gate_on
from tests.kit import act

SECRET = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"
UNREADABLE = [
    pytest.param(float("nan"), id="not a number"),
    pytest.param("\ud83d", id="half a surrogate pair"),
    pytest.param(object(), id="of a strange type"),
    pytest.param("x" * 1_100_000, id="too large"),
    pytest.param({"k" * 5_000: {SECRET: float("inf")}}, id="a long way to it"),
    pytest.param({SECRET: float("inf")}, id="a secret on the way"),
]


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    """Return a gate without a default session."""
    with gate_on(tmp_path, agent=None) as made:
        yield made


def refusals(gate: Gate) -> list[dict[str, Any]]:
    """Return what the log tells of refused calls, without time and place."""
    told = [each.body for each in gate.service.records() if each.body["kind"] == "refused"]
    return [{key: each[key] for key in each.keys() - {"kind", "at", "labels"}} for each in told]


class Tools:
    """A ``def`` and an ``async def`` that remember whether they ran."""

    def __init__(self, gate: Gate) -> None:
        self.gate, self.ran = gate, list[Any]()

        @gate.guard("desk.get_one", exclude=["ctx"])
        def plain(value: Any = 1, ctx: Any = None) -> None:
            self.ran.append(value)

        @gate.guard("desk.get_later", exclude=["ctx"])
        async def later(value: Any = 1, ctx: Any = None) -> None:
            self.ran.append(value)

        self.plain, self.later = plain, later


GUARDED: dict[str, Callable[[Tools, dict[str, Any]], Any]] = {
    "def": lambda tools, given: tools.plain(**given),
    "async def": lambda tools, given: asyncio.run(tools.later(**given)),
    "outcome": lambda tools, given: tools.gate.outcome(tools.plain, **given),
    "outcome of async def": lambda tools, given: asyncio.run(tools.gate.outcome(tools.later, **given)),
}


def _server_tool(arguments: Mapping[str, Any]) -> Any:
    return mcp.action("mcp__shop__get_one", arguments, agent="desk", session="s1")


PRIMITIVE: dict[str, Callable[[Tools, dict[str, Any]], Any]] = {
    "submit": lambda tools, given: tools.gate.submit(replace(act("desk.get_one"), arguments=given)),
    "submit_async": lambda tools, given: asyncio.run(
        tools.gate.submit_async(replace(act("desk.get_one"), arguments=given))
    ),
    "adapter": lambda tools, given: tools.gate.submit(_server_tool(given)),
    "adapter async": lambda tools, given: asyncio.run(tools.gate.submit_async(_server_tool(given))),
}


@pytest.mark.parametrize("road", [*GUARDED, *PRIMITIVE])
@pytest.mark.parametrize("value", UNREADABLE)
def test_what_cannot_be_read_is_recorded_once(gate: Gate, road: str, value: Any) -> None:
    """Each road records an argument that cannot be judged: who and why, in few words and no secret ones."""
    tools = Tools(gate)
    with gate.session("s1", agent="desk", on_behalf_of=None), pytest.raises(ActionError, match="Nothing ran"):
        (GUARDED | PRIMITIVE)[road](tools, {"value": value})
    (told,) = refusals(gate)
    assert (told["actor"], told["session"], told["code"]) == ("agent:desk", "s1", "action_error")
    assert told["name"] in ("desk.get_one", "desk.get_later", "shop.get_one", "mcp__shop__get_one")
    assert told["reason"].startswith("args")
    assert len(json.dumps(told)) < 1_000
    assert SECRET not in json.dumps(told)
    assert tools.ran == []


@pytest.mark.parametrize(
    ("tool", "server"), [(7, None), (None, "shop"), ("get_one", 7), (b"get_one", "shop")]
)
def test_names_of_servers_that_are_no_text_are_recorded(gate: Gate, tool: Any, server: Any) -> None:
    """A client that gives something else than a text for a name is refused like any call, in words."""
    with gate.session("s1", agent="desk", on_behalf_of=None), pytest.raises(ActionError, match="no text"):
        gate.submit(mcp.action(tool, {}, agent="desk", session="s1", server=server))
    (told,) = refusals(gate)
    assert told["code"] == "action_error"


@pytest.mark.parametrize("road", GUARDED)
def test_plain_values_for_excluded_parameters_are_recorded(gate: Gate, road: str) -> None:
    """A plain value where host code fills in a live object is refused, and recorded without the value."""
    tools = Tools(gate)
    with gate.session("s1", agent="desk", on_behalf_of=None), pytest.raises(ActionError, match="excluded"):
        GUARDED[road](tools, {"ctx": SECRET})
    (told,) = refusals(gate)
    assert told["reason"].startswith("ctx: ")
    assert SECRET not in json.dumps(told)
    assert tools.ran == []


@pytest.mark.parametrize("road", GUARDED)
def test_calls_outside_any_session_are_recorded(gate: Gate, road: str) -> None:
    """Nobody knows which agent made such a call; the log says so, and has the tool's name."""
    tools = Tools(gate)
    with pytest.raises(NoSession, match="outside any session"):
        GUARDED[road](tools, {})
    (told,) = refusals(gate)
    assert (told["actor"], told["code"]) == ("host", "no_session")
    assert told["name"].startswith("desk.get_")
    assert "session" not in told
    assert tools.ran == []


@pytest.mark.parametrize("field", ["name", "agent", "session"])
@pytest.mark.parametrize("given", ["a\ud83d", 7, SECRET + "\ud83d" + "x" * 100_000])
def test_names_that_are_no_text_are_told_of(gate: Gate, field: str, given: Any) -> None:
    """Whatever an action bears for its name, agent or session, the record of its refusal can be written."""
    gate.session("s1", agent="desk", on_behalf_of=None)
    with pytest.raises(ActionError, match=field):
        gate.submit(replace(act(), **{field: given}))
    (told,) = refusals(gate)
    assert len(json.dumps(told)) < 2_000
    assert SECRET not in json.dumps(told)


def test_default_sessions_are_named(tmp_path: Path) -> None:
    """A refused call in the default session is recorded with it."""
    with gate_on(tmp_path) as gate:
        with pytest.raises(ActionError):
            Tools(gate).plain(float("nan"))
        (told,) = refusals(gate)
    assert told["actor"] == "agent:desk"
    assert told["session"].startswith("process-")


def test_a_call_that_would_block_its_loop_is_recorded(tmp_path: Path) -> None:
    """A held ``def`` in an event loop's thread makes no hold, and the log says that it was refused."""
    with gate_on(tmp_path) as gate:

        @gate.guard("desk.pay")
        def pay(amount: int) -> None:
            raise AssertionError

        async def main() -> None:
            pay(50)

        with pytest.raises(WouldBlock):
            asyncio.run(main())
        (told,) = refusals(gate)
        assert (told["code"], told["name"]) == ("would_block", "desk.pay")


def test_names_of_servers_that_have_no_form_are_blocked(gate: Gate) -> None:
    """A tool of a server whose name cannot be an action's is blocked by the gate, so that the log has it."""
    gate.session("s1", agent="desk", on_behalf_of=None)
    for tool, server in (("tool", None), ("päy", "desk"), ("", "desk")):
        made = mcp.action(tool, {}, agent="desk", session="s1", server=server)
        blocked = gate.submit(made)
        assert isinstance(blocked, Blocked)
        assert blocked.rules == ("gate/bad_name",)


@pytest.mark.parametrize("road", [*GUARDED, *PRIMITIVE])
def test_a_store_that_takes_no_record_changes_nothing(
    gate: Gate, road: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Where the refusal cannot be recorded, the call is refused for its own reason, and a warning tells."""
    tools = Tools(gate)
    with gate.session("s1", agent="desk", on_behalf_of=None):
        store, away = gate.service.path, tmp_path / "away.db"
        assert store is not None
        store.rename(away)
        with caplog.at_level(logging.WARNING, "gate"), pytest.raises(ActionError):
            (GUARDED | PRIMITIVE)[road](tools, {"value": float("nan")})
        away.rename(store)
    (warning,) = (each for each in caplog.records if "could not be recorded" in each.getMessage())
    assert (warning.threadName or "").startswith("gate") == ("async" in road)
    assert (refusals(gate), tools.ran) == ([], [])


def test_a_caller_cancelled_meanwhile_is_recorded(gate: Gate) -> None:
    """A coroutine that is cancelled while its refusal is written ends cancelled, and the record is there."""
    tools, store = Tools(gate), gate.service.path
    assert store is not None

    async def main() -> None:
        with closing(sqlite3.connect(store, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            call = asyncio.ensure_future(tools.later())
            begun = asyncio.Event()
            asyncio.get_running_loop().call_soon(begun.set)
            await begun.wait()
            call.cancel()
            other.execute("ROLLBACK")
            with pytest.raises(asyncio.CancelledError):
                await call

    asyncio.run(main())
    assert [each["code"] for each in refusals(gate)] == ["no_session"]
