"""Turn a call into bytes: a copy of its arguments that nobody changes, and the keyed digest of the whole."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any

from gate.copies import copied
from gate.errors import ActionError, GateError
from gate.model import Action, Principal
from gate.shapes import class_name
from gate.tagging import MAX_BYTES, MAX_VALUES, Walk, canonical, refused, tagged
from gate.taking import taken, written

__all__ = [
    "MAX_BYTES", "MAX_VALUES", "Snapshot", "action_digest", "canonical", "copied", "snapshot", "tagged",
    "written",
]  # fmt: skip

_BLOCK = 64
_PREFIX = b"gate.action.v1\n"


class Snapshot(dict[str, Any]):
    """A judged copy of arguments that is never changed, with the bytes that it was judged by.

    Args:
        arguments: The copy.
        written: RFC 8785 bytes of its tagged form.
        plain: Whether people are shown that very form where nothing is hidden.
    """

    __slots__ = ("plain", "written")

    def __init__(self, arguments: Mapping[str, Any], written: bytes, plain: bool = False) -> None:
        super().__init__(arguments)
        self.written, self.plain = written, plain


def snapshot(arguments: Mapping[str, Any]) -> Snapshot:
    """Return a copy that shares nothing changeable with the caller's arguments.

    Args:
        arguments: Bound arguments by parameter name.

    Raises:
        ActionError: An argument cannot be judged; the message names its path.
    """
    try:
        copy, form, plain = taken(_mapping(arguments), "args")
        return Snapshot(copy, form, plain and "$" not in "".join(copy))  # names of parameters are never tags
    except GateError:
        raise
    except Exception as error:  # models are anybody's code, and another thread may change what is read here
        raise ActionError(
            f"args: the arguments cannot be read ({class_name(type(error))}). Nothing ran."
        ) from error


def _mapping(arguments: Any) -> dict[str, Any]:
    """Return arguments as a dict; what is no mapping is refused, never taken for a call without any."""
    if not isinstance(arguments, Mapping):
        kind = class_name(type(arguments))
        raise ActionError(f"args: must be values by parameter name, not a {kind}. Nothing ran.")
    return dict(arguments)


def action_digest(key: bytes, action: Action, *, afresh: bool = False) -> str:
    """Return the keyed digest of what a person approves: name, target, arguments, agent, session, for whom.

    Args:
        key: The store's key.
        action: The call; ``arguments`` must be a snapshot.
        afresh: Whether its arguments are written again, whatever was written when they were taken.

    Returns:
        HMAC-SHA-256 in lower-case hexadecimal.

    Raises:
        ActionError: A part of the call cannot be judged.
    """
    for part in ("call_id", "note", "parent"):
        if getattr(action, part) is not None:
            _line(getattr(action, part), part)  # stored beside the call, so judged too, but not digested
    given = action.arguments
    form = given.written if type(given) is Snapshot and not afresh else written(_mapping(given), path="args")
    before = f'{{"agent":{_line(action.agent, "agent")},"arguments":'
    after = (
        f',"name":{_line(action.name, "name")},"on_behalf_of":{_whom(action.on_behalf_of)}'
        f',"session":{_line(action.session, "session")},"target":{_line(action.target, "target")}}}'
    )  # the keys in order, so that what was written of the arguments can stand among them
    return _keyed(key, b"".join((_PREFIX, before.encode(), form, after.encode())))


def _keyed(key: bytes, data: bytes) -> str:
    """Return the HMAC-SHA-256 of data in hexadecimal; ``hmac`` takes eight times as long for a short one."""
    inner, outer = (each.copy() for each in _pads(key))
    inner.update(data)
    outer.update(inner.digest())
    return outer.hexdigest()


@lru_cache(maxsize=8)
def _pads(key: bytes) -> tuple[hashlib._Hash, hashlib._Hash]:
    """Return both hashes of RFC 2104 with the key in them already."""
    whole = (hashlib.sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
    inner, outer = (bytes(each ^ pad for each in whole) for pad in (0x36, 0x5C))
    return hashlib.sha256(inner), hashlib.sha256(outer)


def _whom(person: Principal | None) -> str:
    if person is None:
        return "null"
    return f"[{','.join(_line(each, 'on_behalf_of') for each in (person.kind, person.id, person.team))}]"


def _line(value: str | None, path: str) -> str:
    """Return the JSON of what stands beside the arguments: a text that has a UTF-8 form, or nothing."""
    if value is None:
        return "null"
    if type(value) is not str:
        raise refused(path, f"it is of type {class_name(type(value))}; give a text")
    if not value.isascii() or len(value) > MAX_BYTES:
        Walk().text(value, path)
    return encode_basestring(value)
