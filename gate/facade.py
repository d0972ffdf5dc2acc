"""The public face: ``Gate``, which guards tools, opens sessions, and opens itself when it is first needed."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any, Literal, ParamSpec, Self, TypeVar, overload

from gate.binding import Binding
from gate.context import CallOptions, Place
from gate.declared import check_effect
from gate.errors import GuardError, NoSession
from gate.evidence import evidence_lines
from gate.forks import whole
from gate.guard import (
    Facts,
    Guarded,
    OnRefusal,
    Raising,
    Returning,
    Target,
    action_name,
    check_options,
    check_tool,
    guarded,
    guarded_call,
    wrap,
)
from gate.model import Effect, Evidence, Principal
from gate.outcomes import NotRan, Ran
from gate.previewing import Previewing
from gate.session import Session, check_names
from gate.sources import same_source
from gate.wait import Wait

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class Gate(Previewing):
    """Guard tools: each call is allowed, blocked or held for people to decide.

    Making a gate touches nothing. ``open()``, ``with gate:`` or the first guarded call opens it; if that
    fails, nothing runs.

    Args:
        policy: Policy file or folder; None uses the one that is in force in the store.
        db: The store's file, or ``:memory:``; default is in the XDG state folder.
        channel: Slack channel that replaces every channel of the policy (staging).
        durability: ``full`` (default), or ``normal``: a crash of the machine may lose records of
            allowed calls.
        reload: ``watch`` takes changed policy files while the process runs (development); default ``off``.
        agent: Agent of a default session for calls outside any session; default is none.
        namespace: Put before tool names without a dot.
        wait: How long held calls wait: seconds, a timedelta, or ``until_decided`` (default).

    What is not given is taken from the environment: ``GATE_POLICY``, ``GATE_DB`` and so on.

    Raises:
        Fault: A setting cannot be used (code ``settings``).
    """

    def __init__(
        self,
        policy: str | os.PathLike[str] | None = None,
        *,
        db: str | os.PathLike[str] | None = None,
        channel: str | None = None,
        durability: Literal["full", "normal"] | None = None,
        reload: Literal["off", "watch"] | None = None,
        agent: str | None = None,
        namespace: str | None = None,
        wait: Wait | None = None,
    ) -> None:
        given = {
            "policy": policy,
            "db": db,
            "channel": channel,
            "durability": durability,
            "reload": reload,
            "agent": agent,
            "namespace": namespace,
            "wait": wait,
        }
        self._set_up(given, "GATE_")

    @classmethod
    def from_settings(cls, prefix: str = "GATE_") -> Self:
        """Make a gate from the environment alone.

        Args:
            prefix: How the names begin, such as ``GATE_`` in ``GATE_DB``. Default ``GATE_``.

        Returns:
            The gate; it opens when it is first used.

        Raises:
            Fault: A setting cannot be used (code ``settings``).
        """
        gate = cls.__new__(cls)
        gate._set_up({}, prefix)
        return gate

    # Sessions

    def session(
        self,
        id: str,  # noqa: A002
        *,
        agent: str | None = None,
        on_behalf_of: Principal | None,
        facts: Mapping[str, Any] | None = None,
        evidence: Iterable[str | Evidence] = (),
    ) -> Session:
        """Open a session, or open it again; as a block, guarded calls in it belong to it.

        Args:
            id: The host's id of this run of the agent.
            agent: Which agent; default is the gate's.
            on_behalf_of: ``person(…)``, ``email(…)``, ``outside(…)``, or None written out.
            facts: Values that rules can read, by name; they replace those it had. The store keeps them.
            evidence: Lines for people, at most 1,000 a session, 1 MB; a text is weak; none is added twice.

        Returns:
            The session; as a block, guarded calls in it belong to it.

        Raises:
            NoSession: It has ended, belongs to another agent or person, or no agent is named.
            TypeError: ``on_behalf_of`` or a name is of another type.
            ActionError: A fact or the evidence cannot be kept; the message says which, and why.
        """
        name = self._settings.agent if agent is None else agent
        if name is None:
            raise NoSession(
                "A session needs an agent: gate.session(…, agent='support') or Gate(agent='support')."
            )
        check_names(id, name, on_behalf_of)
        lines = evidence_lines(evidence)
        if not self._bypassed:
            self.service.open_session(id, agent=name, on_behalf_of=on_behalf_of, evidence=lines, facts=facts)
        return Session(id, name, on_behalf_of, self)

    def bind(self, function: Callable[P, T]) -> Callable[P, T]:
        """Return a function that carries this session into another thread.

        Args:
            function: What runs there.

        Returns:
            The same function, in the session that is open here.
        """
        return self._context.bind(function)

    # Guarding

    @overload
    def guard(
        self,
        action: str | None = None,
        /,
        *,
        on_refusal: Literal["raise"] = "raise",
        exclude: Sequence[str] = (),
        effect: Effect | None = None,
        facts: Facts | None = None,
        target: Target | None = None,
        wait: Wait | None = None,
    ) -> Raising: ...
    @overload
    def guard(
        self,
        action: str | None = None,
        /,
        *,
        on_refusal: Literal["return"],
        exclude: Sequence[str] = (),
        effect: Effect | None = None,
        facts: Facts | None = None,
        target: Target | None = None,
        wait: Wait | None = None,
    ) -> Returning: ...
    def guard(
        self,
        action: str | None = None,
        /,
        *,
        on_refusal: OnRefusal = "raise",
        exclude: Sequence[str] = (),
        effect: Effect | None = None,
        facts: Facts | None = None,
        target: Target | None = None,
        wait: Wait | None = None,
    ) -> Raising | Returning:
        """Return a decorator that sends each call of a tool through the gate.

        Args:
            action: Action name, ``namespace.tool``; default is the function's name in the gate's namespace.
            on_refusal: ``raise`` outcomes, or ``return`` them as ``Refusal``.
            exclude: Parameters that host code fills in with live objects; passed through, not judged.
            effect: What the tool does; the policy may say otherwise.
            facts: Called with the bound arguments each time a call is judged, again at claim; returns values
                that rules can read, by name. Where it raises, no fact is known.
            target: What the tool acts on (account, base URL): a text, or a function of the bound arguments.
            wait: How long held calls wait; default is the gate's.

        Returns:
            A decorator for functions, coroutine functions and methods.

        Raises:
            GuardError: The tool cannot be guarded as it is written (when decorated).
        """
        check_options(action, on_refusal, exclude, effect, facts, wait)

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            return self._guard(function, action, on_refusal, tuple(exclude), effect, target, wait, facts)

        return decorate

    def _guard(
        self,
        function: Callable[..., Any],
        action: str | None,
        on_refusal: OnRefusal,
        exclude: tuple[str, ...],
        effect: Effect | None,
        target: Target | None,
        wait: Wait | None,
        facts: Facts | None,
    ) -> Callable[..., Any]:
        known = guarded(function)
        if known is not None:
            return self._again(function, known, action)
        check_tool(function)
        name = action_name(action, function, self._settings.namespace)
        binding = Binding(function, exclude)
        check_effect(effect, binding.parameters)
        tool = Guarded(self, name, function, binding, on_refusal, effect, target, wait, facts)
        self._register(tool)
        return wrap(tool)

    def _again(self, function: Callable[..., Any], known: Guarded, action: str | None) -> Callable[..., Any]:
        """Pass a tool through that this gate guards already under this name."""
        if known.gate is self and action in (None, known.name):
            return function
        raise GuardError(f"{known.name} is guarded already; guard the function under it instead.")

    def _register(self, tool: Guarded) -> None:
        other = self._tools.get(tool.name.casefold())
        if other is not None and not same_source(other.function, tool.function):
            raise GuardError(
                f"{tool.name} is already the name of {other.function.__qualname__};"
                f" give {tool.function.__qualname__} a name of its own."
            )
        self._tools[tool.name.casefold()] = tool

    # Calling

    def call(self, id: str | None = None, wait: Wait | None = None, note: str | None = None) -> CallOptions:  # noqa: A002
        """Give options to the next guarded call in this context, and only to that one.

        Args:
            id: The caller's id of this call; the same id finds the same call again, also after a restart.
            wait: How long it waits if it is held.
            note: The agent's own words, shown to people as unverified.

        Returns:
            The options; as a block, they end with it, used or not.
        """
        return self._context.offer(CallOptions(id, wait, note))

    @overload
    def outcome(  # type: ignore[overload-overlap]
        self, tool: Callable[P, Coroutine[Any, Any, R]], /, *args: P.args, **kwargs: P.kwargs
    ) -> Coroutine[Any, Any, Ran[R] | NotRan]: ...
    @overload
    def outcome(self, tool: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Ran[R] | NotRan: ...
    def outcome(self, tool: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Call a guarded tool and return what became of it; no outcome is raised.

        Args:
            tool: A guarded ``def`` or ``async def`` (then await what this returns).
            args: Its arguments.
            kwargs: Its keyword arguments.

        Returns:
            ``Ran`` with the result, or the outcome that it had instead.

        Raises:
            GuardError: The tool is not guarded.
            Fault: The gate could not do its work; nothing ran.
        """
        known, bound = guarded_call(tool, args)
        if _is_async(known.function):
            return _outcome_async(known, bound, kwargs, known.options(), known.gate._context.here())
        if known.gate._bypassed:
            return _ungated(known.function(*bound, **kwargs))
        with whole():
            from gate import calling
        return calling.outcome(known, bound, kwargs)


async def _outcome_async(
    known: Guarded, args: tuple[Any, ...], kwargs: Mapping[str, Any], options: CallOptions | None, made: Place
) -> Any:
    if known.gate._bypassed:
        return _ungated(await known.function(*args, **kwargs))
    with whole():
        from gate import calling
    return await calling.outcome_async(known, args, kwargs, options, made)


def _ungated(result: Any) -> Ran[Any]:
    return Ran(result, True, "", (), (), "It ran without the gate.")


def _is_async(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function)
