"""The proof view: how each token was committed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright", reason="needs playwright")

from acting import block, give, region
from made_documents import LEAD
from playwright.sync_api import Page, expect

if TYPE_CHECKING:
    from fake_galley import FakeGalley


def _proof_of(page: Page, name: str) -> None:
    give(page, name)
    page.get_by_role("tab", name="Proof").click()


def test_tokens_are_marked_by_how_they_were_committed(page: Page) -> None:
    _proof_of(page, "report.pdf")
    runs = block(page, 1, 3).locator(".run")
    words = LEAD.split(" ")
    expect(runs.nth(0)).to_have_text(" ".join(words[:11]))
    expect(runs.nth(0)).to_have_class(re.compile("free"))
    expect(runs.nth(1)).to_have_text(" " + " ".join(words[11:16]))
    expect(runs.nth(1)).to_have_class(re.compile("own"))
    expect(runs.nth(2)).to_have_class(re.compile("single"))
    expect(runs.nth(0)).to_have_attribute("title", "Round 0: 11 tokens, free draft")
    assert "".join(runs.all_text_contents()) == LEAD


def test_ways_differ_by_more_than_colour_and_are_explained(page: Page) -> None:
    _proof_of(page, "report.pdf")
    legend = page.locator("#legend")
    for name in ("Free draft", "Own draft", "One at a time"):
        expect(legend).to_contain_text(name)
    first = block(page, 1, 3).locator(".run").first
    expect(first).to_be_visible()
    styles = page.evaluate(
        """["free", "own", "single"].map((way) =>
            getComputedStyle(document.querySelector(`.block .run.${way}`)).textDecorationStyle)"""
    )
    assert len(set(styles)) == 3
    page.get_by_role("tab", name="Text").click()
    expect(legend).to_be_hidden()


def test_figures_of_the_page(page: Page) -> None:
    _proof_of(page, "report.pdf")
    figures = page.locator('[data-page="1"] .figures')
    expect(figures).to_contain_text(re.compile(r"tokens per forward\s*3\.80"))
    expect(figures).to_contain_text(re.compile(r"speed-up against AR\s*4\.25×"))
    expect(figures).to_contain_text(re.compile(r"average accepted length\s*3\.50"))
    expect(figures).to_contain_text("152 / 40")
    expect(page.locator('[data-page="1"] .shares p')).to_have_text(
        "Free draft 76 % · Own draft 20 % · One at a time 4 %"
    )


def test_the_timeline_shows_the_text_as_it_stood_after_a_round(page: Page) -> None:
    _proof_of(page, "report.pdf")
    timeline = page.locator('[data-page="1"] .timeline')
    expect(timeline.locator(".round-bar")).to_have_count(10)
    slider = timeline.get_by_role("slider")
    expect(block(page, 1, 3).locator(".ahead")).to_have_count(0)
    slider.focus()
    page.keyboard.press("Home")
    runs = block(page, 1, 3).locator(".run")
    expect(runs.nth(0)).not_to_have_class(re.compile("ahead"))
    expect(runs.nth(1)).to_have_class(re.compile("ahead"))
    page.keyboard.press("ArrowRight")
    expect(runs.nth(1)).not_to_have_class(re.compile("ahead"))
    expect(runs.nth(2)).to_have_class(re.compile("ahead"))
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"after round 1 of 9: \d+ tokens"))
    timeline.locator(".round-bar").last.click()
    expect(page.locator('[data-page="1"] .block .ahead')).to_have_count(0)


def test_rounds_are_replayed(page: Page) -> None:
    _proof_of(page, "report.pdf")
    timeline = page.locator('[data-page="1"] .timeline')
    timeline.get_by_role("button", name="Replay").click()
    expect(timeline.get_by_role("button", name="Stop")).to_be_visible()
    expect(timeline.get_by_role("button", name="Replay")).to_be_visible()
    expect(timeline.get_by_role("slider")).to_have_value("9")
    expect(page.locator('[data-page="1"] .block .ahead')).to_have_count(0)


def test_low_confidence_is_marked_and_blocks_are_linked(page: Page) -> None:
    _proof_of(page, "report.pdf")
    expect(block(page, 1, 6).locator(".flag")).to_have_text("low confidence 62 %")
    block(page, 1, 3).hover()
    expect(region(page, 1, 3)).to_have_class(re.compile("lit"))


def test_a_block_no_model_wrote_is_shown_as_it_is(page: Page) -> None:
    _proof_of(page, "report.pdf")
    expect(block(page, 1, 10).locator("table")).to_be_attached()
    expect(block(page, 1, 10).locator(".run")).to_have_count(0)


def test_a_draft_has_no_proof(page: Page) -> None:
    _proof_of(page, "draft.pdf")
    expect(page.locator(".nothing")).to_contain_text("No model read this page")
    expect(page.locator(".timeline")).to_have_count(0)
    expect(block(page, 1, 0)).to_contain_text("Chapter 1")


def test_a_page_without_its_proof_says_why(page: Page, fake: FakeGalley) -> None:
    page.route(
        re.compile("/proof$"),
        lambda route: route.fulfill(status=404, json={"error": {"message": "the proof has expired"}}),
    )
    _proof_of(page, "report.pdf")
    expect(page.locator('[data-page="1"] .nothing')).to_have_text("the proof has expired")
