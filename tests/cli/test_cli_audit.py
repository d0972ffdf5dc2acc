"""``gate audit``: the log, the story of one call, the check of the chain."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gate.clock import FakeClock
from gate.errors import ActionError, NotEligible
from gate.verbs.claim import End
from tests.cli.cli_kit import Filled, read, run, said
from tests.kit import ALICE, BOB, CAROL, ROUTE, act, answer, post, service


def test_list_has_every_record_in_order(filled: Filled) -> None:
    """With --json each record is one line, numbered without gaps, with its hash."""
    lines = [json.loads(line) for line in said("audit", "list", "--json", *filled.words()).splitlines()]
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert all(len(line["hash"]) == 64 for line in lines)
    assert [line["kind"] for line in lines if line.get("action") == filled.denied] == ["submit", "deny"]


def test_list_can_be_narrowed(filled: Filled) -> None:
    """--action, --kind and --limit each leave what they say, the newest last."""
    words = filled.words()
    about = said("audit", "list", "--action", filled.denied[:6], "--json", *words).splitlines()
    assert {json.loads(line)["action"] for line in about} == {filled.denied}
    kinds = said("audit", "list", "--kind", "submit", "--json", *words).splitlines()
    assert {json.loads(line)["kind"] for line in kinds} == {"submit"}
    assert "It has: " in (wrong := said("audit", "list", "--kind", "headroom", *words))
    assert "submit" in wrong.partition("It has: ")[2]
    newest = said("audit", "list", "--kind", "submit", "--limit", "1", "--json", *words)
    assert json.loads(newest)["action"] == filled.pending


def test_list_tells_of_refused_calls(db: Path) -> None:
    """A call that was never an action stands there with its tool, its agent and why it was refused."""
    gate = service(db)
    with pytest.raises(ActionError):
        gate.submit(act("desk.pay", amount=float("nan")))
    gate.close()
    line = said("audit", "list", "--kind", "refused", "--db", db).splitlines()[-1]
    assert all(part in line for part in ("agent:desk", "desk.pay args.amount:", "Nothing ran."))


def test_list_tells_of_refused_freezes(db: Path) -> None:
    """Whoever may not freeze stands there with what they wanted to freeze, and why they may not."""
    gate = service(db)
    with pytest.raises(NotEligible):
        gate.freeze_for("agent", "desk", person=CAROL, satisfies=frozenset(), route=ROUTE)
    gate.close()
    line = said("audit", "list", "--kind", "refused", "--db", db).splitlines()[-1]
    assert "T0LOCAL/U0CAROL" in line
    assert "freeze agent desk You are not among the approvers" in line


def test_list_by_time(db: Path) -> None:
    """--since is inclusive and --until exclusive; dates mean midnight UTC; a span counts back from now."""
    clock = FakeClock()
    gate = service(db, clock=clock)
    first = gate.submit(act(amount=1, to="a")).record.id
    clock.advance(86400)
    second = gate.submit(act(amount=2, to="b")).record.id
    gate.close()

    def found(*words: str) -> set[str]:
        lines = said("audit", "list", "--kind", "submit", "--json", "--db", str(db), *words).splitlines()
        return {json.loads(line)["action"] for line in lines}

    assert found("--since", "2026-01-02T09:00:00Z") == {second}
    assert found("--until", "2026-01-02T09:00:00+00:00") == {first}
    assert found("--until", "2026-01-02") == {first}
    assert found("--since", "7d") == set()


@pytest.mark.parametrize("time", ["yesterday", "7", "2026-13-01", "-7d", "99999999999d"])
def test_a_time_that_is_none_is_a_usage_error(filled: Filled, time: str) -> None:
    """A word that is no time ends with 2 and shows the forms there are."""
    result = run("audit", "list", "--since", time, *filled.words())
    assert result.exit_code == 2
    assert "2026-11-20" in result.stderr


def test_why_tells_a_denial(filled: Filled) -> None:
    """The story has who asked for whom, the rule with its place, the revision, the person and the comment."""
    text = said("audit", "why", filled.denied, *filled.words())
    revision = read("status", *filled.words())["policy"]["revision"][:12]
    for part in (
        "The agent desk called desk.pay in session s1, for person U0ASKER",
        "amount = 500",
        "desk/large (desk.yml:14): Above ten.",
        f"under policy revision {revision} (applied 20",
        "one of U0ALICE, U0BOB, S0FINANCE in C0APPROVALS",
        "alice (T0LOCAL/U0ALICE) denied it",
        "“No claim on file.”",
        "Denied: nothing ran.",
    ):
        assert part in text, part


def test_why_tells_a_run_that_failed(filled: Filled) -> None:
    """The story of a failed run says who approved it and what it raised; secrets are hidden."""
    text = said("audit", "why", filled.failed, *filled.words())
    for part in (
        "approved it",
        "Within policy.",
        "was started",
        "raised ValueError: no route",
        "may have taken effect",
    ):
        assert part in text, part
    assert "Hidden: api_token." in text
    assert "hunter2" not in text


def test_why_tells_calls_nobody_was_asked_about(filled: Filled) -> None:
    """An allowed and a blocked call say by which rule, and that nobody was asked."""
    allowed = said("audit", "why", filled.allowed, *filled.words())
    assert "Allowed without asking anybody" in allowed
    assert "desk/small (desk.yml:13): the rule gives no reason." in allowed
    blocked = said("audit", "why", filled.blocked, *filled.words())
    assert "desk/huge (desk.yml:16): Never above a thousand." in blocked
    assert "Blocked: nothing ran." in blocked


def test_why_tells_that_the_default_answered(db: Path) -> None:
    """Where no rule answered, the story says so instead of a reason."""
    gate = service(db, text="version: 1\nname: desk\ndefault: allow\n")
    call = gate.submit(act(amount=5, to="bob")).record.id
    gate.close()
    assert "desk/default (desk.yml:3): no rule answered, so the default did." in said(
        "audit", "why", call, "--db", db
    )


def test_why_tells_the_name_that_a_server_gave(db: Path) -> None:
    """Beside the action's name, which is what was judged."""
    gate = service(db)
    action = gate.submit(replace(act(amount=5000, to="bob"), source="mcp__desk__pay")).record.id
    gate.close()
    assert "called desk.pay (named mcp__desk__pay) in session s1" in said("audit", "why", action, "--db", db)


def test_why_takes_prefix_link_and_thread_link(filled: Filled) -> None:
    """Six characters, the card's link and the link of a reply in its thread all mean the same call."""
    gate = service(filled.db, text=None)
    gate.learn_card(filled.denied, channel="C0APPROVALS", ts="1700000000.123456", version=1)
    gate.close()
    link = "https://example.slack.com/archives/C0APPROVALS/p1700000000123456"
    reply = "https://example.slack.com/archives/C0APPROVALS/p1700000009000000?thread_ts=1700000000.123456&cid=C0APPROVALS"
    for what in (filled.denied[:6], filled.denied.upper(), link, f"<{link}>", reply, f"{link}?x=1"):
        assert read("audit", "why", what, *filled.words())["action"] == filled.denied


def test_why_of_what_is_not_there(filled: Filled) -> None:
    """Unknown ids, links of other messages and no links end with 5."""
    for what in (
        "zzzzzz",
        "abc",
        "https://x.slack.com/archives/C0X/p1700000000000000",
        "a/b",
        "/archives/C0X/p1",
    ):
        assert run("audit", "why", what, *filled.words()).exit_code == 5


def test_why_tells_every_end(db: Path) -> None:
    """Expired, cancelled, undelivered, stopped, frozen at the claim and in doubt are told apart."""
    clock = FakeClock()
    gate = service(db, clock=clock)

    def held(to: str) -> str:
        return gate.submit(act(amount=50, to=to)).record.id

    undelivered = held("u")
    gate.undeliver(undelivered, code="nobody_can_approve", reason="Nobody of S0FINANCE is active.")
    expired, cancelled, stopped, frozen, doubted, two = (held(name) for name in "abcdef")
    post(gate)
    gate.cancel(cancelled, by="cli:alice", reason="Asked twice.")
    for hold in (stopped, frozen, doubted):
        answer(gate, hold)
    answer(gate, stopped, BOB, said="deny", comment="Stop it.")
    gate.freeze("everything", by="cli:alice", reason="Audit.")
    gate.claim(frozen, act(amount=50, to="d"))
    gate.unfreeze("everything", by="cli:alice", reason="Done.")
    gate.claim(doubted, act(amount=50, to="e"))
    gate.doubt(doubted, reason="the caller was interrupted.")
    clock.advance(3600)
    gate.sweep()
    gate.close()
    expected = {
        undelivered: ["could not be delivered: Nobody of S0FINANCE", "Undelivered: nothing ran."],
        expired: ["expired", "Expired: nothing ran."],
        cancelled: ["cli:alice cancelled it: Asked twice.", "Cancelled: nothing ran."],
        stopped: ["stopped before it ran", "“Stop it.”", "Denied: nothing ran."],
        frozen: ["blocked before it ran by gate/freeze", "Blocked: nothing ran."],
        doubted: ["Nobody knows how it ended", "In doubt: it was started once"],
        two: ["expired"],
    }
    for action, parts in expected.items():
        text = said("audit", "why", action, "--db", db)
        for part in parts:
            assert part in text, (part, text)


def test_why_tells_refused_answers_and_quorums(db: Path) -> None:
    """A stranger's refused answer and an approval that was not enough are part of the story."""
    from gate.errors import NotEligible
    from gate.model import Person

    gate = service(db)
    hold = gate.submit(act("desk.fire", who="carol")).record.id
    post(gate)
    answer(gate, hold, ALICE)
    with pytest.raises(NotEligible):
        answer(gate, hold, Person("T0LOCAL", "U0MALLORY", "mallory"), satisfies=frozenset())
    gate.close()
    text = said("audit", "why", hold, "--db", db)
    assert "2 of U0ALICE" in text
    assert "More approvals were still needed." in text
    assert "T0LOCAL/U0MALLORY tried to answer" in text
    assert "refused (not_eligible)" in text


def test_a_long_argument_does_not_drown_the_story(db: Path) -> None:
    """The story cuts an argument; the hold's view and the log keep it whole."""
    gate = service(db)
    hold = gate.submit(act(amount=50, to="x" * 5000)).record.id
    gate.close()
    assert len(said("audit", "why", hold, "--db", db)) < 2500
    assert "x" * 5000 in said("holds", "show", hold, "--db", db)


def test_verify_of_a_whole_log(filled: Filled) -> None:
    """A log that nobody touched is whole, and the count is that of its records."""
    found = read("audit", "verify", *filled.words())
    assert found["ok"] is True
    assert f"{found['records']:,} records" in said("audit", "verify", *filled.words())


def test_verify_names_the_first_bad_record(filled: Filled) -> None:
    """One changed word in record 4 is found, named, and ends with 1."""
    gate = service(filled.db, text=None)
    with gate.store.transaction() as tx:
        tx.run("UPDATE audit SET body = replace(body, 'desk', 'disk') WHERE seq = 4")
    gate.close()
    result = run("audit", "verify", *filled.words())
    assert result.exit_code == 1
    assert "#4" in result.stdout
    bad = run("audit", "verify", "--json", *filled.words())
    assert bad.exit_code == 1
    assert json.loads(bad.stdout)["first_bad"] == 4


def test_a_tool_of_another_session_is_told_with_its_result(db: Path) -> None:
    """A call that ran well ends its story with 'it ran once'."""
    gate = service(db)
    action = gate.submit(act(amount=5, to="bob")).record.id
    gate.settle(action, End(True, '"ok"'))
    gate.close()
    assert said("audit", "why", action, "--db", db).endswith("Succeeded: it ran once.\n")
