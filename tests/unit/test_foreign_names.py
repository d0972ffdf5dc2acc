"""Names that host code did not write: brought into the form of action names, kept, and never trusted."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gate import Blocked, Gate
from gate.adapters import mcp
from gate.errors import ActionError
from gate.foreign import MOST_NAMES, Originals, action_name
from gate.handles import Allowed
from gate.model import Action, Parameters
from gate.policy.backtest import LoggedCall
from gate.policy.calls import UnreadableCall, load_calls
from gate.policy.evaluate import evaluate
from tests.gate_kit import gate_on
from tests.policy_kit import APPROVALS, load, rule, written

_ALL_TIME = (datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))
BY_RISK = load(APPROVALS + "default: by_risk\n")


@pytest.mark.parametrize(
    ("original", "name"),
    [
        ("mcp__stripe__create_refund", "stripe.create_refund"),
        ("MCP__Stripe__Create_Refund", "Stripe.Create_Refund"),
        ("mcp__a__b__c", "a.b__c"),
        ("mcp__srv___tool", "srv._tool"),
        ("mcp__files__read.text", "files.read.text"),
        ("mcp__my server__a/b:c", "my_server.a_b_c"),
        ("mcp__stripe__delete_all\u200b ", "stripe.delete_all"),
        ("ｍｃｐ__stripe__ｄelete", "stripe.delete"),
        ("app.delete\n", "app.delete"),
    ],
)
def test_a_name_is_brought_into_the_form_of_an_action(original: str, name: str) -> None:
    """The first __ ends the server, what readers do not see goes, separators become _, case stays."""
    assert action_name(original) == name


@pytest.mark.parametrize(
    ("original", "why"),
    [
        ("mcp__stripe", "an MCP name has a server and a tool"),
        ("mcp____x", "an MCP name has a server and a tool"),
        ("mcp__s__", "an MCP name has a server and a tool"),
        ("mcp__s__d\u0435lete", "is no ASCII letter"),
        ("mcp__s__a\nb", "is no ASCII letter"),
        ("mcp__s..x__y", "a part of it is empty"),
        ("mcp__s__\u200b", "an MCP name has a server and a tool"),
        ("mcp__s__" + "x" * 300, "longer than 200"),
        ("app.\u200b", "a part of it is empty"),
        ("delete_customer", "it names no server"),
    ],
)
def test_what_cannot_be_brought_into_form_is_refused_and_blocked(original: str, why: str) -> None:
    """With the reason, by the adapter and by the policy; a look-alike letter is not guessed at."""
    with pytest.raises(ActionError, match=why):
        action_name(original)
    verdict = evaluate(BY_RISK, Action(original, {}, "bot", "s1"))
    assert (verdict.answer, verdict.rules) == ("block", ("gate/bad_name",))
    assert why in verdict.reason


def test_servers_with_two_underscores_in_their_name_are_known_by_the_host() -> None:
    """Without them the first pair ends the server's name."""
    assert action_name("mcp__a__b__c", servers=["a", "a__b"]) == "a__b.c"
    assert mcp.name_of("a__b", "c") == "a__b.c"


def test_a_call_of_a_server_is_an_action_that_keeps_its_name() -> None:
    """With what the tool takes by its schema, and without trusting what the server says of it."""
    schema = {"type": "object", "properties": {"id": {}}, "additionalProperties": False}
    made = mcp.action("mcp__shop__get_user", {"id": 1}, agent="bot", session="s1", schema=schema)
    assert (made.name, made.source) == ("shop.get_user", "mcp__shop__get_user")
    assert made.parameters == Parameters(frozenset({"id"}))
    assert mcp.parameters({"properties": {"id": {}}}).open
    apart = mcp.action("get_user", {"id": 1}, agent="bot", session="s1", server="shop")
    assert (apart.name, apart.source) == ("shop.get_user", "shop/get_user")


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"properties": {"id": {}}, "additionalProperties": {}},
        {"properties": {}, "patternProperties": {"^amount$": {}}, "additionalProperties": False},
        {"properties": ["id"], "additionalProperties": "no"},
        ["additionalProperties"],
        "additionalProperties",
        True,
    ],
)
def test_a_schema_that_does_not_forbid_every_other_name_closes_nothing(schema: Any) -> None:
    """So what is left out is not known, rather than nothing that the tool has; a schema may be anything."""
    assert mcp.parameters(schema).open
    action = mcp.action("mcp__shop__refund", {}, agent="bot", session="s1", schema=schema)
    large = rule("large", "block", match="shop.refund", when={"args.amount": {"gt": 250}}, reason="Large.")
    assert evaluate(load(written(large, default="allow")), action).answer == "block"


def test_a_servers_name_is_never_guessed_a_read() -> None:
    """The same name from host code is."""
    made = mcp.action("mcp__shop__get_user", {}, agent="bot", session="s1")
    assert evaluate(BY_RISK, made).answer == "require_approval"
    assert evaluate(BY_RISK, Action("shop.get_user", {}, "bot", "s1")).answer == "allow"
    declared = load(APPROVALS + "default: by_risk\nactions: {shop.get_user: {risk: read}}\n")
    assert evaluate(declared, made).answer == "allow", "a policy that says so is believed"


# ---- written calls ----------------------------------------------------------------------------------------


def _written(*calls: dict[str, Any]) -> list[Any]:
    return list(load_calls("\n".join(map(json.dumps, calls))))


def test_written_calls_take_foreign_names() -> None:
    """By their form, by ``source: server``, or by the original as the source."""
    one, two, three, four = _written(
        {"action": "mcp__shop__get_user"},
        {"action": "shop.find_user ", "source": "server"},
        {"action": "shop.get_user", "source": "mcp__shop__get_user"},
        {"action": "shop.get_user", "source": "server"},
    )
    assert (one.action.name, one.action.source) == ("shop.get_user", "mcp__shop__get_user")
    assert (two.action.name, two.action.source) == ("shop.find_user", "shop.find_user ")
    assert (three.action.name, three.action.source) == ("shop.get_user", "mcp__shop__get_user")
    assert (four.action.name, four.action.source) == ("shop.get_user", "server")
    assert all(
        evaluate(BY_RISK, each.action).answer == "require_approval" for each in (one, two, three, four)
    )


def test_two_written_originals_never_are_one_tool() -> None:
    """The second is a line that cannot be judged, and names the first."""
    one, two = _written({"action": "mcp__Shop__pay"}, {"action": "mcp__shop__pay"})
    assert one.action.name == "Shop.pay"
    assert isinstance(two, UnreadableCall)
    assert two.code == "bad_call"
    assert '"mcp__Shop__pay" is already' in two.message


def test_a_source_that_is_neither_word_nor_name_is_refused() -> None:
    """A misspelt word would else be taken for a name."""
    (one,) = _written({"action": "shop.pay", "source": "sever"})
    assert '(did you mean "server"?)' in one.message
    (two,) = _written({"action": "shop.pay", "source": "mcp__shop__refund"})
    assert "is not the name of shop.pay" in two.message


# ---- the primitive ----------------------------------------------------------------------------------------


POLICY = (
    APPROVALS + "default: block\nactions: {shop.get_user: {risk: read}}\n"
    "rules: [{id: reads, match: 'shop.get_*', then: allow}]\n"
)


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    """Return a gate whose policy lets the reads of a shop run."""
    return gate_on(tmp_path, text=POLICY, agent="bot")


def _action(name: str, **keys: Any) -> Action:
    return Action(name, {}, "bot", "s1", **keys)


def test_a_submitted_foreign_name_is_judged_in_form_and_its_original_kept(gate: Gate) -> None:
    """The log's call has it too, so that a backtest guesses as little."""
    with gate, gate.session("s1", on_behalf_of=None):
        found = gate.submit(_action("mcp__shop__get_user"))
        assert isinstance(found, Allowed)
        with gate.claim(found) as run:
            run.result = 1
        assert found.action.source == "mcp__shop__get_user"
        assert found.record.name == "shop.get_user"
        logged = next(iter(gate.service.logged(*_ALL_TIME, lambda done, all_: None)))
        assert isinstance(logged, LoggedCall)
        assert (logged.action.name, logged.action.source) == ("shop.get_user", "mcp__shop__get_user")


def test_a_submitted_name_that_is_none_is_blocked(gate: Gate) -> None:
    """Whatever the policy allows."""
    with gate, gate.session("s1", on_behalf_of=None):
        found = gate.submit(_action("mcp__shop"))
        assert isinstance(found, Blocked)
        assert found.rules == ("gate/bad_name",)


def test_a_foreign_name_never_stands_for_another_tool(gate: Gate) -> None:
    """Neither for another original nor for a guarded function."""

    @gate.guard("shop.get_order")
    def get_order() -> None: ...

    with gate, gate.session("s1", on_behalf_of=None):
        gate.submit(_action("mcp__shop__get_user"))
        with pytest.raises(ActionError, match="is already: rename"):
            gate.submit(_action("mcp__shop__Get_User"))
        with pytest.raises(ActionError, match="which is guarded here"):
            gate.submit(_action("mcp__shop__get_order"))


def test_no_more_names_are_kept_than_a_process_can_tell_apart() -> None:
    """Past the bound a new name is refused; those that were seen still stand for themselves."""
    known = Originals()
    for number in range(MOST_NAMES):
        known.take(f"shop.t{number}", f"mcp__shop__t{number}")
    with pytest.raises(ActionError, match=r"tells 10,000 apart\. .* start it anew\. Nothing ran"):
        known.take("shop.more", "mcp__shop__more")
    known.take("Shop.t1", "mcp__shop__t1")
    with pytest.raises(ActionError, match="is already: rename"):
        known.take("shop.t1", "mcp__shop__T1")


def test_a_name_full_of_what_nobody_sees_is_not_kept(gate: Gate) -> None:
    """What falls away counts for the length of the name as it came."""
    with gate, gate.session("s1", on_behalf_of=None):
        with pytest.raises(ActionError, match=r"longer than 1,000 characters: rename it\. Nothing ran"):
            gate.submit(_action("mcp__shop__get_user" + "\u200b" * 1_000))
        assert isinstance(gate.submit(_action("mcp__shop__get_user")), Allowed)
