"""Make the pictures of the docs: the stored views, drawn by the local workspace's page in Chromium.

Run it with ``make pictures``; look at what changed before you keep it.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from slack_sdk.web import WebClient

from bot.local_workspace import LocalWorkspace
from tests.bot.browser import ARGS
from tests.bot.gallery import Scene, scenes

DOCS = Path(__file__).parent
PHONE = {"width": 390, "height": 844}
LONG_PHONE = {"width": 390, "height": 2000}
DESK = {"width": 1000, "height": 1400}
PICTURES = {
    "pictures/pending.png": ("card-pending", LONG_PHONE),
    "pictures/deny.png": ("modal-deny", PHONE),
    "pictures/quorum.png": ("card-pending-quorum", LONG_PHONE),
    "pictures/budget.png": ("card-pending-budget", LONG_PHONE),
    "pictures/edit.png": ("modal-edit", PHONE),
    "pictures/denied.png": ("card-denied", LONG_PHONE),
    "pictures/in-doubt.png": ("card-in-doubt", LONG_PHONE),
    "pictures/burst.png": ("card-burst", LONG_PHONE),
    "pictures/everything.png": ("modal-everything", PHONE),
    "pictures/home.png": ("home", LONG_PHONE),
    "card.png": ("card-pending-full", DESK),
}
"""Each picture with its view and the window it is drawn in."""
SHOWN = {"message": "#timeline .message", "modal": "[data-testid=modal]", "home": "[data-testid=home]"}


def main() -> None:
    """Draw every picture."""
    views = scenes()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(ARGS))
        for name, (view, window) in PICTURES.items():
            with LocalWorkspace() as workspace:
                _draw(browser, workspace, views[view], window, DOCS / name)
        browser.close()


def _draw(browser: Any, workspace: LocalWorkspace, scene: Scene, window: dict[str, int], path: Path) -> None:
    client = WebClient(token=workspace.bot_token, base_url=workspace.api_url)
    home = "&home" if scene.kind == "home" else ""
    page = browser.new_page(viewport=window, reduced_motion="reduce", color_scheme="light")
    if scene.kind == "message":
        client.chat_postMessage(channel="C0APPROVALS", **scene.payload)
    elif scene.kind == "home":
        client.views_publish(user_id="U0ALICE", view=scene.payload)
    page.goto(f"{workspace.url}/#as=U0ALICE{home}")
    page.get_by_test_id("person-select").wait_for()
    if scene.kind == "modal":
        trigger = workspace.control.mint("U0ALICE")["trigger_id"]
        client.views_open(trigger_id=trigger, view=scene.payload)
    shown = page.locator(SHOWN[scene.kind]).last
    shown.locator(".block").first.wait_for()
    shown.screenshot(path=path, animations="disabled")
    page.close()


if __name__ == "__main__":
    main()
