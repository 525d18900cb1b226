"""OmniDocBench's rules on pages made here: normal forms, matching, reading order, tables, properties."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("apted", reason="needs galley-ocr[eval]")
pytest.importorskip("pylatexenc", reason="needs galley-ocr[eval]")

from hypothesis import given, settings
from hypothesis import strategies as st

from galley.evaluation.omnidocbench import normalise
from galley.evaluation.omnidocbench.page_scores import PageScores, mean_edit, mean_metric, score_page
from galley.evaluation.omnidocbench.truth import PageTruth, Truth

PARAGRAPHS = (
    "Galleys are long trays in which a compositor gathers set type before it is made up into pages.",
    "A proof pulled from such a tray is read against the manuscript, letter by letter.",
    "Corrections are marked in the margin and the faulty sorts are replaced with tweezers.",
)
GRID = "<table><tr><td>north</td><td>12</td></tr><tr><td>south</td><td>7</td></tr></table>"
FORMULA = r"E = m c^{2} + \frac{a}{b}"


def page(*blocks: Truth, tables: tuple[str, ...] = ()) -> PageTruth:
    ordered = [Truth(b.category, b.content, order) for order, b in enumerate(blocks, start=1)]
    return PageTruth("page.png", {}, ordered, [Truth("table", html, 90.0) for html in tables])


def text_page(*texts: str) -> PageTruth:
    return page(*(Truth("text_block", text) for text in texts))


def edits(scores: PageScores) -> list[float]:
    return [sample.metric["Edit_dist"] for sample in scores.text]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Set, in type!", "Setintype"),
        ("snake_case 42", "snake_case42"),
        ("排版，校对。", "排版校对"),
        (r"a $\alpha$ b", "aαb"),
        ("costs $5 and 6$ more", "costs5and6more"),
        ("", ""),
    ],
)
def test_text_keeps_word_characters_only(source: str, expected: str) -> None:
    assert normalise.text(source) == expected


@pytest.mark.parametrize(
    "same", [r"$$x^2 + Y$$", r"\[x^2+y\]", r"x^2 + \mathrm{y}\tag{3}", "$x^2 +\\quad y$"]
)
def test_formula_forms_that_look_alike_are_one(same: str) -> None:
    assert normalise.formula(same).replace("{", "").replace("}", "") == "x^2+y"


def test_table_presentation_is_dropped() -> None:
    plain = normalise.table("<table><tr><td>a</td></tr></table>")
    dressed = (
        '<table class="x" style="y"><thead>\n<tr><th align="left"><span>a</span></th></tr></thead></table>'
    )
    assert normalise.table(dressed) == plain
    assert normalise.table("no table") == ""


def test_page_as_its_truth_is_perfect() -> None:
    truth = page(
        *(Truth("text_block", t) for t in PARAGRAPHS), Truth("equation_isolated", FORMULA), tables=(GRID,)
    )
    scores = score_page(truth, "\n\n".join((*PARAGRAPHS, f"$$\n{FORMULA}\n$$", GRID)))
    assert (mean_edit(scores.text), mean_edit(scores.formulas), scores.order_edit) == (0, 0, 0)
    assert mean_metric(scores.tables, "TEDS") == mean_metric(scores.tables, "TEDS_structure_only") == 1


def test_edit_distance_is_edits_over_the_longer_side() -> None:
    scores = score_page(text_page("abcdefgh"), "abcdefXY12")
    assert edits(scores) == [pytest.approx(4 / 10)]


def test_page_mean_weighs_blocks_by_length() -> None:
    scores = score_page(text_page("a" * 30, "b" * 10), "a" * 30)
    assert mean_edit(scores.text) == pytest.approx(10 / 40)


def test_pieces_of_one_paragraph_are_joined() -> None:
    half = len(PARAGRAPHS[0]) // 2
    markdown = f"{PARAGRAPHS[0][:half]}\n\n{PARAGRAPHS[0][half:]}\n\n{PARAGRAPHS[1]}"
    scores = score_page(text_page(*PARAGRAPHS[:2]), markdown)
    assert edits(scores) == [0, 0]


def test_two_true_paragraphs_in_one_prediction_are_joined() -> None:
    scores = score_page(text_page(*PARAGRAPHS), f"{PARAGRAPHS[0]} {PARAGRAPHS[1]}\n\n{PARAGRAPHS[2]}")
    assert sorted(len(sample.match.true_indices) for sample in scores.text) == [1, 2]
    assert mean_edit(scores.text) == 0


def test_missing_paragraph_costs_all_of_it() -> None:
    scores = score_page(text_page(*PARAGRAPHS), "\n\n".join(PARAGRAPHS[:2]))
    assert sorted(edits(scores)) == [0, 0, 1]


def test_order_is_scored_apart_from_content() -> None:
    scores = score_page(text_page(*PARAGRAPHS), "\n\n".join(PARAGRAPHS[::-1]))
    assert mean_edit(scores.text) == 0
    assert scores.order == ([1, 2, 3], [3, 2, 1])
    assert scores.order_edit == pytest.approx(2 / 3)


def test_captions_and_furniture_are_matched_and_left_out() -> None:
    truth = page(Truth("text_block", PARAGRAPHS[0]), Truth("header", PARAGRAPHS[1]))
    kept = score_page(truth, f"{PARAGRAPHS[1]}\n\n{PARAGRAPHS[0]}")
    dropped = score_page(truth, PARAGRAPHS[0])
    assert edits(kept) == edits(dropped) == [0]


def test_pipe_table_counts_as_table() -> None:
    scores = score_page(page(tables=(GRID,)), "\n\n| north | 12 |\n|---|---|\n| south | 7 |\n")
    assert mean_metric(scores.tables, "TEDS") == 1


def test_missing_table_scores_zero() -> None:
    scores = score_page(page(tables=(GRID,)), "north 12 south 7")
    assert mean_metric(scores.tables, "TEDS") == 0
    assert [sample.metric["Edit_dist"] for sample in scores.tables] == [1]


def test_swapped_tables_are_assigned_by_content() -> None:
    other = GRID.replace("north", "a quite different cell").replace("south", "and one more")
    scores = score_page(page(tables=(GRID, other)), f"{other}\n\n{GRID}")
    assert [sample.metric["TEDS"] for sample in scores.tables] == [1, 1]


def test_empty_prediction_is_all_wrong_and_empty_page_is_not_scored() -> None:
    assert edits(score_page(text_page(*PARAGRAPHS), "")) == [1, 1, 1]
    nothing = score_page(text_page(), PARAGRAPHS[0])
    assert mean_edit(nothing.text) is None
    assert nothing.order_edit is None


@pytest.mark.parametrize(
    "broken",
    ["<table>", "<table><tr><td>a", "</table><table>", "<table><table></table>", "<table><tr><td colspan='-9'>",
     "$$", "$$ $ \\[", "\\begin{table}", "\\begin{tabular}{ll} a & b", "```html\n<table", "| a |\n| b", "\x00\x01"],
)  # fmt: skip
def test_broken_markup_is_scored(broken: str) -> None:
    truth = page(Truth("text_block", PARAGRAPHS[0]), tables=(GRID,))
    scores = score_page(truth, f"{broken}\n\n{PARAGRAPHS[0]}")
    assert all(0 <= value <= 1 for value in _values(scores))
    assert len(scores.tables) == 1


def test_cell_of_100_kilobytes_is_scored() -> None:
    cell = "lorem ipsum " * 8500
    huge = GRID.replace("north", cell)
    scores = score_page(page(tables=(huge,)), huge.replace("lorem", "lorum", 1))
    assert mean_metric(scores.tables, "TEDS") == pytest.approx(1, abs=1e-4)
    assert mean_metric(scores.tables, "TEDS") != 1


def test_simple_matching_agrees_where_blocks_are_whole() -> None:
    markdown = "\n\n".join(PARAGRAPHS)
    assert edits(score_page(text_page(*PARAGRAPHS), markdown, simple=True)) == [0, 0, 0]


def _values(scores: PageScores) -> list[float]:
    samples = [*scores.text, *scores.formulas, *scores.tables]
    order = [] if scores.order_edit is None else [scores.order_edit]
    return [value for sample in samples for value in sample.metric.values()] + order


WORDS = st.text(alphabet="abcdefghij klmnop 校对排版", min_size=12, max_size=60).filter(
    lambda text: len(normalise.text(text)) > 8
)
MARKDOWN = st.lists(
    st.one_of(
        WORDS,
        st.sampled_from(
            [GRID, "<table><tr>", "$x", f"$${FORMULA}$$", "| a | b |\n|---|---|\n| c | d |", "# "]
        ),
        st.text(max_size=30),
    ),
    max_size=6,
).map("\n\n".join)


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=5, unique_by=normalise.text))
def test_identity(texts: list[str]) -> None:
    assert mean_edit(score_page(text_page(*texts), "\n\n".join(texts)).text) == 0


@settings(max_examples=80, deadline=None)
@given(st.lists(WORDS, max_size=4), MARKDOWN, st.booleans())
def test_scores_stay_in_bounds(texts: list[str], markdown: str, simple: bool) -> None:
    truth = page(
        *(Truth("text_block", t) for t in texts), Truth("equation_isolated", FORMULA), tables=(GRID,)
    )
    scores = score_page(truth, markdown, simple=simple)
    assert all(0 <= value <= 1 for value in _values(scores))
    matched = sorted(_matched(scores.text) + _matched(scores.formulas))
    assert matched == sorted(set(matched))
    assert len(matched) == len([text for text in texts if normalise.text(text)]) + 1


def _matched(samples: list[Any]) -> list[int]:
    return [index for sample in samples for index in sample.match.true_indices]


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_normal_forms_take_any_text(source: str) -> None:
    assert normalise.clean(normalise.clean(source)) == normalise.clean(source)
    assert " " not in normalise.text(source)
    assert normalise.formula(source) == normalise.formula(source).lower()
    assert normalise.table(source) == "" or normalise.table(source).startswith("<html>")
