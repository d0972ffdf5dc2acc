"""Names that host code did not write, such as an MCP server's, in the form of action names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from gate.errors import ActionError
from gate.folding import uniform
from gate.values import is_action_name, quoted

HOST, SERVER = "host", "server"
"""The two words for who wrote a name; anything else is the name as somebody else wrote it."""

PREFIX = "mcp__"
MOST_NAMES = 10_000
"""How many names from outside one process tells apart."""

LONGEST_ORIGINAL = 1_000
"""Longest name from outside that a process keeps, in characters, with all that readers do not see in it."""

_SEPARATORS = re.compile(r"[ !#$%&'()+,/:;=@~|]+")
"""What other systems put between words and an action name does not have."""


def is_foreign(name: object) -> bool:
    """Tell whether a name has the form that MCP clients give to the tools of servers."""
    return isinstance(name, str) and uniform(name)[: len(PREFIX)].lower() == PREFIX


def action_name(original: str, *, servers: Iterable[str] = ()) -> str:
    """Bring a name that somebody else wrote into the form ``namespace.tool``.

    ``mcp__stripe__create_refund`` becomes ``stripe.create_refund``, and a name that has a dot keeps it. The
    first ``__`` ends the server's name, unless ``servers`` knows better. What readers do not see (space at
    the ends, invisible characters) is taken away, wide letters become plain ones, and separators such as
    ``/``, ``:`` and spaces become ``_``. Case stays. Anything else is refused: a letter that only looks like
    another would hide what the name says.

    Args:
        original: The name as it came.
        servers: Names of the servers there are, for those with ``__`` in their name.

    Raises:
        ActionError: It cannot be brought into that form; says why.
    """
    plain = uniform(original)
    name = _joined(plain[len(PREFIX) :], servers, original) if is_foreign(original) else plain
    name = _SEPARATORS.sub("_", name)
    if not is_action_name(name):
        raise ActionError(f"{quoted(original)} cannot be brought into the form namespace.tool: {_why(name)}")
    return name


def name_of(server: str, tool: str) -> str:
    """Return the action name of a server's tool, by the two names apart.

    Args:
        server: The server as the host's configuration names it; it becomes the namespace.
        tool: The tool as the server names it.

    Raises:
        ActionError: They cannot be brought into that form; says why.
    """
    return action_name(f"{uniform(server)}.{uniform(tool)}")


def _joined(rest: str, servers: Iterable[str], original: str) -> str:
    """Return server and tool with a dot between them."""
    known = [server for server in servers if rest.lower().startswith(f"{server.lower()}__")]
    length = len(max(known, key=len)) if known else rest.find("__")
    server, tool = rest[: max(length, 0)], rest[length + 2 :]
    if not server or not tool:
        said = "an MCP name has a server and a tool: mcp__server__tool"
        raise ActionError(f"{quoted(original)} cannot be brought into the form namespace.tool: {said}")
    return f"{server}.{tool}"


def _why(name: str) -> str:
    if "." not in name:
        return "it names no server: write mcp__server__tool or server.tool"
    if len(name) > 200:
        return "it is longer than 200 characters"
    strange = sorted({char for char in name if not re.fullmatch(r"[A-Za-z0-9_.-]", char)})
    if strange:
        return f"{quoted(strange[0])} is no ASCII letter, digit, _ or -"
    return "a part of it is empty"


def why_not(name: str) -> str:
    """Say in one sentence why a name is no action name."""
    try:
        action_name(name)
    except ActionError as error:
        return f"{quoted(name)} is not an action name: namespace.tool ({str(error).partition(': ')[2]})"
    return f"{quoted(name)} is not an action name: namespace.tool"


class Originals:
    """What every foreign name was, so that no two of them are taken for one tool.

    None is ever forgotten, since another could come then that falls onto it: further ones are refused.
    """

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def take(self, name: str, original: str) -> None:
        """Remember where an action name comes from.

        Args:
            name: The action name.
            original: The name as it came.

        Raises:
            ActionError: Another original has become the same name, case ignored; or there are too many, or
                one is too long, to be kept.
        """
        if name.lower() not in self._known:
            self._check_size(original)
        first = self._known.setdefault(name.lower(), original)
        if first != original:
            raise ActionError(
                f"{quoted(original)} falls onto {name}, which {quoted(first)} is already: rename one of the"
                " two. Nothing ran."
            )

    def _check_size(self, original: str) -> None:
        if len(original) > LONGEST_ORIGINAL:
            raise ActionError(
                f"{quoted(original)} is longer than {LONGEST_ORIGINAL:,} characters: rename it. Nothing ran."
            )
        if len(self._known) >= MOST_NAMES:
            raise ActionError(
                f"{quoted(original)} is one name from outside too many: a process tells {MOST_NAMES:,} apart."
                " Give it only names of tools that there are, and start it anew. Nothing ran."
            )


def becomes(original: str, name: str) -> bool:
    """Tell whether a name that somebody else wrote is this action's, case ignored."""
    try:
        return action_name(original).lower() == name.lower()
    except ActionError:
        return False


def adapted(name: str, source: Any) -> tuple[str, str]:
    """Return name and source of an action, with a foreign name brought into form and kept as the source.

    A name that cannot be brought into form stays as it is, and is blocked as no action name.

    Args:
        name: The action's name.
        source: Who wrote it: ``host``, ``server``, or the original.
    """
    foreign = is_foreign(name)
    if not foreign and (source == HOST or is_action_name(name)):
        return name, source
    try:
        return action_name(name), name
    except ActionError:
        return name, source if source != HOST else SERVER
