"""Make the pictures of the README from ``samples/letter.jpg``: the page beside its Markdown, and the web page.

    python tools/docs/pictures.py --out docs/images

Needs the ``serve`` and ``dev`` extras and a Chromium on the PATH.
"""

from __future__ import annotations

import argparse
import base64
import html
import io
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, expect, sync_playwright

import galley

SAMPLE = Path(__file__).parents[2] / "samples" / "letter.jpg"
COLOURS = 48  # of the PNG's palette; more make the file larger and look the same
BOTTOM = 0.66  # of the scan: below this share of its height the paper is empty
READ_MS = 120_000

BESIDE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: #fff; font: 16px/1.4 "Liberation Sans", sans-serif; color: #1f2328 }}
main {{ display: grid; grid-template-columns: 610px 1fr; gap: 28px; padding: 20px; width: 1360px }}
h2 {{ margin: 0 0 8px; font-size: 16px; color: #59636e }}
img, pre {{ box-sizing: border-box; width: 100%; border: 1px solid #d1d9e0; border-radius: 6px; margin: 0 }}
img {{ display: block }}
pre {{ padding: 16px; white-space: pre-wrap; background: #f6f8fa;
      font: 15px/1.45 "DejaVu Sans Mono", "Liberation Mono", monospace }}
</style><main>
<section><h2>letter.jpg (the lower third, which is empty, left out)</h2>
<img src="data:image/png;base64,{picture}"></section>
<section><h2>galley parse letter.jpg</h2><pre>{markdown}</pre></section>
</main>"""


def page_beside_markdown(browser: Browser) -> bytes:
    """The scan on the left, the Markdown that Galley writes for it on the right, as PNG."""
    page = browser.new_page(viewport={"width": 1400, "height": 600})
    with Image.open(SAMPLE) as scan, io.BytesIO() as cropped:
        scan.crop((0, 0, scan.width, round(scan.height * BOTTOM))).save(cropped, "png")
        picture = base64.b64encode(cropped.getvalue()).decode()
    markdown = galley.parse(SAMPLE).to_markdown().strip()
    page.set_content(BESIDE.format(picture=picture, markdown=html.escape(markdown)))
    return page.locator("main").screenshot()


def web_page(browser: Browser, address: str) -> bytes:
    """The web page after it has read the scan, with one block pointed at, as PNG."""
    page = browser.new_page(viewport={"width": 1360, "height": 860})
    page.goto(address)
    page.set_input_files("#file-input", SAMPLE)
    expect(page.locator("#doc-state")).to_contain_text("1 page read", timeout=READ_MS)
    page.locator(".block table").first.hover()
    expect(page.locator('[data-page="1"] .frame > img')).not_to_have_js_property("naturalWidth", 0)
    page.wait_for_timeout(500)  # until the highlight has faded in
    return page.screenshot()


@contextmanager
def server() -> Iterator[str]:
    """The address of a ``galley serve`` that runs as long as the block."""
    command = [sys.executable, "-m", "galley", "serve", "--port", "0", "--jobs", "1", "--grace", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr
        try:
            for line in running.stderr:
                if found := re.search(r"http://[\d.]+:\d+", line):
                    yield found.group() + "/"
                    break
            else:
                raise SystemExit("galley serve did not start")
        finally:
            running.terminate()


def save(picture: bytes, path: Path) -> None:
    """Write ``picture`` with a palette, which makes it a third as large."""
    with Image.open(io.BytesIO(picture)) as image:
        image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--out", type=Path, default=Path("docs/images"), help="folder for the pictures")
    out = arguments.parse_args().out
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("needs Chromium on the PATH; on Debian and Ubuntu: apt install chromium")
    out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        save(page_beside_markdown(browser), out / "page_beside_markdown.png")
        with server() as address:
            save(web_page(browser, address), out / "web_page.png")
        browser.close()


if __name__ == "__main__":
    main()
