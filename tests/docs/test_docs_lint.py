"""The page about lint has every kind of finding, and no other."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.docs.docs_kit import ROOT, codes, page, rows


def _given() -> Iterator[tuple[str, str]]:
    """Yield every code that the lint gives, and its kind."""
    for path in (ROOT / "gate" / "policy" / "lint").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            named = (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "finding"
            )
            if named and isinstance(node, ast.Call) and isinstance(node.args[2], ast.Constant):
                advice = any(keyword.arg == "advice" for keyword in node.keywords)
                yield str(node.args[2].value), "advice" if advice else "finding"


def test_every_code_and_its_kind() -> None:
    """The table's codes are those in the source, and each is called a finding or advice as there."""
    listed = {codes(row[0])[0]: row[1] for row in rows(page("lint.md")) if codes(row[0])}
    assert listed == dict(_given())
    assert len(listed) > 20
