"""A local workspace for the cases that go through Slack."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.local_workspace import LocalWorkspace
from tests.patience import patient_workspace


@pytest.fixture
def workspace() -> Iterator[LocalWorkspace]:
    """Give a fresh local workspace on a free port."""
    yield from patient_workspace()
