"""Read foreign YAML files strictly, and say where in them something is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import Any

from gate.errors import PolicyError, Problem
from gate.policy.paths import did_you_mean
from gate.policy.places import Loc
from gate.policy.source import Document, read_text
from gate.values import quoted

_BREAK = re.compile(r"^---(?=\s|$)", re.MULTILINE)


def read_file(path: Path) -> str:
    """Return the text of a file.

    Raises:
        PolicyError: It cannot be read, or is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise PolicyError([Problem(str(path), 0, 0, "", f"cannot be read: {error.strerror}")]) from None
    except UnicodeDecodeError as error:
        said = f"is not UTF-8: byte {error.start} cannot be read"
        raise PolicyError([Problem(str(path), 0, 0, "", said)]) from None


def documents(text: str, file: str) -> list[Document]:
    """Read every document of a text, each with its lines counted from the top of the file."""
    starts = [0, *(found.start() for found in _BREAK.finditer(text)), len(text)]
    found = []
    for start, end in pairwise(starts):
        body = _BREAK.sub("   ", text[start:end], count=1)
        if _says_something(body):
            found.append(read_text("\n" * text.count("\n", 0, start) + body, file))
    return found


def _says_something(body: str) -> bool:
    return any(line.strip() and not line.lstrip().startswith("#") for line in body.splitlines())


def raise_problems(sources: Sequence[Document]) -> None:
    """Raise everything that is wrong with sources, if anything is."""
    problems = [each for document in sources for each in document.problems]
    if problems:
        raise PolicyError(sorted(problems, key=lambda each: (each.file, each.line, each.column)))


class Place:
    """One mapping of a foreign file, read key by key.

    Args:
        document: Where it stands; what is wrong is added to its problems.
        loc: Way to it.
    """

    def __init__(self, document: Document, loc: Loc = ()) -> None:
        self.document = document
        self.loc = loc
        raw = _at(document.value, loc)
        self.raw: Mapping[str, Any] = raw if isinstance(raw, Mapping) else {}
        self.broken = raw is not None and not isinstance(raw, Mapping)
        if self.broken:
            self.bad("must be a mapping")

    def bad(self, message: str, *keys: str | int, key: bool = False) -> None:
        """Add a problem about a value under this mapping, or about a key."""
        self.document.add((*self.loc, *keys), message, key=key)

    def only(self, *known: str) -> None:
        """Say of each key that is not known."""
        for name in self.raw:
            if name not in known:
                self.bad(f"{quoted(name)} is not known here{did_you_mean(name, known)}", name, key=True)

    def no_slip(self, *known: str) -> None:
        """Say of each key that is nearly a known one, or about policies: nobody reads what stands there."""
        for name in self.raw:
            slip = get_close_matches(name.lower(), known, n=1, cutoff=0.8) or "polic" in name.lower()
            if slip and name not in known:
                self.bad(f"{quoted(name)} is not known here{did_you_mean(name, known)}", name, key=True)

    def text(self, name: str, *, required: bool = False) -> str:
        """Return a text without surrounding space; empty where there is none."""
        value = self.raw.get(name)
        if (value is None and not required) or self.broken:
            return ""
        if not isinstance(value, str) or not value.strip():
            self.bad("must be a text that is not empty", name)
            return ""
        return value.strip()

    def word(self, name: str, known: Mapping[str, Any], default: str = "") -> str:
        """Return one of the known words in lower case, or the default; empty where it is another."""
        said = self.text(name, required=not default).lower()
        if not said and default and self.raw.get(name) is None:
            return default
        if said and said not in known:
            self.bad(f"{quoted(said)} is not one of {', '.join(known)}{did_you_mean(said, known)}", name)
            return ""
        return said

    def under(self, name: str) -> Place:
        """Return the mapping under a key; an empty one where there is none."""
        return Place(self.document, (*self.loc, name))

    def each(self, name: str) -> list[Place]:
        """Return the mappings of a list under a key; none where there is no list."""
        value = self.raw.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            self.bad("must be a list", name)
            return []
        return [self._entry(name, index, each) for index, each in enumerate(value)]

    def _entry(self, name: str, index: int, value: Any) -> Place:
        if value is None:
            self.bad("must be a mapping", name, index)
        return Place(self.document, (*self.loc, name, index))

    def line(self) -> int:
        """Return the line in which it begins, or 0."""
        return self.document.line(self.loc)


def _at(value: Any, loc: Loc) -> Any:
    for step in loc:
        if isinstance(value, Mapping):
            value = value.get(str(step))
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value
