"""``gate holds`` against real stores."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.ids import short_code
from gate.lifecycle import State
from tests.cli.cli_kit import Filled, read, run, said
from tests.kit import ALICE, act, answer, post, service


def test_list_shows_open_holds_only(filled: Filled) -> None:
    """The list has the pending hold and none that ended."""
    text = said("holds", "list", *filled.words())
    assert filled.pending in text
    assert "Pay 700 to dora" in text
    assert filled.denied not in text


def test_list_all_shows_ended_ones_too(filled: Filled) -> None:
    """With --all every hold is there, and an allowed call, which was never held, is not."""
    found = {hold["id"]: hold["state"] for hold in read("holds", "list", "--all", *filled.words())["holds"]}
    assert found == {filled.denied: "denied", filled.failed: "failed", filled.pending: "pending"}


def test_a_long_line_is_cut_where_many_stand(db: Path) -> None:
    """A describe line of 100,000 characters leaves the list a list; the hold itself is shown whole."""
    gate = service(db)
    hold = gate.submit(act(amount=700, to="x" * 100_000), wait=False).record.id
    gate.close()
    words = ("holds", "list", "--db", db)
    assert len(said(*words)) < 2_000
    assert "…" in said(*words)
    assert "x" * 100_000 in said("holds", "show", hold, "--db", db).replace("\n", "")


def test_limit_keeps_the_newest(filled: Filled) -> None:
    """--limit 1 leaves the newest hold."""
    (hold,) = read("holds", "list", "--all", "--limit", "1", *filled.words())["holds"]
    assert hold["id"] == filled.pending


def test_an_empty_list_says_so(db: Path) -> None:
    """Without holds the list is a sentence, not an empty screen."""
    service(db).close()
    assert said("holds", "list", "--db", db).startswith("No open holds.")


def test_show_has_everything_an_approver_sees(filled: Filled) -> None:
    """Arguments, rule with place, approvers, effect, history and the 4-digit code are shown."""
    text = said("holds", "show", filled.pending[:6], *filled.words())
    code = read("holds", "show", filled.pending, *filled.words())["short_code"]
    parts = ["Pay 700 to dora", "amount = 700", 'to = "dora"', "desk/large (desk.yml:14): Above ten."]
    parts += ["one of U0ALICE, U0BOB, S0FINANCE", "cannot be undone", "C0APPROVALS", code]
    for part in [*parts, "Pay 500 to bob: denied"]:
        assert part in text, part


@pytest.mark.parametrize(
    ("team", "host", "where"),
    [
        (None, "", "nobody can answer yet: start 'gate-bot', or 'gate-bot --local' without Slack"),
        ("T0LOCAL", "127.0.0.1", "CODE' on the page of 'gate-bot --local'"),
        ("T0TEAM", "slack.com", "CODE' in Slack"),
    ],
)
def test_the_code_is_offered_where_it_can_be_typed(db: Path, team: str | None, host: str, where: str) -> None:
    """In the workspace that the store is bound to; before any there is nobody to type it."""
    gate = service(db, allow_local=True)
    if team is not None:
        gate.bind_workspace(team, host)
    hold = gate.submit(act()).record.id
    text = said("holds", "show", hold, "--db", db)
    assert text.splitlines()[6].startswith("Code ")
    assert text.splitlines()[6].endswith(f"{where})")
    post(gate)
    answer(gate, hold)
    assert "Code " not in said("holds", "show", hold, "--db", db)
    gate.close()


def test_a_hold_that_runs_has_not_ended(db: Path) -> None:
    """Neither in the list nor by itself, where no time stands that it does not have."""
    gate = service(db)
    hold = gate.submit(act()).record.id
    post(gate)
    answer(gate, hold)
    assert gate.claim(hold, act()).run
    assert said("holds", "list", "--all", "--db", db).splitlines()[1].endswith("  not ended")
    assert "running: it was started and has not ended (asked 2026-01-01 09:00:00 UTC)" in said(
        "holds", "show", hold, "--db", db
    )
    gate.close()


def test_a_call_that_was_never_held_leads_to_its_story(filled: Filled) -> None:
    """It is in the store, so nobody is told that it is not; an id of nothing leads to the list."""
    for verb in (["show", filled.blocked[:8]], ["cancel", filled.allowed, "--reason", "No."]):
        told = run("holds", *verb, *filled.words())
        full = filled.blocked if verb[0] == "show" else filled.allowed
        assert told.exit_code == 5
        assert told.stderr == (
            f"gate: The call {full} was never held. 'gate audit why {full}' tells what became of it.\n"
        )
    told = run("holds", "show", "zzzzzz", *filled.words())
    assert told.stderr.startswith("gate: No id begins with 'zzzzzz' in this store. 'gate audit list' has")


def test_the_code_is_that_of_the_version(filled: Filled) -> None:
    """The code is derived from the current version's nonce, and gone once nothing can be decided."""
    pending = read("holds", "show", filled.pending, *filled.words())
    assert pending["short_code"] == short_code(pending["nonce"])
    assert read("holds", "show", filled.denied, *filled.words())["short_code"] is None


def test_show_hides_secrets_and_says_what_is_hidden(filled: Filled) -> None:
    """A secret argument reaches no output, and the view says that it is not shown."""
    text = said("holds", "show", filled.failed, *filled.words())
    assert "hunter2" not in text + said("holds", "show", filled.failed, "--json", *filled.words())
    assert "args.api_token: hidden" in text


def test_text_of_the_agent_cannot_reach_the_terminal_raw(db: Path) -> None:
    """Escape codes and direction marks in an argument are shown as escapes in every verb that shows it."""
    gate = service(db)
    hold = gate.submit(act(amount=50, to="bob\x1b[2J\u202etxt\x07")).record.id
    gate.close()
    for words in (
        ["holds", "show", hold],
        ["holds", "list", "--all"],
        ["audit", "why", hold],
        ["audit", "list"],
    ):
        text = said(*words, "--db", db)
        assert not {"\x1b", "\u202e", "\x07"} & set(text), words
    assert "\\u202e" in said("holds", "show", hold, "--db", db)


def test_a_hold_without_a_card_shows_the_deadline_that_counts(db: Path) -> None:
    """Until a card stands the time is that for posting one; then that for the answer, then for the start."""
    gate = service(db)
    hold = gate.submit(act(amount=50, to="bob")).record.id
    where = ("--db", db)
    assert "pending, no card yet, post one by 2026-01-01 09:10:00 UTC (" in said(
        "holds", "show", hold, *where
    )
    post(gate)
    assert "pending, answer by 2026-01-01 10:00:00 UTC (" in said("holds", "show", hold, *where)
    answer(gate, gate.hold(hold), ALICE)
    assert "approved, start by 2026-01-01 09:30:00 UTC (" in said("holds", "show", hold, *where)
    gate.cancel(hold, by="cli", reason="Not now.")
    assert gate.hold(hold).deadline is None
    gate.close()


def test_cancel_takes_a_hold_back(filled: Filled) -> None:
    """A cancelled hold is cancelled in the store, with the reason, and cannot be cancelled again."""
    words = ["holds", "cancel", filled.pending[:6], "--reason", "Asked twice.", *filled.words()]
    assert filled.pending in said(*words)
    shown = read("holds", "show", filled.pending, *filled.words())
    assert (shown["state"], shown["code"], shown["end_reason"]) == (
        "cancelled",
        "cancelled_by_operator",
        "Asked twice.",
    )
    assert run(*words).exit_code == 5


def test_cancel_needs_a_reason(filled: Filled) -> None:
    """Without --reason nothing is cancelled."""
    assert run("holds", "cancel", filled.pending, *filled.words()).exit_code == 2
    assert read("holds", "show", filled.pending, *filled.words())["state"] == "pending"


def test_what_is_not_there_is_not_found(filled: Filled) -> None:
    """An unknown id, one too short, and an allowed call, which is no hold, end with 5 and say why."""
    for wanted in ("zzzzzzzzzzzzzzzz", "abc", filled.allowed):
        result = run("holds", "show", wanted, *filled.words())
        assert result.exit_code == 5
        assert wanted in result.stderr


def test_a_prefix_of_two_holds_is_refused(db: Path) -> None:
    """A prefix that means two holds shows neither."""
    gate = service(db)
    first = gate.submit(act(amount=50, to="bob")).record.id
    second = gate.submit(act(amount=51, to="bob")).record.id
    with gate.store.transaction() as tx:
        tx.run("PRAGMA defer_foreign_keys = ON")
        twin = first[:8] + second[8:]
        tx.run("UPDATE actions SET id = ? WHERE id = ?", (twin, second))
        for table in ("holds", "versions", "notices", "waiters"):
            tx.run(f"UPDATE {table} SET action = ? WHERE action = ?", (twin, second))
    gate.close()
    result = run("holds", "show", first[:8], "--db", db)
    assert result.exit_code == 5
    assert "More than one" in result.stderr


def test_no_verb_approves(filled: Filled) -> None:
    """Whatever verb is run on a pending hold, no decision is recorded and it never becomes approved."""
    from gate.cli.root import cli
    from tests.cli.every_command import leaves, plausible

    code = read("holds", "show", filled.pending, *filled.words())["short_code"]
    for path, command in leaves(cli):
        run(*path, *plausible(command, filled.pending, code, filled.db))
    gate = service(filled.db, text=None, kind="cli", create=False)
    with gate.store.reader() as reader:
        approvals = reader.all("SELECT * FROM decisions WHERE action = ?", (filled.pending,))
        moves = reader.all("SELECT 1 FROM records WHERE action = ? AND kind = 'approve'", (filled.pending,))
    gate.close()
    assert approvals == []
    assert moves == []
    assert State(read("holds", "show", filled.pending, *filled.words())["state"]) is State.CANCELLED


def test_the_words_of_approval_are_no_verbs() -> None:
    """No command or group is called after a decision, and no module of the command line decides."""
    from gate.cli.root import cli
    from tests.cli.every_command import leaves

    names = {word for path, _ in leaves(cli) for word in path}
    assert not names & {"approve", "deny", "decide", "answer", "allow"}
    folder = Path(__file__).parents[2] / "gate" / "cli"
    sources = {path.name: path.read_text("utf-8") for path in folder.glob("*.py")}
    assert len(sources) > 10
    assert [name for name, text in sources.items() if ".decide(" in text or "verbs.decide" in text] == []
