"""TEDS against hand-counted edits, the published definition's corner cases, and the huge-table bound."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("apted", reason="needs galley-ocr[eval]")
pytest.importorskip("lxml", reason="needs galley-ocr[eval]")

from galley.evaluation.teds import teds

module = sys.modules["galley.evaluation.teds"]


def grid(rows: int, cols: int, shift: int = 0) -> str:
    body = "".join(
        "<tr>" + "".join(f"<td>cell {r + shift} {c}</td>" for c in range(cols)) + "</tr>" for r in range(rows)
    )
    return f"<table><tbody>{body}</tbody></table>"


def test_equal_tables_score_one() -> None:
    assert teds(grid(4, 3), grid(4, 3)) == 1.0


def test_a_changed_cell_costs_its_share_of_characters() -> None:
    # Nodes below <table>: tr + 2 td = 3; one of four characters differs.
    pred = "<table><tr><td>abcd</td><td>x</td></tr></table>"
    true = "<table><tr><td>abce</td><td>x</td></tr></table>"
    assert teds(pred, true) == pytest.approx(1 - 0.25 / 3)
    assert teds(pred, true, structure_only=True) == 1.0


def test_a_missing_row_costs_its_nodes() -> None:
    # 1 tbody + 4 * (1 tr + 3 td) = 17 nodes; a row is 4 of them.
    assert teds(grid(3, 3), grid(4, 3)) == pytest.approx(1 - 4 / 17)


def test_a_wrong_span_costs_the_cell() -> None:
    pred = '<table><tr><td colspan="2">a</td></tr><tr><td>b</td><td>c</td></tr></table>'
    true = '<table><tr><td colspan="3">a</td></tr><tr><td>b</td><td>c</td></tr></table>'
    assert teds(pred, true) == pytest.approx(1 - 1 / 5)


def test_inline_tags_are_content_and_count_as_nodes() -> None:
    # The true side has tr, td, b below <table>; "<b>", "</b>" are two of three content tokens.
    pred, true = "<table><tr><td>a</td></tr></table>", "<table><tr><td><b>a</b></td></tr></table>"
    assert teds(pred, true) == pytest.approx(1 - (2 / 3) / 3)


def test_header_cells_are_cells() -> None:
    assert teds("<table><tr><th>a</th></tr></table>", "<table><tr><td>a</td></tr></table>") == 1.0


@pytest.mark.parametrize("bad", ["", "   ", "no table", "<p>text</p>", "<!-- -->"])
def test_no_table_scores_zero(bad: str) -> None:
    assert teds(bad, grid(1, 1)) == 0.0
    assert teds(grid(1, 1), bad) == 0.0


def test_unreadable_spans_count_as_one() -> None:
    assert teds('<table><tr><td colspan="x">a</td></tr></table>', "<table><tr><td>a</td></tr></table>") == 1.0


def test_table_around_other_markup_is_found() -> None:
    assert teds(f"<html><body><div>{grid(2, 2)}</div></body></html>", grid(2, 2)) == 1.0


@pytest.mark.parametrize(
    ("pred", "true"),
    [
        (grid(6, 4), grid(6, 4, shift=1)),
        (grid(3, 5), grid(7, 4)),
        (grid(5, 3).replace("<td>cell 1 1</td>", '<td colspan="2">cell 1 1</td>'), grid(5, 3)),
        (grid(4, 3).replace("<tbody>", "").replace("</tbody>", ""), grid(4, 3)),
        (grid(2, 2), "<table><thead><tr><td>cell 0 0</td></tr></thead><tbody><tr></tr></tbody></table>"),
    ],
)
@pytest.mark.parametrize("structure_only", [False, True])
def test_row_alignment_never_scores_above_exact(
    monkeypatch: pytest.MonkeyPatch, pred: str, true: str, structure_only: bool
) -> None:
    exact = teds(pred, true, structure_only=structure_only)
    monkeypatch.setattr(module, "MAX_EXACT_PAIRS", 0)
    bound = teds(pred, true, structure_only=structure_only)
    assert bound <= exact + 1e-9
    assert bound == pytest.approx(exact, abs=0.15)


def test_row_alignment_counts_a_missing_row_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_EXACT_PAIRS", 0)
    assert teds(grid(3, 3), grid(4, 3)) == pytest.approx(1 - 4 / 17)


def test_huge_tables_are_scored() -> None:
    assert teds(grid(120, 20, shift=1), grid(120, 20), structure_only=True) == 1.0
    assert teds(grid(119, 20), grid(120, 20)) == pytest.approx(1 - 21 / (1 + 120 * 21))
