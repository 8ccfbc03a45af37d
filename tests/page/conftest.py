"""Pages in a real browser, and what they must never do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from league.page.data import Page
from league.page.render import render
from tests.page.made_up import page as made_up


class Opened:
    """A page in the browser, with all that went wrong or went out."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.troubles: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.troubles.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        page.on("dialog", self._dialog)
        page.on("request", lambda request: self.requests.append(request.url))

    def _dialog(self, dialog: Any) -> None:
        self.troubles.append(f"dialog: {dialog.message}")
        dialog.dismiss()


@pytest.fixture
def visit(chromium, tmp_path):
    """`with visit(html) as page:` shows a page from a file; at the end it must have been quiet, and kept to itself."""

    @contextmanager
    def open_page(html: str, *, width: int = 1280, height: int = 900, scheme: str = "light") -> Iterator[Any]:
        file = Path(tmp_path) / "page.html"
        file.write_text(html, encoding="utf-8")
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        opened = Opened(context.new_page())
        opened.page.goto(file.as_uri())
        yield opened.page
        assert opened.troubles == []
        assert {url.partition("#")[0] for url in opened.requests} == {file.as_uri()}
        context.close()

    return open_page


@pytest.fixture(scope="module")
def league() -> Page:
    """The page of a league that nobody has played, as data."""
    return made_up(8)


@pytest.fixture(scope="module")
def html(league: Page) -> str:
    """The same as HTML."""
    return render(league)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a browser test at several sizes, colours and games, `make test` runs the first, and `make soak` the others."""
    seen = set()
    for item in items:
        if isinstance(item, pytest.Function) and "chromium" in item.fixturenames:
            if item.function in seen:
                item.add_marker(pytest.mark.soak)
            seen.add(item.function)
