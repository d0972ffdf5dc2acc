"""Settings of a gate: what the constructor is not given, the environment says."""

from __future__ import annotations

import os
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from types import NoneType
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from gate.errors import Fault
from gate.values import IDENTIFIER, parse_duration
from gate.wait import Wait, seconds

MEMORY = ":memory:"


class Settings(BaseModel):
    """What one gate is told.

    Attributes:
        policy: Policy file or folder; None uses what the store has.
        db: The store's file, or ``:memory:``; default is in the XDG state folder.
        channel: Slack channel that replaces every channel of the policy; None for none.
        durability: ``full``, or ``normal``: a crash of the machine may lose records of allowed calls.
        reload: ``watch`` takes changed policy files while the process runs (for development).
        agent: Agent of the session that calls outside any session belong to; None: such calls are refused.
        namespace: Put before tool names without a dot; None for none.
        wait: How long held calls wait: seconds, a duration such as ``10m``, or ``until_decided``.
        allow_local_workspace: Whether a local workspace may stand in for Slack.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    policy: Path | None = None
    db: Path | Literal[":memory:"] | None = None
    channel: str | None = None
    durability: Literal["full", "normal"] = "full"
    reload: Literal["off", "watch"] = "off"
    agent: str | None = None
    namespace: str | None = None
    wait: Wait = "until_decided"
    allow_local_workspace: bool = False

    @field_validator("db", mode="before")
    @classmethod
    def _memory(cls, value: Any) -> Any:
        if not isinstance(value, (str, PathLike, NoneType)):
            raise ValueError('a store is the path of its file, or ":memory:"')
        return value if value in (None, MEMORY) else Path(value)

    @field_validator("wait", mode="before")
    @classmethod
    def _wait(cls, value: Any) -> Any:
        if isinstance(value, str) and value != "until_decided":
            value = _span(value)
        try:
            seconds(value)
        except TypeError as error:
            raise ValueError(str(error)) from None
        return value

    @field_validator("namespace")
    @classmethod
    def _namespace(cls, value: str | None) -> str | None:
        if value is not None and not all(IDENTIFIER.fullmatch(part) for part in value.split(".")):
            raise ValueError("a namespace is letters, digits, _ and -, with dots between")
        return value

    @classmethod
    def read(
        cls,
        given: Mapping[str, Any] | None = None,
        *,
        prefix: str = "GATE_",
        environ: Mapping[str, str] | None = None,
    ) -> Self:
        """Return settings: what is given and not None, else the environment's, else the default.

        Args:
            given: Settings by name.
            prefix: How the environment's names begin, such as ``GATE_`` in ``GATE_DB``.
            environ: The environment; default is the process's.

        Raises:
            Fault: A setting cannot be used (code ``settings``); the message names it.
        """
        source = os.environ if environ is None else environ
        found: dict[str, Any] = {
            name: source[prefix + name.upper()]
            for name in cls.model_fields
            if source.get(prefix + name.upper())
        }
        found |= {name: value for name, value in (given or {}).items() if value is not None}
        try:
            return cls.model_validate(found)
        except ValidationError as error:
            raise Fault(_explain(error, prefix), code="settings") from None


def allows_local(environ: Mapping[str, str]) -> bool:
    """Tell whether the environment lets a local workspace stand in for Slack.

    Args:
        environ: The environment; nothing else in it is looked at.

    Raises:
        Fault: It says neither yes nor no (code ``settings``).
    """
    name = "GATE_ALLOW_LOCAL_WORKSPACE"
    return Settings.read(environ={name: environ.get(name, "")}).allow_local_workspace


def _span(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return parse_duration(text)


def _said(message: str) -> str:
    """Return what pydantic says of a value, in the words of other messages."""
    if "valid boolean" in message:
        return "write true or false"
    return message.removeprefix("Value error, ").replace("Input should be", "write", 1)


def _explain(error: ValidationError, prefix: str) -> str:
    lines = [
        f"{prefix}{str(each['loc'][0]).upper()} ({each['loc'][0]}=): {_said(each['msg'])}"
        for each in error.errors()
    ]
    return "These settings cannot be used; nothing was opened.\n" + "\n".join(dict.fromkeys(lines))
