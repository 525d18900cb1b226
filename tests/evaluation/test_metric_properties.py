"""Properties of the metrics on any input: identity, symmetry, bounds, empty and broken input, huge cells."""

from __future__ import annotations

import pytest

pytest.importorskip("apted", reason="needs galley-ocr[eval]")
pytest.importorskip("rapidfuzz", reason="needs galley-ocr[eval]")

from hypothesis import given, settings
from hypothesis import strategies as st
from mutated_tables import pairs

from galley.evaluation.benchmarks.folder import score as folder_score
from galley.evaluation.benchmarks.unimer_test import normal_form
from galley.evaluation.olmocr.normal_form import normalise
from galley.evaluation.teds import teds
from galley.evaluation.text_metrics import character_similarity, edit_similarity, plain_text, word_f1

CELL = st.text(alphabet="abc 12é中&<>\"'\n|$\\", max_size=12)
TABLE = st.lists(st.lists(CELL, min_size=1, max_size=4), min_size=1, max_size=4).map(
    lambda rows: f"<table>{''.join(f'<tr>{_cells(row)}</tr>' for row in rows)}</table>"
)
PIECES = st.sampled_from(
    ["<table>", "</table>", "<tr>", "</tr>", "<td>", "</td>", "<td", ' colspan="2"', ' rowspan="-1"', ">", "<th>",
     "<thead>", "</tbody>", "<!--", "-->", "&amp;", "&#0;", "x", "中", "<b>", "</i>", "\x00", "|", "|---|", "\n"]
)  # fmt: skip
BROKEN = st.lists(PIECES, max_size=40).map("".join)


def _cells(row: list[str]) -> str:
    return "".join(f"<td>{text.replace('&', '&amp;').replace('<', '&lt;')}</td>" for text in row)


@settings(max_examples=60, deadline=None)
@given(TABLE)
def test_a_table_is_like_itself(table: str) -> None:
    assert teds(table, table) == teds(table, table, structure_only=True) == 1


@settings(max_examples=60, deadline=None)
@given(TABLE, TABLE)
def test_teds_is_symmetric(one: str, other: str) -> None:
    assert teds(one, other) == pytest.approx(teds(other, one), abs=1e-9)
    assert 0 <= teds(one, other) <= 1


def test_structure_alone_never_scores_lower() -> None:
    for damaged, sound in pairs(60, seed=2):
        assert teds(damaged, sound) <= teds(damaged, sound, structure_only=True) + 1e-9


@settings(max_examples=150, deadline=None)
@given(BROKEN, BROKEN)
def test_broken_markup_is_scored(one: str, other: str) -> None:
    assert 0 <= teds(one, other) <= 1
    assert all(0 <= value <= 1 for value in folder_score((one, other)).values())


@pytest.mark.parametrize("empty", ["", " ", "\n\n", "<table></table>"])
def test_nothing_is_unlike_something(empty: str) -> None:
    table = "<table><tr><td>x</td></tr></table>"
    assert teds(empty, table) == teds(table, empty) == 0
    assert word_f1(plain_text(empty), "x") == 0


def test_two_empty_texts_are_alike() -> None:
    assert edit_similarity("", "") == word_f1("", "") == character_similarity("", "") == 1


def test_cells_of_100_kilobytes() -> None:
    cell = "lorem ipsum " * 8500
    table = f"<table><tr><td>{cell}</td><td>x</td></tr></table>"
    assert teds(table, table) == 1
    near = teds(table.replace("lorem", "lorum", 1), table)
    assert 1 - 1e-4 < near < 1
    assert folder_score((table, table))["words"] == 1


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80), st.text(max_size=80))
def test_text_measures(one: str, other: str) -> None:
    for measure in (edit_similarity, character_similarity, word_f1):
        assert measure(one, one) == 1
        assert 0 <= measure(one, other) <= 1
        assert measure(one, other) == pytest.approx(measure(other, one))


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="ab12\\{}^_ \n+", max_size=40))
def test_normal_forms_are_stable(source: str) -> None:
    assert normal_form(normal_form(source)) == normal_form(source)
    assert normalise(normalise(source)) == normalise(source)
