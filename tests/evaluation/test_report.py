"""Reports: what the HTML shows, plots, and samples that cannot be scored in time."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

pytest.importorskip("apted", reason="needs galley-ocr[eval]")
pytest.importorskip("matplotlib", reason="needs galley-ocr[eval]")

from PIL import Image

from galley.evaluation.predict import Predictor
from galley.evaluation.report import Case, Histogram, Point, Report, Scatter, Table, to_html, to_markdown
from galley.evaluation.samples import Benchmark, Column, Metrics, Sample, make_report, score_samples
from galley.evaluation.settings import Settings
from galley.parsing.options import ParseOptions


def case(image: Path | None = None, page: int = 1, truth: str = "true") -> Report:
    return Report("Title", cases=[Case("name", "0.5", truth, "<output>", image, page, "expected")])


def test_a_case_shows_a_page_of_a_pdf_and_both_texts(tmp_path: Path) -> None:
    pages = [Image.new("RGB", (80, 60), colour) for colour in ("red", "blue")]
    pages[0].save(tmp_path / "two.pdf", save_all=True, append_images=pages[1:])
    shown = to_html(case(tmp_path / "two.pdf", page=2))
    assert "data:image/jpeg;base64," in shown
    assert "expected" in shown and "&lt;output&gt;" in shown
    assert shown != to_html(case(tmp_path / "two.pdf", page=1))


def test_an_unreadable_image_is_said_and_long_texts_are_cut(tmp_path: Path) -> None:
    (tmp_path / "broken.png").write_bytes(b"no image")
    assert "no image: " in to_html(case(tmp_path / "broken.png"))
    assert "no image: " in to_html(case(tmp_path / "missing.png"))
    assert "… 4000 more characters" in to_html(case(truth="x" * 10_000))


def test_cells_and_titles_are_escaped() -> None:
    report = Report("<b>", tables=[Table("a|b", ["x"], [["1|2"], [0.5], [None]])])
    assert "&lt;b&gt;" in to_html(report)
    assert to_markdown(report).splitlines()[-3:] == ["| 1\\|2 |", "| 0.5000 |", "| – |"]


@pytest.mark.parametrize("speeds", [(0.5, 2.0), (0.01, 30.0), (1.0, 1.0)])
def test_plots_are_pictures(speeds: tuple[float, float]) -> None:
    scatter = Scatter("t", "x", "y", [Point(str(x), x, 50.0) for x in speeds])
    assert scatter.worth_showing and scatter.png().startswith(b"\x89PNG")
    assert Histogram("t", [0.1, 1.0]).png().startswith(b"\x89PNG")
    assert not Scatter("t", "x", "y", scatter.points[:1]).worth_showing
    assert not Histogram("t", []).worth_showing


def slow_score(pair: tuple[str, str]) -> Metrics:
    if pair[0] == "hang":
        time.sleep(600)
    return {"length": float(len(pair[0]))}


def test_a_sample_that_hangs_scores_as_empty_and_is_listed(tmp_path: Path) -> None:
    benchmark = Benchmark("Test", (Column("Length", "length"),), slow_score)
    (tmp_path / "made").mkdir()
    for name in ("hang", "fine"):
        (tmp_path / "made" / f"{name}.md").write_text(name, encoding="utf-8")
    samples = [Sample(name, "", tmp_path / f"{name}.png") for name in ("hang", "fine")]
    settings = Settings(
        tmp_path,
        tmp_path / "out",
        Predictor(ParseOptions()),
        pred=tmp_path / "made",
        workers=2,
        item_seconds=3,
    )
    scores = score_samples(benchmark, samples, settings)
    assert [entry.metrics["length"] for entry in scores.scored] == [0, 4]
    report = make_report(benchmark, scores, settings)
    assert report.failures == ["hang: scored as empty: took more than 3 s"]
    assert [shown.name for shown in report.cases] == ["hang", "fine"]
