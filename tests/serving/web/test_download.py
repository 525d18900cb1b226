"""Results as files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="needs playwright")

from acting import give
from playwright.sync_api import Page, expect


@pytest.mark.parametrize(
    ("item", "name", "begins"),
    [
        ("Markdown", "report.md", "# Twenty-Eight Years of Mornings"),
        ("HTML", "report.html", "<!DOCTYPE html>"),
        ("JSON with boxes", "report.json", "{"),
        ("Plain text", "report.txt", "Twenty-Eight Years of Mornings"),
    ],
)
def test_each_format_is_saved_under_the_files_name(page: Page, item: str, name: str, begins: str) -> None:
    give(page, "report.pdf")
    page.get_by_role("button", name="Download").click()
    with page.expect_download() as saved:
        page.locator("#download-menu").get_by_role("button", name=item).click()
    assert saved.value.suggested_filename == name
    text = Path(saved.value.path()).read_text(encoding="utf-8")
    assert text.startswith(begins)
    if name.endswith("json"):
        assert len(json.loads(text)["pages"]) == 2
    expect(page.locator("#download-menu")).to_be_hidden()


def test_the_menu_works_by_keyboard(page: Page) -> None:
    give(page, "report.pdf")
    page.get_by_role("button", name="Download").focus()
    page.keyboard.press("Enter")
    menu = page.locator("#download-menu")
    expect(menu.get_by_role("button").nth(0)).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(menu.get_by_role("button", name="GLM-OCR")).to_be_focused()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(page.get_by_role("button", name="Download")).to_be_focused()


def test_a_result_that_is_gone_is_told_of(page: Page) -> None:
    page.route(
        "**/result?*",
        lambda route: route.fulfill(status=404, json={"error": {"message": "the job has expired"}}),
    )
    give(page, "report.pdf")
    page.get_by_role("button", name="Download").click()
    page.locator("#download-menu").get_by_role("button", name="HTML").click()
    expect(page.get_by_role("alert")).to_contain_text("the job has expired")
