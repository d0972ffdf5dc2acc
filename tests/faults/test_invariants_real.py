"""The invariants find harm that is done to a real run: a copy is spoilt in one place, and that is named."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.faults.invariants import Evidence, broken, gather
from tests.faults.stepping import RULES, Desk
from tests.kit import BOB, POLICY, ROUTE, answer

TEXT = (
    POLICY.replace("reason: Above ten.", "editable: [args.amount], reason: Above ten.")
    + """
budgets:
  - {id: money, match: desk.pay, sum: effect.amount, limit: {EUR: 1000}, per: agent, window: 7d,
     reason: Much.}
"""
)
LIMITED = replace(RULES, budget="desk/money", limit=Decimal(1000))
Spoil = Callable[[Path, dict[str, str]], None]


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Give the folder of a run that went well, and the id of each of its actions by name."""
    folder = tmp_path_factory.mktemp("real")
    desk = Desk(folder, text=TEXT)
    with desk.gate, desk.gate.session("s1", on_behalf_of=None):
        desk.call("allowed", 5)
        for name in ("approved", "denied", "edited"):
            desk.call(name, 50, wait=0)
            hold = desk.hold(name)
            assert hold is not None
            if name == "edited":
                desk.service.edit(
                    hold.id, store=hold.store, nonce=hold.nonce, person=BOB, satisfies=frozenset({"U0BOB"}),
                    changes={"args.amount": 40}, route=ROUTE,
                )  # fmt: skip
            else:
                answer(desk.service, hold, said="deny" if name == "denied" else "approve")
            desk.call(name, 50)
        desk.gate.call(id="stopped", wait=0)
        desk.call("stopped", 50, wait=0)
        desk.service.end_session("s1")
        with desk.service.store.reader() as reader:
            ids = {row["call_id"]: row["id"] for row in reader.all("SELECT call_id, id FROM actions")}
            states = {row["id"]: row["state"] for row in reader.all("SELECT id, state FROM actions")}
    cards = [_card(ids[name], states[ids[name]]) for name in ("approved", "denied", "edited", "stopped")]
    (folder / "messages").write_text(json.dumps(cards))
    return folder, ids


def _card(action: str, state: str) -> dict[str, Any]:
    told = {"event_payload": {"hold": action, "version": 1}}
    text = f"{state.capitalize()}: Pay"
    return {"ts": action, "text": text, "blocks": [], "deleted": False, "metadata": told}


def _look(folder: Path) -> Evidence:
    messages = json.loads((folder / "messages").read_text())
    return gather(
        LIMITED, folder / "gate.db", effects=folder / "effects", told=folder / "told", messages=messages
    )


def test_the_run_went_well(real: tuple[Path, dict[str, str]]) -> None:
    """Before anything is spoilt, nothing is found, and every kind of end is there."""
    seen = _look(real[0])
    assert broken(seen) == []
    assert sorted(seen.states.values()) == ["cancelled", "denied", "succeeded", "succeeded", "succeeded"]
    assert len(seen.effects) == 3


# ---- ways to spoil it -------------------------------------------------------------------------------------


def _log(change: Callable[[list[dict[str, Any]], dict[str, str]], list[dict[str, Any]]]) -> Spoil:
    """Change the records and chain them anew, as somebody would who can write the database."""

    def spoil(folder: Path, ids: dict[str, str]) -> None:
        with closing(sqlite3.connect(folder / "gate.db")) as raw:
            found = [json.loads(body) for (body,) in raw.execute("SELECT body FROM audit ORDER BY seq")]
            raw.execute("DELETE FROM audit")
            before = ""
            for seq, record in enumerate(change(found, ids), 1):
                body = json.dumps(record)
                before = hashlib.sha256(before.encode() + body.encode()).hexdigest()
                raw.execute("INSERT INTO audit (seq, body, hash) VALUES (?, ?, ?)", (seq, body, before))
            raw.commit()

    return spoil


def _without(name: str, kind: str) -> Spoil:
    return _log(lambda log, ids: [x for x in log if (x.get("action"), x["kind"]) != (ids[name], kind)])


def _with(name: str, kind: str, **more: Any) -> Spoil:
    return _log(
        lambda log, ids: [x | more if (x.get("action"), x["kind"]) == (ids[name], kind) else x for x in log]
    )


def _twice(name: str, kind: str) -> Spoil:
    return _log(
        lambda log, ids: [
            each for x in log for each in [x] * (1 + ((x.get("action"), x["kind"]) == (ids[name], kind)))
        ]
    )


def _sql(statement: str, name: str) -> Spoil:
    def spoil(folder: Path, ids: dict[str, str]) -> None:
        with closing(sqlite3.connect(folder / "gate.db")) as raw:
            raw.execute(statement, {"id": ids[name]})
            raw.commit()

    return spoil


def _line(file: str, name: str, **more: Any) -> Spoil:
    def spoil(folder: Path, ids: dict[str, str]) -> None:
        with (folder / file).open("a") as out:
            out.write(json.dumps({"action": ids.get(name, name)} | more) + "\n")

    return spoil


def _message(name: str, **more: Any) -> Spoil:
    def spoil(folder: Path, ids: dict[str, str]) -> None:
        path = folder / "messages"
        cards = json.loads(path.read_text())
        path.write_text(json.dumps([x | more if x["ts"] == ids[name] else x for x in cards]))

    return spoil


LATE = {"at": "2026-01-02T09:00:00+00:00"}
SPOILT: dict[str, tuple[Spoil, str]] = {
    "a record changed": (
        _sql(
            "UPDATE audit SET body = replace(body, 'amount', 'amounts') "
            "WHERE seq IN (SELECT seq FROM records WHERE action = :id)",
            "approved",
        ),
        "the chain breaks",
    ),
    "a record cut out": (_sql("DELETE FROM audit WHERE seq = 3", "approved"), "the chain breaks"),
    "a second effect": (_line("effects", "approved", amount=50), "had 2 side effects"),
    "an effect of a denied call": (_line("effects", "denied", amount=50), "without a claim or an allow"),
    "an effect of nothing": (_line("effects", "no such action"), "without a claim or an allow"),
    "an effect with the amount before the edit": (_line("effects", "edited", amount=50), "other arguments"),
    "no claim": (_without("approved", "claim"), "without a claim or an allow"),
    "claimed twice": (_twice("approved", "claim"), "started more than once"),
    "no approval": (_without("approved", "approve"), "with 0 of 1 approvals"),
    "an approval of a stranger": (_with("approved", "approve", actor="T0LOCAL/U0EVE"), "with 0 of 1"),
    "an approval of the version before the edit": (_with("edited", "approve", version=1), "with 0 of 1"),
    "an approval that came too late": (_with("approved", "approve", **LATE), "with 0 of 1"),
    "a claim that came too late": (_with("approved", "claim", **LATE), "claimed too late"),
    "a claim of another digest": (_with("approved", "claim", digest="x"), "as another call"),
    "a claim of the call before the edit": (_with("edited", "claim", version=1), "as another call"),
    "told that it was denied": (_line("told", "approved", code="denied"), "was told denied"),
    "told that it ran": (_line("told", "denied", code="ran"), "was told ran"),
    "told of nothing": (_line("told", "no such action", code="ran"), "does not know"),
    "left running": (
        _sql("UPDATE actions SET state = 'running' WHERE id = :id", "approved"),
        "stays running",
    ),
    "left pending": (_without("stopped", "cancel"), "the log says pending"),
    "another end in the store": (
        _sql("UPDATE actions SET state = 'failed' WHERE id = :id", "approved"),
        "the log says succeeded",
    ),
    "a card that still asks": (_message("denied", text="Approval needed: Pay"), "says 'Approval needed"),
    "a card with a live button": (_message("denied", blocks=[{"action_id": "gate:deny"}]), "still has"),
    "a budget exceeded": (
        _with("allowed", "submit", input={"amount": 990, "to": "allowed"}),
        "nobody was asked",
    ),
}
"""What is spoilt to how it is spoilt, and words that name it."""


@pytest.mark.parametrize("what", SPOILT)
def test_what_is_spoilt_is_named(real: tuple[Path, dict[str, str]], tmp_path: Path, what: str) -> None:
    """Whatever is changed in a copy of the run, the invariant that it breaks says so."""
    folder, ids = real
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    spoil, words = SPOILT[what]
    spoil(copy, ids)
    found = broken(_look(copy))
    assert any(words in each for each in found), found
