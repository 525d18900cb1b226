"""The real-set bench: what of a document counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from galley.cli.app import run as galley
from galley.document import BBox, Block, Document, Label, Page
from galley.errors import InputError
from galley.evaluation.realset.data import load
from galley.evaluation.realset.predictions import Predictions
from galley.evaluation.realset.realset_report import report
from galley.evaluation.realset.score import score
from galley.evaluation.realset.systems import document_output


def test_text_in_figures_counts_only_where_the_truth_holds_it() -> None:
    box = BBox(x0=0, y0=0, x1=1, y1=1)
    blocks = [
        Block(label=Label.TEXT, bbox=box, content="body"),
        Block(label=Label.FIGURE, bbox=box, content="axis"),
    ]
    document = Document(pages=[Page(number=1, width=1, height=1, blocks=blocks)])
    assert document_output(document).text == "body"
    assert document_output(document, figure_text=True).text == "body\n\naxis"


def test_formula_crops_are_scored_by_their_latex(tmp_path: Path) -> None:
    (tmp_path / "index.json").write_text("[]")
    crop = {"image": "one.png", "kind": "formula crop", "truth_latex": "\\label{a} x^2"}
    (tmp_path / "crops_index.json").write_text(json.dumps([crop]))
    samples = load(tmp_path)
    assert [(sample.id, sample.task) for sample in samples] == [("formula-one", "formula")]

    def run(*formulas: str) -> Predictions:
        record = {"text": "", "tables": [], "formulas": list(formulas), "seconds": 1.0}
        return Predictions("galley", "Galley", {"formula-one": record})

    assert score(samples, run("x^2"))[0].formula == 1.0
    assert score(samples, run("x^3"))[0].formula == pytest.approx(2 / 3)
    assert score(samples, run())[0].formula == 0.0
    assert "| galley | 1 | 1.0000 |" in report(samples, [run("x^2")], threads=1)


def test_formulas_left_as_text_are_no_latex() -> None:
    box = BBox(x0=0, y0=0, x1=1, y1=1)
    blocks = [
        Block(label=Label.FORMULA, bbox=box, content="x^{2}"),
        Block(label=Label.FORMULA, bbox=box, content="x2", flags=["unverified"]),
    ]
    document = Document(pages=[Page(number=1, width=1, height=1, blocks=blocks)])
    assert document_output(document).formulas == ["x^{2}"]


def test_the_tasks_by_default_are_all_known(tmp_path: Path) -> None:
    (tmp_path / "index.json").write_text("[]")
    with pytest.raises(InputError, match="no sample"):
        galley(["bench", "realset", "--data", str(tmp_path)])
