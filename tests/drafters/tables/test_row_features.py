"""The features of the row model go by the names that its weights have."""

from __future__ import annotations

from galley.document import BBox
from galley.drafters.line import Word
from galley.drafters.tables.pieces import piece_of
from galley.drafters.tables.row_weights import WEIGHTS
from galley.drafters.tables.rows import Features, Placed, pair_features


def line(texts: list[str], y: float) -> Placed:
    """Cells of one line, 100 pixels apart."""
    words = [
        Word(text, BBox(x0=100 * i, y0=y, x1=100 * i + 10 * len(text), y1=y + 20))
        for i, text in enumerate(texts)
        if text
    ]
    columns = [i for i, text in enumerate(texts) if text]
    return Placed([piece_of([word]) for word in words], [(column, column) for column in columns])


def features(above: list[str], below: list[str]) -> Features:
    bounds = [(0.0, 90.0), (100.0, 190.0), (200.0, 290.0)]
    [[found]] = pair_features([[line(above, 0), line(below, 30)]], bounds, 20.0, False)
    return found


def test_each_feature_has_a_weight() -> None:
    assert list(features(["a", "b", "c"], ["d", "e", "f"])) == list(WEIGHTS)


def test_features_say_what_their_names_say() -> None:
    wrapped = features(["Oak shelf", "12.50", "4"], ["", "per metre", ""])
    assert wrapped["columns_below"] == 1 / 3 and wrapped["first_column_below"] == 0
    assert wrapped["text_goes_on"] == 1 and wrapped["same_columns"] == 0
    anew = features(["Oak shelf", "12.50", "4"], ["Hook", "2.75", "12"])
    assert anew["same_columns"] == 1 and anew["figures_below"] == 2 / 3 and anew["text_goes_on"] == 0
