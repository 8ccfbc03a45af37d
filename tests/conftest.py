"""What all tests need: nothing depends on how quick the machine is, or on how the tests were started."""

import gc
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from league.page import reports, write_page
from league.page.data import PAGE
from league.results.store import Store
from tests.zygotes import SpareZygotes

settings.register_profile("any machine", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background processes ignore it, and theirs too


def pytest_collection_finish() -> None:
    """Thousands of tests and all that they import stay: the garbage collector and copies of this process leave them."""
    gc.collect()
    gc.freeze()


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A real browser: the one that is installed, driven by Playwright, never downloaded. One for all tests."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no tests in a browser")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"no browser found ({', '.join(BROWSERS)}): no tests in a browser")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="session", autouse=True)
def spare_zygotes() -> Iterator[SpareZygotes]:
    """What is left of the isolation of one test serves the next."""
    spare = SpareZygotes()
    with pytest.MonkeyPatch.context() as patch:
        spare.share(patch)
        yield spare
    spare.close()


@pytest.fixture(scope="module")
def without_page() -> Iterator[None]:
    """Reports of leagues have an empty page: to write one takes longer than to play a small league."""

    def empty_page(store: Store, *_: object, **__: object) -> Path:
        (store.folder / PAGE).touch()
        return store.folder / PAGE

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reports, "write_page", empty_page)
        yield


@pytest.fixture
def with_page(without_page: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that look at the page, in a module without pages."""
    monkeypatch.setattr(reports, "write_page", write_page)
