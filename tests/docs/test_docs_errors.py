"""The page about errors has every code of a fault that the code can give, and no other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from gate import errors
from gate.outcomes import CLASSES
from tests.docs.docs_kit import ROOT, codes, page, rows

PAGE = page("errors.md")
FAULTS = {
    name
    for name, each in vars(errors).items()
    if isinstance(each, type) and issubclass(each, errors.GateError)
}
FAULTS |= {"BotFault", "_Bad", "UnreadableCall"}
TOLD = {"_tell"}
"""Functions of the command line whose first argument is a code."""


def _trees() -> Iterator[tuple[Path, ast.Module]]:
    for package in ("gate", "bot"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if "local_workspace" not in path.parts:
                yield path, ast.parse(path.read_text("utf-8"))


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _given() -> Iterator[str]:
    """Yield every code that a fault is made with, and every fault class's own."""
    for _, tree in _trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                yield from _of_call(node)
            elif isinstance(node, ast.ClassDef) and {_name(base) for base in node.bases} & (
                FAULTS | {"Exception"}
            ):
                yield from _of_class(node)


def _of_call(node: ast.Call) -> Iterator[str]:
    name = _name(node.func)
    if name in FAULTS:
        given = [each.value for each in node.keywords if each.arg == "code"]
        yield from (each.value for each in given if isinstance(each, ast.Constant))
    if name in TOLD and node.args and isinstance(node.args[0], ast.Constant):
        yield node.args[0].value


def _of_class(node: ast.ClassDef) -> Iterator[str]:
    for each in node.body:
        target = each.targets[0] if isinstance(each, ast.Assign) else getattr(each, "target", None)
        value = getattr(each, "value", None)
        if isinstance(target, ast.Name) and target.id == "code" and isinstance(value, ast.Constant):
            yield value.value


def test_every_code_is_in_the_page_and_every_code_of_the_page_is_given() -> None:
    """The codes of the tables and the codes in the source are the same set."""
    listed = [codes(row[0])[0] for row in rows(PAGE)]
    assert len(listed) == len(set(listed))
    assert set(listed) == set(_given())


def test_every_class_is_in_the_page_with_its_own_code() -> None:
    """Each fault class stands in a row with the code that it has without another."""
    listed = {codes(row[0])[0]: row[1].strip("`") for row in rows(PAGE)}
    for name, kind in vars(errors).items():
        if isinstance(kind, type) and issubclass(kind, errors.GateError):
            assert listed[kind.code] == name


def test_every_row_says_what_happened() -> None:
    """No code stands without an explanation."""
    assert [row[0] for row in rows(PAGE) if not row[2]] == []


def test_the_tree_is_the_one_of_the_module() -> None:
    """The drawn tree has the same lines as the module's own."""
    assert errors.__doc__ is not None
    tree = [line.strip() for line in errors.__doc__.splitlines() if "...." in line]
    shown = [line.strip() for line in PAGE.splitlines() if "...." in line]
    assert shown == [line.replace("see outcomes.md: ", "").replace("see outcomes.py: ", "") for line in tree]


def test_docstrings_name_their_codes() -> None:
    """The codes that a fault class lists in its docstring are in the page."""
    listed = {codes(row[0])[0] for row in rows(PAGE)}
    for kind in (errors.IllegalMove, errors.NotEligible):
        named = {
            code.strip("`")
            for code in (kind.__doc__ or "").replace("\n", " ").split()
            if code.startswith("``")
        }
        assert {code.strip("`,.") for code in named} <= listed


def test_faults_and_outcomes_are_told_apart() -> None:
    """No outcome's code is used for a fault, but 'frozen', which is both for the same reason."""
    listed = {codes(row[0])[0] for row in rows(PAGE)}
    assert listed & CLASSES.keys() == {"frozen"}
