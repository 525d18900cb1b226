"""One column on a phone; dark colours."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright")

from acting import block, give, region
from playwright.sync_api import Page, expect

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_a_phone_shows_one_thing_at_a_time(phone: Page) -> None:
    give(phone, "report.pdf")
    expect(block(phone, 1, 3)).to_be_visible()
    expect(region(phone, 1, 3)).to_be_hidden()
    for view in ("Page", "Text", "Markdown", "Proof"):
        phone.get_by_role("tab", name=view, exact=True).tap()
        phone.wait_for_timeout(100)
        assert phone.evaluate(OVERFLOW) <= 0, view
        assert phone.locator("#pages").evaluate("pane => pane.scrollWidth - pane.clientWidth") <= 0, view
    phone.get_by_role("tab", name="Page", exact=True).tap()
    expect(region(phone, 1, 3)).to_be_visible()
    expect(block(phone, 1, 3)).to_be_hidden()


def test_a_tap_on_a_region_leads_to_its_text_and_back(phone: Page) -> None:
    give(phone, "report.pdf")
    phone.get_by_role("tab", name="Page", exact=True).tap()
    region(phone, 1, 10).tap()
    expect(phone.get_by_role("tab", name="Text")).to_have_attribute("aria-selected", "true")
    expect(block(phone, 1, 10)).to_be_in_viewport()
    expect(block(phone, 1, 10)).to_have_class(re.compile("lit"))
    block(phone, 1, 10).locator(".block-label").tap()
    expect(region(phone, 1, 10)).to_be_in_viewport()


def test_a_label_covers_none_of_its_block(phone: Page) -> None:
    give(phone, "report.pdf")
    phone.get_by_role("tab", name="Page", exact=True).tap()
    region(phone, 1, 10).tap()
    label = block(phone, 1, 10).locator(".block-label")
    expect(label).to_be_visible()
    covered = (
        "label => label.getBoundingClientRect().bottom - label.closest('.block').getBoundingClientRect().top"
    )
    assert label.evaluate(covered) <= 1


def test_nothing_is_dropped_on_a_phone(phone: Page) -> None:
    expect(phone.get_by_text("Read documents")).to_be_visible()
    expect(phone.get_by_text("Drop documents here")).to_be_hidden()


def test_the_files_of_a_phone_are_a_sheet(phone: Page) -> None:
    give(phone, "report.pdf")
    expect(phone.locator("#files")).to_be_hidden()
    phone.get_by_role("button", name="Files", exact=True).tap()
    expect(phone.locator("#files")).to_be_visible()
    phone.keyboard.press("Escape")
    expect(phone.locator("#files")).to_be_hidden()
    expect(phone.get_by_role("button", name="Files", exact=True)).to_be_focused()


def test_what_is_tapped_is_large_enough(phone: Page) -> None:
    give(phone, "report.pdf")
    expect(phone.locator(".page")).to_have_count(2)
    for button in phone.locator(".bar button, .head button").all():
        box = button.bounding_box()
        assert box is None or box["height"] >= 32


def _brightness(page: Page) -> float:
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(float(part) for part in re.findall(r"[\d.]+", colour)[:3]) / 3


def test_dark_where_the_system_is_dark(dark: Page) -> None:
    assert _brightness(dark) < 60


def test_the_theme_can_be_chosen_and_is_kept(page: Page) -> None:
    assert _brightness(page) > 200
    button = page.locator("#theme-button")
    button.click()
    expect(button).to_have_text("Theme: light")
    button.click()
    expect(button).to_have_text("Theme: dark")
    assert _brightness(page) < 60
    page.reload()
    expect(button).to_have_text("Theme: dark")
    assert _brightness(page) < 60


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_has_contrast(page: Page, theme: str) -> None:
    """At least 4.5 to 1, as WCAG 2.2 asks of text."""
    ratios = page.evaluate(_CONTRASTS, theme)
    assert len(ratios) == 8
    assert all(ratio >= 4.5 for ratio in ratios.values()), ratios


_CONTRASTS = """(theme) => {
    document.documentElement.dataset.theme = theme;
    const pairs = {
        ink: ["--ink", "--paper"], muted: ["--muted", "--paper"], panel: ["--muted", "--panel"],
        warn: ["--warn", "--warn-wash"], bad: ["--bad", "--raised"], free: ["--ink", "--free-wash"],
        own: ["--ink", "--own-wash"], single: ["--ink", "--single-wash"],
    };
    const probe = document.body.appendChild(document.createElement("span"));
    const channel = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    const luminance = (name) => {
        probe.style.color = `var(${name})`;
        const [r, g, b] = getComputedStyle(probe).color.match(/[\\d.]+/g).map((part) => channel(part / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return Object.fromEntries(Object.entries(pairs).map(([name, [a, b]]) => [name, ratio(luminance(a), luminance(b))]));
}"""
