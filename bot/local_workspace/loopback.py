"""What counts as this machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_loopback(host: str) -> bool:
    """Return whether a host name or address can only mean this machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def is_own_request(host: str, origin: str | None) -> bool:
    """Return whether a browser request is addressed to this machine and comes from its own page.

    Args:
        host: the Host header. A name that is not loopback means that a foreign name was pointed here.
        origin: the Origin header, if there is one.
    """
    if not is_loopback(urlsplit(f"//{host}").hostname or ""):
        return False
    return origin is None or origin == f"http://{host}"
