"""What a local bot needs of its own: the store without another bot, and a port for its page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bot.local_workspace import LocalWorkspace, Seed
from bot.settings import BotFault
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
