"""What walks through a call's arguments, which may be a megabyte each, never does so in the bot's loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

BOT = Path(__file__).parents[2] / "bot"
WALKS = {
    "home": {"home"},
    "card": {"card", "card_text", "must_view", "is_cut"},
    "values": {"decisive_values", "other_values", "all_values"},
    "everything": {"paged", "fits_view"},
    "edits": {"edit_form"},
    "inbox": {"show_blocks", "list_blocks"},
    "whole": {"whole_text"},
    "burst": {"card"},
    "modals": {"deny_form", "approve_form"},
    "doubt": {"form"},
}
"""Views by module, and what of them reads every argument, or the line that may have one of them in it."""


def walked_in_the_loop(path: Path) -> Iterator[str]:
    """Yield each call of such a view inside a coroutine, where nothing hands it to a thread."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = _named(tree)
    for function in ast.walk(tree):
        if isinstance(function, ast.AsyncFunctionDef):
            yield from (
                f"{path.name}:{call.lineno} {ast.unparse(call.func)}"
                for call in ast.walk(function)
                if isinstance(call, ast.Call) and ast.unparse(call.func) in named
            )


def _named(tree: ast.Module) -> set[str]:
    """Return how a module may call these views, by what it imports."""
    found = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("bot.views"):
            continue
        for each in node.names:
            name = each.asname or each.name
            found |= {f"{name}.{walk}" for walk in WALKS.get(each.name, ())}
            if each.name in WALKS.get((node.module or "").rpartition(".")[2], ()):
                found.add(name)
    return found


def test_no_coroutine_walks_through_arguments() -> None:
    """A tab of ten holds with a megabyte each took five seconds, in which nobody's press was acknowledged."""
    found = [each for path in sorted(BOT.glob("*.py")) for each in walked_in_the_loop(path)]
    assert found == []


def test_such_a_call_would_be_found(tmp_path: Path) -> None:
    """The search knows both ways to name a view."""
    path = tmp_path / "drawing.py"
    path.write_text(
        "from bot.views import burst as views\n"
        "from bot.views.home import home\n"
        "async def draw(page, burst):\n"
        "    return home(page), views.card(burst), views.card_text(burst)\n"
    )
    assert list(walked_in_the_loop(path)) == ["drawing.py:4 home", "drawing.py:4 views.card"]
