"""Names for Slack ids: read a file's ``names`` and put the ids where the names stand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gate.policy.paths import did_you_mean
from gate.policy.places import Loc
from gate.policy.source import Document
from gate.values import IDENTIFIER, quoted

_ID = re.compile(r"[UWSCG][A-Z0-9]{2,30}")
_PLACES = ("channel", "approvers", "operators")


def read_names(raw: Any, document: Document) -> dict[str, str]:
    """Return the Slack id behind each name; what is wrong is added to the document.

    Args:
        raw: The written ``names``; None for none.
        document: Where they stand.
    """
    if raw is None:
        return {}
    if not isinstance(raw, Mapping) or not raw:
        document.add(("names",), "must be a mapping of names to Slack ids: {alice: U02ALICE}")
        return {}
    _check_twice(list(map(str, raw)), document)
    return {str(name): str(id_) for name, id_ in raw.items() if _check(str(name), id_, document)}


def _check_twice(names: list[str], document: Document) -> None:
    """Refuse names that differ by case only: people would take one for the other."""
    seen: dict[str, str] = {}
    for name in names:
        first = seen.setdefault(name.lower(), name)
        if first != name:
            document.add(
                ("names", name), f"{quoted(name)} differs from {quoted(first)} by case only", key=True
            )


def _check(name: str, id_: Any, document: Document) -> bool:
    loc: Loc = ("names", name)
    if not IDENTIFIER.fullmatch(name):
        document.add(loc, f"{quoted(name)} is not a name: write letters, digits, _ and -", key=True)
    elif _ID.fullmatch(name):
        document.add(loc, f"{quoted(name)} is itself a Slack id: take another name", key=True)
    elif not isinstance(id_, str) or not _ID.fullmatch(id_):
        said = "this" if isinstance(id_, (list, Mapping)) else quoted(id_)
        document.add(loc, f"{said} is not a Slack id: write U… (user), S… (user group) or C… (channel)")
    else:
        return True
    return False


def with_ids(raw: Any, names: Mapping[str, str], document: Document, loc: Loc) -> Any:
    """Return written keys with ids in the place of names, wherever an id may stand.

    Args:
        raw: The written ``approvals``, rule or budget.
        names: The ids behind the file's names.
        document: Where it stands; a name that does not exist is added to its problems.
        loc: Way to it.
    """
    if not isinstance(raw, Mapping):
        return raw
    found = dict(raw)
    for key in _PLACES:
        if key in raw:
            found[key] = _Ids(names, document).put(raw[key], (*loc, key))
    handed = raw.get("hand_over")
    if isinstance(handed, Mapping) and "approvers" in handed:
        put = _Ids(names, document).put(handed["approvers"], (*loc, "hand_over", "approvers"))
        found["hand_over"] = {**handed, "approvers": put}
    return found


class _Ids:
    """Put ids in the place of names, at any depth of one value."""

    def __init__(self, names: Mapping[str, str], document: Document) -> None:
        self._names, self._document = names, document

    def put(self, value: Any, loc: Loc) -> Any:
        if isinstance(value, list):
            return [self.put(each, (*loc, index)) for index, each in enumerate(value)]
        if isinstance(value, Mapping):
            return {key: self.put(each, (*loc, str(key))) for key, each in value.items()}
        if isinstance(value, str) and value not in self._names:
            self._hint(value, loc)
        return self._names.get(value, value) if isinstance(value, str) else value

    def _hint(self, value: str, loc: Loc) -> None:
        """Say which name was meant where the text is no id but nearly a name."""
        near = did_you_mean(value, self._names) if not _ID.fullmatch(value) else ""
        if near:
            self._document.add(loc, f"{quoted(value)} is not a name of this file{near}")
            self._document.spoilt.add(loc)
