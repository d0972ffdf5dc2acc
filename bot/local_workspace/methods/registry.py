"""How a method of the Web API is declared, and how it reads its arguments."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.local_workspace.errors import SlackError
from bot.local_workspace.objects import Json
from bot.local_workspace.state import Workspace

TRUE = (True, 1, "1", "true", "True")


@dataclass(frozen=True, slots=True)
class Args:
    """The arguments of one call, from a JSON or a form body."""

    given: Mapping[str, Any]

    def text(self, name: str, default: str = "") -> str:
        """Return an argument as text; numbers are taken as they are written."""
        value = self.given.get(name)
        if value is None:
            return default
        if isinstance(value, (dict, list)):
            raise SlackError.about("invalid_arguments", [f"must provide a string [json-pointer:/{name}]"])
        return str(value)

    def needed(self, name: str) -> str:
        """Return an argument that must be there."""
        value = self.text(name)
        if not value:
            raise SlackError.about("invalid_arguments", [f"missing required field: {name}"])
        return value

    def flag(self, name: str) -> bool:
        """Return an argument as a truth value. Default false."""
        return self.given.get(name) in TRUE

    def number(self, name: str, default: int, high: int) -> int:
        """Return an argument as a whole number from 1 to `high`."""
        try:
            value = int(self.text(name) or default)
        except ValueError:
            raise SlackError("invalid_limit") from None
        return max(1, min(value, high))

    def json(self, name: str, error: str) -> Any:
        """Return an argument that is JSON, whether it came as text or as it is; None if it is missing."""
        value = self.given.get(name)
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value) if value else None
        except ValueError:
            raise SlackError(error) from None

    def names(self, name: str) -> list[str]:
        """Return an argument that is a list of ids, written with commas or as JSON."""
        value = self.given.get(name) or []
        parts = value.split(",") if isinstance(value, str) else value
        return [str(each).strip() for each in parts if str(each).strip()]


Run = Callable[[Workspace, Args], Json]


@dataclass(frozen=True, slots=True)
class Method:
    """One method: what it does, whose token it takes (bot or app), the scope it needs."""

    run: Run
    scope: str | None = None
    caller: str = "bot"


METHODS: dict[str, Method] = {}


def method(name: str, *, scope: str | None = None, caller: str = "bot") -> Callable[[Run], Run]:
    """Declare a function as the method `name`."""

    def declare(run: Run) -> Run:
        METHODS[name] = Method(run, scope, caller)
        return run

    return declare


def need_scope(workspace: Workspace, scope: str) -> None:
    """Refuse unless the app has a scope."""
    if scope not in workspace.scopes:
        raise SlackError("missing_scope", needed=scope, provided=",".join(workspace.scopes))


def page(items: list[Any], args: Args, default: int = 100) -> tuple[list[Any], str]:
    """Return one page of a list and the cursor of the next one, empty at the end."""
    cursor = args.text("cursor")
    try:
        start = int(cursor.removeprefix("next:")) if cursor else 0
    except ValueError:
        raise SlackError("invalid_cursor") from None
    end = start + args.number("limit", default, 1000)
    return items[start:end], f"next:{end}" if end < len(items) else ""


def paged(items: list[Any], args: Args, name: str, default: int = 100) -> Json:
    """Return one page of a list as an answer under `name`."""
    shown, cursor = page(items, args, default)
    return {name: shown, "response_metadata": {"next_cursor": cursor}}
