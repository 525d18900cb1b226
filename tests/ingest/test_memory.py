"""Peak memory does not grow with the number of pages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pdf_maker import PdfPage, grey_image, make_pdf, paragraph

STATUS = Path("/proc/self/status")
pytestmark = pytest.mark.skipif(not STATUS.exists(), reason="reads the peak from /proc")

# A process of its own. Its peak is VmHWM: getrusage would give the parent's, from before the program started.
READ = """
import sys
from galley.ingest import open_source
with open_source(sys.argv[1], dpi=72) as source:
    count = sum(1 for page in source.pages() if page.image.size)
status = open("/proc/self/status").read()
print(count, status.partition("VmHWM:")[2].split()[0])
"""


def peak(path: Path) -> tuple[int, int]:
    """Pages read, and the most memory the process ever held, in kB."""
    done = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True)
    pages, memory = done.stdout.split()
    return int(pages), int(memory)


def book(path: Path, pages: int) -> Path:
    """Pages of text, each with a picture of its own that does not compress."""
    noise = np.random.default_rng(0)

    def page() -> PdfPage:
        picture = grey_image(300, 300, noise.integers(0, 256, 90_000, dtype=np.uint8).tobytes())
        return PdfPage(paragraph(lines=20) + "q 200 0 0 200 72 72 cm /Im Do Q", xobjects={"Im": picture})

    path.write_bytes(make_pdf(*[page() for _ in range(pages)]))
    return path


@pytest.mark.parametrize("pages", [pytest.param(300), pytest.param(1000, marks=pytest.mark.slow)])
def test_memory_of_many_pages(pages: int, tmp_path: Path) -> None:
    few_pages, few = peak(book(tmp_path / "few.pdf", 50))
    many_pages, many = peak(book(tmp_path / "many.pdf", pages))
    assert (few_pages, many_pages) == (50, pages)
    assert many <= 1.1 * few, f"{few} for 50 pages, {many} for {pages}"
