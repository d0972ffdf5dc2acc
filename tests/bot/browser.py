"""Chromium for the page's tests: found on the machine, or the test skips and says so."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

ARGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Start one browser for a module; a longer life would leave its event loop running under other tests."""
    driver = pytest.importorskip("playwright.sync_api", reason="the playwright package is not installed")
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("Chromium is not installed: the page's tests need Debian's chromium package")
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGS))
        yield browser
        browser.close()


@pytest.fixture
def open_page(workspace: Any, chromium: Any) -> Iterator[Any]:
    """Give a function that opens an address in its own page; a script error in any of them fails the test."""
    contexts: list[Any] = []
    problems: list[str] = []

    def open_at(url: str, viewport: dict[str, int] = DESKTOP, **options: Any) -> Any:
        context = chromium.new_context(viewport=viewport, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(url)
        return page

    yield open_at
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture
def browser_page(workspace: Any, open_page: Any) -> Any:
    """Give a desktop page that shows the workspace to Alice."""
    return open_page(f"{workspace.url}/#as=U0ALICE")
