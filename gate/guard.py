"""Guard a callable: the same signature, but each call goes through the gate."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Protocol, TypeVar, overload

from gate.binding import Binding
from gate.context import as_async
from gate.errors import GuardError
from gate.forks import whole
from gate.model import Effect
from gate.values import is_action_name
from gate.wait import Wait, seconds

if TYPE_CHECKING:
    from gate.context import CallOptions, Place
    from gate.facade import Gate
    from gate.outcomes import Refusal

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])

OnRefusal = Literal["raise", "return"]
Target = str | Callable[[Mapping[str, Any]], str | None]
Facts = Callable[[Mapping[str, Any]], Mapping[str, Any]]

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
            with whole():
                from gate.calling import called
            return called(known, args, kwargs)

        wrapper = wrapper_sync
    setattr(wrapper, _MARK, known)
    setattr(wrapper, _MARKED, wrapper)
    return wrapper


def _wrap_async(known: Guarded) -> Callable[..., Any]:
    """Return what stands in for an ``async def``: options and session are those of the call."""
    gate, function = known.gate, known.function

    @functools.wraps(function)
    async def awaited(
        args: Sequence[Any], kwargs: Mapping[str, Any], options: CallOptions | None, made: Place
    ) -> Any:
        if gate._bypassed:
            return await function(*args, **kwargs)
        with whole():
            from gate.calling import called_async
        return await called_async(known, args, kwargs, options, made)

    @functools.wraps(function)
    @as_async
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return awaited(args, kwargs, known.options(), gate._context.here())

    return wrapper


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


def _called(tool: object) -> str:
    return str(getattr(tool, "__qualname__", None) or repr(tool))
