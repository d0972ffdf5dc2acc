"""What the doctor looks at: settings, policy, store, permissions, the bot's parts. Changes nothing."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import gate
from gate.cli.options import opened
from gate.errors import Fault, PolicyError
from gate.policy.load import load_path
from gate.policy.policyset import PolicySet
from gate.service import Service
from gate.settings import Settings, allows_local
from gate.store import files, inspect

Found = Literal["ok", "missing", "bad"]

AREAS = ("settings", "policy", "store", "bot", "slack")
BOT_PARTS = ("slack_bolt", "slack_sdk", "aiohttp", "structlog")
LOCAL = "T0LOCAL"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the doctor looked at.

    Attributes:
        area: ``policy``, ``store``, ``bot`` or ``slack``.
        state: ``ok``, ``missing`` (not there, which may be meant) or ``bad`` (to be mended).
        text: What was found, and what to do next.
    """

    area: str
    state: Found
    text: str


def look(policy: Path | None, db: Path, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Yield everything that was found.

    Args:
        policy: Policy file or folder, or None where none is named.
        db: The store's file.
        environ: The environment.
    """
    yield from _settings(environ)
    loaded = yield from _policy(policy)
    local = yield from _store(db, loaded)
    yield from _bot()
    yield from _slack(environ, local)


def _settings(environ: Mapping[str, str]) -> Iterator[Finding]:
    """Look at what agents are told by ``GATE_…``, as the first of them would."""
    try:
        Settings.read(environ=environ)
    except Fault as fault:
        _, *each = str(fault).splitlines()
        yield from (Finding("settings", "bad", line) for line in each)


def _policy(path: Path | None) -> Generator[Finding, None, PolicySet | None]:
    if path is None:
        text = "no policy is named, and none is in ./policies: give --policy PATH, or run 'gate init'"
        yield Finding("policy", "missing", text)
        return None
    try:
        loaded = load_path(path)
    except PolicyError as error:
        count = len(error.problems)
        yield Finding("policy", "bad", f"{path} does not load: {error.problems[0]}" + _more(count - 1))
        return None
    yield Finding("policy", "ok", f"{path} loads, revision {loaded.revision[:12]}")
    folder = path if path.is_dir() else path.parent
    yield from _writable(
        "policy", [folder, *([path] if path.is_file() else map(folder.joinpath, loaded.texts))]
    )
    return loaded


def _more(count: int) -> str:
    return f" (and {count} more: 'gate policy lint' lists them)" if count else ""


def _store(db: Path, loaded: PolicySet | None) -> Generator[Finding, None, bool]:
    found = inspect.look_at(db)
    if found.bytes is None:
        yield Finding("store", "missing" if found.key == "none" else "bad", f"{found.path}: {found.problem}")
        return False
    if not found.usable:
        yield Finding("store", "bad", f"{found.path}: {found.problem}")
    else:
        yield Finding("store", "ok", f"{found.path} can be read, schema {found.schema}")
        yield from _inside(db, loaded)
    key = files.key_path(found.path)
    yield from _private([found.path, key] if key.exists() else [found.path])
    yield from _writable("store", [found.path.parent])
    return found.workspace == LOCAL


def _inside(db: Path, loaded: PolicySet | None) -> Iterator[Finding]:
    try:
        with opened(db) as service:
            yield from _in_force(service, loaded)
            yield from _alive(service)
    except Fault as fault:
        yield Finding("store", "bad", str(fault))


def _in_force(service: Service, loaded: PolicySet | None) -> Iterator[Finding]:
    found = service.revisions()
    if not found:
        text = "no policy is in force in the store: run 'gate policy apply --policy PATH'"
        yield Finding("policy", "missing", text)
    elif loaded is not None and loaded.revision != found[-1].revision:
        text = f"the files are not what is in force ({found[-1].revision[:12]}): see 'gate policy status'"
        yield Finding("policy", "bad", text)
    else:
        yield Finding("policy", "ok", f"revision {found[-1].revision[:12]} is in force")


def _alive(service: Service) -> Iterator[Finding]:
    bots = [each for each in service.living() if each.kind == "bot"]
    if bots:
        yield Finding(
            "bot", "ok", f"a bot is alive: process {bots[0].identity.pid} on {bots[0].identity.host}"
        )
    else:
        yield Finding(
            "bot",
            "missing",
            "no bot is alive, so nobody is asked: start 'gate-bot' (without Slack: 'gate-bot --local')",
        )
    team = service.meta("workspace_team")
    if team:
        said = f"the store belongs to the workspace {team}" + (
            " (local, and stays local)" if team == LOCAL else ""
        )
        yield Finding("slack", "ok", said)


def _writable(area: str, paths: list[Path]) -> Iterator[Finding]:
    """Report files and folders that others than their owner may write."""
    others = [path for path in paths if _mode(path) & (stat.S_IWGRP | stat.S_IWOTH) and not _sticky(path)]
    for path in others:
        yield Finding(area, "bad", f"others may write {path}: run: chmod go-w {shlex.quote(str(path))}")
    if not others:
        yield Finding(area, "ok", f"only their owner may write {_named(paths)}")


def _private(paths: list[Path]) -> Iterator[Finding]:
    """Report files that others than their owner may read."""
    open_ones = [path for path in paths if _mode(path) & 0o077]
    for path in open_ones:
        yield Finding(
            "store", "bad", f"others may read or write {path}: run: chmod 600 {shlex.quote(str(path))}"
        )
    if not open_ones:
        yield Finding("store", "ok", f"only their owner may read {_named(paths)}")


def _named(paths: list[Path]) -> str:
    shown = ", ".join(map(str, paths[:3]))
    return shown + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except OSError:
        return 0


def _sticky(path: Path) -> bool:
    """Tell whether this is a folder such as /tmp, where nobody may replace another's files."""
    mode = _mode(path)
    return stat.S_ISDIR(mode) and bool(mode & stat.S_ISVTX)


def _bot() -> Iterator[Finding]:
    lacking = [part for part in BOT_PARTS if not _installed(part)]
    if lacking:
        text = f"the bot needs {', '.join(lacking)}: pip install 'slack-approval-gate[slack]'"
        yield Finding("bot", "missing", text)
    else:
        yield Finding("bot", "ok", "everything the bot needs is installed")
    ours = Path(str(gate.__file__)).parent.parent / "bot"
    for other in (Path("bot.py"), Path("bot/__init__.py")):
        if other.exists() and ours.resolve() not in other.resolve().parents:
            text = f"{other.absolute()} hides our bot from 'python -m bot' in this folder: use 'gate-bot'"
            yield Finding("bot", "bad", text)


def _installed(part: str) -> bool:
    try:
        return find_spec(part) is not None
    except (ImportError, ValueError):
        return False


_TOKENS: dict[str, tuple[str, Callable[[str], bool]]] = {
    "SLACK_BOT_TOKEN": ("begins with xoxb-", lambda text: text.startswith("xoxb-")),
    "SLACK_APP_TOKEN": ("begins with xapp-", lambda text: text.startswith("xapp-")),
    "SLACK_SIGNING_SECRET": ("is 32 hexadecimal digits", lambda text: len(text) == 32 and text.isalnum()),
}


def _slack(environ: Mapping[str, str], local: bool) -> Iterator[Finding]:
    given = {name: environ[name] for name in _TOKENS if environ.get(name)}
    for name, value in given.items():
        form, fits = _TOKENS[name]
        yield Finding(
            "slack",
            "ok" if fits(value) else "bad",
            f"{name} is set" + ("" if fits(value) else f", but a real one {form}"),
        )
    if local or _allows_local(environ):
        yield Finding("slack", "ok", "a local workspace may stand in for Slack here; it needs no token")
        return
    if "SLACK_BOT_TOKEN" not in given:
        yield Finding("slack", "missing", "SLACK_BOT_TOKEN is not set: the bot needs it, agents do not")
    if not {"SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"} & given.keys():
        text = "set SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP) where the bot runs"
        yield Finding("slack", "missing", text)
    if given:
        yield Finding("slack", "ok", "whether Slack takes them: 'gate-bot --check' asks it")


def _allows_local(environ: Mapping[str, str]) -> bool:
    try:
        return allows_local(environ)
    except Fault:  # it is said among the settings
        return False


def environment() -> Mapping[str, str]:
    """Return the environment of this process."""
    return os.environ
