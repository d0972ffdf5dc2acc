"""Importing Phrony policies: denies win, the strictest approval counts, and what is unclear is an error."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from gate.errors import PolicyError
from gate.model import Action, Approver, Verdict
from gate.policy.evaluate import evaluate
from gate.policy.importers.draft import People
from gate.policy.importers.patterns import after, whole
from gate.policy.importers.phrony import import_files, import_texts
from gate.policy.load import load_texts

PEOPLE = People("C0APPROVALS", (Approver("user", "U0ALICE"), Approver("user", "U0BOB")))


def policy(name: str, spec: str) -> str:
    """Write one document; the spec is indented by two."""
    head = f"metadata: {{name: {name}, namespace: pay, version: 1.0.0}}"
    return f"apiVersion: phrony.com/v1\nkind: Policy\n{head}\nspec:\n{spec}"


LIMIT = policy(
    "refund-approval-boundary",
    """\
  conditions: {field: amount, op: gt, value: 250}
  decision:
    type: require_approval
    approvals_required: 1
    reason: Refund amount above delegated limit.
    on_reject: return_to_agent
""",
)
CEILING = policy(
    "refund-hard-limit",
    """\
  conditions: {field: amount, op: gt, value: 5000}
  decision: {type: deny, reason: Refund amount exceeds the absolute ceiling for agents.}
""",
)
AGENT = """\
apiVersion: phrony.com/v1
kind: Agent
metadata: {name: refunds, namespace: pay, version: 1.0.0}
spec:
  tools:
    - ref: orders.lookup-order@1.0.0
    - ref: payments.issue-refund@1.0.0
      policies:
        - ref: policies/boundary.yaml
        - pay.refund-hard-limit
"""
TOOL = "payments.issue-refund"


def imported(*texts: str, **files: str) -> str:
    named = {f"{name}.yaml": text for name, text in files.items()}
    return import_texts({**{f"p{index}.yaml": text for index, text in enumerate(texts)}, **named}, PEOPLE)


def ask(text: str, arguments: dict[str, Any], name: str = TOOL) -> Verdict:
    return evaluate(load_texts({"phrony.yml": text}), Action(name, arguments, "bot", "s1"))


def problems(*texts: str) -> list[str]:
    with pytest.raises(PolicyError) as caught:
        imported(*texts)
    return [str(each) for each in caught.value.problems]


def spec_of(conditions: str, decision: str = "{type: deny}") -> str:
    return policy("rule", f"  conditions: {conditions}\n  decision: {decision}\n")


@pytest.mark.parametrize("order", [(LIMIT, CEILING), (CEILING, LIMIT)])
@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        (100, "allow"),
        (250, "allow"),
        (250.01, "require_approval"),
        (400, "require_approval"),
        (5000, "require_approval"),
        (5000.01, "block"),
        (14000, "block"),
        (-14000, "block"),
        (0, "allow"),
        (None, "block"),
        ("14,000", "block"),
        ("NaN", "block"),
    ],
)
def test_the_refund_limits_in_any_order(order: tuple[str, str], amount: Any, expected: str) -> None:
    """Up to 250 runs, up to 5,000 waits, more is denied, and so is what cannot be compared."""
    assert ask(imported(*order), {"order_id": "ORD-1", "amount": amount}).answer == expected


def test_the_reason_and_what_is_stricter_are_said() -> None:
    """A rule keeps its own reason, and says that negative amounts are caught too."""
    text = imported(LIMIT)
    assert "reason: Imported from pay.refund-approval-boundary - Refund amount above delegated limit." in text
    assert "# Stricter than there, where a negative amount passes." in text


def test_an_agent_says_which_tools_a_policy_is_about() -> None:
    """With the agent's file, a policy on one tool concerns that tool only, by id and by file."""
    text = imported(agent=AGENT, boundary=LIMIT, other=CEILING)
    assert "match: payments.issue-refund" in text
    assert "match: '*'" not in text
    assert '"*"' not in text
    assert ask(text, {"order_id": "ORD-1"}, "orders.lookup-order").answer == "allow"
    assert ask(text, {"amount": 14000}).answer == "block"


def test_policies_that_an_agent_names_must_be_there() -> None:
    """A policy that is attached but not given is an error, for leaving it out would let calls run."""
    found = problems(AGENT, LIMIT)
    assert len(found) == 2
    assert "is not among the files" in found[0]


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ({"tools": [{"ref": "pay.refund", "policies": "never"}]}, "policies: must be a list of policies"),
        ({"tools": [{"ref": "pay.refund", "policy": ["never"]}]}, '"policy" is not known here'),
        ({"tools": [{"reff": "pay.refund", "policies": ["never"]}]}, '"reff" is not known here'),
        ({"tool": [{"ref": "pay.refund", "policies": ["never"]}]}, '"tool" is not known here'),
        ({"default_policies": {"never": True}}, "default_policies: must be a list of policies"),
        ({"defaultPolicies": ["never"]}, '"defaultPolicies" is not known here'),
        ({"policies": ["never"]}, '"policies" is not known here'),
    ],
)
def test_what_an_agent_says_of_its_policies_is_never_passed_over(agent: dict[str, Any], said: str) -> None:
    """A policy that another agent has on one tool would else be about that tool alone."""
    other = {"tools": [{"ref": "orders.find", "policies": ["never"]}], "default_model": "x"}
    agents = [
        json.dumps({"kind": "Agent", "metadata": {"name": "x"}, "spec": each}) for each in (other, agent)
    ]
    found = problems(*agents, policy("never", "  decision: {type: deny}\n"))
    assert said in found[0]


def test_the_strictest_of_several_approvals_counts() -> None:
    """Two rules hold one call: the higher number of approvals stands, whichever has a reason."""
    first = policy("a", "  scope: agent\n  decision: {type: require_approval, approvals_required: 2}\n")
    second = policy("b", "  scope: agent\n  decision: {type: escalate, reason: because}\n")
    verdict = ask(imported(first, second), {})
    assert verdict.answer == "require_approval"
    assert max(each.quorum for each in verdict.requirements) == 2


def test_more_approvals_than_people_is_an_error() -> None:
    """A number that the named approvers cannot reach is said at its place."""
    found = problems(spec_of("{field: count, value: 1}", "{type: require_approval, approvals_required: 3}"))
    assert found == [
        "p0.yaml:6:58: spec.decision.approvals_required: asks for 3 people, and --approvers names fewer"
    ]


@pytest.mark.parametrize(
    ("timeout", "written", "said"),
    [
        ("{after_minutes: 5}", "expires_in: 5m", ""),
        ("{after_minutes: 60, default: allow}", "expires_in: 60m", "silence never allows"),
        ("{after_minutes: 99999}", "expires_in: 10080m", "Waited"),
        ("{after_minutes: 5, default: escalate}", "expires_in: 5m", "import with --hand-over S0MANAGERS"),
    ],
)
def test_timeouts_become_deadlines(timeout: str, written: str, said: str) -> None:
    """A hold that nobody answers expires; what would have run or escalated there is a comment."""
    text = imported(spec_of("{field: count, value: 1}", f"{{type: require_approval, timeout: {timeout}}}"))
    assert written in text
    assert said in text


ESCALATED = spec_of(
    "{field: count, value: 1}",
    "{type: require_approval, timeout: {after_minutes: MINUTES, default: escalate},"
    " runtime: {phrony.com/escalate_to_role: boss}}",
)
BOSS, MANAGERS = (Approver("user", "U0BOSS"),), (Approver("group", "S0MANAGERS"),)


@pytest.mark.parametrize(
    ("escalated", "minutes", "after", "expires_in", "asked"),
    [
        ({"": MANAGERS}, 5, 5, 10, MANAGERS),
        ({"": MANAGERS, "boss": BOSS}, 5, 5, 10, BOSS),
        ({"boss": BOSS}, 7200, 7200, 10080, BOSS),
        ({"boss": BOSS}, 10080, 5040, 10080, BOSS),
        ({"clerk": MANAGERS}, 5, None, 5, ()),
    ],
)
def test_an_escalation_hands_over_to_who_is_named_for_its_role(
    escalated: dict[str, tuple[Approver, ...]],
    minutes: int,
    after: int | None,
    expires_in: int,
    asked: tuple[Approver, ...],
) -> None:
    """Once nobody has answered, those for the role may as well, for as long again; else it expires."""
    people = replace(PEOPLE, escalated=escalated)
    text = import_texts({"p.yaml": ESCALATED.replace("MINUTES", str(minutes))}, people)
    (requirement,) = ask(text, {"count": 1}).requirements
    assert requirement.expires_in == timedelta(minutes=expires_in)
    handed = requirement.hand_over
    assert (handed and handed.after) == (after and timedelta(minutes=after))
    assert (handed.approvers if handed else ()) == asked
    assert "boss" in text


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"amount": 100, "currency": "USD", "payee": "Acme"}, "allow"),
        ({"currency": "EUR"}, "block"),
        ({"queue": "USD", "currency": "EUR"}, "block"),
        ({"currency": " usd "}, "block"),
        ({"flags": True}, "block"),
    ],
)
def test_an_allow_list_blocks_what_it_does_not_name(arguments: dict[str, Any], expected: str) -> None:
    """Every argument that Phrony may check must be allowed, and one of them must be there."""
    text = imported(policy("usd", f"  scope: tool:{TOOL}\n  allow: [USD]\n  decision: {{type: allow}}\n"))
    assert ask(text, arguments).answer == expected
    assert ask(text, {"currency": "EUR"}, "orders.get").answer == "allow"


def test_allowing_overrules_nothing() -> None:
    """An allow without a list does nothing there; it is left out, and the file says so."""
    text = imported(spec_of("{field: count, op: gt, value: 1}", "{type: allow}"))
    assert "rules:" not in text
    assert "Not carried over: pay.rule: it allows" in text


@pytest.mark.parametrize(
    ("conditions", "arguments", "blocked"),
    [
        ("{field: order.total, op: '>', value: 10}", {"order": {"total": 11}}, True),
        ("{field: count, value: 5}", {"count": 5}, True),
        ("{field: count, value: '10'}", {"count": 10}, True),
        ("{field: count, value: '10.0'}", {"count": "1e1"}, True),
        ("{field: c, value: USD}", {"c": "usd"}, True),
        ("{field: b, value: true}", {"b": False}, False),
        ("{field: count}", {"count": None}, True),
        ("{not: {field: count}}", {}, True),
        ("{field: count, op: neq, value: null}", {"count": []}, True),
        ("{field: c, op: in, value: [US, CA]}", {"c": "FR"}, False),
        ("{field: c, op: in, value: [US, 1]}", {"c": "US"}, True),
        ("{field: to, op: matches, value: '@gmail\\.'}", {"to": "joe@gmail.com"}, True),
        ("{field: id, op: matches, value: '^ORD-[0-9]+$'}", {"id": "ORD-12\n"}, True),
        ("{field: id, op: matches, value: '^ORD-[0-9]+$'}", {"id": "ORD-12x"}, False),
        ("{any: [{field: count, op: lt, value: 5}, {field: count, op: gte, value: 9}]}", {"count": 7}, False),
        ("{not: {field: phrony.dispatch.trigger, value: 'dispatch:no_handler'}}", {}, True),
        ("{field: dispatch.outcome, op: neq, value: indeterminate}", {}, False),
    ],
)
def test_conditions(conditions: str, arguments: dict[str, Any], blocked: bool) -> None:
    """Operators, paths and groups decide as there, and where values cannot be compared more strictly."""
    verdict = ask(imported(spec_of(conditions)), arguments)
    assert (verdict.answer == "block") is blocked


def test_several_documents_and_folders_are_read(tmp_path: Path) -> None:
    """Documents of one file, and files of a folder and the folders in it, are all imported."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.yaml").write_text(f"# limits\n---\n{LIMIT}---\n{CEILING}", encoding="utf-8")
    (tmp_path / "deep" / "b.yml").write_text(policy("never", "  decision: {type: deny}\n"), encoding="utf-8")
    text = import_files([tmp_path], PEOPLE)
    assert [line.split(": ")[1] for line in text.splitlines() if "- id:" in line] == [
        "refund-approval-boundary",
        "refund-hard-limit",
        "never",
    ]
    assert "neither scope nor conditions" in text


def test_everything_that_cannot_be_carried_over_is_said_at_once() -> None:
    """Each problem names its file, line and column, also in a later document of a file."""
    found = problems(
        f"{spec_of('{field: amount, op: gt, value: 1}', '{type: dney}')}---\n"
        + policy("b", "  scope: payments.issue-refund\n  conditions: {all: []}\n  decision: {type: deny}\n"),
        policy(
            "c", "  scope: tool:a.b@1.0.0\n  conditions: {alll: []}\n  decision: {type: deny, raeson: x}\n"
        ),
        policy("contains", "  conditions: {field: count, op: has, value: x}\n  decision: {type: deny}\n"),
        policy("d", "  conditions: {not: [{field: count, value: 1}]}\n"),
        policy("e", "  conditions: {field: count, op: matches, value: '['}\n  decision: {type: deny}\n"),
        "kind: Polcy\n",
    )
    places = [each.split(": ")[0] for each in found]
    assert places == [
        *("p0.yaml:6:20", "p0.yaml:12:10", "p0.yaml:13:21"),
        *("p1.yaml:5:10", "p1.yaml:6:15", "p1.yaml:6:16", "p1.yaml:7:26"),
        *("p2.yaml:5:34", "p3.yaml:5:3", "p3.yaml:5:21", "p4.yaml:5:50", "p5.yaml:1:7"),
    ], "\n".join(found)
    assert 'did you mean "deny"?' in found[0]


def test_no_file_of_a_folder_is_passed_over(tmp_path: Path) -> None:
    """An ending in capitals counts; what cannot be read, and a folder that is a link, are errors."""
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "a.yaml").write_text(LIMIT, encoding="utf-8")
    (folder / "b.YML").write_text(policy("never", "  decision: {type: deny}\n"), encoding="utf-8")
    assert "- id: never" in import_files([folder], PEOPLE)
    (folder / "c.yml").symlink_to(tmp_path / "gone")
    with pytest.raises(PolicyError, match=r"c\.yml: cannot be read"):
        import_files([folder], PEOPLE)
    (folder / "c.yml").unlink()
    (folder / "more").symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(PolicyError, match="more: is a link to a folder"):
        import_files([folder], PEOPLE)


def test_a_folder_without_files_is_an_error(tmp_path: Path) -> None:
    """Nothing to read is said, not written down as an empty policy."""
    with pytest.raises(PolicyError, match="holds no"):
        import_files([tmp_path], PEOPLE)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("^a$", "a"),
        ("a", "(?s:.*)a(?s:.*)"),
        ("^(a|b)$", "(a|b)"),
        ("^a|b$", "(?s:.*)(?:^a|b$)(?s:.*)"),
        (r"a\$", r"(?s:.*)a\$(?s:.*)"),
        ("[|]", "(?s:.*)[|](?s:.*)"),
        ("(?i)^a$", "(?s:.*)(?:(?i)^a$)(?s:.*)"),
    ],
)
def test_a_search_becomes_a_match_of_the_whole(pattern: str, expected: str) -> None:
    """What is searched for anywhere is written with what may stand around it."""
    assert whole(pattern) == expected


def test_an_expression_behind_a_prefix_keeps_its_ends() -> None:
    """Anchors at the ends are taken away or kept out; elsewhere they would mean something else."""
    assert after(r"a\.", "^b", anything=".*") == r"a\.b.*"
    assert after(r"a\.", "b|c", anything=".*") == r"a\..*(?:b|c).*"
    with pytest.raises(ValueError, match="elsewhere"):
        after(r"a\.", "^b|c", anything=".*")
    with pytest.raises(ValueError, match="escape each character"):
        whole(r"\Qa|b\E")
