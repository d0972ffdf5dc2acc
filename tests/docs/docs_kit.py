"""Read the pages: fenced blocks with their marks, sections, tables, and codes in backticks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))

_FENCE = re.compile(
    r"^(?P<indent> *)(?:<!-- (?P<mark>[^>\n]+?) -->\n(?P=indent))?"
    r"```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$",
    re.DOTALL | re.MULTILINE,
)
_CODE = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block of a page.

    Attributes:
        page: Name of the page.
        line: Line it begins in.
        mark: What the comment before it says, such as ``run`` or ``file: calls.jsonl``; empty for none.
        language: Word behind the fence.
        text: What stands in it.
    """

    page: str
    line: int
    mark: str
    language: str
    text: str


def page(name: str) -> str:
    """Return the text of a page of the docs."""
    found = [path for path in PAGES if path.name == name]
    assert len(found) == 1, name
    return found[0].read_text("utf-8")


def blocks(path: Path) -> list[Block]:
    """Return the fenced blocks of a page in order."""
    text = path.read_text("utf-8")
    return [
        Block(
            path.name,
            text.count("\n", 0, found.start()) + 1,
            found["mark"] or "",
            found["language"],
            found["text"],
        )
        for found in _FENCE.finditer(text)
    ]


def without_blocks(text: str) -> str:
    """Return a page's text without its fenced blocks."""
    return _FENCE.sub("", text)


def sections(text: str, level: str = "## ") -> dict[str, str]:
    """Return the text below each heading of a level, by heading."""
    parts = re.split(rf"^{level}(.+)$", text, flags=re.MULTILINE)
    return {title.strip(): body for title, body in zip(parts[1::2], parts[2::2], strict=True)}


def rows(text: str) -> Iterator[list[str]]:
    """Yield the cells of every row of every table, headings and rules left out."""
    lines = text.splitlines()
    for index, line in enumerate(lines):
        is_head = index + 1 < len(lines) and re.fullmatch(r"[|\- ]+", lines[index + 1] or "x")
        if line.startswith("|") and not is_head and not re.fullmatch(r"[|\- ]+", line):
            yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def codes(text: str) -> list[str]:
    """Return what stands in backticks, in order."""
    return _CODE.findall(text)


def first_codes(text: str) -> list[str]:
    """Return every code of the first cell of each table row, in order."""
    return [code for row in rows(text) for code in codes(row[0])]
