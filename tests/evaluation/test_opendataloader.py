"""opendataloader-bench: its three measures on hand-made pages, and its own scorer's figures on real ones."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

pytest.importorskip("apted", reason="needs galley-ocr[eval]")
pytest.importorskip("matplotlib", reason="needs galley-ocr[eval]")

from galley.cli.app import run as galley
from galley.errors import InputError
from galley.evaluation.opendataloader.gfm_tables import with_html_tables
from galley.evaluation.opendataloader.metrics import page_scores
from galley.evaluation.opendataloader.reasons import page_reasons

ODL = Path(__file__).parents[2].parent / "shared/data/odl_dev"

GRID = "| a | b |\n|---|---|\n| c | d |\n"
GRID_HTML = "<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table>\n"


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        (GRID, GRID_HTML),
        ("a | b\n:-- | :-:\nc | d\n", GRID_HTML),
        (f"before\n\n{GRID}\nafter", f"before\n\n{GRID_HTML}\nafter"),
        ("| a | b |\n| c | d |\n", "| a | b |\n| c | d |\n"),
        ("|---|---|\n| c | d |\n", "|---|---|\n| c | d |\n"),
        ("|  |  |\n|---|---|\n| a | b |\n| c | d |\n", GRID_HTML),
        ("| a<b |\n|---|\n", "<table><tr><th>a&lt;b</th></tr></table>\n"),
    ],
)
def test_pipe_tables_become_html(markdown: str, expected: str) -> None:
    assert with_html_tables(markdown) == expected


def test_rows_are_fitted_to_the_width() -> None:
    table = with_html_tables("| a | b | c |\n|-|-|-|-|\n| d |\n| e | f | g | h | i |")
    assert table == (
        "<table><tr><th>a</th><th>b</th><th>b</th><th>c</th></tr>"
        "<tr><td>d</td><td></td><td></td><td></td></tr>"
        "<tr><td>e</td><td>f</td><td>g</td><td>h</td></tr></table>\n"
    )


def test_reading_order_counts_insertions_and_deletions() -> None:
    assert page_scores("one  two\n", "one two") == {"overall": 1.0, "nid": 1.0, "nid_s": 1.0}
    # One of seven characters replaced: an insertion and a deletion among 14.
    assert page_scores("one twa", "one two")["nid"] == pytest.approx(12 / 14)
    assert page_scores("", "one two")["nid"] == 0.0


def test_reading_order_without_tables() -> None:
    scores = page_scores("text\n\n<table><tr><td>cell</td></tr></table>", "text")
    assert scores["nid_s"] == 1.0 > scores["nid"]


def test_a_changed_cell_costs_its_share() -> None:
    # Below the root: table, 2 tr, 4 td; one of four cells has another text.
    scores = page_scores(GRID.replace("d |\n", "x |\n"), GRID)
    assert scores["teds"] == pytest.approx(1 - 1 / 7)
    assert scores["teds_s"] == 1.0


def test_all_tables_of_a_page_are_one_tree() -> None:
    # Below the root of the truth: two times table, 2 tr, 4 td; the prediction lacks one table.
    scores = page_scores(GRID, f"{GRID}\ntext\n\n{GRID}")
    assert scores["teds"] == scores["teds_s"] == pytest.approx(0.5)


def test_breaks_and_sections_are_no_content() -> None:
    pred = "<table><thead><tr><th>a<br>b</th></tr></thead></table>"
    scores = page_scores(pred, "<table><tr><td>a<br/>b</td></tr></table>")
    assert scores["teds"] == 1.0
    # Another tag is spelled out: <b>a</b> against a differs by 7 of 8 characters, on table, tr, td, b.
    scores = page_scores("<table><tr><td><b>a</b></td></tr></table>", "<table><tr><td>a</td></tr></table>")
    assert scores["teds"] == pytest.approx(1 - (7 / 8) / 4)


def test_no_table_against_some() -> None:
    assert "teds" not in page_scores(GRID, "text")
    assert page_scores("text", GRID)["teds"] == 0.0


def test_headings_of_any_level_are_alike() -> None:
    truth = "# One\ntext\n\n# Two\nmore"
    assert page_scores("### One\ntext\n\n## Two\nmore", truth)["mhs"] == 1.0
    # document, 2 headings, 2 contents; "Two" reads "Tow".
    scores = page_scores("# One\ntext\n\n# Tow\nmore", truth)
    assert scores["mhs"] == pytest.approx(1 - (2 / 3) / 5)
    assert scores["mhs_s"] == 1.0


def test_a_lost_heading_costs_its_node_and_the_joined_text() -> None:
    truth, pred = "# One\naaaa\n# Two\nbbbb", "# One\naaaa\nbbbb"
    # Heading and content taken away; what is left, "aaaa bbbb", has 5 of 9 characters too many.
    assert page_scores(pred, truth)["mhs"] == pytest.approx(1 - (2 + 5 / 9) / 5)
    assert page_scores("#One\naaaa", truth)["mhs"] == 0.0
    assert "mhs" not in page_scores(pred, "aaaa")


def test_overall_is_the_mean_of_what_the_truth_has() -> None:
    truth = f"# One\ntext\n\n{GRID}"
    scores = page_scores("text", truth)
    assert scores["overall"] == pytest.approx(scores["nid"] / 3)
    assert page_scores("text", "") == {}


def test_reasons_name_what_differs() -> None:
    truth = f"# One\nfirst words of all\n\n# Two\nlast\n\n{GRID}"
    assert page_reasons(truth, truth) == {}
    assert page_reasons(truth.replace("# Two", "more"), truth) == {
        "nid": "missing: “# Two”. not in the truth: “more”",
        "mhs": "missing: “Two”",
    }
    assert page_reasons(truth.replace(GRID, ""), truth)["teds"] == "no table, instead of 2×2"
    assert page_reasons(truth + "| x | y |", truth)["teds"] == "3×2 instead of 2×2"
    moved = "# One\n# Two\nlast first words of all a b c d"
    assert page_reasons(moved, truth)["nid"] == "elsewhere: “# Two last”"


def test_reasons_are_cut_and_counted() -> None:
    truth = "\n\n".join(f"# {number} {'long ' * 20}" for number in range(5))
    said = page_reasons("text", truth)["mhs"]
    assert said.startswith("missing: “0 long long") and said.endswith("…” (and 2 more)")


def dataset(folder: Path, truth: str, pdf: str) -> Path:
    for name, text in {"1": "one two", "2": f"# One\ntext\n\n{GRID}"}.items():
        (folder / truth).mkdir(parents=True, exist_ok=True)
        (folder / truth / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / pdf).mkdir()
    return folder


@pytest.mark.parametrize(("truth", "pdf"), [("truth", "pdf"), ("ground-truth/markdown", "pdfs")])
def test_the_command_on_both_layouts(tmp_path: Path, truth: str, pdf: str) -> None:
    data = dataset(tmp_path / "data", truth, pdf)
    made = tmp_path / "engine/markdown"
    made.mkdir(parents=True)
    (made / "1.md").write_text("one two", encoding="utf-8")
    (made / "2.md").write_text(f"text\n\n{GRID}", encoding="utf-8")
    words = ["eval", "opendataloader-bench", "--data", str(data), "--pred", str(made.parent)]
    assert galley([*words, "--out", str(tmp_path / "out"), "--workers", "1"]) == 0
    assert (tmp_path / "out/report.md").read_text().startswith("# opendataloader-bench: engine")
    with (tmp_path / "out/samples.csv").open(newline="") as file:
        second, first = csv.DictReader(file)
    assert (first["sample"], first["overall"], first["teds"]) == ("1", "1.000000", "")
    assert (second["sample"], second["teds"], second["mhs"]) == ("2", "1.000000", "0.000000")
    report = (tmp_path / "out/report.md").read_text()
    assert "## Worst by Headings MHS ↑" in report and "| 2 | 0.0000 | missing: “One” |" in report
    assert "## Worst by Tables TEDS ↑" not in report


def test_a_folder_laid_out_otherwise_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="neither truth"):
        galley(["eval", "opendataloader-bench", "--data", str(tmp_path), "--pred", str(tmp_path)])


@pytest.mark.skipif(not ODL.is_dir(), reason=f"needs the pages of opendataloader-bench in {ODL}")
@pytest.mark.parametrize("engine", ["docling", "mineru"])
def test_the_figures_are_those_of_its_own_scorer(engine: str) -> None:
    peers = json.loads((ODL / "peer_scores.json").read_text())[engine]
    scored = {
        name: page_scores(
            (ODL / f"predictions/{engine}/{name}.md").read_text(encoding="utf-8"),
            (ODL / f"truth/{name}.md").read_text(encoding="utf-8"),
        )
        for name in peers
    }
    for name, theirs in peers.items():
        known = {measure: value for measure, value in theirs.items() if value is not None}
        assert scored[name] == pytest.approx(known, abs=0.002), name
    for measure in ("overall", "nid", "teds", "mhs"):
        theirs = [page[measure] for page in peers.values() if page[measure] is not None]
        ours = [page[measure] for page in scored.values() if measure in page]
        assert sum(ours) / len(ours) == pytest.approx(sum(theirs) / len(theirs), abs=0.002)
