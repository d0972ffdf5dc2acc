"""What the command line tells of a call that people changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.editing import edited
from gate.errors import BadEdit
from tests.cli.cli_kit import read, said
from tests.kit import ALICE, BOB, EDITABLE, act, answer, change, service


@pytest.fixture
def story(db: Path) -> tuple[str, tuple[str, str]]:
    """Return a call that one person approved, another changed, both approved, and that ran."""
    gate = service(db, text=EDITABLE)
    call = act("desk.fire", who="everybody")
    hold = gate.submit(call, wait=False).record.id
    answer(gate, hold, ALICE)
    change(gate, hold, BOB, who="nobody")
    answer(gate, hold, ALICE)
    record = gate.action(hold)
    assert gate.claim(hold, edited(call, record.patch, record.version)).run
    other = gate.submit(act(amount=400, to="bob"), wait=False).record.id
    with pytest.raises(BadEdit):
        change(gate, other, amount=5000)
    gate.close()
    return hold, ("--db", str(db))


def test_why_tells_who_changed_what_and_whose_approval_is_void(story: tuple[str, tuple[str, str]]) -> None:
    """The story names the change, the version, and the approval that no longer counts."""
    hold, words = story
    text = " ".join(said("audit", "why", hold, *words).split())
    for part in (
        'who = "everybody"',
        "alice (T0LOCAL/U0ALICE) approved it",
        "bob (T0LOCAL/U0BOB) changed it on the card, channel C0APPROVALS",
        "who from everybody to nobody. It is version 2",
        "It made void what T0LOCAL/U0ALICE had approved.",
        "The approved call, version 2, was started",
    ):
        assert part in text, part
    assert text.count("Asked: ") == 1


def test_why_tells_a_change_that_was_refused(story: tuple[str, tuple[str, str]]) -> None:
    """A change that the policy blocks is told with what it would have been, and why it was not."""
    _, words = story
    other = read("holds", "list", *words)["holds"][0]["id"]
    text = " ".join(said("audit", "why", other, *words).split())
    assert "tried to change it" in text
    assert "into amount from 400 to 5000 and was refused (edit_blocked)" in text
    assert "Never above a thousand." in text


def test_show_has_the_changes(story: tuple[str, tuple[str, str]]) -> None:
    """A hold shows its newest arguments, and below them who changed what."""
    hold, words = story
    text = " ".join(said("holds", "show", hold, *words).split())
    assert 'who = "nobody"' in text
    assert "version 2, bob (U0BOB)" in text
    assert "void: the approval of alice (U0ALICE)" in text
    found = read("holds", "show", hold, *words)
    assert found["edits"][0]["changes"] == [{"path": "args.who", "before": "everybody", "after": "nobody"}]
