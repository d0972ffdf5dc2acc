"""Loading: every fault is found at once, with file, line and column, in words that say what to write."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest

from gate.errors import PolicyError
from gate.model import Approver
from gate.policy.load import load_path, load_texts
from tests.policy_kit import APPROVALS, load, only_problem, problems

OK = f"version: 1\ndefault: by_risk\n{APPROVALS}"


def test_the_message_has_file_line_column_way_and_words() -> None:
    """The form is the same for every error."""
    text = (
        OK + "rules:\n- {id: a, then: allow}\n- {id: b, then: allow}\n- id: c\n  then: hodl\n  reason: Why.\n"
    )
    assert (
        only_problem(text) == 'a.yml:8:9: rules[2].then: "hodl" is not one of allow, require_approval, block'
    )


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("rulse: []", '"rulse" is not a key here (did you mean "rules"?)'),
        ("version: 2", "must be 1, the only version"),
        ("resolve: strict", '"strict" is not one of strictest, first_match (did you mean "strictest"?)'),
        ("applies_to: []", "must be a list with at least one entry"),
        ('applies_to: ["a b"]', '"a b" is not a glob'),
        ("name: a/b", '"a/b" is not an id'),
        ("name: gate", "is the gate's own name"),
        ("name:", "has no value"),
        ("rules: {}", "must be a list of rules"),
        ("rules: [5]", "must be a mapping of keys"),
        ("rules: [{then: allow}]", "must be written"),
        ("rules: [{id: a}]", "must be written"),
        ("rules: [{id: default, then: allow}]", '"default" is the id of the file'),
        ("rules: [{id: 5, then: allow}]", "quote it"),
        ("rules: [{id: a, then: allow}, {id: a, then: allow}]", '"a" is used twice'),
        ("rules: [{id: a, then: allow}, {id: A, then: allow}]", '"A" is used twice, first by rules[0] as'),
        ("rules: [{id: Default, then: allow}]", '"default" is the id of the file'),
        ("names: {q: U0ALICE, Q: U0BOB}", '"Q" differs from "q" by case only'),
        ("rules: [{id: a, then: block}]", "needs a reason"),
        ("rules: [{id: a, then: require_approval}]", "needs a reason"),
        ('rules: [{id: a, then: block, reason: "  "}]', "must be a text that is not empty"),
        ("rules: [{id: a, then: allow, mach: x.y}]", '(did you mean "match"?)'),
        ("rules: [{id: a, then: allow, match: []}]", "must be a list with at least one entry"),
        ("rules: [{id: a, then: allow, when: null}]", "has no value"),
        ("rules: [{id: a, then: true}]", "true is not one of allow"),
        ("actions: []", "must be a mapping of action names"),
        (
            "actions: {a.b: {risk: reads}}",
            '"reads" is not one of read, write, destructive (did you mean "read"?)',
        ),
        ("actions: {a.b: {reversible: 1}}", "must be true or false"),
        ("actions: {a.b: {amount: amount}}", '"amount" is no argument'),
        ("actions: {a.b: {currency: ZZZ}}", '"ZZZ" is no currency of ISO 4217: write a code such as EUR'),
        ("actions: {a.b: {currency: eur}}", '"eur" is no currency of ISO 4217 (did you mean EUR?)'),
        ("actions: {a.b: {amount: effect.amount}}", "is no argument"),
        ('actions: {a.b: {describe: "{args.x"}}', "a brace stands alone"),
        ('actions: {a.b: {describe: "{agnt}"}}', '"agnt" does not exist (did you mean "agent"?)'),
        ('actions: {a.b: {params: [x], describe: "{args.y}"}}', '"args.y" cannot exist: params lists x'),
        ("actions: {a.b: {params: [x], amount: args.y}}", '"args.y" cannot exist'),
        ("actions: {a.b: {params: [x], decisive: [args.y.z]}}", '"args.y.z" cannot exist'),
        ("actions: {a.b: {}, A.B: {}, a b: {}}", '"a b" is not a glob'),
        ("redact: args.x", "must be a list"),
        ("redact: [card]", '"card" is no argument'),
        ("show: [agent]", "is no argument"),
    ],
)
def test_one_fault_is_one_problem(written: str, said: str) -> None:
    """Each fault of a file is found and named."""
    assert said in only_problem(
        OK + written + "\n" if "version" not in written else written + "\n" + OK.partition("\n")[2]
    )


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("channel: C0APPROVALS", "approvers must be written"),
        ("approvers: [U0ALICE]", "channel must be written"),
        ("channel: '#approvals', approvers: [U0ALICE]", "is not a Slack channel id"),
        ("channel: C0APPROVALS, approvers: []", "must be a list with at least one entry"),
        ("channel: C0APPROVALS, approvers: [alice]", '"alice" is not an approver'),
        ("channel: C0APPROVALS, approvers: [{members_of: S0FINANCE}]", "is not a Slack channel id"),
        ("channel: C0APPROVALS, approvers: [U0ALICE, U0ALICE]", "is listed twice"),
        (
            "channel: C0APPROVALS, approvers: [U0ALICE], quorum: 2",
            "a quorum of 2 can never be met: 1 user is listed",
        ),
        ("channel: C0APPROVALS, approvers: [S0FINANCE], quorum: 21", "from 1 to 20"),
        ("channel: C0APPROVALS, approvers: [S0FINANCE], quorum: true", "from 1 to 20"),
        ("channel: C0APPROVALS, approvers: [S0FINANCE], expires_in: 4s", "must be from 5s to 7d"),
        ("channel: C0APPROVALS, approvers: [S0FINANCE], expires_in: 8d", "must be from 5s to 7d"),
        ("channel: C0APPROVALS, approvers: [S0FINANCE], expires_in: 4", "must be a duration"),
        ("channel: C0APPROVALS, approvers: [S0FINANCE], use_within: 169h", "must be from 1s to 7d"),
        (
            "channel: C0APPROVALS, approvers: [S0FINANCE], comment: {aprove: required}",
            '(did you mean "approve"?)',
        ),
        (
            "channel: C0APPROVALS, approvers: [S0FINANCE], comment: {deny: never}",
            "is not one of optional, required",
        ),
        (
            "channel: C0APPROVALS, approvers: [S0FINANCE], tell_agent: {approver: who}",
            "is not one of nobody, name",
        ),
        (
            f"channel: C0APPROVALS, approvers: [S0FINANCE], deny_reasons: ['{'x' * 76}']",
            "at most 75 characters",
        ),
        ("channel: C0APPROVALS, approvers: [S0FINANCE], chanel: C0X", '(did you mean "channel"?)'),
    ],
)
def test_approvals_must_be_complete_and_possible(keys: str, said: str) -> None:
    """Whatever can require approval resolves to a channel and to approvers who can meet it."""
    assert said in only_problem(f"default: require_approval\napprovals: {{{keys}}}\n")


def test_a_default_that_can_hold_needs_approvals_and_others_do_not() -> None:
    """by_risk and require_approval hold calls; allow, block and abstain never do."""
    for default in ("by_risk", "require_approval"):
        assert (
            "a.yml:1:10: default: can hold calls, so channel and approvers must be written"
            in only_problem(f"default: {default}\n")
        )
    for default in ("allow", "block", "abstain"):
        assert load(f"default: {default}\n").requirements() == ()


def test_an_unwritten_default_is_an_error() -> None:
    """Nobody gets a default that they did not choose."""
    assert "default: must be written: by_risk, allow" in only_problem("version: 1\n")


def test_everything_wrong_in_every_file_is_said_at_once() -> None:
    """Faults of keys, values, conditions and YAML in two files come together, in order."""
    first = (
        "default: by_rsk\noperators: []\nrules:\n- {id: a, then: hodl, when: {arg.x: 1, args.y: {gtt: 5}}}\n"
    )
    second = "default: block\nrules:\n- {id: b, then: block, reason: yes, when: {all: []}}\n"
    found = problems(first, second)
    assert [each.file for each in found] == ["a.yml"] * 5 + ["b.yml"] * 2
    assert [(each.line, each.column) for each in found[:5]] == [(1, 10), (2, 12), (4, 17), (4, 30), (4, 49)]


def test_all_bad_entries_of_a_list_are_named() -> None:
    """Each entry has its own place."""
    text = "default: block\napprovals: {channel: C0APPROVALS, approvers: [alice, U0BOB, carol]}\n"
    assert [each.where for each in problems(text)] == ["approvals.approvers[0]", "approvals.approvers[2]"]


def test_an_alias_hides_no_other_fault_and_causes_none() -> None:
    """The value that could not be read is named once; other faults are still found."""
    found = problems("default: blok\nrules:\n- {id: a, then: allow, match: *name}\n")
    assert [each.line for each in found] == [1, 3]
    assert "quote it" in found[1].message


def test_equally_specific_globs_that_differ_are_an_error() -> None:
    """A tie that would matter is not decided by order; one that does not matter is none."""
    tie = OK + 'actions:\n  "a.*x": {risk: read}\n  "a.y*": {risk: write}\n'
    assert "is as specific and says otherwise" in only_problem(tie)
    assert only_problem(tie).startswith('a.yml:6:18: actions["a.y*"].risk')
    assert load(OK + 'actions:\n  "a.*x": {risk: read}\n  "a.y*": {risk: read}\n').files
    assert load(OK + 'actions:\n  "a.*x": {risk: read}\n  "b.y*": {risk: write}\n').files
    assert load(OK + 'actions:\n  "a.*x": {risk: read}\n  "a.y*": {outbound: true}\n').files


def test_the_same_name_in_two_cases_is_a_tie() -> None:
    """Names ignore case, so these are the same action."""
    assert "is as specific" in only_problem(OK + "actions: {a.b: {risk: read}, A.B: {risk: write}}\n")


def test_two_files_that_find_an_amount_in_different_places_are_an_error() -> None:
    """One action has one amount, one currency."""
    one = OK + "actions: {a.b: {amount: args.x}}\n"
    two = OK + "actions: {'a.*': {amount: args.y}}\n"
    found = problems(one, two)
    assert len(found) == 1
    assert str(found[0]).startswith('b.yml:4:27: actions["a.*"].amount: a.yml gives "args.x" for "a.b"')
    apart = "applies_to: ['c.*']\n" + two
    assert load(one, apart).files
    assert load(one, OK + "actions: {'a.*': {amount: args.y}, a.b: {amount: args.x}}\n").files


def test_names_are_unique_in_a_set_whatever_their_case() -> None:
    """People take one for the other, and so do some file systems."""
    found = problems("name: same\n" + OK, "name: Same\n" + OK)
    assert '"Same" is already taken by a.yml' in str(found[0])


def test_names_are_unique_in_a_set() -> None:
    """Rule ids would be ambiguous otherwise."""
    found = problems(OK + "name: same\n", OK + "name: same\n")
    assert str(found[0]) == 'b.yml:4:7: name: the name "same" is already taken by a.yml: write another name:'


def test_a_file_name_that_cannot_stand_in_ids_needs_a_name() -> None:
    """The message says what to write."""
    with pytest.raises(PolicyError, match="cannot stand in rule ids: write name:"):
        load_texts({"my policy.yml": OK})
    assert load_texts({"my policy.yml": OK + "name: mine\n"}).files[0].name == "mine"


def test_a_rule_replaces_values_of_the_file_whole() -> None:
    """What a rule does not say comes from approvals, then from the built-in values."""
    text = (
        "default: require_approval\n"
        "approvals: {channel: C0APPROVALS, approvers: [S0FINANCE], quorum: 2, expires_in: 1h,\n"
        "            deny_reasons: [Never], comment: {approve: required, deny: optional},\n"
        "            tell_agent: {approver: name}}\n"
        "rules:\n"
        "- {id: r, then: require_approval, reason: Why., approvers: [U0ALICE, {members_of: C0BOARD}],\n"
        "   expires_in: 20s, comment: {approve: required}, ask_again_after: 0s, distinct: true}\n"
    )
    policy = load(text)
    default, own = policy.requirement_of("a/default"), policy.requirement_of("a/r")
    assert default is not None
    assert own is not None
    assert (default.quorum, default.expires_in, default.use_within) == (
        2,
        timedelta(hours=1),
        timedelta(hours=1),
    )
    assert default.comment_required == {"approve"}
    assert default.deliver_within == timedelta(minutes=10)
    assert own.approvers == (Approver("user", "U0ALICE"), Approver("members_of", "C0BOARD"))
    assert (own.expires_in, own.use_within, own.quorum) == (timedelta(seconds=20), timedelta(seconds=20), 2)
    assert own.comment_required == {"approve", "deny"}
    assert (own.name_approver, own.distinct, own.ask_again_after) == (True, True, timedelta(0))
    assert own.deny_reasons == ("Never",)
    assert policy.channels() == ("C0APPROVALS",)
    assert [str(each) for each in policy.approvers()] == ["S0FINANCE", "U0ALICE", "members_of:C0BOARD"]
    assert policy.requirement_of("a/gone") is None
    assert policy.requirement_of("gate/no_policy") is None


def test_a_quorum_larger_than_the_users_is_named_where_it_was_written() -> None:
    """Only listed users can be counted at load; a group may have any number."""
    text = (
        OK.replace("S0FINANCE", "U0BOB")
        + "rules:\n- {id: r, then: require_approval, reason: Why., quorum: 3}\n"
    )
    assert only_problem(text).startswith(
        "a.yml:5:57: rules[0].quorum: a quorum of 3 can never be met: 2 users"
    )
    assert load(OK + "rules:\n- {id: r, then: require_approval, reason: Why., quorum: 3}\n").files


def test_a_folder_is_one_set_without_its_tables(tmp_path: Path) -> None:
    """Every *.yml and *.yaml directly in the folder loads; tables, folders and hidden files do not."""
    (tmp_path / "one.yml").write_text(OK)
    (tmp_path / "two.yaml").write_text(OK)
    (tmp_path / "one.test.yml").write_text("- {action: a.b}\n")
    (tmp_path / ".hidden.yml").write_text("nonsense")
    (tmp_path / "notes.txt").write_text("nonsense")
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "three.yml").write_text("nonsense")
    policy = load_path(tmp_path)
    assert [file.name for file in policy.files] == ["one", "two"]
    assert load_path(tmp_path / "one.yml").files[0].name == "one"


def test_one_bad_file_keeps_the_whole_set_from_loading(tmp_path: Path) -> None:
    """Problems name the file as the user gave it."""
    (tmp_path / "good.yml").write_text(OK)
    (tmp_path / "bad.yml").write_text("default: maybe\n")
    with pytest.raises(PolicyError) as caught:
        load_path(tmp_path)
    found = caught.value.problems
    place = f"{tmp_path / 'bad.yml'}:1:10: default"
    words = "by_risk, allow, require_approval, block, abstain"
    assert [str(each) for each in found] == [f'{place}: "maybe" is not one of {words}']


def test_what_cannot_be_read_is_a_problem_and_no_traceback(tmp_path: Path) -> None:
    """A missing path, an empty folder and a folder named like a file are errors of the policy."""
    (tmp_path / "sub.yml").mkdir()
    for path, said in (
        (tmp_path / "none.yml", "does not exist"),
        (tmp_path / "sub.yml", "holds no policy"),
        (tmp_path, "cannot be read"),
    ):
        with pytest.raises(PolicyError, match=said):
            load_path(path)
    with pytest.raises(PolicyError, match="holds no file"):
        load_texts({})


@pytest.mark.parametrize("name", ["never.YML", "never.Yaml", "never.test.YML"])
def test_an_ending_in_capitals_is_never_passed_over(tmp_path: Path, name: str) -> None:
    """A rule that blocks may stand in it; every such file is named at once, with what is wrong elsewhere."""
    (tmp_path / "one.yml").write_text(OK)
    (tmp_path / name).write_text(OK)
    right = name.rpartition(".")[0] + "." + name.rpartition(".")[2].lower()
    with pytest.raises(PolicyError, match=f"{name}: would be passed over.*name it {right}"):
        load_path(tmp_path)
    (tmp_path / "one.yml").write_text("default: maybe\n")
    with pytest.raises(PolicyError) as caught:
        load_path(tmp_path)
    assert len(caught.value.problems) == 2


def test_a_pipe_in_a_folder_is_an_error(tmp_path: Path) -> None:
    """What may never end keeps the set from loading, and nothing waits for it."""
    (tmp_path / "one.yml").write_text(OK)
    os.mkfifo(tmp_path / "never.yml")
    with pytest.raises(PolicyError, match=r"never\.yml: is a pipe"):
        load_path(tmp_path)


def test_a_link_is_followed_and_one_to_nowhere_is_an_error(tmp_path: Path) -> None:
    """A file of a folder that cannot be read keeps the set from loading."""
    folder = tmp_path / "set"
    folder.mkdir()
    (tmp_path / "elsewhere.txt").write_text(OK)
    (folder / "one.yml").symlink_to(tmp_path / "elsewhere.txt")
    assert [each.name for each in load_path(folder).files] == ["one"]
    (folder / "never.yml").symlink_to(tmp_path / "gone.yml")
    with pytest.raises(PolicyError, match=r"never\.yml: does not exist"):
        load_path(folder)
    (folder / "never.yml").unlink()
    (folder / "never.yml").symlink_to(folder / "never.yml")
    with pytest.raises(PolicyError, match=r"never\.yml: cannot be read"):
        load_path(folder)


def test_the_revision_is_the_digest_of_the_content(tmp_path: Path) -> None:
    """The same texts from a folder or from the store have one revision; any change has another."""
    (tmp_path / "b.yml").write_text(OK)
    (tmp_path / "a.yml").write_bytes(b"\xef\xbb\xbf" + OK.encode())
    policy = load_path(tmp_path)
    assert load_texts({"b.yml": OK, "a.yml": OK}).revision == policy.revision
    assert load_texts(policy.texts).revision == policy.revision
    assert load_texts({"b.yml": OK, "c.yml": OK}).revision != policy.revision
    assert load_texts({"b.yml": OK + "# x\n", "a.yml": OK}).revision != policy.revision


@pytest.mark.parametrize("text", ["[]", "just text", "5", "- default: block"])
def test_a_text_that_is_no_mapping_is_an_error(text: str) -> None:
    """The message says what a policy is."""
    assert "must be a mapping with version, default and rules" in only_problem(text)


@pytest.mark.parametrize(
    ("written", "loads"),
    [
        ("person:U07QK3M9D2X", True),
        ("email:a@example.com", True),
        ("{in: [person:U07QK3M9D2X, 'outside:customer 81']}", True),
        ("{glob: 'person:*'}", True),
        ("person:alice", False),
        ("alice", False),
        ("{in: [person:U07QK3M9D2X, U02ALICE]}", False),
        ("{ne: 'person:'}", False),
    ],
)
def test_a_person_is_written_so_that_somebody_can_be_meant(written: str, loads: bool) -> None:
    """A condition on ``on_behalf_of`` that fits nobody does not load, for its block would never apply."""
    rule = f"rules: [{{id: not-for, when: {{on_behalf_of: {written}}}, then: block, reason: No.}}]"
    text = f"version: 1\nname: desk\ndefault: allow\nnames: {{alice: U02ALICE}}\n{rule}\n"
    if loads:
        load(text)
    else:
        assert "is nobody: write person:U…" in only_problem(text)
