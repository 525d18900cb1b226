"""Which regions the lines of text bear out."""

from __future__ import annotations

import textwrap

import numpy as np
from page_states import zones_of

from galley.document import BBox, Label
from galley.drafters.line import TextLine
from galley.layout.region import Region
from galley.parsing.regions.add_ruled_tables import with_ruled_tables
from galley.parsing.regions.drop_implausible_regions import plausible_regions
from galley.parsing.regions.tabular import reads_across


def _box(x0: float, y0: float, x1: float, y1: float) -> BBox:
    return BBox(x0=x0, y0=y0, x1=x1, y1=y1)


def test_a_strip_filled_by_one_line_is_no_figure() -> None:
    line = TextLine("a line cut out of a page", _box(4, 6, 596, 42))
    assert plausible_regions([Region(Label.FIGURE, _box(0, 0, 600, 48), 0.9)], [line], 600, 48) == []


def test_a_drawing_with_labels_stays_a_figure() -> None:
    labels = [TextLine(f"label {i}", _box(100 * i, 50, 100 * i + 60, 70)) for i in range(4)]
    figure = Region(Label.FIGURE, _box(0, 0, 500, 400), 0.9)
    assert plausible_regions([figure], labels, 1000, 1400) == [figure]


def test_a_ruled_table_replaces_what_was_seen_in_its_place() -> None:
    figure, text = (
        Region(Label.FIGURE, _box(100, 100, 500, 500), 0.8),
        Region(Label.TEXT, _box(0, 600, 500, 700), 0.9),
    )
    found = with_ruled_tables([figure, text], [_box(90, 90, 510, 510)])
    assert found == [text, Region(Label.TABLE, _box(90, 90, 510, 510), 1.0, drawn=True)]


def test_a_table_already_seen_is_not_doubled() -> None:
    table = Region(Label.TABLE, _box(100, 100, 500, 500), 0.8)
    seen = Region(Label.TABLE, table.bbox, 0.8, drawn=True)
    assert with_ruled_tables([table], [_box(95, 95, 505, 505)]) == [seen]


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
    found = plausible_regions([seen], [*labels, *prose, *cells], 1000, 1800)
    assert [(region.label, region.bbox.y0) for region in found] == [(Label.TABLE, 600)]


def test_chinese_prose_is_as_wide_as_it_looks() -> None:
    lines = [
        *_rows(["这一年的业务收入比上一年增长得更快一些"] * 8, 60, 100, char=20),
        *_rows(["公司预计下一个季度的利润仍将继续保持稳定"] * 8, 520, 111, char=20),
    ]
    assert plausible_regions([Region(Label.TABLE, _box(50, 90, 1000, 400), 0.5)], lines, 1000, 1800) == []


def test_a_sentence_over_a_table_is_no_table() -> None:
    lines = _rows(
        ["Recoveries and deviations obtained from spiked samples", "analysed by three of the methods"],
        60,
        100,
    )
    (found,) = plausible_regions([Region(Label.TABLE, _box(50, 90, 700, 160), 0.8)], lines, 1000, 1400)
    assert found.label is Label.TEXT


def test_a_table_with_sentences_around_the_drawn_one_is_the_drawn_one() -> None:
    sentence = _rows(["The view holds the details of each function, as the table below describes"], 60, 100)
    cells = [cell for c in range(3) for cell in _rows([f"{c}.{r}" for r in range(3)], 60 + 220 * c, 200)]
    seen, drawn = Region(Label.TABLE, _box(50, 90, 900, 300), 0.4), _box(50, 190, 880, 290)
    found = with_ruled_tables([seen], [drawn], [*sentence, *cells])
    assert found == [Region(Label.TABLE, drawn, 0.4, drawn=True)]
    assert with_ruled_tables([seen], [drawn], cells) == [seen]


_COLUMNS = [
    "the river had risen in the night and the lower fields lay under water when the farmers came out to see what was "
    "left of the seed they had sown only a week before. Nobody spoke for a while. Then the oldest of them turned and "
    "walked back up to the road where the carts were waiting, and the others went after him without a word",
    "a council met that evening in the school. It was agreed that the dam should be raised by two feet before the "
    "winter, and that each household would send one man for three days or pay a day labourer in his place. The vote "
    "was close, for the upper village saw no use in a wall that would never keep any water from its own doors",
    "work began late because stone was dear and the only quarry near by belonged to a man who had voted against the "
    "plan. In the end the stone came by barge from the coast, and it came wet, so that it froze in the open heaps and "
    "had to be broken apart with bars. The engineer wrote long letters about it that nobody in the capital read",
    "when spring came round again the wall stood, though it was lower than had been drawn. The water reached it in the "
    "first week of April and stayed for nine days. Some of it found a way under the footing near the mill, where the "
    "ground is sand, but the fields stayed dry and the seed came up as it had not done for seven years before that",
]


def _narrow_columns() -> list[TextLine]:
    return [
        line
        for c, text in enumerate(_COLUMNS)
        for line in _rows(textwrap.wrap(text, 21), 60 + 240 * c, 100, 28)
    ]


def test_narrow_columns_of_text_are_no_table_and_read_one_after_another() -> None:
    lines = _narrow_columns()
    box = _box(50, 90, 1010, 600)
    assert plausible_regions([Region(Label.TABLE, box, 0.98)], lines, 1050, 1500) == []
    zones = zones_of([Region(Label.TABLE, box, 0.98)], lines, 1050, 1500)
    assert " ".join(line.text for zone in zones for line in zone.lines) == " ".join(_COLUMNS)


def test_very_narrow_columns_of_text_do_not_read_across() -> None:
    """Lines short enough to be cells, level with those beside them."""
    columns = [_rows(textwrap.wrap(text, 16), 60 + 190 * c, 100, 28) for c, text in enumerate(_COLUMNS)]
    lines = [line for column in columns for line in column]
    ends = np.cumsum([len(column) for column in columns])
    indices = [list(range(end - len(column), end)) for end, column in zip(ends, columns, strict=True)]
    assert not reads_across(lines)(indices)
    cells = [
        _rows(["Anchor", "Bridge, north", "Candle", "Dragon", "Engine"] * 5, 60 + 190 * c, 100)
        for c in range(4)
    ]
    assert reads_across([line for column in cells for line in column])(
        [list(range(25 * c, 25 * c + 25)) for c in range(4)]
    )


def test_a_table_of_wrapped_cells_stays_one() -> None:
    """Its lines are as full and run on as in columns of text, but the cells of a row begin together."""
    cells = [
        "Farmers came out to see what was left of the seed they had sown",
        "The old dam was raised by two feet before the winter began here",
        "Stone came by barge from the coast and it froze in open heaps",
    ]
    lines = []
    for c in range(4):
        texts = [line for r in range(6) for line in textwrap.wrap(cells[(c + r) % 3], 21)[:3]]
        lines += _rows(texts, 60 + 240 * c, 100, 28)
    table = Region(Label.TABLE, _box(50, 90, 1010, 640), 0.9)
    assert plausible_regions([table], lines, 1050, 1500) == [table]


def test_narrow_columns_of_chinese_are_no_table() -> None:
    text = "这一年的业务收入比上一年增长得更快一些公司预计下一个季度的利润仍将继续保持稳定"
    lines = []
    for c in range(4):
        shifted = (text[c:] + text[:c]) * 4
        lines += _rows([shifted[at : at + 9] for at in range(0, 108, 9)], 60 + 240 * c, 100, char=20)
    assert plausible_regions([Region(Label.TABLE, _box(50, 90, 1010, 500), 0.9)], lines, 1050, 1500) == []


def test_a_drawn_table_holds_whatever_its_cells_say() -> None:
    prose = _rows([f"the long text of a cell that runs over several lines {i}" for i in range(8)], 60, 60)
    drawn = Region(Label.TABLE, _box(50, 50, 900, 400), 1.0, drawn=True)
    assert plausible_regions([drawn], prose, 1000, 1400) == [drawn]
    assert plausible_regions([Region(Label.TABLE, drawn.bbox, 1.0)], prose, 1000, 1400) != [drawn]


def test_several_drawn_tables_in_one_region_are_several() -> None:
    seen = Region(Label.TABLE, _box(0, 0, 900, 700), 0.9)
    boxes = [_box(20, 20, 880, 300), _box(20, 400, 880, 680)]
    heading = _rows(["Claims"], 30, 340)
    found = with_ruled_tables([seen], boxes, heading)
    assert [region.bbox for region in found] == boxes and all(region.drawn for region in found)
