"""Calls of the tools of MCP servers as actions: names, parameters, and that nobody trusts their word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gate.errors import ActionError
from gate.foreign import action_name, is_foreign, name_of
from gate.model import Action, Effect, Parameters, Principal

__all__ = ["action", "action_name", "is_foreign", "name_of", "parameters"]


def action(
    tool: str,
    arguments: Mapping[str, Any],
    *,
    agent: str,
    session: str,
    server: str | None = None,
    on_behalf_of: Principal | None = None,
    call_id: str | None = None,
    schema: Mapping[str, Any] | None = None,
    effect: Effect | None = None,
) -> Action:
    """Return the action of one call of a server's tool, ready for ``gate.submit``.

    The name as it came is kept in ``source``, so that the tool is never guessed to be a read.

    Args:
        tool: The tool as the client names it, such as ``mcp__stripe__create_refund``; with ``server`` as the
            server names it.
        arguments: Its arguments.
        agent: Which agent asks.
        session: Id of the open session.
        server: The server as the host's configuration names it; None where ``tool`` says it.
        on_behalf_of: For whom, as the session says.
        call_id: The client's id of this call, or None.
        schema: The tool's ``inputSchema``; None where it is not known.
        effect: What the host knows of the tool. Hints of the server are no such knowledge.

    Returns:
        The action. A name that cannot be brought into the form ``namespace.tool`` stays as it came;
        ``gate.submit`` blocks it as no action name, so that the log has it.
    """
    return Action(
        name=_name(tool, server),
        arguments=arguments,
        agent=agent,
        session=session,
        on_behalf_of=on_behalf_of,
        call_id=call_id,
        effect=effect,
        parameters=None if schema is None else parameters(schema),
        source=tool if server is None else f"{server}/{tool}",
    )


def _name(tool: str, server: str | None) -> str:
    for given in (tool,) if server is None else (tool, server):
        if type(given) is not str:
            return given  # ``gate.submit`` refuses what is no text, so that the log has it
    try:
        return action_name(tool) if server is None else name_of(server, tool)
    except ActionError:
        return tool if server is None else f"{server}.{tool}"


def parameters(schema: Mapping[str, Any]) -> Parameters:
    """Return what a tool takes by its ``inputSchema``.

    Args:
        schema: JSON Schema of its arguments; one that does not forbid every other leaves the list open, and
            so does what is none at all.
    """
    said = schema if isinstance(schema, Mapping) else {}
    named = said.get("properties")
    names = frozenset(map(str, named)) if isinstance(named, Mapping) else frozenset()
    # Names that fit a pattern are not forbidden by ``additionalProperties: false``.
    closed = said.get("additionalProperties") is False and not said.get("patternProperties")
    return Parameters(names, open=not closed)
