"""A headless Chromium and a fake server, and a page that fails the test on any error, refusal or outside request."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fake_galley import FakeGalley
    from playwright.sync_api import Browser, Page

_PATIENCE_MS = 30_000  # busy machines take their time
_CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_NOTE_VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", ({ violatedDirective, sourceFile, lineNumber }) =>
    violations.push(`${violatedDirective} ${sourceFile}:${lineNumber}`));
"""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser takes its time, and minutes on a busy machine."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    path = next(filter(None, map(shutil.which, _CHROMIUMS)), None)
    if path is None:
        pytest.skip("needs Chromium on the PATH")
    playwright.expect.set_options(timeout=_PATIENCE_MS)
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=path)
        yield started
        started.close()


@pytest.fixture(scope="module")
def served() -> Iterator[FakeGalley]:
    """One fake server for the tests of a file."""
    for name in ("starlette", "uvicorn", "python_multipart"):
        pytest.importorskip(name, reason="needs the serve extra")
    from fake_galley import FakeGalley

    server = FakeGalley()
    yield server
    server.close()


@pytest.fixture
def fake(served: FakeGalley) -> FakeGalley:
    """The fake server, with nothing in it."""
    served.jobs.clear()
    served.key, served.full, served.refused = None, 0, 0
    return served


class Watch:
    """What went wrong in a page."""

    def __init__(self, page: Page, url: str) -> None:
        self.troubles: list[str] = []
        page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        page.on("console", self._note)
        page.on("request", lambda request: self._check(request.url, url))
        page.add_init_script(_NOTE_VIOLATIONS)

    def _note(self, message: Any) -> None:
        # Refused requests are part of some tests, and the page has to tell the user of them.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.troubles.append(f"console: {message.text}")

    def _check(self, requested: str, home: str) -> None:
        if not requested.startswith((home, "blob:")):
            self.troubles.append(f"outside request: {requested}")


def _opened(browser: Browser, url: str, **options: Any) -> Iterator[Page]:
    context = browser.new_context(**({"viewport": {"width": 1400, "height": 900}} | options))
    page = context.new_page()
    page.set_default_timeout(_PATIENCE_MS)
    watch = Watch(page, url)
    page.goto(url)
    yield page
    violations = page.evaluate("window.violations")
    context.close()
    assert watch.troubles + violations == []


@pytest.fixture
def page(browser: Browser, fake: FakeGalley) -> Iterator[Page]:
    """The web page, 1400 pixels wide."""
    yield from _opened(browser, fake.url)


@pytest.fixture
def phone(browser: Browser, fake: FakeGalley) -> Iterator[Page]:
    """The web page on a phone."""
    size = {"width": 390, "height": 844}
    yield from _opened(browser, fake.url, viewport=size, has_touch=True, is_mobile=True)


@pytest.fixture
def dark(browser: Browser, fake: FakeGalley) -> Iterator[Page]:
    """The web page where the system asks for dark colours."""
    yield from _opened(browser, fake.url, color_scheme="dark")
