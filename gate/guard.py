"""Guard a callable: the same signature, but each call goes through the gate."""

from __future__ import annotations

import functools
import inspect
import logging
import sys
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Protocol, TypeVar, overload

from gate import refusing
from gate.binding import Binding
from gate.context import as_async
from gate.digest import copied, snapshot
from gate.errors import ActionError, GuardError, NoSession
from gate.model import Action, Effect
from gate.outcomes import Details, Failed, Outcome, Ran, Refusal, ResultNotKept
from gate.redact import error_text
from gate.refusing import Caller
from gate.steps import Call, Ending, Raised
from gate.values import is_action_name
from gate.waiting import Wait, seconds

if TYPE_CHECKING:
    from gate.context import CallOptions
    from gate.facade import Gate
    from gate.runtime import Runtime
    from gate.session import Session

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])

OnRefusal = Literal["raise", "return"]
Target = str | Callable[[Mapping[str, Any]], str | None]
Facts = Callable[[Mapping[str, Any]], Mapping[str, Any]]

log = logging.getLogger("gate")

_MARK, _MARKED = "__gate_guarded__", "__gate_wrapper__"


class Raising(Protocol):
    """Guard a tool; an outcome other than its result is raised."""

    def __call__(self, function: F, /) -> F:
        """Return the guarded tool."""
        ...


class Returning(Protocol):
    """Guard a tool; an outcome other than its result is returned as ``Refusal``."""

    @overload
    def __call__(
        self, function: Callable[P, Coroutine[Any, Any, R]], /
    ) -> Callable[P, Coroutine[Any, Any, R | Refusal]]: ...
    @overload
    def __call__(self, function: Callable[P, R], /) -> Callable[P, R | Refusal]: ...
    def __call__(self, function: Callable[..., Any], /) -> Callable[..., Any]:
        """Return the guarded tool."""
        ...


@dataclass(frozen=True, slots=True)
class Guarded:
    """One guarded tool.

    Attributes:
        gate: Whose it is.
        name: Action name.
        function: The tool itself.
        binding: Its parameters.
        on_refusal: Whether an outcome is raised or returned.
        effect: What the code declares of it, or None.
        target: Text, or how to tell it from the bound arguments, or None.
        wait: How long its held calls wait; None: as the gate says.
        facts: Looks facts up for the bound arguments, or None.
    """

    gate: Gate
    name: str
    function: Callable[..., Any]
    binding: Binding
    on_refusal: OnRefusal
    effect: Effect | None
    target: Target | None
    wait: Wait | None
    facts: Facts | None = None

    def options(self) -> CallOptions | None:
        """Return what ``gate.call`` laid ready for this call; an ``async def`` takes it when it is called."""
        return self.gate._context.take_options()

    def take(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Ending:
        """Take one call of a ``def`` through the gate."""
        try:
            call = self._call(args, kwargs, self._run, self.options(), would_block=_in_event_loop())
        except (ActionError, NoSession) as fault:
            refusing.tell(self.gate, fault, self._caller())
            raise
        return self._runtime().take(call)

    async def take_async(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], options: CallOptions | None
    ) -> Ending:
        """Take one call of an ``async def`` through the gate."""
        try:
            call = self._call(args, kwargs, self._run_async, options)
        except (ActionError, NoSession) as fault:
            await refusing.tell_async(self.gate, fault, self._caller())
            raise
        return await self._runtime().take_async(call)

    def finish(self, ending: Ending) -> Any:
        """Return the tool's result, or raise or return what became of the call instead."""
        if isinstance(ending, Raised):
            raise ending.error
        if isinstance(ending, Ran):
            if ending.kept:
                return ending.result
            ending = ResultNotKept("result_not_kept", _details(self.name, ending))
        if self.on_refusal == "return":
            return Refusal(ending)
        raise ending

    def outcome(self, ending: Ending) -> Ran[Any] | Outcome:
        """Return what became of the call; only the tool's own exception is raised."""
        if not isinstance(ending, Raised):
            return ending
        if isinstance(ending.error, Outcome):
            # A guarded call inside the tool was refused: this tool ran and raised that.
            return Failed("failed", Details(ending.action_id, self.name, error=error_text(ending.error)))
        raise ending.error

    def _runtime(self) -> Runtime:
        runtime = self.gate._opened()
        runtime.list_tool(self.name, self.binding, self.effect)
        return runtime

    def _call(
        self,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        run: Callable[[Mapping[str, Any], Mapping[str, Any]], Any],
        options: CallOptions | None,
        *,
        would_block: bool = False,
    ) -> Call:
        session = self.gate._session()
        bound = self.binding.bind(args, kwargs)
        waits = [options.wait if options else None, self.wait, self.gate._settings.wait]
        action = self._action(bound.arguments, session, options)
        wait = seconds(next(each for each in waits if each is not None))
        return Call(
            action,
            wait,
            lambda approved: run(approved, bound.live),
            would_block,
            None if self.facts is None else self._facts,
            lambda arguments, paths: self._refuses(arguments, paths, action.target),
        )

    def _caller(self) -> Caller:
        session = self.gate._session_here()
        return Caller(self.name, session.agent, session.id) if session else Caller(self.name)

    def preview(self, args: Sequence[Any], kwargs: Mapping[str, Any], session: Session) -> Action:
        """Return what a call would be judged as; the options of the next call stay with it."""
        action = self._action(self.binding.bind(args, kwargs).arguments, session, None)
        return action if self.facts is None else replace(action, facts=self._facts(action.arguments))

    def _refuses(self, arguments: Mapping[str, Any], paths: Iterable[str], target: str | None) -> str:
        """Return why the tool does not take a call in which some paths were changed; empty where it does."""
        from gate.annotations import refusal

        why = refusal(self.binding, arguments, paths)
        if why or not callable(self.target):
            return why
        now = self.target(copied(arguments))
        return "" if now == target else "it would go to another target than the one that people saw"

    def _facts(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what the host says of a call now; where it cannot say, nothing is known."""
        assert self.facts is not None
        try:
            found = self.facts(copied(arguments))
            if not isinstance(found, Mapping):
                raise TypeError(f"it returned {type(found).__name__}, no mapping of names to values")
            return snapshot(dict(found))
        except Exception as error:
            log.warning(
                "facts= of %s told nothing, so its paths are missing: %s", self.name, error_text(error)
            )
            return {}

    def _action(self, given: Mapping[str, Any], session: Session, options: CallOptions | None) -> Action:
        context, arguments = self.gate._context, snapshot(given)
        return Action(
            name=self.name,
            arguments=arguments,
            agent=session.agent,
            session=session.id,
            on_behalf_of=session.on_behalf_of,
            call_id=options.id if options else None,
            target=self.target(copied(arguments)) if callable(self.target) else self.target,
            effect=self.effect,
            parameters=self.binding.parameters,
            not_shown=self.binding.not_shown,
            note=options.note if options else None,
            parent=context.running.action_id if context.running else None,
        )

    def _begin(self, approved: Mapping[str, Any], live: Mapping[str, Any]) -> Any:
        """Call the tool with a copy of its own, so that what it changes does not reach the record."""
        args, kwargs = self.binding.unbind(copied(approved), live)
        return self.function(*args, **kwargs)

    def _run(self, approved: Mapping[str, Any], live: Mapping[str, Any]) -> Any:
        return self._ended(self._begin(approved, live))

    async def _run_async(self, approved: Mapping[str, Any], live: Mapping[str, Any]) -> Any:
        return self._ended(await self._begin(approved, live))

    def _ended(self, result: Any) -> Any:
        """Return a result, unless it is work that has yet to run, which nobody would judge or record."""
        if inspect.isawaitable(result):
            if inspect.iscoroutine(result):
                result.close()
            raise GuardError(
                f"{self.name} returned something to await, which the gate would lose sight of;"
                " guard the async def itself."
            )
        if inspect.isgenerator(result) or inspect.isasyncgen(result):
            if inspect.isgenerator(result):
                result.close()
            raise GuardError(
                f"{self.name} returned a generator, which runs after it returned; return a list."
            )
        return result


def guarded(function: object) -> Guarded | None:
    """Return what the gate knows of a guarded callable, or None where it is not guarded.

    Decorators such as ``functools.wraps`` copy the mark onto functions that the gate never sees; it counts
    only on the very wrapper that it was put on.
    """
    own = function.__func__ if isinstance(function, MethodType) else function
    found = getattr(own, _MARK, None)
    return found if isinstance(found, Guarded) and getattr(own, _MARKED, None) is own else None


def guarded_call(tool: object, args: Sequence[Any]) -> tuple[Guarded, tuple[Any, ...]]:
    """Return a guarded tool and its arguments; a method's receiver goes first.

    Raises:
        GuardError: The callable is not guarded.
    """
    known = guarded(tool)
    if known is None:
        raise GuardError(_not_guarded(tool))
    return known, (tool.__self__, *args) if isinstance(tool, MethodType) else tuple(args)


def _not_guarded(tool: object) -> str:
    inner: object = tool
    while (inner := getattr(inner, "__wrapped__", None)) is not None:
        if guarded(inner) is not None:
            return (
                f"{_called(tool)} stands in front of a guarded tool and is not guarded itself, so its own"
                " code would be skipped; nothing ran. Put that decorator under @gate.guard(…), or call"
                " the guarded tool itself."
            )
    return f"{_called(tool)} is not guarded; decorate it with @gate.guard(…) first."


def wrap(known: Guarded) -> Callable[..., Any]:
    """Return the callable that stands in for a tool."""
    gate, function = known.gate, known.function
    wrapper: Callable[..., Any]
    if inspect.iscoroutinefunction(function):
        wrapper = _wrap_async(known)
    else:

        @functools.wraps(function)
        def wrapper_sync(*args: Any, **kwargs: Any) -> Any:
            if gate._bypassed:
                return function(*args, **kwargs)
            return known.finish(known.take(args, kwargs))

        wrapper = wrapper_sync
    setattr(wrapper, _MARK, known)
    setattr(wrapper, _MARKED, wrapper)
    return wrapper


def _wrap_async(known: Guarded) -> Callable[..., Any]:
    """Return what stands in for an ``async def``: it takes its options when called, not when awaited."""
    gate, function = known.gate, known.function

    @functools.wraps(function)
    async def awaited(args: Sequence[Any], kwargs: Mapping[str, Any], options: CallOptions | None) -> Any:
        if gate._bypassed:
            return await function(*args, **kwargs)
        return known.finish(await known.take_async(args, kwargs, options))

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return awaited(args, kwargs, known.options())

    return as_async(wrapper)


def action_name(given: str | None, function: Callable[..., Any], namespace: str | None) -> str:
    """Return the action name of a tool.

    Args:
        given: What the guard was told; None takes the function's own name.
        function: The tool.
        namespace: Put before a name without a dot; None for none.

    Raises:
        GuardError: The name has not the form ``namespace.tool``.
    """
    name = function.__name__ if given is None else given
    if "." not in name and namespace:
        name = f"{namespace}.{name}"
    if not is_action_name(name):
        raise GuardError(
            f"{name!r} is no action name: write namespace.tool in ASCII letters, digits, _ and -,"
            " or give the gate a namespace."
        )
    return name


def check_options(
    action: object, on_refusal: object, exclude: object, effect: object, facts: object, wait: Wait | None
) -> None:
    """Refuse what cannot be meant when a guard is made.

    Raises:
        GuardError: An option is of another type or word.
    """
    if action is not None and not isinstance(action, str):
        raise GuardError('Write @gate.guard("namespace.tool"), with parentheses and the name of the action.')
    if on_refusal not in ("raise", "return"):
        raise GuardError(f'on_refusal={on_refusal!r} is neither "raise" nor "return".')
    if isinstance(exclude, str):
        raise GuardError(f"exclude={exclude!r} is one text; write a list of parameter names.")
    if effect is not None and not isinstance(effect, Effect):
        raise GuardError(f"effect={effect!r} is no Effect; write Effect(risk='write', …).")
    if facts is not None and (not callable(facts) or inspect.iscoroutinefunction(facts)):
        raise GuardError("facts= takes a def that returns a mapping of names to values.")
    if wait is not None:
        seconds(wait)


def check_tool(function: object) -> None:
    """Refuse what cannot be guarded.

    Raises:
        GuardError: It is no plain function or method, or a generator.
    """
    if isinstance(function, (staticmethod, classmethod, property)):
        raise GuardError(f"Put the guard under @{type(function).__name__}, directly on the function.")
    if not isinstance(function, (FunctionType, MethodType)):
        raise GuardError(
            f"{_called(function)} is no function but a {type(function).__name__}; put the guard under it,"
            " directly on the function it calls."
        )
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise GuardError(f"{_called(function)} is a generator, which runs after it returned; return a list.")


def _details(name: str, ending: Ran[Any]) -> Details:
    return Details(
        ending.action_id, name, decisions=ending.decisions, shared=ending.shared, edits=ending.edits
    )


def _called(tool: object) -> str:
    return str(getattr(tool, "__qualname__", None) or repr(tool))


def _in_event_loop() -> bool:
    loops = sys.modules.get("asyncio")
    if loops is None:  # none runs where nobody has loaded it, which takes as long as the gate itself
        return False
    try:
        loops.get_running_loop()
    except RuntimeError:
        return False
    return True
