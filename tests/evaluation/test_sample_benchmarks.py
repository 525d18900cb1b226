"""PubTabNet, UniMER-Test, Ocean-OCR-Bench and plain folders through the command, and runs side by side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("apted", reason="needs galley-ocr[eval]")
pytest.importorskip("matplotlib", reason="needs galley-ocr[eval]")

from PIL import Image, ImageDraw

from galley.cli.app import run as galley
from galley.errors import InputError, UsageError
from galley.evaluation.benchmarks.folder import score as folder_score
from galley.evaluation.benchmarks.pubtabnet import table_html
from galley.evaluation.benchmarks.unimer_test import normal_form, without_delimiters

PLAIN = [
    "<thead>",
    "<tr>",
    "<td>",
    "</td>",
    "</tr>",
    "</thead>",
    "<tbody>",
    "<tr>",
    "<td>",
    "</td>",
    "</tr>",
    "</tbody>",
]
SPANNING = ["<tbody>", "<tr>", "<td", ' colspan="2"', ">", "</td>", "</tr>", "</tbody>"]


def evaluate(name: str, data: Path, out: Path, *options: str) -> tuple[int, str]:
    code = galley(["eval", name, "--data", str(data), "--out", str(out), "--workers", "1", *options])
    return code, (out / "report.md").read_text(encoding="utf-8")


def rows(report: str, title: str) -> list[list[str]]:
    """Cells of the table under a heading, without its head."""
    lines = report.split(f"## {title}\n")[1].strip().split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def picture(path: Path, text: str = "Drawn for a test") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.new("RGB", (640, 120), "white")
    ImageDraw.Draw(image).text((20, 40), text, fill="black", font_size=32)
    image.save(path)
    return path


def pubtabnet(folder: Path) -> Path:
    def line(name: str, split: str, structure: list[str], *cells: str) -> str:
        html = {"structure": {"tokens": structure}, "cells": [{"tokens": list(cell)} for cell in cells]}
        return json.dumps({"filename": name, "split": split, "imgid": 0, "html": html})

    lines = [
        line("a.png", "val", PLAIN, "head", "cell"),
        line("b.png", "val", SPANNING, "wide"),
        line("c.png", "train", PLAIN, "not", "val"),
    ]
    path = folder / "PubTabNet_2.0.0.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_pubtabnet_cells_stand_in_their_places() -> None:
    assert table_html(PLAIN, [["<b>", "h", "</b>"], ["x"]]) == (
        "<html><body><table><thead><tr><td><b>h</b></td></tr></thead><tbody><tr><td>x</td></tr></tbody></table>"
        "</body></html>"
    )


def test_pubtabnet_scores_validation_tables_by_kind(tmp_path: Path) -> None:
    data = pubtabnet(tmp_path)
    made = tmp_path / "made"
    made.mkdir()
    body = "<thead><tr><td>head</td></tr></thead><tbody><tr><td>cell</td></tr></tbody>"
    (made / "a.html").write_text(f"<table>{body}</table>", encoding="utf-8")
    (made / "b.md").write_text("<table><tbody><tr><td>wide</td></tr></tbody></table>", encoding="utf-8")
    code, report = evaluate("pubtabnet", data, tmp_path / "out", "--pred", str(made))
    assert code == 0
    assert rows(report, "By group") == [
        ["simple", "1", "1.0000", "1.0000"],
        ["complex", "1", f"{1 - 1 / 3:.4f}", f"{1 - 1 / 3:.4f}"],
    ]
    assert rows(report, "Result") == [["2", "0.8333", "0.8333"]]


def test_predictions_in_one_json_file_and_a_missing_one(tmp_path: Path) -> None:
    data = pubtabnet(tmp_path)
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps({"a.png": "<table><tr><td>x</td></tr></table>"}), encoding="utf-8")
    code, report = evaluate("pubtabnet", data, tmp_path / "out", "--pred", str(answers))
    assert code == 1
    assert "no prediction, scored as empty: b" in report
    code, report = evaluate(
        "pubtabnet", data, tmp_path / "out", "--pred", str(answers), "--leave-out-missing"
    )
    assert code == 0
    assert rows(report, "Result")[0][0] == "1"


def test_pubtabnet_crops_are_read_as_tables(tmp_path: Path) -> None:
    data = pubtabnet(tmp_path)
    picture(tmp_path / "val/a.png")
    picture(tmp_path / "val/b.png")
    evaluate("pubtabnet", data, tmp_path / "out", "--strategy", "draft")
    assert "Drawn for a test" in (tmp_path / "out/predictions/a.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "line", ['{"split": "val"}', '{"split": "val"', '{"filename": "a", "split": "val", "html": 3}']
)
def test_other_files_are_refused_in_one_line(tmp_path: Path, line: str) -> None:
    (tmp_path / "t.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(InputError, match=r"t\.jsonl") as caught:
        evaluate("pubtabnet", tmp_path / "t.jsonl", tmp_path / "out", "--pred", str(tmp_path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"a + b", "a+b"),
        (r"\frac { a } { b }", r"\frac{a}{b}"),
        (r"\alpha x \beta", r"\alpha x\beta"),
        (r"\operatorname { s i n } x", r"\operatorname{sin}x"),
        (r"x \ y", r"x\ y"),
        (r"a   b", "a b"),
    ],
)
def test_formulas_without_idle_space(latex: str, expected: str) -> None:
    assert normal_form(latex) == expected


@pytest.mark.parametrize("written", ["$$x^2$$", "$x^2$", r"\[x^2\]", r"\(x^2\)", "$$\nx^2\n$$\n", "x^2"])
def test_delimiters_are_no_part_of_a_formula(written: str) -> None:
    assert without_delimiters(written) == "x^2"


def test_unimer_counts_formulas_with_pictures_by_split(tmp_path: Path) -> None:
    for split, lines in {"spe": ["x ^ { 2 }", "", "no picture"], "hwe": ["a + b"]}.items():
        (tmp_path / f"{split}.txt").write_text("\n".join(lines), encoding="utf-8")
        picture(tmp_path / split / "0000000.png")
    made = tmp_path / "made"
    for split, text in {"spe": "$$x^{2}$$", "hwe": "a+c"}.items():
        (made / split).mkdir(parents=True)
        (made / split / "0000000.md").write_text(text, encoding="utf-8")
    code, report = evaluate("unimer-test", tmp_path, tmp_path / "out", "--pred", str(made), "--no-cdm")
    assert code == 0
    assert rows(report, "By group") == [["spe", "1", "0.0000"], ["hwe", "1", "0.3333"]]


def test_ocean_compares_pages_by_language(tmp_path: Path) -> None:
    for name, text in {"document_en": "ten letter", "document_zh": "十个汉字写在这里了吧"}.items():
        turns = [{"from": "human", "value": "OCR"}, {"from": "gpt", "value": f" {text}"}]
        (tmp_path / f"{name}.json").write_text(json.dumps([{"image": "p.png", "conversations": turns}]))
        (tmp_path / "made" / name).mkdir(parents=True)
    (tmp_path / "made/document_en/p.md").write_text("# ten letter", encoding="utf-8")
    (tmp_path / "made/document_zh/p.md").write_text("十个汉字写在这里了吗", encoding="utf-8")
    code, report = evaluate("ocean-ocr-bench", tmp_path, tmp_path / "out", "--pred", str(tmp_path / "made"))
    assert code == 0
    assert rows(report, "By group") == [
        ["document_en", "1", f"{2 / 12:.4f}", "0.0000"],
        ["document_zh", "1", "0.1000", "0.1000"],
    ]


def test_folder_scores_words_order_and_tables() -> None:
    truth = "north south\n\n| a | b |\n|---|---|\n| c | d |"
    same = folder_score((truth, truth))
    assert set(same.values()) == {1.0}
    swapped = folder_score(
        ("south north\n\n<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>e</td></tr></table>", truth)
    )
    assert swapped["words"] == pytest.approx(5 / 6)
    assert swapped["edit"] < 1
    assert swapped["structure"] == 1 > swapped["teds"]
    assert folder_score(("", truth))["teds"] == 0
    assert "teds" not in folder_score((truth, "no table"))


def test_folder_reads_pictures_and_reports_speed(tmp_path: Path) -> None:
    data = tmp_path / "mine"
    for name in ("first", "deep/second"):
        picture(data / f"{name}.png")
        (data / name).with_suffix(".txt").write_text("Drawn for a test", encoding="utf-8")
    picture(data / "without truth.png")
    code, report = evaluate("folder", data, tmp_path / "out", "--strategy", "draft")
    assert code == 0
    assert rows(report, "Result")[0][:3] == ["2", "1.0000", "1.0000"]
    assert "samples/s" in report
    assert (tmp_path / "out/predictions/deep/second.md").is_file()


def test_a_truth_of_two_files_is_refused(tmp_path: Path) -> None:
    for suffix in (".png", ".jpg"):
        picture(tmp_path / f"page{suffix}")
    (tmp_path / "page.txt").write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match="two files are named page"):
        evaluate("folder", tmp_path, tmp_path / "out")


def test_runs_side_by_side(tmp_path: Path) -> None:
    data = tmp_path / "mine"
    picture(data / "page.png")
    (data / "page.txt").write_text("Drawn for a test", encoding="utf-8")
    for name, text in {"good": "Drawn for a test", "bad": "Drawn"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "page.md").write_text(text, encoding="utf-8")
        (tmp_path / name / "times.tsv").write_text(f"{len(text)}.0\t1.0\t1\t\n", encoding="utf-8")
    preds = [option for name in ("good", "bad") for option in ("--pred", str(tmp_path / name))]
    code, report = evaluate("folder", data, tmp_path / "out", *preds)
    assert code == 0
    table = rows(report, "Result")
    assert [row[0] for row in table] == ["good", "bad"]
    assert table[0][1] == "1.0000" > table[1][1]
    assert [row[-1] for row in table] == ["0.0625", "0.2"]
    assert (tmp_path / "out/bad/report.html").is_file()
    assert "Quality against speed" in (tmp_path / "out/report.html").read_text(encoding="utf-8")


def test_runs_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    with pytest.raises(UsageError, match="same name"):
        evaluate(
            "folder",
            tmp_path,
            tmp_path / "out",
            "--pred",
            str(tmp_path / "made"),
            "--pred",
            str(tmp_path / "made"),
        )


def test_a_truth_that_cannot_be_decoded_is_refused(tmp_path: Path) -> None:
    picture(tmp_path / "a.png")
    (tmp_path / "a.md").write_bytes("Stra\u00dfe".encode("latin-1"))
    with pytest.raises(InputError, match=r"a\.md is not UTF-8"):
        evaluate("folder", tmp_path, tmp_path / "out", "--pred", str(tmp_path))


def test_a_line_cut_short_is_not_passed_over(tmp_path: Path) -> None:
    data = pubtabnet(tmp_path)
    data.write_text(data.read_text() + '\n{"filename": "t2.png", "spl')
    with pytest.raises(InputError, match="is no PubTabNet annotation"):
        evaluate("pubtabnet", data, tmp_path / "out", "--pred", str(tmp_path))
