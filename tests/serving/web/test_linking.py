"""Blocks and regions light each other up, by mouse and by keyboard."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright")

from acting import block, give, is_in_view, region
from playwright.sync_api import Page, expect

_OUTLINE = """(() => {
    const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
    return {style: outlineStyle, width: parseFloat(outlineWidth), what: document.activeElement.outerHTML.slice(0, 90)};
})()"""
LIT = re.compile(r"\blit\b")


def test_pointing_at_a_block_lights_its_region_and_back(page: Page) -> None:
    give(page, "report.pdf")
    block(page, 1, 3).hover()
    expect(region(page, 1, 3)).to_have_class(LIT)
    expect(page.locator(".region.lit")).to_have_count(1)
    region(page, 1, 2).hover()
    expect(block(page, 1, 2)).to_have_class(LIT)
    expect(page.locator(".block.lit")).to_have_count(1)
    page.locator("#doc-name").hover()
    expect(page.locator(".lit")).to_have_count(0)


def test_a_click_goes_across(page: Page) -> None:
    give(page, "report.pdf")
    expect(block(page, 1, 11)).to_be_attached()
    assert not is_in_view(block(page, 1, 11))
    region(page, 1, 11).click()
    expect(block(page, 1, 11)).to_have_class(LIT)
    page.wait_for_function(
        """() => {
            const own = document.querySelector('[data-page="1"] .block[data-block="11"]').getBoundingClientRect();
            return own.bottom <= document.getElementById("pages").getBoundingClientRect().bottom + 1;
        }"""
    )
    block(page, 1, 11).click()
    assert is_in_view(region(page, 1, 11))


def test_the_light_stays_when_the_view_changes(page: Page) -> None:
    give(page, "report.pdf")
    page.get_by_role("tab", name="Text").focus()
    region(page, 1, 3).hover()
    page.keyboard.press("End")
    expect(page.locator(".proof-head").first).to_be_visible()
    expect(block(page, 1, 3)).to_have_class(LIT)
    expect(page.locator(".lit")).to_have_count(2)


def test_selecting_text_does_not_go_across(page: Page) -> None:
    give(page, "report.pdf")
    box = block(page, 1, 3).bounding_box()
    assert box
    left, top = (
        int(box["x"]),
        int(box["y"]),
    )  # from some fractions of a pixel Chromium selects nothing on any page
    for right in range(10, 210, 10):
        page.evaluate("getSelection().removeAllRanges()")
        page.mouse.move(left + right, top + 15)
        page.mouse.down()
        page.mouse.move(left + 300, top + 75, steps=4)
        page.mouse.up()
        assert len(page.evaluate("getSelection().toString()")) > 10, right
    expect(page.locator(".arrived")).to_have_count(0)


def test_the_keyboard_does_it_all(page: Page) -> None:
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the document")).to_be_focused()
    give(page, "report.pdf")
    expect(page.locator(".page")).to_have_count(2)
    page.get_by_role("link", name="Skip to the document").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#pages")).to_be_focused()
    page.keyboard.press("Tab")
    expect(region(page, 1, 0)).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(region(page, 1, 3)).to_be_focused()
    expect(block(page, 1, 3)).to_have_class(LIT)
    page.keyboard.press("Enter")
    expect(block(page, 1, 3)).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(block(page, 1, 2)).to_be_focused()
    expect(region(page, 1, 2)).to_have_class(LIT)
    page.keyboard.press("Enter")
    expect(region(page, 1, 2)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".lit")).to_have_count(0)


def test_arrows_go_on_over_the_end_of_a_page(page: Page) -> None:
    give(page, "report.pdf")
    block(page, 1, 0).focus()
    page.keyboard.press("End")
    expect(block(page, 1, 12)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(block(page, 2, 0)).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(block(page, 1, 12)).to_be_focused()


def test_each_group_is_one_stop_of_tab(page: Page) -> None:
    give(page, "report.pdf")
    expect(page.locator('[data-page="1"] .region[tabindex="0"]')).to_have_count(1)
    expect(page.locator('[data-page="1"] .block[tabindex="0"]')).to_have_count(1)
    block(page, 1, 4).focus()
    expect(page.locator('[data-page="1"] .block[tabindex="0"]')).to_have_attribute("data-block", "4")


def test_tabs_follow_the_arrows(page: Page) -> None:
    give(page, "report.pdf")
    page.get_by_role("tab", name="Text").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Markdown")).to_be_focused()
    expect(page.get_by_role("tab", name="Markdown")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".source").first).to_be_visible()
    page.keyboard.press("End")
    expect(page.get_by_role("tab", name="Proof")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Text")).to_be_focused()


def test_focus_is_seen(page: Page) -> None:
    give(page, "report.pdf")
    expect(block(page, 2, 0)).to_be_attached()
    page.get_by_role("link", name="Skip to the document").focus()
    stops = []
    while True:
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
        stops.append(page.evaluate(_OUTLINE))
    assert len(stops) >= 15
    assert [stop for stop in stops if not (stop["style"] == "solid" and stop["width"] >= 2)] == []


def test_what_screen_readers_hear(page: Page) -> None:
    give(page, "report.pdf")
    expect(block(page, 1, 6)).to_have_attribute("aria-label", "Text, 7 of 13, low confidence")
    expect(page.locator("#status")).to_have_text("report.pdf: 2 pages read, 1 failure")
    expect(page.get_by_role("tabpanel")).to_have_attribute("aria-labelledby", "tab-text")
    unnamed = page.evaluate(
        """[...document.querySelectorAll("button, input:not([type=file]), select, [role]")].filter((element) =>
            element.offsetParent && element.ariaHidden !== "true" && element.role !== "tabpanel" &&
            !(element.textContent.trim() || element.ariaLabel || element.labels?.length ||
              element.getAttribute("aria-labelledby"))).map((element) => element.outerHTML)"""
    )
    assert [found for found in unnamed if 'role="status"' not in found and 'id="toasts"' not in found] == []
