"""The list of benchmarks: complete, named alike everywhere, and all there is to change for a new one."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("apted", reason="needs galley-ocr[eval]")
pytest.importorskip("fuzzysearch", reason="needs galley-ocr[eval]")
pytest.importorskip("matplotlib", reason="needs galley-ocr[eval]")
pytest.importorskip("pylatexenc", reason="needs galley-ocr[eval]")

from galley.cli.app import run as galley
from galley.evaluation import benchmarks
from galley.evaluation.benchmarks import BENCHMARKS

DOCS = Path(__file__).parents[2] / "docs/evaluation.md"


def test_every_benchmark_is_a_file_of_the_package_and_a_row_of_the_docs() -> None:
    folder = Path(benchmarks.__path__[0])
    files = {f"{benchmarks.__name__}.{file.stem}" for file in folder.glob("[a-z]*.py")}
    assert files == set(BENCHMARKS.values())
    rows = DOCS.read_text(encoding="utf-8")
    for name, home in BENCHMARKS.items():
        assert callable(import_module(home).benchmark)
        assert f"\n| `{name}` | " in rows


def test_a_new_benchmark_is_one_file_and_one_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BENCHMARKS, "toy", "toy_benchmark")
    (tmp_path / "one.txt").write_text("four", encoding="utf-8")
    (tmp_path / "made").mkdir()
    (tmp_path / "made/one.md").write_text("to", encoding="utf-8")
    words = ["eval", "toy", "--data", str(tmp_path), "--pred", str(tmp_path / "made"), "--workers", "1"]
    assert galley([*words, "--out", str(tmp_path / "out")]) == 0
    assert "| 1 | 0.5000 |" in (tmp_path / "out/report.md").read_text(encoding="utf-8")
    assert '<td class="figure">0.5000</td>' in (tmp_path / "out/report.html").read_text(encoding="utf-8")
