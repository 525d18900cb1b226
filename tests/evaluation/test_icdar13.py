"""The ICDAR 2013 table competition: neighbouring cells on hand-made tables, and the reference tool's figures."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("lxml", reason="needs galley-ocr[eval]")
pytest.importorskip("matplotlib", reason="needs galley-ocr[eval]")

from galley.cli.app import run as galley
from galley.errors import InputError
from galley.evaluation.benchmarks.icdar13 import load, reasons, score
from galley.evaluation.icdar13.adjacency import document_relations

SHARED = Path(__file__).parents[2].parent / "shared"
TOOL, DATA = SHARED / "tools/icdar13.py", SHARED / "data/icdar13_dev"
needs_shared = pytest.mark.skipif(
    not (TOOL.is_file() and DATA.is_dir()), reason=f"needs the reference tool and its documents in {SHARED}"
)


def found(markdown: str) -> set[str]:
    return {f"{a} {way} {b}" for a, b, way in document_relations(markdown)}


def test_neighbours_to_the_right_and_below() -> None:
    expected = {"a h b", "c h d", "a v c", "b v d"}
    assert found("| a | b |\n|---|---|\n| c | d |") == expected
    assert found("<table><tr><th>A</th><td>b.</td></tr><tr><td>c</td><td>d</td></tr></table>") == expected


def test_blank_cells_are_looked_over() -> None:
    assert found("| a |  | b |\n| - | - |\n|  | c |  |\n| d |  | e |") == {"a h b", "d h e", "a v d", "b v e"}


def test_a_spanning_cell_meets_each_neighbour_once() -> None:
    table = (
        "<table><tr><td colspan=2>top</td><td rowspan='2'>side</td></tr><tr><td>l</td><td>r</td></tr></table>"
    )
    assert found(table) == {"top h side", "top v l", "top v r", "l h r", "r h side"}


def test_relations_of_equal_texts_are_counted() -> None:
    assert document_relations("| a | b |\n| a | b |")[("a", "b", "h")] == 2
    assert document_relations("| a | b |\n\n| a | b |")[("a", "b", "h")] == 2


def test_text_is_compared_without_case_space_and_punctuation() -> None:
    assert found("| **1,000** kg | x<sup>2</sup> |") == {"1000kg h x2"}
    assert found(r"| a\|b | ﬁ |") == {"ab h fi"}


def test_precision_and_recall() -> None:
    truth = "a\tb\th\t1\nc\td\th\t1\na\tc\tv\t1\nb\td\tv\t1"
    scores = score(("| a | b |\n| c | x |", truth))
    assert scores == {"f1": 0.5, "precision": 0.5, "recall": 0.5}
    assert score(("| a | b |", truth)) == pytest.approx({"f1": 0.4, "precision": 1.0, "recall": 0.25})
    assert set(score(("no table", truth)).values()) == {0.0}


def test_reasons_name_relations() -> None:
    truth = "a\tb\th\t1\na\tc\tv\t1"
    assert reasons("| a | b |\n| c |  |", truth) == {}
    assert reasons("no table", truth) == {"f1": "no table"}
    assert reasons("| a | x |\n| c |  |", truth) == {
        "f1": "1 missing: a → b; 1 not in the truth: a → x",
        "recall": "1 missing: a → b",
        "precision": "1 not in the truth: a → x",
    }


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made/one.md").write_text("| a | b |\n|---|---|\n", encoding="utf-8")
    truth = {"one": [["a", "b", "h", 1]], "two": [["a", "b", "h", 1]]}
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    words = ["eval", "icdar13", "--data", str(tmp_path), "--pred", str(tmp_path / "made"), "--workers", "1"]
    assert galley([*words, "--out", str(tmp_path / "out")]) == 1
    assert "| 2 | 0.5000 |" in (tmp_path / "out/report.md").read_text()
    assert galley([*words, "--out", str(tmp_path / "out"), "--leave-out-missing"]) == 0
    assert "| 1 | 1.0000 |" in (tmp_path / "out/report.md").read_text()


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"a": 1}', '{"a": [["x", "y"]]}', '{"a": [["x", null, "h", 1]]}']
)
def test_other_truths_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "truth.json").write_text(text)
    with pytest.raises(InputError, match=r"truth\.json is not a JSON object"):
        load(tmp_path)


@needs_shared
def test_relations_are_those_of_the_reference_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(TOOL), str(DATA)])
    tool: dict[str, Any] = runpy.run_path(str(TOOL))
    texts = [file.read_text(encoding="utf-8") for file in (SHARED / "data/odl_dev").rglob("*.md")]
    with_tables = [text for text in texts if re.search(r"<table|^\|", text, re.M)]
    assert len(with_tables) > 50
    for text in with_tables:
        theirs: Counter[Any] = Counter()
        for cells in tool["md_tables"](text):
            theirs += tool["relations"](cells)
        assert document_relations(text) == theirs


@needs_shared
@pytest.mark.slow
def test_figures_on_galleys_output_are_those_of_the_reference_tool(tmp_path: Path) -> None:
    words = ["eval", "icdar13", "--data", str(DATA), "--strategy", "draft", "--out", str(tmp_path)]
    assert galley(words) == 0
    report = (tmp_path / "report.md").read_text()
    row = re.search(r"\| 31 \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|", report)
    assert row is not None
    command = [sys.executable, str(TOOL), str(DATA), str(tmp_path / "predictions")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    theirs = re.search(r"31 docs +precision ([\d.]+) +recall ([\d.]+) +F1 ([\d.]+)", said)
    assert theirs is not None
    f1, precision, recall = map(float, row.groups())
    assert [precision, recall, f1] == pytest.approx(list(map(float, theirs.groups())), abs=0.0006)
