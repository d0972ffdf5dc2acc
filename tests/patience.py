"""How long tests wait before they give up. Only a test that fails takes it."""

from __future__ import annotations

from collections.abc import Iterator

from bot.local_workspace import LocalWorkspace

PATIENCE = 30.0
"""Seconds."""


def patient_workspace() -> Iterator[LocalWorkspace]:
    """Run a local workspace that gives a busy machine more than the three seconds that Slack gives an app.

    Tests of Slack's own limits set them.
    """
    with LocalWorkspace() as running:
        running.control.settings(ack_seconds=PATIENCE, trigger_seconds=PATIENCE)
        yield running
