"""Captions set in pieces."""

from __future__ import annotations

import pytest

from galley.document import BBox, Label
from galley.drafters.line import TextLine
from galley.parsing.page.state import Zone
from galley.parsing.zones.join_captions import joined_captions

TABLE = Zone(Label.TABLE, BBox(x0=100, y0=200, x1=900, y1=500))


def piece(text: str, x: float, y: float = 165) -> Zone:
    box = BBox(x0=x, y0=y, x1=x + 10 * len(text), y1=y + 20)
    return Zone(Label.TEXT, box, [TextLine(text, box)])


@pytest.mark.parametrize(
    "texts", [("表", "6-3-2", "沟道数量与面积"), ("Table 7", "Heights and flowers"), ("表７", "高度及开花数")]
)
def test_the_pieces_of_one_row_are_one_caption(texts: tuple[str, ...]) -> None:
    pieces = [piece(text, 150 + 200 * i) for i, text in enumerate(texts)]
    caption, table = joined_captions([*pieces, TABLE])
    assert caption.label is Label.CAPTION
    assert [line.text for line in caption.lines] == list(texts)
    assert table is TABLE


@pytest.mark.parametrize(
    ("texts", "y"), [(("Name", "Town"), 165), (("Table 7", "Heights"), 60), (("Tables", "Heights"), 165)]
)
def test_what_is_no_caption_stays(texts: tuple[str, ...], y: float) -> None:
    zones = [*(piece(text, 150 + 200 * i, y) for i, text in enumerate(texts)), TABLE]
    assert joined_captions(zones) == zones
