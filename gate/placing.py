"""Find the session that a call made here belongs to."""

from __future__ import annotations

import os

from gate.errors import NoSession
from gate.ids import new_id
from gate.opening import Opening
from gate.session import Session

_OUTSIDE = (
    "A call outside any session belongs to the default session of this process, %s, which acts for nobody,"
    " though other calls are made in sessions: where it belongs into one of them, open that where the call"
    " is made, or carry it into the thread or task with gate.bind(fn)."
)

_EITHER = (
    "A call in a task or thread is judged in %s, the session of the generator that began last, and may belong"
    " in %s: nobody can know whether the generator made the task, or who asked for its values. Carry the"
    " session there with gate.bind(fn)."
)


class Placing(Opening):
    """The part of a gate that knows in which session a call is made."""

    def _session(self) -> Session:
        """Return the session of a call made here.

        Raises:
            NoSession: There is none.
        """
        found = self._context.session
        if found is not None:
            self._tell_either(found)
            return found
        if self._settings.agent is None:
            raise NoSession(
                "This call is outside any session; nothing ran. Make it inside 'with gate.session(…):', carry"
                " the session into threads with gate.bind(fn), or give Gate(agent=…) for a default session."
            )
        return self._default_session(self._settings.agent)

    def _session_here(self) -> Session | None:
        """Return the session of a call made here, if there is one; a default one is not opened for that."""
        default = self._default[1] if self._default and self._default[0] == os.getpid() else None
        return self._context.session or default

    def _session_for_preview(self) -> Session:
        """Return the session of a call made here, without opening a default one."""
        agent = self._settings.agent
        if agent is None:
            return self._session()
        return self._session_here() or Session("preview", agent, None, self)

    def _default_session(self, agent: str) -> Session:
        self._opened()
        with self._lock:
            if self._default is None or self._default[0] != os.getpid():
                made = Session(f"process-{new_id()}", agent, None, self)
                self.service.open_session(made.id, agent=agent, on_behalf_of=None)
                self._default = (os.getpid(), made)
            default = self._default[1]
        self._tell_outside(default)
        return default

    def _tell_either(self, found: Session) -> None:
        """Say once that a call may belong to another session than it is judged in."""
        other = None if self._told_either else self._context.other
        if other is not None:
            from logging import getLogger

            self._told_either = True
            getLogger("gate").warning(_EITHER, found.id, other.id)

    def _tell_outside(self, default: Session) -> None:
        """Say once that a call may have lost its session on the way here."""
        if self._context.entered and not self._told_outside:
            from logging import getLogger  # whoever only guards tools has no need of it

            self._told_outside = True
            getLogger("gate").warning(_OUTSIDE, default.id)
