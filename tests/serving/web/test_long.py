"""A thousand pages: only those near the screen exist."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright", reason="needs playwright")

from acting import block, give, is_in_view
from playwright.sync_api import Page, expect

FEW = 12


def _long(page: Page) -> None:
    give(page, "long.pdf")
    expect(page.locator("#doc-state")).to_contain_text("1,000 pages read", timeout=60_000)


def test_a_long_document_keeps_few_pages_in_the_tree(page: Page) -> None:
    _long(page)
    expect(page.locator(".page")).to_have_count(1000)
    assert page.locator(".region").count() <= 7 * FEW
    for number in (700, 3, 1000):
        page.locator("#page-input").fill(str(number))
        page.keyboard.press("Enter")
        expect(block(page, number, 0)).to_contain_text(f"Chapter {number}")
        expect(block(page, number, 0)).to_be_in_viewport()
        expect(page.locator(f'[data-page="{number}"] .frame > img')).to_have_js_property("naturalWidth", 1240)
        assert is_in_view(block(page, number, 0))
    page.wait_for_timeout(300)
    assert page.locator(".frame img").count() <= FEW
    assert page.locator(".block").count() <= 7 * FEW


def test_scrolling_through_keeps_the_place(page: Page) -> None:
    _long(page)
    page.locator("#page-input").fill("500")
    page.keyboard.press("Enter")
    expect(block(page, 500, 0)).to_be_in_viewport()
    for _ in range(10):
        page.locator("#pages").evaluate("pane => pane.scrollBy(0, 700)")
        page.wait_for_timeout(50)
    for _ in range(10):
        page.locator("#pages").evaluate("pane => pane.scrollBy(0, -700)")
        page.wait_for_timeout(50)
    expect(page.locator("#page-input")).to_have_value("500")
    expect(block(page, 500, 0)).to_be_in_viewport()


def test_previous_and_next(page: Page) -> None:
    _long(page)
    page.get_by_role("button", name="Next page").click()
    expect(page.locator("#page-input")).to_have_value("2")
    page.get_by_role("button", name="Next page").click()
    expect(page.locator("#page-input")).to_have_value("3")
    page.get_by_role("button", name="Previous page").click()
    expect(page.locator("#page-input")).to_have_value("2")
