"""A gate without a default session, and a read that tells in which session it was called."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gate import Gate
from gate.errors import NoSession
from tests.gate_kit import gate_on

Here = Callable[[], "str | None"]


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    """Return an open gate without a default session."""
    with gate_on(tmp_path, agent=None) as made:
        yield made


@pytest.fixture
def here(gate: Gate) -> Here:
    """Return a guarded read that tells in which session it was called; None where it was in none."""

    @gate.guard("desk.get_place")
    def place() -> str:
        return gate._session().id

    def here() -> str | None:
        try:
            return place()
        except NoSession:
            return None

    return here
