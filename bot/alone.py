"""What a local bot needs of its own: the store without another bot, and a port for its page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.local_workspace import LocalWorkspace, Seed
from bot.settings import BotFault
from gate.errors import StoreError
from gate.service import Service


def refuse_second(service: Service) -> None:
    """Refuse to start where another bot serves the store: each local workspace would have half of the talk.

    Args:
        service: The opened store.

    Raises:
        BotFault: One lives that was there before.
    """
    other = service.bot_before()
    if other is None:
        return
    who = f"process {other.identity.pid} on {other.identity.host}, since {other.opened_at:%Y-%m-%d %H:%M} UTC"
    raise BotFault(
        f"A bot works on {service.path} already ({who}), and a local one works alone. Answer on its page: "
        "it printed the address when it started. Or end it first, or name another store with --db.",
        code="bot_settings",
    )


def refuse_taken(store: Path) -> None:
    """Refuse a store that a bot works on before anything of it is changed, the policy in force above all.

    Args:
        store: Its file; one that is not there, or cannot be opened so, is left to who opens it.

    Raises:
        BotFault: A bot works on it.
    """
    try:
        service = Service(store, kind="cli", create=False)
    except StoreError:
        return
    try:
        refuse_second(service)
    finally:
        service.close()


@contextmanager
def opened(port: int, seed: Seed) -> Iterator[LocalWorkspace]:
    """Run a local workspace.

    Args:
        port: TCP port of its page; 0 takes a free one.
        seed: What it starts with.

    Raises:
        BotFault: The port cannot be taken.
    """
    workspace = LocalWorkspace(port=port, seed=seed)
    try:
        workspace.start()
    except OSError as error:
        raise BotFault(
            f"The page cannot listen on port {port} ({error.strerror}): give another one with --port, or "
            "leave it out for a free one.",
            code="bot_settings",
        ) from error
    try:
        yield workspace
    finally:
        workspace.stop()
