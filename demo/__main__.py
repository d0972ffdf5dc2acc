"""Run the demo: ``python -m demo [--auto] [--policies FOLDER]``."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
from pathlib import Path
from textwrap import indent

from bot.app import SlackBot
from bot.local_workspace import LocalWorkspace
from bot.settings import BotSettings
from demo.agent import SupportAgent
from demo.approver import Approver
from demo.orders import OrderBook
from demo.tools import guarded
from gate import Evidence, Gate, GateError, Session, person
from gate.cli.story import tell
from gate.service import Service

HELD = 3
"""Calls that people are asked about: the refund twice, and the cancellation; never the blocked one."""
POLICIES = Path(__file__).parent.parent / "policies"


def main() -> int:
    """Run the six steps and return 0 only if all went as told (with a person, if nothing broke)."""
    parser = argparse.ArgumentParser(prog="python -m demo", description=__doc__)
    parser.add_argument("--auto", action="store_true", help="play the approver too; so without a terminal")
    parser.add_argument(
        "--policies", type=Path, default=POLICIES, help="other policies; default: the shipped"
    )
    told = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="gate-demo-"))
    try:
        return _run(folder, told.policies, auto=told.auto or _nobody_there())
    except KeyboardInterrupt:
        print("\nStopped; nothing that was held has run.")
        return 130
    except GateError as error:
        print(f"The demo could not run: {error}", file=sys.stderr)
        return 1


def _nobody_there() -> bool:
    """Tell whether there is no terminal, and say that the approver is played then."""
    if sys.stdin.isatty():
        return False
    print("No terminal, so nobody is here to answer: the approver is played too.")
    return True


def _run(folder: Path, policies: Path, *, auto: bool) -> int:
    os.environ["GATE_ALLOW_LOCAL_WORKSPACE"] = "1"
    gate = Gate(policy=str(policies), db=str(folder / "gate.db"))
    with LocalWorkspace() as workspace, gate, SlackBot(gate, settings=_settings(workspace)):
        _greet(workspace.url, folder, auto=auto)
        session = _session(gate)
        approver = Approver(workspace.control, on_error=lambda error: _give_up(session, error))
        if auto:
            approver.start()
        agent = _work(gate, session, folder)
        told = agent.told | ({5: agent.told[5] and approver.wait_for_close()} if auto else {})
        told[4] = told[4] and approver.asked() == HELD
        told[6] = _account(gate, agent.denied)
        _leave(folder)
        return _close(told, auto=auto)


def _give_up(session: Session, error: BaseException) -> None:
    """End the session where the approver cannot go on, so that the agent waits for nobody."""
    print(f"The approver could not go on: {error!r}", file=sys.stderr)
    session.end()


def _settings(workspace: LocalWorkspace) -> BotSettings:
    return BotSettings(
        bot_token=workspace.bot_token,
        app_token=workspace.app_token,
        api_url=workspace.api_url,
        allow_local=True,
    )


def _greet(url: str, folder: Path, *, auto: bool) -> None:
    print(f"Local workspace (not Slack): {url}")
    print(f"Order book, store and log:   {folder}")
    if auto:
        print("The page is there while this runs. In a terminal, without AUTO=1, you answer on it yourself.")
    else:
        print(
            "Open the page, be Alice, and answer the cards in #approvals: deny the first with a comment, "
            "approve the second, with a comment if you like, and leave the third alone."
        )
    print()


def _session(gate: Gate) -> Session:
    evidence = [Evidence("Order ORD-1 was delivered on 2026-11-20.", weight="strong")]
    asked = person("U0CAROL")
    return gate.session("conversation-4711", agent="support", on_behalf_of=asked, evidence=evidence)


def _work(gate: Gate, session: Session, folder: Path) -> SupportAgent:
    book = OrderBook(folder / "orders.db")
    agent = SupportAgent(gate, guarded(gate, book), book, lambda line: print(line, flush=True))
    agent.work(session)
    return agent


def _account(gate: Gate, denied: str) -> bool:
    """Step 6: the log's own account of the denied call, and its chain."""
    print("6. what the log says")
    if denied:
        _tell(gate.service, denied)
    found = gate.service.verify()
    whole = "whole" if found.ok else found.problem
    print(f"   These are the denied call's; the log has {found.records} records in all and is {whole}.")
    return bool(denied) and found.ok


def _tell(service: Service, action: str) -> None:
    told = tell(service, action)
    print(f"   {told.title}")
    for line in told.lines:
        print(indent(f"#{line.seq} {line.at[11:19]} {line.text}", "   "))
    print(f"   {told.ending}")


def _leave(folder: Path) -> None:
    """Say what is left afterwards: no page, and a folder with the whole log."""
    gate = Path(sys.executable).with_name("gate")
    near = gate.relative_to(Path.cwd()) if gate.is_relative_to(Path.cwd()) else gate
    print()
    print("The page ends now, the folder stays. All records, and what takes the folder away:")
    print(f"   {shlex.quote(str(near))} audit list --db {shlex.quote(str(folder / 'gate.db'))}")
    print(f"   rm -r {shlex.quote(str(folder))}")


def _close(told: dict[int, bool], *, auto: bool) -> int:
    wrong = [str(step) for step in range(1, 7) if not told.get(step)]
    print()
    if not wrong:
        print("All six went as told.")
    elif auto:
        print(f"Not as told: step {', '.join(wrong)}.", file=sys.stderr)
    else:
        print(f"You answered otherwise than the script in step {', '.join(wrong)}; the gate followed you.")
    return 1 if wrong and auto else 0


if __name__ == "__main__":
    sys.exit(main())
