"""Which regions the lines of text bear out."""

from __future__ import annotations

from galley.document import BBox, Label
from galley.drafters.line import TextLine
from galley.layout.region import Region
from galley.parsing.regions import credible, with_tables


def _box(x0: float, y0: float, x1: float, y1: float) -> BBox:
    return BBox(x0=x0, y0=y0, x1=x1, y1=y1)


def test_a_strip_filled_by_one_line_is_no_figure() -> None:
    line = TextLine("a line cut out of a page", _box(4, 6, 596, 42))
    assert credible([Region(Label.FIGURE, _box(0, 0, 600, 48), 0.9)], [line], 600, 48) == []


def test_a_drawing_with_labels_stays_a_figure() -> None:
    labels = [TextLine(f"label {i}", _box(100 * i, 50, 100 * i + 60, 70)) for i in range(4)]
    figure = Region(Label.FIGURE, _box(0, 0, 500, 400), 0.9)
    assert credible([figure], labels, 1000, 1400) == [figure]


def test_a_ruled_table_replaces_what_was_seen_in_its_place() -> None:
    figure, text = (
        Region(Label.FIGURE, _box(100, 100, 500, 500), 0.8),
        Region(Label.TEXT, _box(0, 600, 500, 700), 0.9),
    )
    found = with_tables([figure, text], [_box(90, 90, 510, 510)])
    assert found == [text, Region(Label.TABLE, _box(90, 90, 510, 510), 1.0)]


def test_a_table_already_seen_is_not_doubled() -> None:
    table = Region(Label.TABLE, _box(100, 100, 500, 500), 0.8)
    assert with_tables([table], [_box(95, 95, 505, 505)]) == [table]
