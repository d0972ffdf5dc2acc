"""A store that changes under a reader, holds other texts than it says, or cannot be opened to the end."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from gate.errors import PolicyError, StoreError
from gate.lifecycle import State
from tests.faults.judging import problems
from tests.gate_kit import gate_on
from tests.kit import POLICY, act, answer, policy, service


def test_one_reader_sees_one_state(tmp_path: Path) -> None:
    """What another process writes in the middle of a reading is not seen in it, so no chain looks cut."""
    one, other = service(tmp_path / "gate.db"), service(tmp_path / "gate.db")
    asked = "SELECT (SELECT max(seq) FROM audit) AS rows, (SELECT seq FROM audit_head) AS head"
    with one.store.reader() as reader:
        before = reader.one(asked)
        other.submit(act())
        assert reader.one(asked) == before
    with one.store.reader() as reader:
        assert reader.one(asked) != before
    assert problems(one) == []
    one.close()
    other.close()


def test_an_interrupted_reading_leaves_no_old_state_behind(tmp_path: Path) -> None:
    """After a reading that was broken off the next one sees what was written since."""
    gate = service(tmp_path / "gate.db")
    with pytest.raises(KeyboardInterrupt), gate.store.reader() as reader:
        reader.one("SELECT 1 FROM actions")
        raise KeyboardInterrupt
    held = gate.submit(act()).record.id
    assert gate.action(held).state == State.PENDING
    assert problems(gate) == []
    gate.close()


def test_policy_texts_changed_in_the_store_are_refused(tmp_path: Path) -> None:
    """Texts that are not those of their revision are never judged by, and nobody waits for them for ever."""
    gate = service(tmp_path / "gate.db")
    held = gate.submit(act()).record.id
    answer(gate, held)
    gate.apply(policy(POLICY + "\n# later\n"), by="test")
    with sqlite3.connect(tmp_path / "gate.db") as raw:
        raw.execute("UPDATE revisions SET texts = replace(texts, 'then: block', 'then: allow')")
    raw.close()
    fresh = service(tmp_path / "gate.db", text=None, kind="cli")
    for verb in (lambda: fresh.claim(held, act()), lambda: fresh.submit(act("desk.delete_all", n=1))):
        with pytest.raises(PolicyError, match="changed in the store"):
            verb()
    assert fresh.action(held).state == State.APPROVED
    assert problems(fresh) == []
    gate.close()
    fresh.close()


@pytest.mark.parametrize(
    ("column", "text"),
    [
        *(
            (column, text)
            for column in ("requirements", "rulings", "effect")
            for text in ("[", '[{"rules": 5}]')
        ),
        *((column, text) for column in ("arguments", "decisive", "hidden") for text in ("[", "no")),
    ],
)
def test_a_row_that_does_not_hold_what_it_should_is_damage(tmp_path: Path, column: str, text: str) -> None:
    """A hold whose row was spoilt is told as damage, without what stands there, and is decided by nobody."""
    gate = service(tmp_path / "gate.db")
    held = gate.submit(act()).record.id
    with gate.store.transaction() as tx:
        tx.run(f"UPDATE versions SET {column} = ?", (text,))
    for verb in (
        lambda: gate.hold(held),
        lambda: answer(gate, held),
        gate.holds,
    ):  # an answer returns the hold
        with pytest.raises(StoreError, match=r"damaged: a row .* Nothing ran") as caught:
            verb()
        assert caught.value.code == "store_damaged"
    assert gate.states([held])[held][0] == State.PENDING
    gate.close()


def test_a_gate_that_cannot_list_its_tools_leaves_nothing_open(tmp_path: Path) -> None:
    """An opening that fails at its last step is undone: no thread and no connection stays behind."""
    with gate_on(tmp_path) as first:
        assert first.service.holds() == []
    with sqlite3.connect(tmp_path / "store" / "gate.db") as raw:
        raw.execute("CREATE TRIGGER no_tools BEFORE INSERT ON tools BEGIN SELECT RAISE(ABORT, 'full'); END")
    raw.close()
    gate = gate_on(tmp_path)

    @gate.guard("desk.get_x")
    def get_x() -> None:
        raise AssertionError("it ran")

    before = {each.ident for each in threading.enumerate()}
    for _ in range(3):
        with pytest.raises(StoreError, match="full"):
            get_x()
    left = [each for each in threading.enumerate() if each.ident not in before and each.name == "APScheduler"]
    for each in left:
        each.join(20)
    assert not any(each.is_alive() for each in left)
    with sqlite3.connect(tmp_path / "store" / "gate.db") as raw:
        raw.execute("DROP TRIGGER no_tools")
    raw.close()
    with gate:
        assert problems(gate.service) == []
