"""The page on the real ``galley serve``, reading made-up documents without a model and with the embedded one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright", reason="needs playwright")
pytest.importorskip("fastapi", reason="needs the serve extra")

from acting import block, region
from playwright.sync_api import Page, expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SAMPLES = Path(__file__).parents[3] / "samples"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server on a free port with one worker."""
    command = [sys.executable, "-m", "galley", "serve", "--port", "0", "--jobs", "1", "--grace", "0"]
    env = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True, env=env
    ) as server:
        assert server.stdout
        said = []
        for line in server.stdout:
            said.append(line)
            if found := re.search(r"http://[\d.]+:\d+", line):
                yield found.group() + "/"
                break
        else:
            pytest.fail(f"galley serve did not start: {''.join(said)}")
        server.terminate()
        server.wait(30)


def test_a_sample_is_read_linked_and_saved(browser: Browser, address: str, tmp_path: Path) -> None:
    page: Page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(address)
    page.set_input_files("#file-input", SAMPLES / "report.pdf")
    expect(page.locator("#doc-state")).to_contain_text("2 pages read", timeout=120_000)
    expect(page.locator(".page")).to_have_count(2)
    title = page.locator(".block", has_text="Twenty-Eight Years of Mornings").first
    index = int(title.get_attribute("data-block") or "")
    block(page, 1, index).hover()
    expect(region(page, 1, index)).to_have_class(re.compile("lit"))
    image = page.locator('[data-page="1"] .frame > img')
    expect(image).not_to_have_js_property("naturalWidth", 0)
    page.get_by_role("tab", name="Proof").click()
    expect(page.locator('[data-page="1"] .nothing')).to_contain_text("No model read this page")
    page.get_by_role("button", name="Download").click()
    with page.expect_download() as saved:
        page.locator("#download-menu").get_by_role("button", name="Markdown").click()
    assert "# Twenty-Eight Years of Mornings" in Path(saved.value.path()).read_text(encoding="utf-8")
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 and then nothing")
    page.set_input_files("#file-input", broken)
    expect(page.locator("#files li").nth(1)).to_contain_text("failed", timeout=60_000)
    expect(page.get_by_role("alert")).to_contain_text("broken.pdf")
    page.close()


def test_a_scan_is_verified_and_proved(browser: Browser, address: str) -> None:
    page: Page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(address)
    page.get_by_text("Options for the next files").click()
    page.get_by_label("Verify by a model").select_option("regions")
    page.set_input_files("#file-input", SAMPLES / "letter.jpg")
    expect(page.locator("#doc-state")).to_contain_text("1 page read", timeout=120_000)
    expect(page.locator("#doc-state")).to_contain_text("tokens per forward")
    page.get_by_role("tab", name="Proof").click()
    expect(page.locator(".run.free").filter(has_text="your order of 2 March").first).to_be_visible()
    assert page.locator(".block .run.single").count() >= 1  # each block begins with the model's own token
    tpf, speedup = page.locator(".figures dd").all_text_contents()[:2]
    assert float(tpf) > 1.0
    assert re.fullmatch(r"\d+\.\d+×", speedup)
    assert page.locator(".round-bar").count() > 1
    index = page.locator(".block", has_text="Payment is due").get_attribute("data-block")
    region(page, 1, int(index or "")).hover()
    expect(block(page, 1, int(index or ""))).to_have_class(re.compile("lit"))
    page.close()
