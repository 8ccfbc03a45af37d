"""Takes the pictures of the documentation in a browser: `make pictures`.

They show the league of `configs/quick.yaml`, which is played into `results/` unless it was played before.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

import league
from league.page.data import PAGE
from tests.conftest import ARGUMENTS, BROWSERS

ROOT = Path(__file__).parent.parent
CONFIG = ROOT / "configs" / "quick.yaml"
DOCS = ROOT / "docs"
SIZE: Any = {"width": 1280, "height": 900}
TALL = 1140
"""Pixels: with the first charts."""
STEP = 9
"""Of the game: far enough for something to have happened."""


def standings(page: Page, folder: Path) -> None:
    """The first screen of the standings."""
    page.set_viewport_size({"width": SIZE["width"], "height": TALL})
    page.goto((folder / PAGE).as_uri())
    page.wait_for_selector("table.ranking")
    page.screenshot(path=DOCS / "standings.png")
    page.set_viewport_size(SIZE)


def viewer(page: Page, folder: Path) -> None:
    """A game of Raj that ended with a surprise."""
    page.goto((folder / PAGE).as_uri())
    games = page.locator(".watch li", has_text="surprises").locator("a[href^='games/raj-2p']")
    link = games.first.get_attribute("href")
    page.goto(f"{folder.as_uri()}/{link}#{STEP}")
    page.wait_for_timeout(500)  # until the cards have been laid
    page.screenshot(path=DOCS / "viewer.png")


def hall(page: Page, folder: Path) -> None:
    """The first board in the lecture hall."""
    page.goto(f"{(folder / PAGE).as_uri()}#show")
    page.get_by_role("button", name="Pause").click()
    page.screenshot(path=DOCS / "hall.png")


def main() -> None:
    """Write the pictures into `docs/`."""
    folder = league.run(CONFIG, results=ROOT / "results").folder.resolve()
    browser = next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=browser, args=list(ARGUMENTS))
        page = chromium.new_context(viewport=SIZE, color_scheme="light").new_page()
        standings(page, folder)
        viewer(page, folder)
        page.set_viewport_size({"width": 1280, "height": 800})
        hall(page, folder)
        chromium.close()


if __name__ == "__main__":
    main()
