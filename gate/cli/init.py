"""``gate init``: write a first policy, its test table and the schema for editors."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from gate.cli import output
from gate.cli.commands import Verb
from gate.cli.options import HERE, json_option
from gate.errors import IllegalMove
from gate.policy.folder import ENDINGS
from gate.policy.schema_json import FILE_NAME, schema_text

POLICY = """\
# yaml-language-server: $schema=./policy.schema.json
# Who must approve what your agents do. As written, every call is held until a person answers in Slack.
version: 1
name: approvals
applies_to: ["*"]                 # every action
default: require_approval         # what no rule below decides is held

approvals:
  # Write your own ids here before you connect a real workspace; 'gate-bot --local' makes these two up.
  # U0ALICE stands for your Slack user id: in Slack your picture, Profile, the three dots, Copy member ID.
  # C0APPROVALS stands for a channel that approvers read: its name at the top, About, Channel ID at the end.
  approvers: [U0ALICE]
  channel: C0APPROVALS
  expires_in: 4h                  # nobody answered by then: the call does not run
  comment: {approve: optional, deny: required}

actions:                          # what each tool does; what is not said here is guessed from its name
  helpdesk.send_email:
    {risk: write, reversible: false, outbound: true, describe: "Send an email to {args.to}"}

# Take the # away to let look-ups run unasked and to refuse deletions;
# 'gate policy test --policy policies' shows what changes.
#rules:
#  - id: look-ups-run
#    match: ["*.get_*", "*.list_*", "*.lookup_*"]
#    then: allow
#  - id: never-delete
#    match: "*.delete_*"
#    then: block
#    reason: Deletions are not for agents.
"""

TABLE = """\
# Each row is one call and what the policy must answer; 'gate policy test --policy policies' runs them.
- id: a refund is held
  action: payments.issue_refund
  args: {order_id: ORD-1, amount: 400, currency: EUR}
  expect: require_approval
  rules: [approvals/default]
- id: so is a look-up
  action: orders.lookup_order
  args: {order_id: ORD-1}
  expect: require_approval
  rules: [approvals/default]
"""

FILES = {"approvals.yml": POLICY, "approvals.test.yml": TABLE, FILE_NAME: schema_text()}


@click.command("init", cls=Verb)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default="policies")
@json_option
def init_command(folder: Path, as_json: bool) -> None:
    """Write a first policy, its test table and the schema for editors.

    They go into FOLDER, by default "policies".
    It holds every call and names one approver and one channel. Nothing that is there is overwritten.
    """
    _refuse_policies(folder)
    written = [_write(folder, name, text) for name, text in FILES.items()]
    commands = next_commands(folder)
    if as_json:
        output.emit({"written": [str(path) for path in written], "next": list(commands)})
        return
    for path in written:
        output.say(f"Wrote {path}")
    output.say()
    output.say("Next:")
    for command, why in commands.items():
        output.say(command, indent=2, style="bold")
        output.say(why, indent=4)


def next_commands(folder: Path) -> dict[str, str]:
    """Return the next three commands and what each is for."""
    named = shlex.quote(str(folder))
    return {
        f"gate policy test --policy {named}": "checks that the policy answers what its table says",
        f"gate-bot --local --policy {named}": "in a second terminal: answer on a page, without Slack",
        "python app.py": f"your agent, with the six lines of the README{_named_there(folder)}",
    }


def _named_there(folder: Path) -> str:
    """Say what those lines name in place of their ``policies``."""
    return "" if folder == HERE else f', and policy="{folder}" in them'


def _refuse_policies(folder: Path) -> None:
    """Refuse a folder with one of the files, or with a policy: one more would change what the set answers."""
    there = {each.name for each in folder.iterdir()} if folder.is_dir() else set()
    found = sorted(name for name in there if name in FILES or name.lower().endswith(ENDINGS))
    if found:
        named = ", ".join(found[:3]) + (" and more" if len(found) > 3 else "")
        raise IllegalMove(
            f"{folder} holds {named} already, so nothing was written. Name another folder: gate init FOLDER.",
            code="exists",
        )


def _write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise IllegalMove(f"{path} exists already and was left as it is.", code="exists") from None
    except OSError as error:
        raise click.UsageError(f"{path} cannot be written: {error.strerror}.") from None
    return path
