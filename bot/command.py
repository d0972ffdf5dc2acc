"""``gate-bot``: run the bot beside the agents, look at Slack, or run everything locally."""

from __future__ import annotations

import functools
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from bot import alone, logs
from bot.app import SlackBot
from bot.local_workspace import ControlError
from bot.look import look
from bot.settings import BotSettings, Transport
from bot.town import Town, seed_for
from gate.cli import output, streams
from gate.cli.commands import Verb, Whole
from gate.cli.exits import Exit
from gate.cli.options import HERE, db_option, holds_policy, store_path
from gate.cli.root import flushed, guarded
from gate.errors import Fault
from gate.policy.load import load_path
from gate.policy.policyset import PolicySet
from gate.service import Service
from gate.store.files import is_missing

LOOK_SECONDS = 0.5

log = logging.getLogger("bot")


@dataclass(frozen=True, slots=True)
class Told:
    """What the command line says.

    Attributes:
        policy: Policy file or folder; None for what the store has.
        db: The store's file; None for the default place.
        transport: ``socket`` or ``http``; None for the one that is set.
        port: Port of the local workspace's page; 0 takes a free one.
    """

    policy: Path | None
    db: Path | None
    transport: Transport | None
    port: int

    @property
    def store(self) -> Path:
        """Return the place of the store."""
        return store_path(self.db)


@click.command(
    "gate-bot",
    cls=Verb,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--policy",
    envvar="GATE_POLICY",
    type=click.Path(path_type=Path, readable=False),
    metavar="PATH",
    help="Policy to bring into force, or with --check to look at.  [default: GATE_POLICY, else what the "
    "store has; with --local ./policies first]",
)
@db_option
@click.option(
    "--check", is_flag=True, help="Look at Slack, print every configured id with its name, and end."
)
@click.option("--local", is_flag=True, help="Run a local workspace with a page, and the bot on it: no Slack.")
@click.option(
    "--port",
    type=Whole(0, 65535),
    default=0,
    metavar="N",
    help="Port of the local page.  [default: a free one]",
)
@click.option(
    "--socket",
    "transport",
    flag_value="socket",
    help="Receive clicks over Socket Mode (SLACK_APP_TOKEN).  [default: what is set]",
)
@click.option(
    "--http",
    "transport",
    flag_value="http",
    help="Receive clicks over HTTP (SLACK_SIGNING_SECRET).  [default: what is set]",
)
@click.version_option(package_name="slack-approval-gate")
def command(
    policy: Path | None, db: Path | None, check: bool, local: bool, port: int, transport: Transport | None
) -> int:
    """Ask people in Slack about the calls that agents' policies hold, and bring their answers back.

    It runs beside the agents, on the same store. Slack needs SLACK_BOT_TOKEN, and SLACK_APP_TOKEN or
    SLACK_SIGNING_SECRET in the environment; --local needs none of them.
    """
    told = Told(policy, db, transport, port)
    _check_words(told, check=check, local=local)
    if check:
        return _check(told)
    return _run_local(told) if local else _run(told)


def main(args: list[str] | None = None) -> None:
    """Run the command line and end the process with its exit code.

    Args:
        args: Words after ``gate-bot``; default is the process's own.
    """
    streams.ensure()
    logs.to_stderr()
    words = sys.argv[1:] if args is None else args
    run = functools.partial(command.main, words, prog_name="gate-bot", standalone_mode=False)
    sys.exit(flushed(guarded(run, as_json=False)))


def _check_words(told: Told, *, check: bool, local: bool) -> None:
    """Refuse what says two things, or what would be passed over.

    Raises:
        UsageError: It does.
    """
    if check and local:
        raise click.UsageError("--check looks at Slack and --local runs without it: give one of them.")
    if local and told.transport == "http":
        raise click.UsageError("--local connects over Socket Mode by itself: leave --http out.")
    if told.port and not local:
        raise click.UsageError("--port is for the page of --local; the port of HTTP mode is GATE_BOT_PORT.")


def _check(told: Told) -> int:
    settings = BotSettings.read()
    transport = settings.transport(told.transport)
    policy, bound = _looked_at(told)
    report = look(policy, settings, transport, bound=bound)
    for line in report.lines():
        _say(line)
    return Exit.OK if report.ok else Exit.FAILED


def _looked_at(told: Told) -> tuple[PolicySet, str]:
    """Return the policy that is meant, and which workspace the store belongs to; neither is changed.

    A policy that is named is looked at before it comes into force, with or without a store.

    Raises:
        UsageError: None is named, and there is no store.
    """
    policy = _loaded(told)
    if is_missing(told.store):
        if policy is None:
            raise click.UsageError(
                f"No policy is named, and there is no store at {told.store} yet that has one: "
                "give --policy PATH, or set GATE_POLICY."
            )
        return policy, ""
    service = Service(told.store, kind="cli", create=False)
    try:
        return policy or service.policy(), service.meta("workspace_team") or ""
    finally:
        service.close()


def _run(told: Told) -> int:
    settings = BotSettings.read()
    transport = settings.transport(told.transport)
    enough = _until_signalled()
    service = _open(told, settings, _loaded(told))
    try:
        with SlackBot(service, settings, transport=transport) as bot:
            where = f" at {bot.address}" if bot.address else ""
            _say(f"The bot runs ({transport}{where}) for workspace {bot.report.team_name}.")
            _say(f"Store: {service.path}")
            return _serve(bot, enough)
    finally:
        service.close()


def _run_local(told: Told) -> int:
    os.environ["GATE_ALLOW_LOCAL_WORKSPACE"] = "1"
    read = BotSettings.read()
    channels = (read.channel, read.summary_channel)
    alone.refuse_taken(told.store)
    enough = _until_signalled()
    service = _open_when_there(told, enough)
    if service is None:
        return Exit.OK
    try:
        alone.refuse_second(service)
        policy = service.policy()
        with alone.opened(told.port, seed_for(policy, *channels)) as workspace:
            service.post_again()
            settings = BotSettings.local(workspace, channel=read.channel)
            with SlackBot(service, settings, transport="socket") as bot:
                _greet(workspace.url, service)
                town = Town(workspace, policy, *channels)
                return _serve(bot, enough, lambda: _follow(town, service))
    finally:
        service.close()


def _follow(town: Town, service: Service) -> None:
    try:
        town.follow(service.policy())
    except (Fault, ControlError, OSError) as error:
        log.warning("The workspace does not follow the policy yet: %s", error)


def _say(line: str) -> None:
    """Write a line as it stands: an address that is wrapped cannot be clicked."""
    output.verbatim(f"{line}\n")


def _greet(url: str, service: Service) -> None:
    _say(f"Local workspace (not Slack): {url}")
    _say("Open it, choose who you are, and answer there. Ctrl-C ends it.")
    _say(f"Store: {service.path} (it stays local: take another GATE_DB for Slack)")


def _serve(bot: SlackBot, enough: threading.Event, each: Callable[[], None] | None = None) -> int:
    """Let the bot work until it is told to stop, or has stopped by itself."""
    while bot.alive and not enough.wait(LOOK_SECONDS):
        if each is not None:
            each()
    return Exit.OK if enough.is_set() else Exit.FAILED


def _open_when_there(told: Told, enough: threading.Event) -> Service | None:
    """Open the store as soon as there is a policy: in files, or in the store that an agent has made."""
    path = told.policy or HERE
    if told.policy is not None and not path.exists():
        load_path(path)  # says what is wrong with a path that was named; only ./policies is waited for
    waited = False
    while not enough.is_set():
        if holds_policy(path):
            return _open(told, BotSettings.read(), load_path(path))
        if not is_missing(told.store) and _has_policy(told.store):
            return _open(told, BotSettings.read(), None)
        if not waited:
            _say(f"Waiting for a policy in {path} ('gate init' writes one) or for an agent that brings one …")
            waited = True
        enough.wait(LOOK_SECONDS)
    return None


def _has_policy(store: Path) -> bool:
    """Tell whether an agent has brought a policy into a store."""
    service = Service(store, kind="cli", create=False)
    try:
        return bool(service.revisions())
    finally:
        service.close()


def _open(told: Told, settings: BotSettings, policy: PolicySet | None) -> Service:
    return Service(
        told.store, policy=policy, kind="bot", channel=settings.channel, allow_local=settings.allow_local
    )


def _loaded(told: Told) -> PolicySet | None:
    return load_path(told.policy) if told.policy else None


def _until_signalled() -> threading.Event:
    """Return an event that is set when the process is asked to end."""
    enough = threading.Event()

    def asked(number: int, frame: object) -> None:
        enough.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, asked)
    return enough
