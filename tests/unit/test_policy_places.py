"""Where values stand is looked up only where it is asked for, and is then where the parser saw them."""

from __future__ import annotations

import pytest

from gate.policy.places import Loc
from gate.policy.source import read_text

TEXT = """\
rules:
  - {id: first, when: {args.amount: {gt: 1}}}
  - id: second
    match:
      - desk.pay
"""


@pytest.mark.parametrize(
    ("loc", "value", "entry"),
    [
        ((), (1, 1), (1, 1)),
        (("rules",), (2, 3), (1, 1)),
        (("rules", 0), (2, 5), (2, 5)),
        (("rules", 0, "id"), (2, 10), (2, 6)),
        (("rules", 0, "when", "args.amount", "gt"), (2, 42), (2, 38)),
        (("rules", 1, "match", 0), (5, 9), (5, 9)),
    ],
)
def test_every_value_is_found_where_it_stands(
    loc: Loc, value: tuple[int, int], entry: tuple[int, int]
) -> None:
    """In block and flow style, in lists and mappings; an entry begins at its key."""
    document = read_text(TEXT, "p.yml")
    assert document.mark(loc) == value
    assert document.entry(loc) == entry
    assert document.line(loc) == value[0]


@pytest.mark.parametrize("more", [("nothing",), (7,), ("id", "deeper", 3)])
def test_what_is_not_there_is_placed_at_its_nearest_parent(more: Loc) -> None:
    """A missing key, an index past the end, and what would lie under a text."""
    document = read_text(TEXT, "p.yml")
    near = ("rules", 1, "id") if more[0] == "id" else ("rules", 1)
    assert document.mark(("rules", 1, *more)) == document.mark(near)
    assert document.entry(("rules", 1, *more)) == document.entry(near)


@pytest.mark.parametrize("text", ["", "# nothing\n", "a: [1"])
def test_a_text_without_a_document_has_no_places_to_ask_for(text: str) -> None:
    """What is said of it is placed on the file as a whole, or where the reading ended."""
    document = read_text(text, "p.yml")
    assert not document.ok
    assert document.line(("a",)) in (0, 1)
    assert document.problems
