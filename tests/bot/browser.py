"""Chromium for the page's tests: found on the machine, or the test skips and says so."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from bot.local_workspace import LocalWorkspace
from tests.patience import patient_workspace

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
PATIENCE = 30_000
"""Milliseconds after which nothing is waited for any more; no test takes them unless it fails."""


def expect(what: Any) -> Any:
    """Give Playwright's assertions on a page or a locator: they look again until they hold.

    The page learns of everything twice, by its own call's answer and by its live line, in either order. So
    a test never reads the page's state right after an action or after something else became visible.
    """
    driver = pytest.importorskip("playwright.sync_api", reason="the playwright package is not installed")
    driver.expect.set_options(timeout=PATIENCE)
    return driver.expect(what)


def caught_up(page: Any, workspace: Any) -> None:
    """Wait until a page shows everything that happened in its workspace up to now."""
    now = workspace.control.state()["counter"]
    page.wait_for_function("now => Number(document.body.dataset.counter) >= now", arg=now, timeout=PATIENCE)


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
    yield from _opener(chromium)


@pytest.fixture(scope="module")
def still_workspace() -> Iterator[LocalWorkspace]:
    """Give a workspace for a module whose tests only look at it."""
    yield from patient_workspace()


@pytest.fixture(scope="module")
def still_page(still_workspace: LocalWorkspace, chromium: Any) -> Iterator[Any]:
    """Give one desktop page for all tests of a module that only look at it."""
    for open_at in _opener(chromium):
        yield open_at(f"{still_workspace.url}/#as=U0ALICE")


def _opener(chromium: Any) -> Iterator[Any]:
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
