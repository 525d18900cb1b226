"""Finishing and writing a document takes the same memory whatever its number of pages."""

from __future__ import annotations

import itertools
import tracemalloc
from collections.abc import Iterator

import pytest

from galley.document import BBox, Block, Cell, Document, Label, Line, Page, Table
from galley.document.exporters import EXPORTERS
from galley.document.store import PageStore
from galley.parsing.document_passes import finish_document, finish_pages
from galley.parsing.options import ParseOptions

FORMATS = ("md", "json", "html", "text", "glmocr")
OPTIONS = ParseOptions()


def block(label: Label, text: str, y: float) -> Block:
    box = BBox(x0=100, y0=y, x1=900, y1=y + 25)
    return Block(label=label, bbox=box, content=text, lines=[Line(text=text, bbox=box, confidence=0.987654)])


def page(number: int) -> Page:
    """Text, a heading, a running header, and a table; every third page goes on with that of the page before."""
    prose = [
        block(Label.TEXT, f"Line {n} of page {number}: the orchard had {n * number} trees.", 100 + 30 * n)
        for n in range(30)
    ]
    columns = 2 + (number + 1) // 3 % 2
    cells = [Cell(row=r, col=c, text=f"{number}.{r}.{c}") for r in range(4) for c in range(columns)]
    table = Block(
        label=Label.TABLE,
        bbox=BBox(x0=100, y0=1100, x1=900, y1=1300),
        table=Table(rows=4, cols=columns, cells=cells),
    )
    blocks = [
        block(Label.TEXT, "The Orchard", 20),
        *([block(Label.HEADING, f"Year {number}", 60), *prose] if number % 3 else ()),
        table,
    ]
    return Page(number=number, width=1000, height=1400, blocks=blocks)


def pages(count: int) -> Iterator[Page]:
    return map(page, range(1, count + 1))


def written(count: int) -> dict[str, int]:
    """The length in characters of each format of a document of ``count`` pages, never held as a whole."""
    finished = finish_pages(PageStore(pages(count)), OPTIONS, PageStore)
    document = Document(source="orchard.pdf", page_count=count)
    return {
        name: sum(
            len(piece) for texts in EXPORTERS[name].texts(document, finished, OPTIONS.keep) for piece in texts
        )
        for name in FORMATS
    }


def peak(count: int) -> int:
    """The most bytes in use while a document is finished and written."""
    tracemalloc.start()
    try:
        written(count)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("galley.document.store._IN_MEMORY", 1 << 16)
    written(10)  # what is imported or cached once
    few, many = peak(100), peak(400)
    assert many - few < 300 * 2000, f"{few} bytes for 100 pages, {many} for 400"


def test_what_is_written_page_by_page_is_what_a_document_gives() -> None:
    whole = finish_document(Document(source="orchard.pdf", page_count=12, pages=list(pages(12))), OPTIONS)
    stored = finish_pages(PageStore(pages(12)), OPTIONS, PageStore)
    assert list(stored) == whole.pages
    assert any(block.label is Label.HEADER for page in whole.pages for block in page.blocks)
    assert any("row_pages" in block.extra for page in whole.pages for block in page.blocks)
    for name in FORMATS:
        texts = zip(
            EXPORTERS[name].texts(whole, stored, OPTIONS.keep),
            EXPORTERS[name].texts(whole, whole.pages, OPTIONS.keep),
            strict=True,
        )
        assert all("".join(a) == "".join(b) for a, b in texts)
    assert "".join(EXPORTERS["md"].texts(whole, stored, OPTIONS.keep)[0]) == whole.to_markdown(OPTIONS.keep)


def test_pages_may_come_in_any_order() -> None:
    for order in itertools.permutations(range(1, 4)):
        assert [found.number for found in PageStore(map(page, order))] == [1, 2, 3]


def test_pages_come_back_as_they_were_from_memory_and_from_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = list(pages(5))
    assert list(PageStore(wanted)) == wanted
    monkeypatch.setattr("galley.document.store._IN_MEMORY", 1)
    store = PageStore(wanted)
    assert list(store) == wanted == list(store)
    assert len(store) == 5
