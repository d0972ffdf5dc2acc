"""Cases about holds, people, cards and processes: each has a test of ours that is there."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from tests.cases.answer_kit import ANSWERED, CASES

ROOT = Path(__file__).parents[2]


@cache
def named_in(path: Path) -> frozenset[str]:
    """Return the names of a file's tests."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(each.name for each in tree.body if isinstance(each, ast.FunctionDef))


def test_every_named_test_is_there() -> None:
    """A case is answered by a test that exists, under its name."""
    gone = [each for each in ANSWERED if each.split("::")[1] not in named_in(ROOT / each.split("::")[0])]
    assert not gone


def test_every_named_test_answers_something() -> None:
    """No test is named without a case, and no case is answered twice."""
    assert all(ANSWERED.values())
    assert len(CASES) == len(set(CASES))
