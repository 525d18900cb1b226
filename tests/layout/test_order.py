"""Reading order on made-up layouts: a permutation always, and the order a reader takes."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from galley.document import BBox
from galley.geometry import rows
from galley.layout.order import reading_order, strips

GUTTER = 8.0


def box(x0, y0, x1, y1):
    return BBox(x0=x0, y0=y0, x1=x1, y1=y1)


boxes = st.lists(
    st.builds(
        lambda x, y, w, h: box(x, y, x + w, y + h),
        st.integers(0, 900),
        st.integers(0, 1200),
        st.integers(1, 500),
        st.integers(1, 300),
    ),
    max_size=25,
)


@given(boxes)
@settings(max_examples=200, deadline=None)
def test_each_box_exactly_once(found):
    assert sorted(reading_order(found, GUTTER)) == list(range(len(found)))
    assert sorted(i for row in rows(found) for i in row) == list(range(len(found)))


@given(boxes)
@settings(max_examples=100, deadline=None)
def test_rowwise_strips_hold_each_box_once(found):
    across = strips(found, GUTTER, lambda columns: True)
    assert sorted(i for strip in across for i in strip.indices) == list(range(len(found)))


def column(rng, x0, x1, top, bottom):
    """Paragraphs down a column, ragged at the right now and then."""
    y, found = top, []
    while y < bottom - 20:
        height = min(rng.choice([18, 40, 90, 160]), bottom - y)
        found.append(box(x0 + rng.uniform(0, 4), y, x1 - rng.choice([0, 0, 3, (x1 - x0) * 0.4]), y + height))
        y += height + rng.choice([10, 14, 30])
    return found


def layout(rng, count):
    """A page in reading order: header, wide title, columns, a wide table, columns again, page number."""
    width, gap = 1000, 30
    page = [box(100, 30, 400, 45), box(880, 30, 900, 45), box(150, 80, 850, 130)]
    bands = [(160, 520), (700, 1180)] if rng.random() < 0.7 else [(160, 1180)]
    for number, (top, bottom) in enumerate(bands):
        if number:
            page.append(box(100, 540, 900, 680))
        each = (width - 200 - gap * (count - 1)) / count
        for c in range(count):
            x0 = 100 + c * (each + gap)
            page += column(rng, x0, x0 + each, top, bottom)
    page.append(box(490, 1250, 510, 1265))
    return page


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(12))
def test_columns(count, seed):
    rng = random.Random(seed)
    page = layout(rng, count)
    shuffled = list(range(len(page)))
    rng.shuffle(shuffled)
    order = reading_order([page[i] for i in shuffled], GUTTER)
    assert [shuffled[i] for i in order] == list(range(len(page)))


def check(page):
    for seed in range(5):
        shuffled = list(range(len(page)))
        random.Random(seed).shuffle(shuffled)
        order = reading_order([page[i] for i in shuffled], GUTTER)
        assert [shuffled[i] for i in order] == list(range(len(page)))


def test_aligned_paragraphs_of_two_columns_are_not_read_across():
    check([box(x, y, x + 380, y + 90) for x in (100, 520) for y in (100, 200, 300)])


def test_title_over_two_of_three_columns():
    check(
        [
            box(100, 100, 340, 900),
            box(370, 100, 880, 160),
            box(370, 180, 610, 900),
            box(640, 180, 880, 900),
        ]
    )


def test_side_bar_and_figure_with_caption():
    check(
        [
            box(100, 100, 600, 300),
            box(100, 320, 600, 600),  # figure
            box(150, 610, 550, 640),  # its caption
            box(100, 660, 600, 1000),
            box(640, 150, 900, 800),  # side bar
        ]
    )


def test_boxes_no_straight_cut_separates():
    # Four boxes around a middle, each reaching past the next.
    check([box(0, 0, 300, 100), box(0, 120, 100, 420), box(320, 0, 420, 300), box(120, 320, 420, 420)])


def test_slight_overlaps_do_not_hide_rows_or_columns():
    check([box(100, 100, 500, 205), box(100, 200, 500, 305), box(100, 300, 500, 400)])


def test_staggered_blocks_side_by_side_are_columns():
    check(
        [box(100, 100, 400, 120), box(100, 130, 400, 150), box(600, 112, 800, 128), box(600, 142, 800, 158)]
    )


def test_rows_are_read_across_where_asked():
    cells = [box(x, y, x + 50, y + 12) for y in (0, 20, 40) for x in (0, 200, 400)]
    assert [s.indices for s in strips(cells, GUTTER, lambda columns: True)] == [list(range(9))]
    assert strips(cells, GUTTER)[0].indices == [0, 3, 6]


def test_nothing():
    assert reading_order([], GUTTER) == []


def test_columns_a_word_space_apart_between_headlines():
    """Newspaper columns: the gutter is narrower than what parts columns elsewhere."""
    column = [
        [box(180 * c, 14 * r, 180 * c + (90 if (r + c) % 4 == 3 else 174), 14 * r + 12) for r in range(12)]
        for c in range(4)
    ]
    boxes = [found for row in zip(*column, strict=True) for found in row]
    boxes += [box(0, -80, 714, -20), box(0, 200, 714, 260)]
    expected = [48, *(4 * r + c for c in range(4) for r in range(12)), 49]
    assert reading_order(boxes, 8.0) == expected


def test_two_rows_with_one_narrow_gap_are_read_across():
    boxes = [box(0, 0, 100, 12), box(106, 0, 200, 12), box(0, 20, 98, 32), box(106, 20, 200, 32)]
    assert reading_order(boxes, 8.0) == [0, 1, 2, 3]
