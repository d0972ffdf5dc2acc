"""Written calls and test tables: JSON Lines and YAML, line by line, faults named and the rest judged."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gate.model import Parameters, Principal
from gate.policy.calls import UnreadableCall, WrittenCall, load_calls
from gate.policy.tables import run_table, run_table_text, untold_tools
from tests.policy_kit import load, rule, written

POLICY = written(
    rule("small", "allow", when={"args.x": {"lte": 5}}), rule("big", "block", when={"args.x": {"gt": 9}})
)


def _one(text: str, **keys: Any) -> WrittenCall:
    (found,) = load_calls(text, **keys)
    assert isinstance(found, WrittenCall), found
    return found


def _bad(text: str, **keys: Any) -> UnreadableCall:
    (found,) = load_calls(text, **keys)
    assert isinstance(found, UnreadableCall), found
    return found


def test_only_the_action_is_required() -> None:
    """The id defaults to the line, agent and session to ``check``."""
    calls = list(load_calls('\n{"action": "a.b"}\n\n{"action": "a.c", "id": "mine"}\n'))
    assert [(each.id, each.line) for each in calls] == [("2", 2), ("mine", 4)]
    first = calls[0]
    assert isinstance(first, WrittenCall)
    assert (first.action.agent, first.action.session, first.action.arguments) == ("check", "check", {})
    assert first.action.parameters is None


def test_every_key_is_read_alike_from_json_and_yaml() -> None:
    """Numbers keep all their digits."""
    text = (
        '{"id": 7, "action": "a.b", "args": {"x": 0.1000000000000000000001, "y": 123456789012345678901},'
        ' "agent": "g", "session": "s", "on_behalf_of": {"person": "U0ALICE"}, "call_id": "c",'
        ' "source": "server",'
        ' "at": "2026-11-20T10:00:00Z", "facts": {}}'
    )
    one, two = _one(text), _one(f"- {text}")
    assert one == two
    assert one.id == "7"
    assert one.action.arguments == {"x": Decimal("0.1000000000000000000001"), "y": 123456789012345678901}
    assert one.action.on_behalf_of == Principal("person", "U0ALICE")
    assert (one.action.call_id, one.action.source) == ("c", "server")
    assert one.at is not None


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ('{"action": "a.b", "action": "a.c"}', "bad_line", 'the key "action" is written twice'),
        ('{"action": "a.b", "args": {"x": {"y": 1, "y": 2}}}', "bad_line", 'the key "y" is written twice'),
        ('{"action": "a.b", "args": {"x": NaN}}', "bad_line", "NaN is no JSON number"),
        ('{"action": "a.b", "args": {"x": -Infinity}}', "bad_line", "-Infinity is no JSON number"),
        ('{"action": "a.b", "args": {"x": 1e' + "9" * 20 + "}}", "bad_line", "is too large a number"),
        ('{"action": "a.b"', "bad_line", "is not JSON"),
        ('{"action": "a.b", "args": ' + "[" * 100_000, "bad_line", "nested too deep"),
        ('{"args": {}}', "bad_call", "action must be a text"),
        ('{"action": 5}', "bad_call", "action must be a text"),
        ('{"action": "a.b", "args": []}', "bad_call", "args must be a mapping"),
        ('{"action": "a.b", "arg": {}}', "bad_call", '"arg" is not a key of a call (did you mean "args"?)'),
        ('{"action": "a.b", "arguments": {}}', "bad_call", '(did you mean "args"?)'),
        ('{"tool": "a.b"}', "bad_call", '"tool" is not a key of a call (did you mean "action"?)'),
        ('{"action": "a.b", "expect": "allow"}', "bad_call", '"expect" is not a key of a call'),
        ('{"action": "a.b", "source": "mcp"}', "bad_call", '"mcp" is not one of host, server'),
        ('{"action": "a.b", "on_behalf_of": "alice"}', "bad_call", "on_behalf_of must be null or one of"),
        (
            '{"action": "a.b", "on_behalf_of": {"team": "x"}}',
            "bad_call",
            "on_behalf_of must be null or one of",
        ),
        ('{"action": "a.b", "at": "2026-11-20T10:00:00"}', "bad_call", "at needs a zone"),
        ('{"action": "a.b", "at": 5}', "bad_call", "at must be ISO 8601 with a zone"),
        ('{"action": "a.b", "facts": [1]}', "bad_call", "facts must be a mapping of names to values"),
    ],
)
def test_a_line_that_cannot_be_judged_is_named_and_the_rest_goes_on(line: str, code: str, said: str) -> None:
    """Its id or line, a code and words; the next line is read as if nothing had happened."""
    bad, good = load_calls(f'{line}\n{{"action": "a.b"}}\n')
    assert isinstance(bad, UnreadableCall)
    assert (bad.line, bad.code) == (1, code)
    assert said in bad.message
    assert isinstance(good, WrittenCall)


def test_time_never_goes_back_within_a_session() -> None:
    """Other sessions have their own time."""
    lines = [("s", 10), ("t", 9), ("s", 9), ("s", 11)]
    text = "\n".join(
        f'{{"action": "a.b", "session": "{s}", "at": "2026-11-20T{hour:02}:00:00Z"}}' for s, hour in lines
    )
    calls = list(load_calls(text))
    assert [isinstance(each, WrittenCall) for each in calls] == [True, True, False, True]
    assert isinstance(calls[2], UnreadableCall)
    assert "goes back" in calls[2].message


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "is empty"),
        ("action: a.b", 1, "must be a list of calls"),
        ("- {action: *x}", 1, "quote it"),
        ("- {action: a.b, args: {x: yes}}", 1, "means different things"),
        ("- {action: a.b, args: {x: .nan}}", 1, "NaN or an infinity"),
        ("- {action: a.b, args: {x: 1.0e+9999}}", 1, "is too long or too large"),
        ("- just text", 1, "a call is a mapping"),
        ("-\n  - {", 3, "is not YAML"),
    ],
)
def test_yaml_that_cannot_be_judged(text: str, line: int, said: str) -> None:
    """YAML calls are as strict as policies."""
    bad = _bad(text)
    assert bad.line == line
    assert said in bad.message


def test_one_bad_row_of_yaml_does_not_spoil_the_others() -> None:
    """Faults belong to the row they stand in."""
    rows = list(load_calls("- {action: a.b}\n- {action: a.b, args: {x: 017}}\n- {action: a.b}\n"))
    assert [isinstance(each, WrittenCall) for each in rows] == [True, False, True]


def test_known_tools_close_the_list_of_parameters() -> None:
    """``--tools`` gives what production knows."""
    tools = {"a.b": Parameters(frozenset({"x"}))}
    assert _one('{"action": "a.b"}', tools=tools).action.parameters == tools["a.b"]
    assert untold_tools('{"action": "a.b"}\n{"action": "a.c"}\n{"action": "a.c"}', load(POLICY)) == (
        "a.b",
        "a.c",
    )
    assert untold_tools('{"action": "a.b"}\n{"action": "a.c"}', load(POLICY), tools) == ("a.c",)
    told = load(written(default="block", actions={"a.*": {"params": ["x"]}}))
    assert untold_tools('{"action": "a.b"}', told) == ()


def test_a_table_passes_where_answer_and_rules_are_exactly_these() -> None:
    """Each row is a call with what must come out; faults of rows are failed rows."""
    results = run_table_text(
        """
- {id: fits, action: a.b, args: {x: 1}, expect: allow, rules: [a/small]}
- {id: no rules named, action: a.b, args: {x: 1}, expect: allow}
- {id: other answer, action: a.b, args: {x: 10}, expect: allow}
- {id: other rules, action: a.b, args: {x: 10}, expect: block, rules: [a/default]}
- {id: none expected, action: a.b, args: {x: 1}}
- {id: bad word, action: a.b, expect: alow}
- {id: missing, action: a.b, expect: block, rules: [a/big, a/default]}
""",
        load(POLICY),
    )
    assert [each.passed for each in results] == [True, True, False, False, False, False, True]
    assert [each.line for each in results] == [2, 3, 4, 5, 6, 7, 8]
    said = [each.message for each in results]
    assert said[2] == "expected allow, got block by a/big"
    assert said[3] == "expected block by a/default, got it by a/big"
    assert said[4] == "expect must be written: allow, require_approval or block"
    assert '"alow" is not one of' in said[5]


def test_a_table_that_cannot_be_read_fails(tmp_path: Path) -> None:
    """No rows is no success."""
    assert [each.passed for each in run_table(tmp_path / "none.test.yml", load(POLICY))] == [False]
    (tmp_path / "odd.test.yml").write_bytes(b"\xff")
    assert [each.passed for each in run_table(tmp_path / "odd.test.yml", load(POLICY))] == [False]
    (tmp_path / "empty.test.yml").write_text("[]")
    assert [each.passed for each in run_table(tmp_path / "empty.test.yml", load(POLICY))] == [False]
