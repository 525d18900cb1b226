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


def _rows(texts: list[str], x: float, y: float, pitch: float = 30, char: float = 10) -> list[TextLine]:
    return [
        TextLine(text, _box(x, y + pitch * i, x + char * len(text), y + pitch * i + 20))
        for i, text in enumerate(texts)
    ]


def test_two_columns_of_text_are_no_table_and_the_real_table_below_stays() -> None:
    labels = _rows(
        ["Analyst", "A. Smith", "Licence 2041", "Assistant", "B. Jones", "Licence 2050"], 60, 100, 61
    )
    prose = _rows([f"the year brought more growth than number {i} of the plans" for i in range(12)], 400, 112)
    cells = [cell for c in range(4) for cell in _rows([f"{c}.{r}" for r in range(6)], 60 + 220 * c, 600)]
    seen = Region(Label.TABLE, _box(50, 90, 1000, 800), 0.4)
    found = credible([seen], [*labels, *prose, *cells], 1000, 1800)
    assert [(region.label, region.bbox.y0) for region in found] == [(Label.TABLE, 600)]


def test_chinese_prose_is_as_wide_as_it_looks() -> None:
    lines = [
        *_rows(["这一年的业务收入比上一年增长得更快一些"] * 8, 60, 100, char=20),
        *_rows(["公司预计下一个季度的利润仍将继续保持稳定"] * 8, 520, 111, char=20),
    ]
    assert credible([Region(Label.TABLE, _box(50, 90, 1000, 400), 0.5)], lines, 1000, 1800) == []


def test_a_sentence_over_a_table_is_no_table() -> None:
    lines = _rows(
        ["Recoveries and deviations obtained from spiked samples", "analysed by three of the methods"],
        60,
        100,
    )
    (found,) = credible([Region(Label.TABLE, _box(50, 90, 700, 160), 0.8)], lines, 1000, 1400)
    assert found.label is Label.TEXT


def test_a_table_with_sentences_around_the_drawn_one_is_the_drawn_one() -> None:
    sentence = _rows(["The view holds the details of each function, as the table below describes"], 60, 100)
    cells = [cell for c in range(3) for cell in _rows([f"{c}.{r}" for r in range(3)], 60 + 220 * c, 200)]
    seen, drawn = Region(Label.TABLE, _box(50, 90, 900, 300), 0.4), _box(50, 190, 880, 290)
    assert with_tables([seen], [drawn], [*sentence, *cells]) == [Region(Label.TABLE, drawn, 0.4)]
    assert with_tables([seen], [drawn], cells) == [seen]
