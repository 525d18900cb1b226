"""Whatever boxes come in: cells do not overlap, spans stay inside, and no text is lost."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from galley.document import BBox
from galley.drafters.line import TextLine
from galley.drafters.tables import TableReader, find_tables

WIDTH, HEIGHT = 320, 240


def number(limit: int) -> st.SearchStrategy[float]:
    return st.one_of(
        st.floats(-20, limit + 20), st.integers(0, limit // 20).map(lambda v: 20.0 * v), st.just(math.nan)
    )


@st.composite
def text_line(draw: st.DrawFn) -> TextLine:
    x0, y0 = draw(number(WIDTH)), draw(number(HEIGHT))
    width, height = draw(st.sampled_from([0, 3, 30, 90, 300])), draw(st.sampled_from([0, 5, 12, 12, 14, 90]))
    text = draw(st.sampled_from(["a", "12.5", "two words", "one, two; three", "é ü", " ", "x" * 30]))
    return TextLine(text, BBox(x0=x0, y0=y0, x1=x0 + width, y1=y0 + height))


@st.composite
def page(draw: st.DrawFn) -> np.ndarray:
    image = np.full((HEIGHT, WIDTH, 3), draw(st.sampled_from([255, 0, 230])), np.uint8)
    for y in draw(st.lists(st.integers(0, HEIGHT - 3), max_size=5)):
        start, end = sorted((draw(st.integers(0, WIDTH)), draw(st.integers(0, WIDTH))))
        image[y : y + 2, start:end] = 120
    for x in draw(st.lists(st.integers(0, WIDTH - 3), max_size=5)):
        start, end = sorted((draw(st.integers(0, HEIGHT)), draw(st.integers(0, HEIGHT))))
        image[start:end, x : x + 2] = 120
    return image


@settings(max_examples=150, deadline=None)
@given(page(), st.lists(text_line(), max_size=14))
def test_reader_keeps_its_promises(image: np.ndarray, lines: list[TextLine]) -> None:
    table = TableReader().read(image, BBox(x0=0, y0=0, x1=WIDTH, y1=HEIGHT), lines)
    if table is None:
        return
    covered: Counter[tuple[int, int]] = Counter()
    for cell in table.cells:
        assert cell.row + cell.rowspan <= table.rows
        assert cell.col + cell.colspan <= table.cols
        assert cell.bbox is not None
        box = cell.bbox
        assert all(math.isfinite(v) for v in (box.x0, box.y0, box.x1, box.y1))
        assert box.x0 <= box.x1 and box.y0 <= box.y1
        covered.update(
            (r, c)
            for r in range(cell.row, cell.row + cell.rowspan)
            for c in range(cell.col, cell.col + cell.colspan)
        )
    assert set(covered.values()) == {1}
    assert len(covered) == table.rows * table.cols
    wanted = Counter(word for line in lines for word in line.text.split())
    assert Counter(word for cell in table.cells for word in cell.text.split()) == wanted


@settings(max_examples=40, deadline=None)
@given(page(), st.lists(text_line(), max_size=10))
def test_found_tables_are_boxes_on_the_page(image: np.ndarray, lines: list[TextLine]) -> None:
    for box in find_tables(image, lines):
        assert 0 <= box.x0 < box.x1 <= WIDTH
        assert 0 <= box.y0 < box.y1 <= HEIGHT


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 12), st.integers(1, 12), st.lists(text_line(), max_size=4))
def test_tiny_images(width: int, height: int, lines: list[TextLine]) -> None:
    image = np.zeros((height, width, 3), np.uint8)
    table = TableReader().read(image, BBox(x0=-5, y0=0, x1=width + 40, y1=height), lines)
    assert table is None or len(table.cells) >= 2
