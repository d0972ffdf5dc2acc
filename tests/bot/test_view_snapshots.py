"""Every view as a stored Block Kit file: within Slack's limits, and changed by nobody unseen.

``make snapshots`` writes them anew; look at the difference before you keep it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.bot.gallery import Scene, scenes
from tests.bot.slack_limits import check_message, check_view

FOLDER = Path(__file__).with_name("snapshots")
SCENES = scenes()
RENEW = os.environ.get("GATE_RENEW_SNAPSHOTS") == "1"


def stored(scene: Scene) -> str:
    """Return a view as its file has it."""
    return json.dumps(scene.payload, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


@pytest.mark.parametrize("name", SCENES)
def test_a_view_is_as_stored(name: str) -> None:
    """What is drawn for a situation is what was last looked at."""
    path = FOLDER / f"{name}.json"
    if RENEW:
        path.write_text(stored(SCENES[name]), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == stored(SCENES[name]), "make snapshots writes it anew"


@pytest.mark.parametrize("name", SCENES)
def test_a_stored_view_is_within_slacks_limits(name: str) -> None:
    """The models of slack_sdk, a walk over the published limits, and the local workspace all take it."""
    view: dict[str, Any] = json.loads(stored(SCENES[name]))
    if SCENES[name].kind == "message":
        check_message(view["blocks"], view["text"])
    else:
        check_view(view)


def test_no_stored_view_is_left_over() -> None:
    """Every file belongs to a view."""
    files = {path.stem for path in FOLDER.glob("*.json")}
    if RENEW:
        for name in files - SCENES.keys():
            (FOLDER / f"{name}.json").unlink()
        files &= SCENES.keys()
    assert files == SCENES.keys()
