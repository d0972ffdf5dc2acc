"""Check what stands beside the arguments of an action that host code made, before anything reads it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from gate.declared import check_effect
from gate.errors import ActionError, GateError, GuardError
from gate.model import Action, Effect, Parameters, Principal
from gate.shapes import class_name, has_utf8

_NEEDED = ("name", "agent", "session", "source")
_OPTIONAL = ("target", "call_id", "note", "parent")
_KINDS = (("on_behalf_of", Principal), ("effect", Effect), ("parameters", Parameters))
_ANY = Parameters(frozenset(), open=True)


def check_parts(action: Action) -> None:
    """Refuse an action with a part that is not what the part has to be.

    Raises:
        ActionError: A part is of another type, has no UTF-8 form, or is an effect that no tool can have.
    """
    if type(action) is not Action:
        raise ActionError(f"What was submitted is no Action ({class_name(type(action))}). Nothing ran.")
    try:
        _check(action)
    except GateError:
        raise
    except Exception as error:  # a collection may be anybody's code
        kind = class_name(type(error))
        raise ActionError(f"The action cannot be read ({kind}). Nothing ran.") from error


def _check(action: Action) -> None:
    for part in (*_NEEDED, *_OPTIONAL):
        _check_text(part, getattr(action, part), optional=part in _OPTIONAL)
    for part, kind in _KINDS:
        value = getattr(action, part)
        if value is not None and type(value) is not kind:
            raise ActionError(f"{part}: it is no {kind.__name__} ({class_name(type(value))}). Nothing ran.")
    if type(action.facts_lost) is not bool:
        kind = class_name(type(action.facts_lost))
        raise ActionError(f"facts_lost: it is neither true nor false ({kind}). Nothing ran.")
    _check_names("not_shown", action.not_shown)
    if action.parameters is not None:
        _check_names("parameters", action.parameters.names)
    _check_effect(action.effect)


def _check_text(part: str, value: Any, *, optional: bool) -> None:
    if not (optional and value is None) and (type(value) is not str or not has_utf8(value)):
        raise ActionError(
            f"{part}: it is no text ({class_name(type(value))}) or has no UTF-8 form. Nothing ran."
        )


def _check_names(part: str, names: Any) -> None:
    if isinstance(names, (str, bytes)) or not isinstance(names, Collection):
        raise ActionError(f"{part}: names stand in a collection of texts. Nothing ran.")
    for name in names:
        _check_text(part, name, optional=False)


def _check_effect(effect: Effect | None) -> None:
    try:
        check_effect(effect, _ANY)
    except GuardError as error:
        raise ActionError(f"{error} Nothing ran.") from None
