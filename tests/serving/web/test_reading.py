"""From a file to its pages on the screen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright", reason="needs playwright")

from acting import block, give, is_in_view, region
from playwright.sync_api import Page, expect

if TYPE_CHECKING:
    from fake_galley import FakeGalley


def test_a_file_appears_as_pages_with_regions_text_tables_and_formulas(page: Page) -> None:
    give(page, "report.pdf")
    expect(page.locator("#doc-state")).to_contain_text("2 pages read, 1 failure · 1.8 pages/s")
    expect(page.locator(".page")).to_have_count(2)
    expect(page.locator('[data-page="1"] .region')).to_have_count(13)
    expect(page.locator('[data-page="1"] .frame > img')).to_have_js_property("naturalWidth", 1240)
    expect(block(page, 1, 1).locator("h2")).to_have_text("Twenty-Eight Years of Mornings")
    expect(block(page, 1, 8).locator(".katex-display .frac-line").first).to_be_attached()
    expect(block(page, 1, 8).locator(".katex-html")).to_contain_text("(1)")
    table = block(page, 1, 10).locator("table")
    expect(table.locator('th[rowspan="2"]')).to_have_text("Years")
    expect(table.locator('th[colspan="2"]')).to_have_text("Means of the period")
    expect(table.locator("tr")).to_have_count(5)


def test_dollars_in_prose_are_money_and_maths_is_set(page: Page) -> None:
    give(page, "report.pdf")
    prose = block(page, 1, 7)
    expect(prose.locator(".katex")).to_have_count(1)
    expect(prose).to_contain_text("a notebook costs $4 or $5 at the shop")


def test_a_region_stands_where_its_box_is(page: Page) -> None:
    give(page, "report.pdf")
    expect(region(page, 1, 3)).to_be_visible()
    page.wait_for_timeout(600)  # it has grown into its place
    frame = page.locator('[data-page="1"] .frame').bounding_box()
    box = region(page, 1, 3).bounding_box()
    assert frame and box
    assert (box["x"] - frame["x"]) / frame["width"] == pytest.approx(120 / 1240, abs=0.01)
    assert (box["y"] - frame["y"]) / frame["height"] == pytest.approx(290 / 1754, abs=0.01)
    assert box["height"] / frame["height"] == pytest.approx(190 / 1754, abs=0.01)


def test_figures_are_cut_from_the_page_image(page: Page) -> None:
    give(page, "report.pdf")
    page.locator("#next").click()
    figure = block(page, 2, 2).locator("img.cut")
    expect(figure).to_have_js_property("naturalWidth", 1240)
    frame = block(page, 2, 2).locator(".cut-frame").bounding_box()
    shown = figure.bounding_box()
    assert frame and shown
    scale = shown["width"] / 1240
    assert frame["width"] / scale == pytest.approx(800, rel=0.02)
    assert (frame["x"] - shown["x"]) / scale == pytest.approx(220, rel=0.02)


def test_pages_appear_one_by_one_while_the_rest_is_read(page: Page, fake: FakeGalley) -> None:
    give(page, "slow.pdf")
    expect(page.locator("#doc-state")).to_contain_text("Reading, 0 of 6 pages")
    expect(page.locator(".pending")).to_contain_text("6 pages to come")
    expect(page.locator("#download")).to_be_disabled()
    for read in (1, 2):
        fake.release(1)
        expect(page.locator(".page")).to_have_count(read)
        expect(page.locator("#doc-state")).to_contain_text(f"Reading, {read} of 6 pages")
        expect(block(page, read, 0)).to_contain_text(f"Chapter {read}")
    assert page.locator("#doc-progress").evaluate("bar => bar.value") == pytest.approx(2 / 6)
    expect(page.locator("#page-count")).to_have_text("of 2")
    fake.release(4)
    expect(page.locator("#doc-state")).to_contain_text("6 pages read")
    expect(page.locator("#status")).to_have_text("slow.pdf: 6 pages read")
    expect(page.locator(".pending")).to_have_count(0)


def test_cancel_stops_and_keeps_the_pages_there_are(page: Page, fake: FakeGalley) -> None:
    give(page, "slow.pdf")
    fake_release_when_known(page, fake, 2)
    expect(page.locator(".page")).to_have_count(2)
    page.locator("#cancel").click()
    expect(page.locator("#doc-state")).to_contain_text("Cancelled, 2 pages read")
    expect(page.locator("#cancel")).to_be_hidden()
    assert fake.jobs["job0"].cancelled


def fake_release_when_known(page: Page, fake: FakeGalley, pages: int) -> None:
    expect(page.locator("#doc-state")).to_contain_text("Reading")
    fake.release(pages)


def test_several_files_are_read_one_after_another(page: Page, fake: FakeGalley) -> None:
    give(page, "report.pdf", "slow.pdf", "draft.pdf")
    expect(page.locator("#files li")).to_have_count(3)
    expect(page.locator("#files li").nth(2)).to_contain_text("1 page read")
    assert [job.name for job in fake.jobs.values()] == ["report.pdf", "slow.pdf", "draft.pdf"]
    expect(page.locator("#doc-name")).to_have_text("report.pdf")
    page.locator(".file", has_text="draft.pdf").click()
    expect(page.locator("#doc-name")).to_have_text("draft.pdf")
    expect(page.locator(".file[aria-current]")).to_contain_text("draft.pdf")
    expect(page.locator(".page")).to_have_count(1)
    assert page.title() == "draft.pdf – Galley"


def test_a_bad_file_is_told_of_and_the_next_is_read(page: Page) -> None:
    give(page, "letter.docx", "report.pdf")
    toast = page.get_by_role("alert")
    expect(toast).to_contain_text("letter.docx is not a document Galley can read")
    assert toast.inner_text().count("letter.docx") == 1
    expect(page.locator("#files li").first).to_contain_text("failed")
    expect(page.locator("#files li").nth(1)).to_contain_text("2 pages read")
    page.keyboard.press("Escape")
    expect(toast).to_have_count(0)
    page.locator(".file", has_text="letter.docx").click()
    expect(page.locator(".failure")).to_contain_text("is not a document Galley can read")


def test_a_page_that_could_not_be_read_is_named(page: Page) -> None:
    give(page, "report.pdf")
    expect(page.locator(".failure")).to_contain_text("Page 3: page 3 is damaged")
    expect(page.locator(".file-state")).to_have_text("2 pages read, 1 failure")


def test_a_full_server_is_asked_again(page: Page, fake: FakeGalley) -> None:
    fake.full = 1
    give(page, "draft.pdf")
    expect(page.locator(".file-state")).to_have_text("waiting")
    expect(page.locator(".file-state")).to_have_text("1 page read")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_options_go_with_the_files_and_defaults_do_not(page: Page, fake: FakeGalley) -> None:
    give(page, "draft.pdf")
    expect(page.locator(".file-state")).to_have_text("1 page read")
    assert fake.jobs["job0"].options == {"wait": "false"}
    page.locator(".options summary").click()
    page.get_by_label("Pages", exact=True).fill("1-3,7")
    page.get_by_label("Read the image").select_option("always")
    page.get_by_label("headers").check()
    give(page, "draft.pdf")
    expect(page.locator("#files li").nth(1)).to_contain_text("1 page read")
    sent = fake.jobs["job1"].options
    assert sent == {"wait": "false", "pages": "1-3,7", "ocr": "always", "keep": "footnotes,headers"}


def test_files_can_be_dropped_anywhere(page: Page, fake: FakeGalley) -> None:
    page.evaluate(
        """() => {
            const data = new DataTransfer();
            data.items.add(new File(["%PDF"], "draft.pdf", {type: "application/pdf"}));
            const send = (type) => document.body.dispatchEvent(
                new DragEvent(type, {dataTransfer: data, bubbles: true, cancelable: true}));
            send("dragenter");
            window.shown = !document.getElementById("dropping").hidden;
            send("drop");
        }"""
    )
    assert page.evaluate("window.shown")
    expect(page.locator("#dropping")).to_be_hidden()
    expect(page.locator(".file-state")).to_have_text("1 page read")


def test_an_image_can_be_pasted(page: Page, fake: FakeGalley) -> None:
    page.evaluate(
        """() => {
            const data = new DataTransfer();
            data.items.add(new File(["not read"], "image.png", {type: "image/png"}));
            document.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true}));
        }"""
    )
    expect(page.locator(".file-name")).to_have_text("pasted-1.png")


def test_a_reload_keeps_the_files(page: Page) -> None:
    give(page, "report.pdf")
    expect(page.locator(".page")).to_have_count(2)
    page.reload()
    expect(page.locator("#doc-name")).to_have_text("report.pdf")
    expect(page.locator(".page")).to_have_count(2)
    page.get_by_role("button", name="Remove report.pdf from the list").click()
    expect(page.get_by_text("Drop documents here")).to_be_visible()
    page.reload()
    expect(page.locator("#files li")).to_have_count(0)


def test_a_server_that_is_gone_is_told_of(page: Page) -> None:
    page.route(re.compile("/v1/"), lambda route: route.abort())
    give(page, "report.pdf")
    expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached")


def test_a_key_is_asked_for_and_sent(page: Page, fake: FakeGalley) -> None:
    fake.key = "secret"
    give(page, "report.pdf")
    expect(page.get_by_role("dialog", name="API key")).to_be_visible()
    expect(page.locator("#key-note")).to_contain_text("an API key is needed")
    page.keyboard.type("wrong")
    page.keyboard.press("Enter")
    expect(page.locator("#key-input")).to_have_value("wrong")
    page.keyboard.type("secret")
    page.get_by_role("button", name="Use key").click()
    expect(page.locator('[data-page="1"] .frame > img')).to_have_js_property("naturalWidth", 1240)
    assert fake.refused == 2
    assert page.evaluate("Object.values(localStorage).join()") == ""


def test_without_a_key_the_refusal_is_told(page: Page, fake: FakeGalley) -> None:
    fake.key = "secret"
    give(page, "report.pdf")
    expect(page.locator("#key-dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("alert")).to_contain_text("an API key is needed")


def test_to_check_goes_to_marked_blocks(page: Page) -> None:
    give(page, "report.pdf")
    expect(block(page, 1, 6).locator(".flag")).to_have_text("low confidence 62 %")
    expect(region(page, 1, 6)).to_have_class(re.compile("to-check"))
    page.locator("#next").click()
    expect(page.locator("#page-input")).to_have_value("2")
    page.get_by_role("button", name="1 to check").click()
    expect(block(page, 1, 6)).to_be_focused()
    assert is_in_view(block(page, 1, 6))


def test_the_markdown_source_is_shown_and_copied(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    give(page, "report.pdf")
    page.get_by_role("tab", name="Markdown").click()
    source = page.locator('[data-page="1"] .source')
    expect(source).to_contain_text("# Twenty-Eight Years of Mornings")
    page.locator('[data-page="1"] .copy').click()
    expect(page.locator(".toast")).to_contain_text("copied")
    assert page.evaluate("navigator.clipboard.readText()") == source.inner_text()


def test_the_page_image_can_be_enlarged(page: Page) -> None:
    give(page, "report.pdf")
    page.locator('[data-page="1"] .frame > img').wait_for()
    page.locator('[data-page="1"] .enlarge').focus()
    page.keyboard.press("Enter")
    expect(page.locator("#image-dialog img")).to_have_js_property("naturalWidth", 1240)
    page.keyboard.press("Escape")
    expect(page.locator("#image-dialog")).to_be_hidden()
