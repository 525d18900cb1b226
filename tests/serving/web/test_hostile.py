"""Documents whose text is an attack on the page."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright", reason="needs playwright")

from acting import block, give
from playwright.sync_api import Page, expect

ATTACK_START = "<img src=x onerror="


@pytest.mark.parametrize("view", ["Text", "Markdown", "Proof"])
def test_markup_in_a_document_is_text(page: Page, view: str) -> None:
    give(page, "hostile.pdf")
    expect(block(page, 1, 1)).to_contain_text(ATTACK_START)
    page.get_by_role("tab", name=view).click()
    expect(page.locator(".reading")).to_contain_text(ATTACK_START)
    page.wait_for_timeout(200)
    assert page.evaluate("window.hit") is None
    assert (
        page.locator(".reading img[onerror], .reading script, .reading svg[onload], [onclick]").count() == 0
    )
    assert page.locator(".reading a").count() == 0
    expect(page.locator(".failure")).to_contain_text(ATTACK_START)


def test_of_table_markup_only_the_table_is_taken(page: Page) -> None:
    give(page, "hostile.pdf")
    cells = block(page, 1, 8).locator("td")
    expect(cells.nth(1)).to_have_text("kept")
    assert block(page, 1, 8).locator("td *").count() == 0


def test_a_files_name_is_text(page: Page) -> None:
    give(page, "<img src=x onerror=window.hit=1>.pdf")
    expect(page.get_by_role("alert")).to_contain_text("<img src=x")
    assert page.evaluate("window.hit") is None
