"""olmOCR-Bench: verdicts as the released package gives them, format and footnote checks, scores, the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fuzzysearch", reason="needs galley-ocr[eval]")
pytest.importorskip("bs4", reason="needs galley-ocr[eval]")

from olmocr_samples import Sample, math_samples, samples

from galley.cli.app import run as galley
from galley.errors import InputError
from galley.evaluation.benchmarks.olmocr_bench import mean_of_rates
from galley.evaluation.olmocr.checks import Check, make_check
from galley.evaluation.olmocr.verdicts import Result

# What olmocr 0.4.27 says about the samples of ``olmocr_samples``, formulas drawn in Chromium: 1 is passed.
PER_KIND = 60
RELEASED = (
    "110001001011111011100000010001001101011101100000001101110111",
    "010010100000010111001110000000000001100010010000000000000011",
    "110110101111001011111101111101001011101111110111111000011011",
    "110000100001001111010010111001011011000011110111000001111000",
)
RELEASED_MATH = "11011001011000111100101100010111110010011010110001101000110101010100110"


def verdict(sample: Sample) -> bool:
    test, output = sample
    return make_check(test).failure(output) is None


def as_digits(checked: list[Sample]) -> str:
    return "".join("1" if verdict(sample) else "0" for sample in checked)


def test_verdicts_are_those_of_the_released_package() -> None:
    assert as_digits(samples(PER_KIND)) == "".join(RELEASED)


def test_formulas_are_judged_as_a_browser_shows_them() -> None:
    pytest.importorskip("py_mini_racer", reason="needs galley-ocr[katex]")
    assert as_digits(math_samples()) == RELEASED_MATH


def test_verdicts_equal_those_of_the_package_when_it_is_installed() -> None:
    reason = "needs olmocr and the packages of its bench"
    package = pytest.importorskip("olmocr.bench.tests", reason=reason, exc_type=ImportError)
    checked = samples(400, seed=4)
    assert [verdict(sample) for sample in checked] == [
        package.load_single_test(dict(test)).run(output)[0] for test, output in checked
    ]


def check(**fields: Any) -> Check:
    return make_check({"pdf": "a.pdf", "page": 1, "id": "x", **fields})


@pytest.mark.parametrize(
    ("format", "text", "output", "passes"),
    [
        ("heading", "Ore", "# Ore\n\ntext", True),
        ("heading", "Ore", "<h2>Ore</h2>", True),
        ("heading", "Ore", "Ore", False),
        ("bold", "rich vein", "a **rich\nvein** here", True),
        ("bold", "rich vein", "a <strong>rich vein</strong>", True),
        ("bold", "rich vein", "a *rich vein*", False),
        ("italic", "rich vein", "a *rich vein*", True),
        ("italic", "rich vein", "a <em>rich vein</em>", True),
        ("italic", "rich vein", "a **rich vein**", False),
    ],
)
def test_format(format: str, text: str, output: str, passes: bool) -> None:
    assert (check(type="format", format=format, text=text).failure(output) is None) is passes


@pytest.mark.parametrize(
    ("fields", "output", "passes"),
    [
        ({"marker": "1"}, "vein[^1] of ore", True),
        ({"marker": "1"}, "vein<sup>1</sup> of ore", True),
        ({"marker": "12"}, "vein¹² of ore", True),
        ({"marker": "1"}, "vein 1 of ore", False),
        ({"marker": "1"}, "[^1]: the note alone", False),
        ({"marker": "1", "appears_before_marker": "vein"}, "a rich vein[^1] of ore", True),
        ({"marker": "1", "appears_before_marker": "ore"}, "a rich vein[^1] of ore", False),
        ({"marker": "1", "appears_after_marker": "of ore"}, "a rich vein[^1] of ore", True),
        ({"marker": "1", "appears_after_marker": "vein"}, "a rich vein[^1] of ore", False),
    ],
)
def test_footnote(fields: dict[str, str], output: str, passes: bool) -> None:
    assert (check(type="footnote", **fields).failure(output) is None) is passes


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"type": "smell"}, "test type 'smell'"),
        ({"type": "present"}, "needs text"),
        ({"type": "present", "text": "  "}, "needs text"),
        ({"type": "present", "text": "a", "colour": 1}, "has no colour"),
        ({"type": "format", "text": "a", "format": "loud"}, "format 'loud'"),
        ({"type": "order", "before": "ab", "after": "abc", "max_diffs": 2}, "more than half"),
        ({"type": "table"}, "cell: Field required"),
    ],
)
def test_tests_that_make_no_sense_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check(**fields)


def results(**groups: list[bool]) -> list[Result]:
    some = check(type="baseline")
    return [Result(group, some, passed, "") for group, of in groups.items() for passed in of]


def test_score_is_the_mean_of_the_files_rates() -> None:
    score, low, high = mean_of_rates(results(a=[True] * 30 + [False] * 10, b=[True] * 5 + [False] * 5))
    assert score == pytest.approx((0.75 + 0.5) / 2)
    assert 0.4 < low < score < high < 0.85
    assert mean_of_rates(results(a=[True] * 30 + [False] * 10, b=[True] * 5 + [False] * 5))[1] == low
    assert mean_of_rates(results(a=[True] * 9, b=[True])) == (1.0, 1.0, 1.0)


def bench(folder: Path, *tests: dict[str, Any]) -> Path:
    (folder / "pdfs").mkdir(parents=True)
    for pdf in ("a.pdf", "b.pdf"):
        (folder / "pdfs" / pdf).write_bytes(b"%PDF-1.4\n")
    lines = [json.dumps({"pdf": "a.pdf", "page": 1, "id": str(n), **test}) for n, test in enumerate(tests)]
    (folder / "mine.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


def test_command_counts_repeats_baselines_and_missing_pages(tmp_path: Path) -> None:
    data = bench(
        tmp_path / "bench",
        {"type": "present", "text": "silver ore"},
        {"type": "absent", "text": "page 7"},
        {"type": "order", "before": "silver", "after": "lead"},
    )
    made = tmp_path / "made"
    made.mkdir()
    texts = ("silver ore, then lead", "silver ore, then lead, page 7", "silver ore")
    for number, text in enumerate(texts, start=1):
        (made / f"a_pg1_repeat{number}.md").write_text(text, encoding="utf-8")
    (made / "a_pg11_repeat1.md").write_text("another page", encoding="utf-8")
    words = ["eval", "olmocr-bench", "--data", str(data), "--pred", str(made), "--out", str(tmp_path / "out")]
    assert galley([*words, "--workers", "1"]) == 1
    lines = (tmp_path / "out/results.jsonl").read_text(encoding="utf-8").splitlines()
    passed = {record["id"]: record["passed"] for record in map(json.loads, lines)}
    assert passed == {"0": True, "1": True, "2": True, "a.pdf_baseline": True, "b.pdf_baseline": False}
    report = (tmp_path / "out/report.md").read_text(encoding="utf-8")
    assert "no output, its tests fail: b.pdf page 1" in report
    assert "| 75.0 |" in report  # the mean of 3 of 3 and 1 of 2


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"type": "present"}'])
def test_other_files_are_refused_in_one_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "mine.jsonl").write_text(content, encoding="utf-8")
    words = [
        "eval",
        "olmocr-bench",
        "--data",
        str(tmp_path),
        "--pred",
        str(tmp_path),
        "--out",
        str(tmp_path / "o"),
    ]
    with pytest.raises(InputError) as caught:
        galley(words)
    assert "\n" not in str(caught.value)
