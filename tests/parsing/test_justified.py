"""Broken justified lines are made whole; columns, tables and lone pairs of words stay apart."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from galley.document import BBox
from galley.drafters.line import TextLine
from galley.parsing.lines.join_justified_lines import joined_justified

PITCH, HEIGHT = 26, 20


def line(text: str, x0: float, x1: float, row: float) -> TextLine:
    return TextLine(text, BBox(x0=x0, y0=row * PITCH, x1=x1, y1=row * PITCH + HEIGHT))


def texts(lines: list[TextLine]) -> list[str]:
    return [found.text for found in joined_justified(lines)]


def test_a_wide_word_space_in_a_column_is_no_gap() -> None:
    column = [line("above", 100, 500, 0), line("twenty-five", 100, 400, 1), line("years", 440, 500, 1)]
    assert texts([*column, line("last.", 100, 240, 2)]) == ["above", "twenty-five years", "last."]


def test_a_line_in_three_pieces_below_an_indented_one() -> None:
    column = [
        line("above", 130, 500, 0),
        line("a", 100, 180, 1),
        line("b", 230, 300, 1),
        line("c", 350, 500, 1),
    ]
    assert texts(column) == ["above", "a b c"]


def test_lines_below_one_another_are_made_whole_from_the_outside_in() -> None:
    first = [line("above", 100, 500, 0), line("a", 100, 180, 1), line("b", 240, 500, 1)]
    assert texts([*first, line("c", 100, 380, 2), line("d", 440, 500, 2)]) == ["above", "a b", "c d"]


def test_two_columns_below_a_line_over_both_stay_apart() -> None:
    rows = [line(f"{side}{i}", x, x + 180, i) for i in range(1, 5) for side, x in (("l", 100), ("r", 320))]
    title = line("A title over both columns", 100, 500, 0)
    assert len(joined_justified([title, *rows])) == 9


def test_columns_whose_gutter_is_a_word_space_wide_keep_their_own_lines() -> None:
    left = [
        line("l0", 100, 300, 0),
        line("l1", 100, 160, 1),
        line("l1b", 200, 300, 1),
        line("l2", 100, 220, 2),
    ]
    right = [line(f"r{i}", 330, 530, i) for i in range(3)]
    assert texts([*left, *right]) == ["l0", "l1 l1b", "l2", "r0", "r1", "r2"]


def test_a_table_with_a_spanning_row_stays_cells() -> None:
    cells = [line(f"{r},{c}", 100 + 60 * c, 140 + 60 * c, r) for r in range(1, 5) for c in range(5)]
    assert len(joined_justified([line("All figures in thousands", 100, 380, 0), *cells])) == 21


def test_narrow_cells_below_a_flush_head_stay_cells() -> None:
    assert (
        len(
            joined_justified(
                [line("Inference", 100, 220, 0), line("mAP", 100, 140, 1), line("s", 200, 220, 1)]
            )
        )
        == 3
    )


def test_a_figure_at_the_end_of_a_flush_line_stays_a_cell() -> None:
    row = [line("Apples from the orchard", 100, 400, 1), line("120.50", 440, 500, 1)]
    assert len(joined_justified([line("All that was sold during the year", 100, 500, 0), *row])) == 3


def test_a_signature_far_below_the_text_stays_apart() -> None:
    pair = [line("Date", 100, 300, 5), line("Signature", 350, 500, 5)]
    assert len(joined_justified([line("text", 100, 500, 0), *pair])) == 3


PIECES = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 20), st.integers(1, 12)),
    max_size=30,
    unique_by=lambda p: p[:2],
)


@given(PIECES)
@settings(max_examples=200, deadline=None)
def test_every_piece_is_in_exactly_one_line(pieces: list[tuple[int, int, int]]) -> None:
    lines = [line(f"w{i}", 30 * x, 30 * x + 28 * w, y) for i, (y, x, w) in enumerate(pieces)]
    found = [word for joined in joined_justified(lines) for word in joined.text.split()]
    assert sorted(found) == sorted(f"w{i}" for i in range(len(pieces)))
