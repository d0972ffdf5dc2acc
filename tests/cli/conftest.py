"""Fixtures of the command line's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bot.browser import pytest_runtest_teardown  # noqa: F401
from tests.cli.cli_kit import Filled, fill


@pytest.fixture
def filled(db: Path) -> Iterator[Filled]:
    """Return a store with one call of each kind."""
    yield from fill(db)
