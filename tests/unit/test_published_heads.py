"""Published heads of the log, exports, archives, backups and older copies."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gate import audit_export
from gate.clock import FakeClock
from gate.errors import IllegalMove, StoreError
from gate.lifecycle import State
from gate.service import Service
from gate.store import anchors, files
from gate.store.anchors import Anchor
from gate.store.port import Tx
from gate.verbs.claim import End
from tests.kit import act, answer, kinds, post, service


def _busy(gate: Service) -> str:
    """Let one call run, and one be held, approved and told; return the held one."""
    gate.settle(gate.submit(act(amount=5, to="bob")).record.id, End(True, "1"))
    hold = gate.submit(act()).record.id
    post(gate)
    answer(gate, hold, comment="ok")
    return hold


def _reopened(db: Path, **options: object) -> Service:
    return service(db, text=None, **options)


# ---- heads ------------------------------------------------------------------------------------------------


def test_replies_carry_the_head_of_the_log(db: Path) -> None:
    """A reply ends with the newest record's number and 12 digits as they stood when it was leased."""
    gate = service(db)
    _busy(gate)
    newest = gate.records()[-1]
    (reply,) = [notice for notice in post(gate) if notice.kind == "reply"]
    assert reply.text.endswith(f"\nLog #{newest.seq} {newest.hash[:12]}")
    assert anchors.find(reply.text) == [Anchor(newest.seq, newest.hash[:12])]


def test_posted_heads_are_noted_beside_the_store(db: Path) -> None:
    """What was posted stands in a file of the owner alone; what was only leased does not."""
    gate = service(db)
    _busy(gate)
    leased, newest = gate.lease_notices(limit=100), gate.records()[-1].seq
    assert newest not in [each.seq for each in anchors.read(db)]
    for notice in leased:
        gate.notice_done(notice.id)
    assert anchors.read(db)[-1].seq == newest
    assert anchors.path_of(db).stat().st_mode & 0o777 == 0o600


def test_a_head_that_cannot_be_noted_stops_nothing(db: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Where the file cannot be written, the message still counts as posted, and the process says so."""
    anchors.path_of(db).parent.mkdir(parents=True)
    anchors.path_of(db).mkdir()
    gate = service(db)
    _busy(gate)
    assert post(gate)
    assert not gate.lease_notices(limit=100)
    assert "cannot be written" in caplog.text


def test_the_noted_heads_stay_few(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that has become large loses its older half, never its newest head, and stays private."""
    monkeypatch.setattr(anchors, "LARGEST", 1000)
    db.parent.mkdir(parents=True)
    for seq in range(1, 200):
        anchors.append(db, Anchor(seq, "0123456789ab"), FakeClock().now())
    assert anchors.path_of(db).stat().st_size <= 1000
    assert anchors.path_of(db).stat().st_mode & 0o777 == 0o600
    kept = [each.seq for each in anchors.read(db)]
    assert kept == list(range(kept[0], 200))
    assert list(db.parent.iterdir()) == [anchors.path_of(db)]


def test_the_head_is_posted_once_a_day_while_the_log_grows(db: Path) -> None:
    """One announcement each day on which the log grew, none on the first day, none where nothing happened."""
    gate = service(db, kind="bot", allow_local=True)
    gate.bind_workspace("T0LOCAL", "127.0.0.1")
    post(gate)
    said = []
    for grows in (True, True, False, True):
        if grows:
            gate.submit(act(amount=5, to="bob"))
        for _ in range(3):
            gate.sweep()
        said.append([notice.text for notice in post(gate) if notice.kind == "announce"])
        assert isinstance(gate.clock, FakeClock)
        gate.clock.advance(24 * 3600)
    assert [len(texts) for texts in said] == [0, 1, 0, 1]
    assert "records." in said[1][0]
    assert anchors.find(said[1][0])


def test_no_daily_post_where_no_workspace_is(db: Path) -> None:
    """A store that no bot has bound posts nothing by itself."""
    gate = service(db)
    for _ in range(3):
        gate.submit(act(amount=5, to="bob"))
        gate.sweep()
        gate.clock.advance(24 * 3600)  # type: ignore[attr-defined]
    assert not [notice for notice in post(gate) if "records." in notice.text]


# ---- verify -----------------------------------------------------------------------------------------------


def test_verify_compares_with_what_was_published(db: Path) -> None:
    """Right heads are counted; a wrong one names its record, and one beyond the end says that it was cut."""
    gate = service(db)
    _busy(gate)
    third, noted = gate.records()[2], {each.seq for each in anchors.read(db)}
    found = gate.verify([Anchor(3, third.hash[:12])])
    assert (found.ok, found.anchors) == (True, len(noted | {3}))
    wrong = gate.verify([Anchor(3, "0123456789ab")])
    assert (wrong.ok, wrong.first_bad) == (False, 3)
    assert "published as 0123456789ab" in wrong.problem
    beyond = gate.verify([Anchor(99, "0123456789ab")])
    assert (beyond.ok, beyond.first_bad) == (False, len(gate.records()) + 1)
    assert "#99 was published" in beyond.problem


def _rewrite(tx: Tx) -> None:
    """Forge the log: change one record and make the chain whole again behind it."""
    before = ""
    for row in tx.all("SELECT seq, body, hash FROM audit ORDER BY seq"):
        body = row["body"].replace("bob", "eve") if row["seq"] >= 3 else row["body"]
        before = audit_export.link(before, body)
        tx.run("UPDATE audit SET body = ?, hash = ? WHERE seq = ?", (body, before, row["seq"]))
    tx.run("UPDATE audit_head SET hash = ?", (before,))


def test_a_rewritten_chain_is_found_by_what_was_published(db: Path) -> None:
    """A forged log whose chain is whole passes alone, and fails against one head from before."""
    gate = service(db)
    gate.settle(gate.submit(act(amount=5, to="bob")).record.id, End(True, "1"))
    head = gate.records()[-1]
    with gate.store.transaction() as tx:
        _rewrite(tx)
    assert gate.verify().ok
    assert not gate.verify([Anchor(head.seq, head.hash[:12])]).ok


def test_the_noted_heads_are_compared_too(db: Path) -> None:
    """Verify knows what the bot has posted from this place, and so does the next start."""
    gate = service(db)
    _busy(gate)
    post(gate)
    with gate.store.transaction() as tx:
        _rewrite(tx)
    assert not gate.verify().ok
    with pytest.raises(StoreError, match="is not the one that was published") as caught:
        _reopened(db)
    assert caught.value.code == "store_restored"


# ---- export -----------------------------------------------------------------------------------------------


def _lines(gate: Service) -> list[str]:
    lines: list[str] = []
    gate.export(lines.append)
    return lines


def test_an_export_is_checked_without_the_database(db: Path, tmp_path: Path) -> None:
    """The module alone, with the standard library only, finds an export whole and names its head."""
    gate = service(db)
    _busy(gate)
    out, alone = tmp_path / "log.jsonl", tmp_path / "elsewhere" / "check.py"
    span = gate.export_file(out)
    assert out.stat().st_mode & 0o777 == 0o600
    alone.parent.mkdir()
    shutil.copy(str(audit_export.__file__), alone)
    heads = tmp_path / "thread.txt"
    heads.write_text(f"Approved by alice.\nLog #{span.last} {span.head[:12]}\n")
    command = [sys.executable, "-I", "-S", str(alone), str(out), "--anchors", str(heads)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=alone.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"Whole: #1 to #{span.last}, head {span.head[:12]}, 1 published heads compared.\n"


SPOILING: dict[str, Callable[[list[str]], list[str]]] = {
    "changed": lambda lines: [*lines[:3], lines[3].replace("desk", "dusk"), *lines[4:]],
    "removed": lambda lines: [*lines[:3], *lines[4:]],
    "swapped": lambda lines: [*lines[:3], lines[4], lines[3], *lines[5:]],
    "twice": lambda lines: [*lines[:3], lines[3], *lines[3:]],
    "cut": lambda lines: lines[:-2],
    "cut and closed": lambda lines: [*lines[:-2], lines[-1]],
    "without an end": lambda lines: lines[:-1],
    "something behind": lambda lines: [*lines, lines[3]],
    "no beginning": lambda lines: lines[1:],
    "another form": lambda lines: [lines[0].replace("v1", "v2"), *lines[1:]],
    "half a line": lambda lines: [*lines[:3], lines[3][:40]],
    "a number as text": lambda lines: [*lines[:3], lines[3].replace('"seq":3', '"seq":"3"'), *lines[4:]],
    "a line without an end": lambda lines: [*lines[:3], '{"seq":' + "[" * 100_000, *lines[4:]],
    "empty": lambda lines: [],
}


@pytest.mark.parametrize("how", SPOILING)
def test_a_spoilt_export_is_found(how: str) -> None:
    """Whatever was done to the file, the check says what is wrong instead of passing or failing itself."""
    gate = service()
    _busy(gate)
    lines = _lines(gate)
    assert audit_export.check(lines).problem == ""
    assert audit_export.check(SPOILING[how](lines)).problem


def test_the_check_says_how_it_ended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command ends with 0, 1 or 2, and says in one line why."""
    gate, file = service(), tmp_path / "log.jsonl"
    _busy(gate)
    file.write_text("".join(_lines(gate)))
    assert audit_export.main([str(file)]) == 0
    file.write_text("".join(_lines(gate)[:-1]))
    assert audit_export.main([str(file)]) == 1
    assert audit_export.main([str(tmp_path / "nothing")]) == 2
    out = capsys.readouterr()
    assert out.out.startswith("Whole: #1 to #")
    assert "it was cut" in out.out
    assert "cannot be read" in out.err


def test_an_export_overwrites_nothing(db: Path, tmp_path: Path) -> None:
    """A file that is there stays as it is."""
    gate, out = service(db), tmp_path / "log.jsonl"
    out.write_text("mine")
    with pytest.raises(IllegalMove) as caught:
        gate.export_file(out)
    assert caught.value.code == "exists"
    assert out.read_text() == "mine"


# ---- archive ----------------------------------------------------------------------------------------------


def _archived(gate: Service, file: Path) -> int:
    """Archive everything so far, let more happen, and return the last archived number."""
    gate.clock.advance(60)  # type: ignore[attr-defined]
    span = gate.archive(gate.clock.now(), file, by="cli:x")
    _busy(gate)
    return span.last


def test_the_log_verifies_across_an_archive(db: Path, tmp_path: Path) -> None:
    """Archived records leave the table, a chained record tells of them, and both parts verify together."""
    gate, first, second = service(db), tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    _busy(gate)
    old = gate.records()
    last = _archived(gate, first)
    assert last == old[-1].seq
    assert gate.records()[0].body["kind"] == "archive"
    assert gate.records()[0].body["head"] == old[-1].hash
    more = _archived(gate, second)
    found = gate.verify()
    assert (found.ok, found.archived) == (True, more)
    noted = {each.seq for each in anchors.read(db)} | {2}
    whole = gate.verify([Anchor(2, old[1].hash[:12])], [second, first])
    assert (whole.ok, whole.records, whole.anchors) == (True, gate.records()[-1].seq, len(noted))
    alone = gate.verify([Anchor(2, old[1].hash[:12])])
    assert alone.unchecked == len([seq for seq in noted if seq <= more]) == whole.anchors - alone.anchors
    assert not gate.verify([Anchor(2, "0123456789ab")], [first, second]).ok
    assert not gate.verify((), [second]).ok
    assert not gate.verify((), [first]).ok


def test_a_changed_archive_is_found(db: Path, tmp_path: Path) -> None:
    """A file that was changed after it was written no longer belongs to the log."""
    gate, file = service(db), tmp_path / "a.jsonl"
    _busy(gate)
    _archived(gate, file)
    file.write_text(file.read_text().replace("bob", "eve"))
    found = gate.verify((), [file])
    assert not found.ok
    assert "archive is not whole" in found.problem


def test_records_taken_out_without_an_archive_are_missed(db: Path, tmp_path: Path) -> None:
    """Moving the beginning of the log by hand is no archive: no record tells of it."""
    gate = service(db)
    _busy(gate)
    fifth = gate.records()[4]
    with gate.store.transaction() as tx:
        tx.run("DELETE FROM audit WHERE seq <= 5")
        tx.run("UPDATE audit_head SET base_seq = 5, base_hash = ?", (fifth.hash,))
    found = gate.verify()
    assert (found.ok, found.first_bad) == (False, 5)
    assert "no record tells" in found.problem


def test_a_broken_log_is_not_archived(db: Path, tmp_path: Path) -> None:
    """Where the chain is broken nothing is taken out, and the file that was written shows where."""
    gate, file = service(db), tmp_path / "a.jsonl"
    _busy(gate)
    count = len(gate.records())
    with gate.store.transaction() as tx:
        tx.run("UPDATE audit SET body = replace(body, 'bob', 'eve') WHERE seq = 3")
    gate.clock.advance(60)  # type: ignore[attr-defined]
    with pytest.raises(StoreError, match="not whole: #3"):
        gate.archive(gate.clock.now(), file, by="cli:x")
    assert len(gate.records()) == count


def test_nothing_to_archive(db: Path, tmp_path: Path) -> None:
    """A time before the first record, or one that is archived already, makes no file."""
    gate, file = service(db), tmp_path / "a.jsonl"
    start = gate.clock.now()
    for _ in range(2):
        with pytest.raises(IllegalMove) as caught:
            gate.archive(start, file, by="cli:x")
        assert caught.value.code == "nothing_to_archive"
        assert not file.exists()
        _archived(gate, tmp_path / "b.jsonl") if not (tmp_path / "b.jsonl").exists() else None


# ---- backup and older copies ------------------------------------------------------------------------------


def _restored(gate: Service, db: Path, copy: Path) -> None:
    """Put a backup in the store's place, as its page says."""
    gate.close()
    for path in db.parent.glob("gate.db*"):
        if path != anchors.path_of(db):
            path.unlink()
    shutil.copy(copy, db)
    shutil.copy(files.key_path(copy), files.key_path(db))


def test_a_backup_is_a_store(db: Path, tmp_path: Path) -> None:
    """The copy has every record up to it, its key, and belongs to its owner alone; the log tells of it."""
    gate, copy = service(db), tmp_path / "copy.db"
    hold = _busy(gate)
    records = gate.records()
    gate.backup(copy, by="cli:x")
    assert gate.records()[-1].body["kind"] == "backup"
    assert [path.stat().st_mode & 0o777 for path in (copy, files.key_path(copy))] == [0o600, 0o600]
    other = Service(copy, clock=gate.clock)
    assert other.records() == records
    assert other.hold(hold).state == State.APPROVED
    assert other.verify().ok
    assert other.claim(hold, act()).run


def test_a_backup_overwrites_nothing(db: Path, tmp_path: Path) -> None:
    """A file that is there stays as it is, and no key is written beside it."""
    gate, copy = service(db), tmp_path / "copy.db"
    copy.write_text("mine")
    with pytest.raises(IllegalMove):
        gate.backup(copy, by="cli:x")
    assert copy.read_text() == "mine"
    assert not files.key_path(copy).exists()


def test_a_restored_backup_is_refused_until_it_is_adopted(db: Path, tmp_path: Path) -> None:
    """What was published since is missed at start; adopting cancels open holds, and all goes on."""
    gate, copy = service(db), tmp_path / "copy.db"
    hold = gate.submit(act()).record.id
    gate.backup(copy, by="cli:x")
    post(gate)
    answer(gate, hold)
    assert gate.claim(hold, act()).run
    post(gate)
    _restored(gate, db, copy)
    with pytest.raises(StoreError, match="gate db adopt") as caught:
        _reopened(db)
    assert caught.value.code == "store_restored"
    keeper = Service(db, clock=FakeClock(), kind="cli", allow_older=True)
    assert not keeper.verify().ok
    assert keeper.adopt(by="cli:x") == 1
    keeper.close()
    gate = _reopened(db)
    assert gate.action(hold).code == "store_adopted"
    assert not gate.claim(hold, act()).run
    assert "adopted" in kinds(gate)
    assert gate.verify().ok
    _busy(gate)
    post(gate)
    gate.close()
    assert _reopened(db).verify().ok


def test_a_store_that_is_no_older_copy_is_not_adopted(db: Path) -> None:
    """Adopting needs a reason: nothing that was published is missing, so no hold is cancelled."""
    gate = service(db)
    hold = _busy(gate)
    post(gate)
    with pytest.raises(IllegalMove) as caught:
        gate.adopt(by="cli:x")
    assert caught.value.code == "not_older"
    assert gate.action(hold).state == State.APPROVED
    assert gate.adopt([Anchor(99, "0123456789ab")], by="cli:x") == 1


def test_a_process_notices_that_its_log_became_shorter(db: Path) -> None:
    """Where an older copy was put into the open file, the next verb is refused and nothing runs."""
    gate = service(db)
    _busy(gate)
    with gate.store.transaction() as tx:
        tx.run("DELETE FROM audit WHERE seq > 3")
        tx.run("UPDATE audit_head SET seq = 3, hash = (SELECT hash FROM audit WHERE seq = 3)")
    with pytest.raises(StoreError) as caught:
        gate.submit(act(amount=5, to="bob"))
    assert caught.value.code == "store_restored"


def test_heads_are_found_in_any_text() -> None:
    """Heads are read out of exports, quotes and JSON; what only looks like one is none."""
    text = (
        json.dumps({"text": "Denied.\nLog #12 0123456789ab"}) + " #7  abcdefabcdef, #8 0123 #9 0123456789abc"
    )
    assert anchors.find(text.replace("\\n", "\n")) == [Anchor(12, "0123456789ab"), Anchor(7, "abcdefabcdef")]
