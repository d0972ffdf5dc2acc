"""Modal stacks and home tabs of all people."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from bot.local_workspace.errors import SlackError
from bot.local_workspace.inputs import initial_values, named
from bot.local_workspace.objects import Json, View

STACK = 3


class Views:
    """What is open in front of whom."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.stacks: dict[str, list[View]] = {}
        self.homes: dict[str, View] = {}
        self._numbers = itertools.count(1)
        self._hashes = itertools.count(1)

    def __iter__(self) -> Iterator[View]:
        for stack in self.stacks.values():
            yield from stack
        yield from self.homes.values()

    def find(self, view_id: str | None = None, external_id: str | None = None) -> View:
        """Return an open view by its id or external id, or refuse as views.update does."""
        for view in self:
            if view.id == view_id or (external_id and view.body.get("external_id") == external_id):
                return view
        raise SlackError("not_found")

    def stack(self, user_id: str) -> list[View]:
        """Return one person's open modals, the visible one last."""
        return self.stacks.setdefault(user_id, [])

    def open(self, user_id: str, body: Json) -> View:
        """Open a modal in place of what was open before."""
        self._check_external_id(body, None)
        view = self._new(user_id, body, None)
        self.stacks[user_id] = [view]
        return view

    def push(self, user_id: str, body: Json) -> View:
        """Put a modal on top of the open ones."""
        stack = self.stack(user_id)
        if len(stack) >= STACK:
            raise SlackError("push_limit_reached")
        self._check_external_id(body, None)
        view = self._new(user_id, body, stack[-1] if stack else None)
        stack.append(view)
        return view

    def update(self, view: View, body: Json, expected_hash: str | None = None) -> View:
        """Put other content into an open view; what the person typed in inputs that stay is kept."""
        if expected_hash and expected_hash != view.hash:
            raise SlackError("hash_conflict")
        self._check_external_id(body, view)
        kept = view.values
        view.put(named(body))
        view.hash = self._hash()
        view.errors = {}
        view.values = initial_values(view.blocks)
        for block_id, actions in view.values.items():
            for action_id, value in actions.items():
                old = kept.get(block_id, {}).get(action_id)
                if old is not None and old["type"] == value["type"]:
                    actions[action_id] = old
        return view

    def publish(self, user_id: str, body: Json, expected_hash: str | None = None) -> View:
        """Show a home tab to one person."""
        home = self.homes.get(user_id)
        if home is not None:
            return self.update(home, body, expected_hash)
        self.homes[user_id] = self._new(user_id, body, None)
        return self.homes[user_id]

    def close(self, view: View, *, clear: bool = False) -> None:
        """Close a view; with `clear`, or if the view asks for it, the whole stack."""
        stack = self.stack(view.user)
        if clear or view.body.get("clear_on_close"):
            stack.clear()
        elif view in stack:
            del stack[stack.index(view) :]

    def _new(self, user_id: str, body: Json, below: View | None) -> View:
        view_id = f"V{next(self._numbers):06d}"
        view = View(
            id=view_id,
            user=user_id,
            body=named(body),
            root_view_id=below.root_view_id if below else view_id,
            previous_view_id=below.id if below else None,
            hash=self._hash(),
        )
        view.values = initial_values(view.blocks)
        return view

    def _hash(self) -> str:
        return f"{int(self.clock())}.{next(self._hashes):08x}"

    def _check_external_id(self, body: Json, own: View | None) -> None:
        external_id = body.get("external_id")
        if external_id and any(
            view.body.get("external_id") == external_id for view in self if view is not own
        ):
            raise SlackError("duplicate_external_id")
