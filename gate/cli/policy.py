"""``gate policy``: the group, and its verbs that test, apply and compare with what is in force."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from gate.cli import output, shapes
from gate.cli.backtest import backtest_command
from gate.cli.check import asks, read_text_file, read_tools, tell_untold
from gate.cli.commands import Verbs
from gate.cli.comparing import diff_command, show_command
from gate.cli.exits import Exit
from gate.cli.explaining import explain_command
from gate.cli.importing import import_group
from gate.cli.linting import lint_command, schema_command
from gate.cli.options import db_option, json_option, opened, policy_here, policy_option, required_policy
from gate.cli.status import current_revision, revision_line
from gate.errors import PolicyError
from gate.policy.folder import TABLES
from gate.policy.load import load_path
from gate.policy.tables import RowResult, run_table_text, untold_tools


@dataclass(frozen=True, slots=True)
class TableResult:
    """How one test table came out.

    Attributes:
        file: The table.
        rows: Its rows.
    """

    file: str
    rows: tuple[RowResult, ...]

    @property
    def failed(self) -> list[RowResult]:
        """Return the rows that did not come out as written."""
        return [row for row in self.rows if not row.passed]


@click.group("policy", cls=Verbs)
def policy_group() -> None:
    """Check, explain, compare, test and apply policies."""


for _command in (
    lint_command, schema_command, explain_command, diff_command, backtest_command, show_command, import_group,
):  # fmt: skip
    policy_group.add_command(_command)


@policy_group.command("test")
@click.argument("tables", nargs=-1, type=click.Path(path_type=Path), metavar="[TABLE]...")
@policy_option
@click.option(
    "--tools", type=click.Path(path_type=Path), metavar="FILE", help="Catalogue from 'gate tools export'."
)
@json_option
def test_command(tables: tuple[Path, ...], policy: Path | None, tools: Path | None, as_json: bool) -> int:
    """Run test tables against a policy.

    By default every *.test.yml beside it; ends with 1 where a row does not come out as written.
    """
    path = required_policy(policy)
    loaded, known = load_path(path), read_tools(tools).parameters
    texts = {str(table): read_text_file(table) for table in tables or _tables_beside(path)}
    results = [TableResult(name, tuple(run_table_text(text, loaded, known))) for name, text in texts.items()]
    if as_json:
        output.emit({"ok": not any(each.failed for each in results), "tables": shapes.as_json(results)})
    else:
        _show_tables(results)
    tell_untold(
        {name for text in texts.values() for name in untold_tools(text, loaded, known) if asks(loaded, name)},
        what="--tools FILE",
    )
    return Exit.FAILED if any(each.failed for each in results) else Exit.OK


@policy_group.command("apply")
@click.option(
    "--policy",
    envvar="GATE_POLICY",
    type=click.Path(path_type=Path, readable=False),
    metavar="PATH",
    help="Policy file, or folder of them.  [default: GATE_POLICY]",
)
@db_option
@json_option
def apply_command(policy: Path | None, db: Path | None, as_json: bool) -> None:
    """Bring a policy into force, for every process.

    It says what changed, and announces it once in each channel that the old or the new revision names.
    Applying an older revision again goes back to it. A store that is not there yet is made.
    """
    if policy is None:
        raise click.UsageError(
            "This changes what is in force, so name the policy: give --policy PATH, or set GATE_POLICY."
        )
    loaded = load_path(policy)
    with opened(db, create=True) as service:
        changes = list(service.apply(loaded, by=service.actor))
    if as_json:
        output.emit({"revision": loaded.revision, "changes": changes})
    elif not changes:
        output.say(f"Revision {shapes.revision(loaded.revision)} was in force already. Nothing changed.")
    else:
        output.say(f"Revision {shapes.revision(loaded.revision)} is in force.")
        for change in changes:
            output.say(f"- {change}", indent=2)


@policy_group.command("status")
@policy_option
@db_option
@json_option
def status_command(policy: Path | None, db: Path | None, as_json: bool) -> None:
    """Show what is in force, since when and by whom.

    Also whether the files of --policy differ from it.
    """
    policy = policy_here(policy)
    with opened(db) as service:
        current, before = current_revision(service), service.revisions()[:-1]
    files = _compare(policy, current.revision if current else None)
    if as_json:
        output.emit({"in_force": shapes.as_json(current), "before": len(before), "files": files})
        return
    facts = [("Policy", revision_line(current)), ("Earlier", shapes.count(len(before), "revision"))]
    output.show_facts([*facts, ("Files", _FILES[files].format(policy=policy))])


_FILES = {
    "not_named": "not named, and none in ./policies: --policy PATH or GATE_POLICY compares them",
    "same": "{policy} is what is in force",
    "differ": "{policy} differs from what is in force: 'gate policy apply' brings it into force",
    "do_not_load": "{policy} does not load: 'gate policy lint' says why",
}


def _compare(policy: Path | None, revision: str | None) -> str:
    if policy is None:
        return "not_named"
    try:
        return "same" if load_path(policy).revision == revision else "differ"
    except PolicyError:
        return "do_not_load"


def _tables_beside(policy: Path) -> list[Path]:
    if policy.is_dir():
        found = sorted(
            each for each in policy.iterdir() if each.name.endswith(TABLES) and each.name[0] != "."
        )
    else:
        found = [each for end in TABLES if (each := policy.with_name(policy.stem + end)).exists()]
    if not found:
        raise click.UsageError(
            f"There is no test table beside {policy}: write NAME.test.yml, or name a table."
        )
    return found


def _show_tables(results: list[TableResult]) -> None:
    for table in results:
        passed = len(table.rows) - len(table.failed)
        output.say(f"{table.file}: {passed} of {len(table.rows)} as written")
        for row in table.failed:
            output.say(f"{table.file}:{row.line}: {row.id}: {row.message}", indent=2)
    failed, total = sum(len(each.failed) for each in results), sum(len(each.rows) for each in results)
    output.say(
        f"All {total} rows came out as written." if not failed else f"{failed} of {total} rows did not."
    )
