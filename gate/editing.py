"""Apply what people changed to a call, exactly as it was approved."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gate.digest import canonical, copied
from gate.fields import untagged
from gate.model import Action
from gate.shapes import copy_model, model_parts
from gate.values import parse_path

_PREFIX = b"gate.edit.v1\n"
_ABSENT = object()

Patch = Mapping[str, Any]
"""By path the tagged form of each value that replaces one of the submitted call."""


class EditNotTaken(ValueError):
    """Say why a change that people approved cannot be made to the call in hand."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Edited:
    """A call with what people changed.

    Attributes:
        submitted: The call as it was submitted.
        action: The call as it runs.
        patch: What changed.
        version: Version of the hold that says so.
    """

    submitted: Action
    action: Action
    patch: Patch = field(repr=False)
    version: int


def edited(submitted: Action, patch: Patch, version: int) -> Edited:
    """Return a call with what people changed; the given call stays as it is.

    Args:
        submitted: The call; ``arguments`` must be a snapshot.
        patch: By path the tagged form of each new value.
        version: Version of the hold that has this patch.

    Raises:
        EditNotTaken: A path leads nowhere in this call, or a value cannot be made here.
    """
    arguments = copied(submitted.arguments)
    for path, tag in patch.items():
        keys = parse_path(path)[1:]
        present = value_at(arguments, keys)
        if holds_more(arguments, keys):
            raise EditNotTaken(f"{path}: a model there holds values that would not follow the change")
        try:
            arguments = put(arguments, keys, untagged(tag, None if present is _ABSENT else present))
        except (ValueError, LookupError) as error:
            raise EditNotTaken(f"{path}: {error}") from None
    return Edited(submitted, replace(submitted, arguments=arguments), dict(patch), version)


def edited_digest(key: bytes, submitted: str, patch: Patch) -> str:
    """Return the keyed digest of an edited call.

    It is over the digest of the call as submitted and every changed value with its type, which together are
    the whole call; a process that has not the call's secrets can tell it, too.

    Args:
        key: The store's key.
        submitted: Digest of the call as submitted.
        patch: By path the tagged form of each new value.
    """
    form = {"of": submitted, "values": dict(patch)}
    return hmac.new(key, _PREFIX + canonical(form), hashlib.sha256).hexdigest()


def is_absent(value: object) -> bool:
    """Tell whether ``value_at`` found nothing."""
    return value is _ABSENT


def value_at(value: Any, keys: tuple[str, ...]) -> Any:
    """Return what stands at keys inside arguments, dicts and models; see ``is_absent``."""
    for key in keys:
        value = _inner(value).get(key, _ABSENT)
    return value


def holds_more(value: Any, keys: tuple[str, ...]) -> bool:
    """Tell whether a model on the way to a value holds more than fields, such as a cached or private value.

    What it worked out of the value before would stay as it was, and nobody could see that it no longer fits.

    Args:
        value: Arguments by parameter name.
        keys: The way to the value.
    """
    for key in keys:
        parts = None if isinstance(value, Mapping) else model_parts(value)
        if parts is not None and not _SHOWN.issuperset(parts):
            return True
        value = _inner(value).get(key, _ABSENT)
    return False


_SHOWN = frozenset({"fields", "extra", "set"})
"""Parts of a model that people see, and which fields were given."""


def _inner(value: Any) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    parts = None if value is _ABSENT else model_parts(value)
    return {} if parts is None else {**parts["fields"], **parts.get("extra", {})}


def put(value: Any, keys: tuple[str, ...], new: Any) -> Any:
    """Return a value with a new one inside it, at keys where one stood.

    Raises:
        LookupError: Nothing stands there.
    """
    if not keys:
        return new
    first, rest = keys[0], keys[1:]
    present = _inner(value).get(first, _ABSENT)
    if present is _ABSENT:
        raise LookupError("no such value stands in this call")
    inside = put(present, rest, new)
    if isinstance(value, Mapping):
        return {**value, first: inside}
    if isinstance(value, tuple):
        return value._replace(**{first: inside})  # type: ignore[attr-defined]
    return _with_attribute(value, first, inside)


def _with_attribute(model: Any, name: str, new: Any) -> Any:
    made = copy_model(model, lambda each: dict(each) if type(each) is dict else each)
    extra = getattr(made, "__pydantic_extra__", None)
    if extra and name in extra:
        extra[name] = new
    elif hasattr(made, "__pydantic_fields_set__"):
        made.__dict__[name] = new
        made.__pydantic_fields_set__.add(name)
    else:
        object.__setattr__(made, name, new)
    return made
