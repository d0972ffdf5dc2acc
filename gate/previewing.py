"""Tell what the gate would answer to a call, without making it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any

from gate.forks import whole
from gate.guard import guarded_call
from gate.primitive import Primitive

if TYPE_CHECKING:
    from gate.guard import Guarded
    from gate.model import Action, Verdict
    from gate.session import Session


class Previewing(Primitive):
    """The part of a gate that answers without writing."""

    def preview(self, tool: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Verdict:
        """Return what the gate would answer to a call now, budgets and freezes included; nothing is written.

        Args:
            tool: A guarded ``def`` or ``async def``; it is not called.
            args: Its arguments.
            kwargs: Its keyword arguments.

        Returns:
            The verdict as of now; another call may come in between. How much may wait for people is left out.

        Raises:
            GuardError: The tool is not guarded.
            ActionError: The arguments cannot be judged.
            NoSession: It is outside any session, and the gate has no default one.
        """
        with whole():
            from gate import calling
        known, bound = guarded_call(tool, args)
        gate = known.gate
        return gate.service.preview(calling.preview(known, bound, kwargs, gate._session_for_preview()))

    def preview_async(
        self, tool: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Coroutine[Any, Any, Verdict]:
        """Return what the gate would answer to a call now, beside an event loop; see ``preview``.

        The call belongs to the session in which this was called, wherever it is awaited.

        Args:
            tool: A guarded ``def`` or ``async def``; it is not called.
            args: Its arguments.
            kwargs: Its keyword arguments.

        Returns:
            The verdict as of now.

        Raises:
            GuardError: The tool is not guarded.
            ActionError: The arguments cannot be judged.
            NoSession: It is outside any session, and the gate has no default one.
            CancelledError: The caller was cancelled meanwhile.
        """
        known, bound = guarded_call(tool, args)
        return _previewed(known, bound, kwargs, known.gate._session_for_preview())


async def _previewed(
    known: Guarded, args: tuple[Any, ...], kwargs: Mapping[str, Any], session: Session
) -> Verdict:
    with whole():
        from gate import aio, calling
    runtime = known.gate._opened()
    action: Action = await aio.asked(runtime, lambda: calling.preview(known, args, kwargs, session))
    found, cancelled = await aio.shielded(runtime, lambda: runtime.service.preview(action))
    if cancelled is not None:
        raise cancelled
    return found
