"""A port for what is started twice at one address, and must find it free the second time."""

from __future__ import annotations

import random
import socket

LOW = range(20_000, 30_000)
"""Ports that no system gives by itself to a socket that asks for any: those begin at 32768 or above."""


def lasting_port() -> int:
    """Return a free port of the loopback address that stays free while nobody asks for it by number."""
    for port in random.sample(LOW, len(LOW)):
        with socket.socket() as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("No port is free.")
