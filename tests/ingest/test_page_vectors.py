"""What a PDF page draws: ruling lines, fills, and what of them belongs to words."""

from __future__ import annotations

import numpy as np
import pytest
from pdf_maker import PdfPage, make_pdf

from galley.ingest import TextLayer, open_source
from galley.ingest.page_vectors import PageVectors

TOP = 792


def layer_of(content: str, **page: object) -> TextLayer:
    """The layer of a letter page at 72 dpi: a pixel is a point."""
    with open_source(make_pdf(PdfPage(content, **page)), dpi=72) as source:  # type: ignore[arg-type]
        return source.page(1).text


def vectors_of(content: str, **page: object) -> PageVectors:
    found = layer_of(content, **page).vectors
    assert found is not None
    return found


@pytest.mark.parametrize(
    "content",
    [
        "1 w 100 700 m 300 700 l S",
        "100 699.5 200 1 re f",
        "100 699.5 120 1 re f 220 699.5 80 1 re f",
        "[3 3] 0 d 1 w 100 700 m 300 700 l S",
        "2 0 0 2 0 0 cm 0.5 w 50 350 m 150 350 l S",
        "q 100 690 200 20 re W n 1 w 0 700 m 500 700 l S Q",
    ],
    ids=["stroke", "thin fill", "two pieces", "dashed", "scaled", "clipped"],
)
def test_a_rule_is_one_however_it_is_drawn(content: str) -> None:
    found = vectors_of(content)
    assert found.rules == pytest.approx(np.array([[100, TOP - 700.5, 300, TOP - 699.5]]), abs=0.1)
    assert len(found.fills) == 0


def test_dots_in_a_row_are_a_rule_and_a_lone_one_is_none() -> None:
    dots = " ".join(f"{100 + 3 * i} 700 1 1 re f" for i in range(30))
    found = vectors_of(f"{dots} 50 600 1 1 re f")
    assert found.rules == pytest.approx(np.array([[100, TOP - 701, 188, TOP - 700]]), abs=0.1)


def test_a_form_draws_where_it_is_placed() -> None:
    form = ("<</Type/XObject/Subtype/Form/BBox[0 0 50 50]/Matrix[1 0 0 1 5 0]>>", b"1 w 0 10 m 400 10 l S")
    found = vectors_of("1 0 0 1 100 600 cm /X Do", xobjects={"X": form})
    assert found.rules == pytest.approx(np.array([[105, TOP - 610.5, 155, TOP - 609.5]]), abs=0.1)


def test_a_stroked_rectangle_has_four_rules_and_a_filled_one_is_a_fill() -> None:
    found = vectors_of("1 w 100 600 200 50 re S 0.8 0.9 1 rg 100 500 200 50 re f")
    assert found.horizontal.sum() == 2 and (~found.horizontal).sum() == 2
    assert found.fills == pytest.approx(np.array([[100, TOP - 550, 300, TOP - 500]]), abs=0.1)
    assert found.fill_colours.tolist() == [[204, 230, 255]]


def test_what_cannot_be_seen_is_left_out() -> None:
    white = "1 g 100 650 100 1 re f"
    covered = "0 g 100 600 100 1 re f 0.9 g 50 500 300 120 re f"
    found = vectors_of(f"{white} {covered}")
    assert len(found.rules) == 0 and len(found.fills) == 1


def _marked(layer: TextLayer, mark: str) -> list[str]:
    return [word.text for word in layer.words if getattr(word, mark)]


def test_lines_and_boxes_of_words_belong_to_these() -> None:
    text = "BT /F3 10 Tf 100 700 Td (one two three four) Tj ET"  # 6 points a character
    under = "124 697.5 18 0.6 re f"
    through = "148 702.7 30 0.6 re f"
    layer = layer_of(f"q 1 1 0 rg 184 697 24 11 re f Q {text} {under} {through}")
    assert _marked(layer, "underlined") == ["two"]
    assert _marked(layer, "struck") == ["three"]
    assert _marked(layer, "highlighted") == ["four"]
    assert layer.vectors is not None
    assert len(layer.vectors.rules) == 0 and len(layer.vectors.fills) == 0


def test_the_rules_of_a_grid_are_no_underlines() -> None:
    text = "BT /F3 10 Tf 100 700 Td (one) Tj ET"
    layer = layer_of(f"{text} 0.5 w 99 697 20 14 re S")
    assert _marked(layer, "underlined") == []
    assert layer.vectors is not None and len(layer.vectors.rules) == 4
