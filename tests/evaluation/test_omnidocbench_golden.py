"""The official scorer's figures on its 18 demo pages, reproduced through the command."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("apted", reason="needs galley-ocr[eval]")
pytest.importorskip("pylatexenc", reason="needs galley-ocr[eval]")

from galley.cli.app import run

DEMO = Path(__file__).parents[2].parent / "shared/data/omnidocbench_demo"
pytestmark = pytest.mark.skipif(not DEMO.is_dir(), reason=f"needs the OmniDocBench demo pages in {DEMO}")

TEXT, TEDS, TEDS_S = ("text_block", "Edit_dist"), ("table", "TEDS"), ("table", "TEDS_structure_only")
ORDER, FORMULA, CDM = (
    ("reading_order", "Edit_dist"),
    ("display_formula", "Edit_dist"),
    ("display_formula", "CDM"),
)
GOLDEN = {
    "end2end": {TEXT: 0.3513, TEDS: 0.8001, TEDS_S: 0.9146, ORDER: 0.1613, FORMULA: 0.3189},
    "mds": {TEXT: 0.0, TEDS: 1.0, TEDS_S: 1.0, ORDER: 0.0, FORMULA: 0.0026},
}
GOLDEN_CDM = {"end2end": 0.8582, "mds": 1.0}
GOLDEN_OVERALL = {"end2end": 76.90, "mds": 100.0}


def scored(name: str, out: Path, *options: str) -> dict[str, Any]:
    data = str(DEMO / "OmniDocBench_demo.json")
    words = ["eval", "omnidocbench", "--data", data, "--pred", str(DEMO / name), "--out", str(out)]
    assert run([*words, *options]) == 0
    result: dict[str, Any] = json.loads((out / f"{name}_quick_match_metric_result.json").read_text())
    return result


@pytest.mark.parametrize("name", GOLDEN)
def test_official_figures(name: str, tmp_path: Path) -> None:
    result = scored(name, tmp_path, "--no-cdm")
    measured = {(element, metric): result[element]["page"][metric]["ALL"] for element, metric in GOLDEN[name]}
    assert measured == pytest.approx(GOLDEN[name], abs=0.002)


def test_official_table_mean_over_samples(tmp_path: Path) -> None:
    result = scored("end2end", tmp_path, "--no-cdm")
    assert result["table"]["all"]["TEDS"]["all"] == pytest.approx(0.7838, abs=0.002)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("pdflatex") or not shutil.which("pdftoppm"), reason="needs TeX, poppler")
@pytest.mark.parametrize("name", GOLDEN)
def test_official_cdm(name: str, tmp_path: Path) -> None:
    result = scored(name, tmp_path)
    assert result["display_formula"]["page"]["CDM"]["ALL"] == pytest.approx(GOLDEN_CDM[name], abs=0.01)
    overall = f"| {GOLDEN_OVERALL[name]:.1f}"
    assert overall in (tmp_path / "report.md").read_text(encoding="utf-8")
