"""The run as a whole: missing predictions, pages over their time, crashes, exit codes, resuming."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("apted", reason="needs galley-ocr[eval]")
pytest.importorskip("pylatexenc", reason="needs galley-ocr[eval]")

from PIL import Image

from galley.cli.app import run as galley
from galley.errors import InputError, OutputError
from galley.evaluation.omnidocbench import scorer as omnidocbench
from galley.evaluation.parallel import map_limited

SENTENCE = "Each page is scored by itself, whatever becomes of the others."


def annotations(folder: Path, *stems: str) -> Path:
    pages: list[dict[str, Any]] = [
        {
            "layout_dets": [
                {"category_type": "text_block", "text": f"{SENTENCE} {stem}", "order": 1, "anno_id": 0}
            ],
            "page_info": {"image_path": f"{stem}.png", "page_attribute": {"language": "english"}},
            "extra": {"relation": []},
        }
        for stem in stems
    ]
    path = folder / "pages.json"
    path.write_text(json.dumps(pages), encoding="utf-8")
    return path


def predictions(folder: Path, *stems: str) -> Path:
    made = folder / "made"
    made.mkdir()
    for stem in stems:
        (made / f"{stem}.md").write_text(f"{SENTENCE} {stem}\n", encoding="utf-8")
    return made


def command(data: Path, out: Path, *options: str) -> int:
    return galley(["eval", "omnidocbench", "--data", str(data), "--out", str(out), "--no-cdm", *options])


def test_complete_run_writes_official_files_and_reports(tmp_path: Path) -> None:
    data, made = annotations(tmp_path, "one", "two"), predictions(tmp_path, "one", "two")
    assert command(data, tmp_path / "out", "--pred", str(made)) == 0
    result = json.loads((tmp_path / "out/made_quick_match_metric_result.json").read_text())
    assert result["text_block"]["page"]["Edit_dist"] == {"ALL": 0, "language: english": 0}
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"report.md", "report.html"}


def test_missing_prediction_is_listed_scored_as_empty_and_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, made = annotations(tmp_path, "one", "two"), predictions(tmp_path, "one")
    assert command(data, tmp_path / "out", "--pred", str(made)) == 1
    assert "no prediction, scored as empty: two.png" in capsys.readouterr().out
    result = json.loads((tmp_path / "out/made_quick_match_metric_result.json").read_text())
    assert result["text_block"]["page"]["Edit_dist"]["ALL"] == pytest.approx(0.5)


def test_missing_prediction_left_out_on_request(tmp_path: Path) -> None:
    data, made = annotations(tmp_path, "one", "two"), predictions(tmp_path, "one")
    assert command(data, tmp_path / "out", "--pred", str(made), "--leave-out-missing") == 0
    assert "1 pages have no prediction and are left out" in (tmp_path / "out/report.md").read_text()


def test_predictions_are_made_and_kept(tmp_path: Path) -> None:
    data = annotations(tmp_path, "blank")
    Image.new("RGB", (200, 200), "white").save(tmp_path / "blank.png")
    assert command(data, tmp_path / "out", "--strategy", "draft") == 0
    made = tmp_path / "out/predictions/blank.md"
    made.write_text(f"{SENTENCE} blank", encoding="utf-8")
    assert command(data, tmp_path / "out", "--strategy", "draft") == 0
    assert made.read_text(encoding="utf-8") == f"{SENTENCE} blank"
    result = json.loads((tmp_path / "out/predictions_quick_match_metric_result.json").read_text())
    assert result["text_block"]["page"]["Edit_dist"]["ALL"] == 0


def test_unreadable_image_is_listed_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = annotations(tmp_path, "one", "two")
    Image.new("RGB", (200, 200), "white").save(tmp_path / "one.png")
    (tmp_path / "two.png").write_bytes(b"not an image")
    assert command(data, tmp_path / "out", "--strategy", "draft") == 1
    assert "not predicted: two.png" in capsys.readouterr().out
    assert not (tmp_path / "out/predictions/two.md").exists()


@pytest.mark.parametrize("content", ["", "{}", "[1]", '[{"pages": []}]', "\x00"])
def test_other_files_are_refused_in_one_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "pages.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"pages\.json") as caught:
        command(tmp_path / "pages.json", tmp_path / "out", "--pred", str(predictions(tmp_path, "one")))
    assert "\n" not in str(caught.value)


def hang(item: str) -> str:
    if item == "hang":
        time.sleep(600)
    if item == "die":
        os._exit(7)
    if item == "raise":
        raise ValueError("bad page")
    return item.upper()


def test_an_item_that_hangs_dies_or_raises_costs_only_itself() -> None:
    outcomes = map_limited(hang, ["a", "hang", "die", "raise", "b"], workers=2, seconds=8)
    assert [outcome.value for outcome in outcomes] == ["A", None, None, None, "B"]
    assert [outcome.problem for outcome in outcomes[1:4]] == [
        "took more than 8 s",
        "its process ended with code 7",
        "ValueError: bad page",
    ]


def score_or_hang(job: Any) -> Any:
    if job.markdown.startswith("hang") and not (job.simple and job.markdown.startswith("hang once")):
        time.sleep(600)
    return omnidocbench.score_page(job.page, job.markdown, simple=job.simple)


def test_a_page_over_its_time_is_matched_simply_then_scored_as_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(omnidocbench, "_score_job", score_or_hang)
    data, made = annotations(tmp_path, "one", "two", "three"), predictions(tmp_path, "one")
    (made / "two.md").write_text(f"hang once\n\n{SENTENCE} two", encoding="utf-8")
    (made / "three.md").write_text("hang", encoding="utf-8")
    found = omnidocbench.evaluate(data, made, cdm=None, workers=2, page_seconds=6)
    assert [problem.split(": ")[:2] for problem in found.problems] == [
        ["two.png", "matched whole block by whole block"],
        ["three.png", "scored as empty"],
    ]
    edits = [page.text[0].metric["Edit_dist"] for page in found.pages]
    assert edits[0] == edits[1] == 0
    assert edits[2] == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "not JSON"),
        ("[]", "a list of pages"),
        ('{"a": 1}', "a list of pages"),
        ("[3]", "entry 1: Input should be a valid dict"),
        ('[{"layout_dets": []}]', "page 1: not as OmniDocBench annotates (KeyError: 'page_info')"),
    ],
)
def test_a_file_that_holds_no_annotations(tmp_path: Path, text: str, complaint: str) -> None:
    data, made = tmp_path / "pages.json", predictions(tmp_path, "one")
    data.write_text(text)
    with pytest.raises(InputError, match=re.escape(complaint)):
        command(data, tmp_path / "out", "--pred", str(made))


def test_an_output_folder_that_cannot_be_made(tmp_path: Path) -> None:
    data, made = annotations(tmp_path, "one"), predictions(tmp_path, "one")
    with pytest.raises(OutputError, match="cannot write"):
        command(data, data / "out", "--pred", str(made))


def test_formulas_read_as_text_are_said_to_count_there(tmp_path: Path) -> None:
    data, made = annotations(tmp_path, "one"), predictions(tmp_path, "one")
    pages = json.loads(data.read_text())
    formula = {"category_type": "equation_isolated", "latex": "$$x=y+1234$$", "order": 2, "anno_id": 1}
    pages[0]["layout_dets"].append(formula)
    data.write_text(json.dumps(pages))
    with (made / "one.md").open("a") as file:
        file.write("\nx = y + 1234\n")
    assert command(data, tmp_path / "out", "--pred", str(made)) == 0
    assert "1 true formulas were read as text" in (tmp_path / "out/report.md").read_text()
