"""Chromium for the page's tests: found on the machine, or the test skips and says so."""

from __future__ import annotations

import shutil
from collections import defaultdict
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


HOLD = """path => {
  const ask = window.fetch;
  window.held = 0;
  const released = new Promise((resolve) => { window.release = resolve; });
  window.fetch = async (...call) => {
    const answer = await ask(...call);
    if (!String(call[0]).startsWith(path)) return answer;
    window.held += 1;
    await released;
    return answer;
  };
}"""


class HeldAnswers:
    """The answers to one of a page's calls, kept from the page: the call was done, which it learns late.

    Nothing of it needs the test's thread, which stands still while it waits for something else.
    """

    def __init__(self, page: Any, verb: str) -> None:
        self._page = page
        page.evaluate(HOLD, f"/control/{verb}")

    def come(self, count: int = 1) -> None:
        """Wait until so many answers have come."""
        self._page.wait_for_function("count => window.held >= count", arg=count, timeout=PATIENCE)

    def release(self) -> None:
        """Let the page have them, and all that come later."""
        self._page.evaluate("release()")


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


class Pages:
    """Pages of one browser, each used by one test after the other: a new one costs more than most tests."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self._free: defaultdict[str, list[Any]] = defaultdict(list)
        self._taken: list[tuple[str, Any]] = []
        self._problems: list[str] = []

    def open(self, url: str, viewport: dict[str, int] = DESKTOP, **options: Any) -> Any:
        """Open an address in a page that nobody uses now, of this size and with these options."""
        kind = repr((viewport, options))
        page = self._free[kind].pop() if self._free[kind] else self._new(viewport=viewport, **options)
        self._taken.append((kind, page))
        page.goto(url)
        return page

    def _new(self, **options: Any) -> Any:
        page = self._browser.new_context(**options).new_page()
        page.on("pageerror", lambda error: self._problems.append(str(error)))
        return page

    def take_back(self) -> None:
        """Leave every page as a new one is; a script error in any of them fails the test."""
        for kind, page in self._taken:
            page.goto("about:blank")
            page.unroute_all(behavior="ignoreErrors")
            page.set_default_timeout(PATIENCE)
            page.mouse.move(0, 0)
            self._free[kind].append(page)
        self._taken.clear()
        found, self._problems = self._problems, []
        assert not found, f"The page's own script failed: {found}"


@pytest.fixture(scope="module")
def pages(chromium: Any) -> Pages:
    """Give the pages that a module's tests use one after the other."""
    return Pages(chromium)


@pytest.fixture
def open_page(workspace: Any, pages: Pages) -> Iterator[Any]:
    """Give a function that opens an address in its own page; a script error in any of them fails the test."""
    yield pages.open
    pages.take_back()


@pytest.fixture(scope="module")
def still_workspace() -> Iterator[LocalWorkspace]:
    """Give a workspace for a module whose tests only look at it."""
    yield from patient_workspace()


@pytest.fixture(scope="module")
def still_page(still_workspace: LocalWorkspace, chromium: Any) -> Iterator[Any]:
    """Give one desktop page for all tests of a module that only look at it."""
    own = Pages(chromium)
    yield own.open(f"{still_workspace.url}/#as=U0ALICE")
    own.take_back()


@pytest.fixture
def browser_page(workspace: Any, open_page: Any) -> Any:
    """Give a desktop page that shows the workspace to Alice."""
    return open_page(f"{workspace.url}/#as=U0ALICE")
