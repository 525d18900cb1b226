"""How far a figure reaches."""

from __future__ import annotations

import numpy as np

from galley.document import BBox, Label
from galley.drafters.line import TextLine
from galley.layout.region import Region
from galley.parsing.regions.fit_figures import fitted_figures

FIGURE = Region(Label.FIGURE, BBox(x0=100, y0=100, x1=700, y1=900), 0.5)


def line(text: str, x: float, y: float) -> TextLine:
    return TextLine(text, BBox(x0=x, y0=y, x1=x + 10 * len(text), y1=y + 20))


def page(*lines: TextLine, drawing: tuple[int, int, int, int] | None = None) -> np.ndarray:
    image = np.full((1000, 800, 3), 255, np.uint8)
    for found in lines:
        box = found.bbox
        image[int(box.y0) + 2 : int(box.y1) - 2, int(box.x0) + 2 : int(box.x1) - 2] = 0
    if drawing:
        x0, y0, x1, y1 = drawing
        image[y0:y1, x0:x1] = 90
    return image


def test_text_well_away_from_the_drawing_is_outside_and_labels_stay() -> None:
    total, tick, title = line("Total 717,97", 120, 110), line("2019", 300, 860), line("Year", 300, 882)
    lines = [total, tick, title]
    (found,) = fitted_figures(page(*lines, drawing=(200, 400, 600, 850)), [FIGURE], lines)
    assert total.bbox.intersection(found.bbox) == 0
    assert tick.bbox.inside(found.bbox) == title.bbox.inside(found.bbox) == 1
    assert found.bbox.y0 <= 400 and found.bbox.x0 <= 200 and found.bbox.x1 >= 600


def test_a_figure_of_nothing_but_text_is_none() -> None:
    lines = [line("Strategic Corp", 120, 110), line("Fakestreet 46", 120, 140)]
    assert fitted_figures(page(*lines), [FIGURE], lines) == []


def test_figures_without_text_and_other_regions_stay_as_they_are() -> None:
    table = Region(Label.TABLE, BBox(x0=0, y0=0, x1=90, y1=90), 0.9)
    assert fitted_figures(page(drawing=(200, 400, 600, 850)), [FIGURE, table], []) == [FIGURE, table]
