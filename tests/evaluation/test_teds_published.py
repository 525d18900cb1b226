"""TEDS beside a published implementation, on 200 damaged tables."""

from __future__ import annotations

import pytest

pytest.importorskip("apted", reason="needs galley-ocr[eval]")

from lxml import html
from mutated_tables import pairs

from galley.evaluation.teds import teds


@pytest.mark.parametrize("structure_only", [False, True])
def test_equal_to_docling_metrics_table(structure_only: bool) -> None:
    published = pytest.importorskip(
        "docling_metrics_table.utils.teds", reason="needs docling-metrics-table", exc_type=ImportError
    )
    scorer = published.TEDScorer()
    different = {}
    for damaged, sound in pairs(200):
        theirs = scorer.teds(html.fromstring(sound), html.fromstring(damaged), structure_only)
        ours = teds(damaged, sound, structure_only=structure_only)
        if ours != pytest.approx(max(0.0, theirs), abs=1e-9):
            different[damaged, sound] = (ours, theirs)
    assert not different


def test_the_pairs_are_of_all_grades() -> None:
    scores = [teds(damaged, sound) for damaged, sound in pairs(200)]
    assert min(scores) < 0.4
    assert max(scores) > 0.97
    assert len(set(scores)) > 150
