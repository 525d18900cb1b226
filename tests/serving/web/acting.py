"""What a person does with the page, in words for the tests."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page


def give(page: Page, *names: str) -> None:
    """Choose files with these names."""
    files: Any = [{"name": name, "mimeType": "application/pdf", "buffer": b"%PDF-1.7"} for name in names]
    page.set_input_files("#file-input", files)


def block(page: Page, number: int, index: int) -> Locator:
    """A block of the text, on page ``number``."""
    return page.locator(f'[data-page="{number}"] .reading [data-block="{index}"]')


def region(page: Page, number: int, index: int) -> Locator:
    """The region of that block in the page image."""
    return page.locator(f'[data-page="{number}"] .regions [data-block="{index}"]')


def is_in_view(locator: Locator) -> bool:
    """Whether all of it can be seen in the pane of pages."""
    return bool(
        locator.evaluate(
            """element => {
                const own = element.getBoundingClientRect();
                const pane = document.getElementById("pages").getBoundingClientRect();
                return own.top >= pane.top - 1 && own.bottom <= pane.bottom + 1;
            }"""
        )
    )
