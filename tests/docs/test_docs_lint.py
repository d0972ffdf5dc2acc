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
                yield str(node.args[2].value), _kind(node)


def _kind(call: ast.Call) -> str:
    """Return what a call of ``finding`` makes: one of both where that is worked out."""
    advice = next((keyword.value for keyword in call.keywords if keyword.arg == "advice"), None)
    if advice is None:
        return "finding"
    return "advice" if isinstance(advice, ast.Constant) else "finding or advice"


def test_every_code_and_its_kind() -> None:
    """The table's codes are those in the source, and each is called a finding or advice as there."""
    listed = {codes(row[0])[0]: row[1] for row in rows(page("lint.md")) if codes(row[0])}
    assert listed == dict(_given())
    assert len(listed) > 20
