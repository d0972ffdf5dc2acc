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


class Browser:
    """One browser for modules that follow each other: a new one costs as much as several tests."""

    def __init__(self) -> None:
        self._driver: Any = None
        self._running: Any = None
        self._pages: Pages | None = None

    def start(self) -> Any:
        """Start it unless it runs, and return it."""
        driver = pytest.importorskip("playwright.sync_api", reason="the playwright package is not installed")
        program = shutil.which("chromium")
        if program is None:
            pytest.skip("Chromium is not installed: the page's tests need Debian's chromium package")
        if self._driver is None:
            self._driver = driver.sync_playwright().start()
            self._running = self._driver.chromium.launch(executable_path=program, args=list(ARGS))
            self._pages = Pages(self._running)
        return self._running

    def pages(self) -> Pages:
        """Return its pages; it must run."""
        assert self._pages is not None
        return self._pages

    def stop(self) -> None:
        """End it where it runs, and its event loop with it."""
        driver, running = self._driver, self._running
        self._driver = self._running = self._pages = None
        if running is not None:
            running.close()
        if driver is not None:
            driver.stop()


BROWSER = Browser()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """End the browser after a module, unless the next test is another module's and goes on with it.

    A longer life would leave its event loop running under other tests.
    """
    goes_on = "chromium" in getattr(nextitem, "fixturenames", ())
    if nextitem is None or (nextitem.path != item.path and not goes_on):
        BROWSER.stop()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the modules of the page follow each other."""
    items.sort(key=lambda item: not _is_of_the_page(item))


def _is_of_the_page(item: pytest.Item) -> bool:
    module = item.getparent(pytest.Module)
    return module is not None and any(mark.name == "page" for mark in module.own_markers)


@pytest.fixture(scope="module")
def chromium() -> Any:
    """Give the browser that a module's tests share, with those of the modules before and after."""
    return BROWSER.start()


@pytest.fixture(scope="module")
def pages(chromium: Any) -> Pages:
    """Give the pages that tests use one after the other."""
    return BROWSER.pages()


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
