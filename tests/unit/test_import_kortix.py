"""Importing Kortix manifests: the same verdicts or stricter ones, deviations said, errors located."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gate.errors import PolicyError
from gate.model import Action, Approver, Effect, Risk, Verdict
from gate.policy.evaluate import evaluate
from gate.policy.importers.draft import People
from gate.policy.importers.kortix import import_file, import_text, may_share_names
from gate.policy.load import load_texts
from gate.policy.policyset import PolicySet

PEOPLE = People("C0APPROVALS", (Approver("user", "U0ALICE"), Approver("group", "S0FINANCE")))
DESK = """\
kortix_version: 1
project: {name: support}
policy:
  default_mode: risk
approvals:
  ttl: 4h
policies:
  - match: stripe.create_refund
    action: always_run
    conditions:
      - {arg: reason, match: duplicate}
  - {match: stripe.create_refund, action: require_approval}
  - {match: stripe.update_subscription, action: require_approval}
  - {match: helpdesk.reply_to_thread, action: always_run}
  - {match: helpdesk.add_note, action: always_run}
  - {match: github.*, action: always_run}
  - {match: stripe.get_*, action: always_run}
  - {match: stripe.list_*, action: always_run}
  - {match: "*.delete_*", action: block}
triggers:
  - {slug: nightly, cron: 12:30, enabled: yes}
"""
CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("github.search_code", {"query": "refund"}, "allow"),
    ("stripe.list_invoices", {"customer": "cus_1"}, "allow"),
    ("stripe.get_charge", {"id": "ch_1"}, "allow"),
    ("helpdesk.reply_to_thread", {"thread": "t1", "body": "hi"}, "allow"),
    ("helpdesk.add_note", {"thread": "t1", "note": "n"}, "allow"),
    ("stripe.create_refund", {"charge": "ch_1", "amount": 4900, "reason": "duplicate"}, "allow"),
    (
        "stripe.create_refund",
        {"charge": "ch_1", "amount": 4900, "reason": "requested_by_customer"},
        "require_approval",
    ),
    ("stripe.update_subscription", {"id": "sub_1", "plan": "pro"}, "require_approval"),
    ("helpdesk.escalate_to_engineer", {"thread": "t1"}, "require_approval"),
    ("stripe.delete_customer", {"id": "cus_1"}, "block"),
]


def imported(text: str) -> str:
    return import_text(text, "kortix.yaml", PEOPLE)


def ask(text: str, name: str, risk: Risk = "write", **arguments: Any) -> Verdict:
    return evaluate(loaded(text), Action(name, arguments, "bot", "s1", effect=Effect(risk=risk)))


def loaded(text: str) -> PolicySet:
    return load_texts({"kortix.yml": imported(text)})


def problems(text: str) -> list[str]:
    with pytest.raises(PolicyError) as caught:
        imported(text)
    return [str(each) for each in caught.value.problems]


@pytest.mark.parametrize(("name", "arguments", "expected"), CALLS)
def test_the_support_desk_gives_its_ten_verdicts(name: str, arguments: dict[str, Any], expected: str) -> None:
    """Six calls run, three wait and one is blocked, by names and arguments alone."""
    verdict = evaluate(loaded(DESK), Action(name, arguments, "bot", "s1"))
    assert verdict.answer == expected


def test_the_result_reads_as_if_written_by_hand() -> None:
    """The file says where it comes from, what is stricter and what was left out, laid out like ours."""
    text = imported(DESK)
    assert text.startswith("# Imported from kortix.yaml. ")
    assert "# - Not carried over, since they do not say which calls may run: triggers." in text
    assert (
        """
approvals:
  channel: C0APPROVALS
  approvers: [U0ALICE, S0FINANCE]
  expires_in: 4h

rules:
  - id: run-stripe-create_refund
    match: stripe.create_refund
    when: {args.reason: {eq: duplicate}}
    then: allow

  - id: hold-stripe-create_refund
    match: stripe.create_refund
    then: require_approval
    reason: Imported from kortix.yaml, policies[1] stripe.create_refund.
"""
        in text
    )


def test_an_unset_mode_holds_writes() -> None:
    """Where Kortix runs everything that no rule names because nothing is set, ours holds what is no read."""
    text = "policies: []\n"
    assert "default: by_risk " in imported(text)
    assert "unset there" in imported(text)
    assert ask(text, "shop.buy").answer == "require_approval"
    assert ask("policy: {default_mode: allow_all}\n", "shop.buy").answer == "allow"


def test_project_rules_come_before_those_of_connectors() -> None:
    """A connector's rule concerns its own calls only and cannot lift what the project says."""
    text = """\
policies: [{match: shop.buy, action: require_approval}]
connectors:
  - {slug: shop, policies: [{match: "*", action: always_run}]}
  - {slug: mail, policies: [{match: send, action: block}]}
"""
    assert [ask(text, name).answer for name in ("shop.buy", "shop.sell", "mail.send", "post.send")] == [
        "require_approval",
        "allow",
        "block",
        "require_approval",
    ]


def test_positions_order_rules() -> None:
    """A written position decides the order, not the place in the file."""
    text = "policies: [{match: '*', action: always_run, position: 5}, {match: shop.*, action: block}]"
    assert ask(text, "shop.buy").answer == "block"


def test_reads_of_a_sensitive_connector_wait() -> None:
    """Sensitive means that nothing of the connector runs by default; its rules still decide first."""
    rules = "[{match: list, action: always_run}]"
    text = f"""\
policy: {{default_mode: allow_all}}
connectors: [{{slug: mail, sensitive: true, policies: {rules}}}]
"""
    assert ask(text, "mail.read", "read").answer == "require_approval"
    assert ask(text, "mail.list", "read").answer == "allow"
    assert ask(text, "shop.read", "read").answer == "allow"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sensitive: 'true'", "sensitive: must be true or false"),
        ("connectors: [{slug: mail, sensitive: 1}]", "connectors[0].sensitive: must be true or false"),
        ("connectors: [{slug: mail, sensitiv: true}]", '"sensitiv" is not known here'),
        ("connectors: [{slug: mail, policy: [{match: '*', action: block}]}]", '"policy" is not known here'),
        ("connectors: [{slug: 'm*', policies: [{match: '*', action: always_run}]}]", '"m*" is no slug'),
        ("imports: [.kortix/connectors.yaml]", "imports: names other files"),
    ],
)
def test_nothing_that_could_be_stricter_there_is_passed_over(text: str, said: str) -> None:
    """Neither a sensitive connector, nor rules under a misspelt key or in a file that is imported there."""
    assert said in problems(f"policy: {{default_mode: allow_all}}\n{text}\n")[0]
    beside = "connectors: [{slug: mail, provider: mcp, url: 'https://x', base_url: z, sensitive: false}]"
    assert ask(f"policy: {{default_mode: allow_all}}\nimports: []\n{beside}\n", "mail.send").answer == "allow"


def test_what_agents_may_use_is_said_not_to_be_carried_over() -> None:
    """A grant of connectors keeps an agent from calls there, and nothing here does."""
    text = imported("policies: [{match: 'mail.*', action: block}]\nagents: {desk: {connectors: [shop]}}\n")
    assert "Looser than there: which connectors each of the agents may use" in text
    assert "do not say which calls may run" not in text


def test_a_block_below_a_run_rule_that_crosses_it_still_blocks() -> None:
    """Kortix would run what the wider rule above lets run; an exception above a wide block stays one."""
    crossing = "policies: [{match: github.*, action: always_run}, {match: '*.delete_*', action: block}]"
    assert ask(crossing, "github.delete_repo").answer == "block"
    assert ask(crossing, "github.search").answer == "allow"
    assert "Stricter than there, where github.* lets these calls run" in imported(crossing)
    exception = "policies: [{match: github.get, action: always_run}, {match: github.*, action: block}]"
    assert ask(exception, "github.get").answer == "allow"


@pytest.mark.parametrize(
    ("one", "two", "shared"),
    [
        ("github.*", "*.delete_*", True),
        ("stripe.get_*", "*.delete_*", False),
        ("a.*.c", "a.b.*", True),
        ("a.*", "b.*", False),
        ("*", "a.b", True),
        ("a.*", "a.b.c.d", True),
        ("a.b", "a.b.c", False),
    ],
)
def test_names_that_two_globs_share(one: str, two: str, shared: bool) -> None:
    """Overlap is told as people mean globs: a star with letters beside it stays within its part."""
    assert may_share_names(one, two) is shared is may_share_names(two, one)


def test_expressions_are_searched_there_and_match_whole_here() -> None:
    """An expression on names or arguments is carried over with what may stand around it."""
    text = r"""
policy: {default_mode: allow_all}
policies:
  - {match: /SEND/, action: block}
  - {match: shop.buy, action: block, conditions: [{arg: to, match: '/^(a|b)@x\.test$/', negate: true}]}
connectors: [{slug: shop, policies: [{match: /^del/, action: block}]}]
"""
    assert ask(text, "mail.send_email").answer == "block"
    assert ask(text, "shop.delete").answer == "block"
    assert ask(text, "shop.undelete").answer == "allow"
    assert ask(text, "shop.buy", to="a@x.test").answer == "allow"
    assert ask(text, "shop.buy", to="a@x.test.evil").answer == "block"


def test_a_run_rule_for_a_domain_takes_one_address_only() -> None:
    """A text of several addresses ends in the domain too; it does not run."""
    text = """\
policies:
  - {match: mail.send, action: always_run, conditions: [{arg: to, match: "*@example.com"}]}
  - {match: mail.send, action: block}
"""
    assert ask(text, "mail.send", to="a@example.com").answer == "allow"
    for other in ("evil@x.test, a@example.com", "evil@x.test\na@example.com", "evil@x.test a@example.com"):
        assert ask(text, "mail.send", to=other).answer == "block"


def test_numbers_and_truth_values_are_compared_as_such_too() -> None:
    """Kortix compares by text; a text that spells a number or truth value stands for both here."""
    text = """\
policy: {default_mode: allow_all}
policies:
  - {match: x.y, action: block, conditions: [{arg: dry_run, match: "false"}]}
  - {match: x.z, action: block, conditions: [{arg: count, match: "5"}]}
"""
    assert [ask(text, "x.y", dry_run=value).answer for value in (False, "false", True)] == [
        "block",
        "block",
        "allow",
    ]
    assert [ask(text, "x.z", count=value).answer for value in (5, "5", 6)] == ["block", "block", "allow"]


def test_two_conditions_on_one_argument_both_stand() -> None:
    """A mapping holds one key once, so conditions on the same path are joined by all."""
    text = """\
policies:
  - {match: x.y, action: always_run, conditions: [{arg: to, match: a*}, {arg: to, match: "*z"}]}
"""
    assert [ask(text, "x.y", to=value).answer for value in ("abz", "ab")] == ["allow", "require_approval"]


def test_a_time_to_answer_is_brought_into_the_limits() -> None:
    """A longer time than a hold may wait becomes the longest, and the file says so."""
    assert "expires_in: 7d" in imported("approvals: {ttl: 30d}\npolicies: []")
    assert "Waited 30d there" in imported("approvals: {ttl: 30d}\npolicies: []")
    assert "expires_in: 15m" in imported("policy: {approvals: {ttl: 900}}")


def test_everything_that_cannot_be_carried_over_is_said_at_once() -> None:
    """Each problem names its line and column and what to write; nothing comes out."""
    found = problems("""\
policy: {default_mode: yolo}
approvals: {ttl: soon}
polices: []
policies:
  - action: block
  - {match: x.y, action: blok}
  - {match: /(/, action: block}
  - {match: x.y, action: block, conditons: []}
  - {match: x.y, action: always_run, conditions: garbage}
  - {match: x.y, action: block, conditions: [{arg: a..b, match: "*"}, {arg: to, match: /(?!x)/}]}
  - {match: x.y, action: block, conditions: [{arg: constructor, match: x, negate: "yes"}]}
  - {match: a b, action: block}
  - {match: /a/g, action: block}
connectors:
  - {policies: []}
""")
    assert [each.split(": ")[0] for each in found] == [
        f"kortix.yaml:{place}"
        for place in (
            *("1:24", "2:18", "3:1", "5:5", "6:26", "7:13", "8:33", "9:50"),
            *("10:52", "10:88", "11:52", "11:83", "12:13", "13:13", "15:5"),
        )
    ]
    assert 'did you mean "block"?' in found[4]
    assert 'did you mean "policies"?' in found[2]


@pytest.mark.parametrize("text", ["[]", "a: 1", "policies: [", "policies:\n  - {match: *.x, action: block}"])
def test_what_is_no_manifest_is_refused(text: str) -> None:
    """Text that holds no policies, or is no YAML, gives an error with its place."""
    assert all(each.startswith("kortix.yaml:") for each in problems(text))


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    """A missing file, other bytes than UTF-8 and TOML are errors, not tracebacks."""
    (tmp_path / "latin.yaml").write_bytes(b"policies: [\xff]")
    for name, said in (("none.yaml", "cannot be read"), ("latin.yaml", "UTF-8"), ("kortix.toml", "TOML")):
        with pytest.raises(PolicyError, match=said):
            import_file(tmp_path / name, PEOPLE)
