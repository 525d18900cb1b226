"""Every benchmark on data that is damaged in one place: a clear error or a report, never another exception."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("apted", reason="needs galley-ocr[eval]")
pytest.importorskip("fuzzysearch", reason="needs galley-ocr[eval]")
pytest.importorskip("matplotlib", reason="needs galley-ocr[eval]")
pytest.importorskip("pylatexenc", reason="needs galley-ocr[eval]")

from PIL import Image

from galley.cli import main
from galley.errors import GalleyError, InputError, ModelError
from galley.evaluation import realset, speed
from galley.evaluation.harness import run as run_benchmark
from galley.evaluation.parallel import Outcome
from galley.evaluation.predict import Predictor
from galley.evaluation.realset.predictions import Predictions
from galley.evaluation.report import to_markdown
from galley.evaluation.settings import Settings
from galley.parsing.options import ParseOptions

TABLE = "<table><tr><td>a</td><td>b</td></tr></table>"
PNG = "picture"
"""Stands for the bytes of a small picture."""


@dataclass
class Case:
    """A sound data set: ``files`` hold text, bytes, JSON, or a list of JSON lines where named ``.jsonl``;
    ``run`` takes it, its predictions and a folder to write into.
    """

    run: Callable[[Path, Path, Path], object]
    files: dict[str, Any]
    predictions: dict[str, str] = field(default_factory=dict)
    data: str = "."


def evaluated(name: str) -> Callable[[Path, Path, Path], object]:
    def run(data: Path, made: Path, out: Path) -> object:
        return run_benchmark(name, Settings(data, out, Predictor(ParseOptions()), pred=made, cdm=False))

    return run


def bench_realset(data: Path, made: Path, out: Path) -> object:
    return realset.bench(data, out, ["galley"], lambda _: True, 1, 1, 60, lambda _: None)


def bench_speed(data: Path, made: Path, out: Path, crops: bool = False) -> object:
    return speed.bench(speed.Settings(data, ParseOptions(), out, crops=crops))


def _omnidocbench() -> dict[str, Any]:
    def item(number: int, category: str, **more: Any) -> dict[str, Any]:
        poly = [0, 0, 9, 0, 9, 9, 0, 9]
        return {"category_type": category, "order": number, "anno_id": number, "poly": poly, **more}

    layout = [
        item(1, "text_block", text="first words", attribute={"text_language": "text_english"}),
        item(2, "text_block", text="and more"),
        item(3, "equation_isolated", latex="$$x^2$$"),
        item(4, "table", html=TABLE, attribute={"table_layout": "horizontal"}),
    ]
    relation = [{"relation_type": "truncated", "source_anno_id": 1, "target_anno_id": 2}]
    info = {"image_path": "a.png", "page_attribute": {"language": "english", "special_issue": ["watermark"]}}
    page = {"layout_dets": layout, "page_info": info, "extra": {"relation": relation}}
    return {"pages.json": [page], "a.png": PNG}


def _olmocr() -> dict[str, Any]:
    common = {"pdf": "a.pdf", "page": 1, "max_diffs": 1, "checked": "verified", "url": "u"}
    cell = {"up": "x", "left": "y", "top_heading": "x", "left_heading": "y"}
    bounds = {"case_sensitive": True, "first_n": 5, "last_n": 5}
    tests = [
        {"type": "present", "text": "words", **bounds},
        {"type": "order", "before": "some", "after": "words"},
        {"type": "table", "cell": "a", **cell},
        {"type": "baseline", "check_disallowed_characters": True, "max_repeats": 30},
        {"type": "format", "text": "words", "format": "bold"},
        {"type": "footnote", "marker": "1", "appears_before_marker": "words"},
    ]
    lines = [{**common, "id": str(number), **test} for number, test in enumerate(tests)]
    return {"mine.jsonl": lines, "pdfs/a.pdf": b"%PDF-1.4"}


def _pubtabnet() -> list[dict[str, Any]]:
    tokens = ["<tr>", "<td", ' colspan="2"', ">", "</td>", "</tr>"]
    html = {"structure": {"tokens": tokens}, "cells": [{"tokens": ["a", "b"]}]}
    return [{"filename": "a.png", "split": "val", "imgid": 0, "html": html}]


_TURNS = [{"from": "human", "value": "OCR"}, {"from": "gpt", "value": "words"}]
_PAGE = {"id": "a", "kind": "scan", "image": "a.png", "truth": "a.txt", "truth_type": "md"}
_CROPS = [
    {"image": "a.png", "kind": "line crop", "truth": "words"},
    {"image": "b.png", "kind": "table crop", "truth_html": TABLE},
    {"image": "c.png", "kind": "formula crop", "truth_latex": "x^2"},
]
_TOKENS = "one\t0\t0\t9\t9\ntwo\t10\t0\t19\t9\n"
MADE = {"a.md": f"words\n\n{TABLE}\n"}
CASES = {
    "omnidocbench": Case(evaluated("omnidocbench"), _omnidocbench(), MADE, "pages.json"),
    "olmocr-bench": Case(evaluated("olmocr-bench"), _olmocr(), {"a_pg1_repeat1.md": "some **words**[^1]"}),
    "opendataloader-bench": Case(evaluated("opendataloader-bench"), {"truth/a.md": f"# h\n{TABLE}"}, MADE),
    "icdar13": Case(evaluated("icdar13"), {"truth.json": {"a": [["a", "b", "h", 1]]}}, MADE),
    "pubtabnet": Case(evaluated("pubtabnet"), {"t.jsonl": _pubtabnet()}, MADE),
    "pubtabnet-object": Case(
        evaluated("pubtabnet"), {"t.json": {"a.png": {"html": TABLE, "type": "simple"}}}, MADE
    ),
    "unimer-test": Case(
        evaluated("unimer-test"), {"spe.txt": "x", "spe/0000000.png": PNG}, {"spe/0000000.md": "x"}
    ),
    "ocean-ocr-bench": Case(
        evaluated("ocean-ocr-bench"),
        {"document_en.json": [{"image": "a.png", "conversations": _TURNS}]},
        {"document_en/a.md": "words"},
    ),
    "folder": Case(evaluated("folder"), {"a.png": PNG, "a.txt": f"words\n{TABLE}"}, MADE),
    "realset": Case(
        bench_realset,
        {
            "index.json": [
                _PAGE,
                {**_PAGE, "id": "b", "truth": "b.tsv", "pdf": "a.pdf", "page": 1},
                {**_PAGE, "id": "c", "truth": "c.csv"},
            ],
            "crops_index.json": _CROPS,
            "a.txt": "words",
            "b.tsv": _TOKENS,
            "c.csv": "0,0,9,0,9,9,0,9,words\n",
        },
    ),
    "speed": Case(bench_speed, _omnidocbench(), data="pages.json"),
    "speed-crops": Case(partial(bench_speed, crops=True), _omnidocbench(), data="pages.json"),
}


def write(case: Case, folder: Path, files: dict[str, Any]) -> Path:
    """The data set in ``folder/data``, its predictions in ``folder/made``."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in [*files.items(), *((f"../made/{n}", t) for n, t in case.predictions.items())]:
        path = folder / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is PNG:
            Image.new("RGB", (20, 10), "white").save(path)
        elif isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, str):
            path.write_text(content, encoding="utf-8")
        elif path.suffix == ".jsonl" and isinstance(content, list):
            path.write_text("\n".join(map(json.dumps, content)), encoding="utf-8")
        else:
            path.write_text(json.dumps(content), encoding="utf-8")
    (folder / "data").mkdir(parents=True, exist_ok=True)
    return folder


def nodes(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in inner:
        yield from nodes(child, (*path, key))


def replaced(value: Any, path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Any:
    """A copy in which ``change(parent, key)`` was made."""
    box = {"root": copy.deepcopy(value)}
    parent: Any = box
    keys = ("root", *path)
    for key in keys[:-1]:
        parent = parent[key]
    change(parent, keys[-1])
    return box.get("root")


def damaged(content: Any) -> Iterator[tuple[str, Any]]:
    """What is wrong, and the JSON value with it."""
    for path in nodes(content):
        for wrong in (None, 7, "", "x", [], {"x": None}):

            def put(parent: Any, key: Any, wrong: Any = wrong) -> None:
                parent[key] = wrong

            yield f"{path} is {wrong!r}", replaced(content, path, put)
        if path:
            yield f"{path} is gone", replaced(content, path, lambda parent, key: parent.pop(key))


def broken(case: Case) -> Iterator[tuple[str, dict[str, Any]]]:
    """What is wrong, and the files with it."""
    for name, content in case.files.items():
        others = {other: text for other, text in case.files.items() if other != name}
        yield f"no {name}", others
        deep = b"[" * (100_000 if ".json" in name else 9)
        for wrong in (b"", b" \n", b"\xff\xfe\x00\x81", b"[", b"{}", b"[]", deep, b"null\n{"):
            yield f"{name} is {wrong[:9]!r}", {**others, name: wrong}
        if not isinstance(content, str | bytes):
            whole = json.dumps(content[0] if name.endswith(".jsonl") else content).encode()
            yield f"{name} is cut short", {**others, name: whole[: len(whole) // 2]}
            for what, value in damaged(content):
                yield f"{name}: {what}", {**others, name: value}


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pools, no plots, no engines; a score that raises fails the test."""

    def each(function: Callable[[Any], Any], items: Sequence[Any], **_: Any) -> list[Outcome[Any]]:
        return [Outcome(function(item)) for item in items]

    for module in ("samples", "olmocr.verdicts", "omnidocbench.scorer"):
        monkeypatch.setattr(f"galley.evaluation.{module}.map_limited", each)
    monkeypatch.setattr("galley.evaluation.harness.write", lambda report, _: to_markdown(report))

    def nothing(samples: Sequence[Any], *_: Any) -> list[Predictions]:
        empty = {"text": "", "tables": [], "seconds": 1.0, "cpu_seconds": 1.0, "load_seconds": 1.0}
        records = {sample.id: {**empty, "peak_bytes": 1, "run": "r"} for sample in samples}
        return [Predictions("galley", "Galley", records)]

    monkeypatch.setattr("galley.evaluation.realset.predictions.run", nothing)

    def no_model(*_: Any) -> None:
        raise ModelError("no model in this test")

    monkeypatch.setattr(import_module("galley.evaluation.speed.bench"), "Bench", no_model)


def take(case: Case, files: dict[str, Any], folder: Path) -> None:
    write(case, folder, files)
    case.run(folder / "data" / case.data, folder / "made", folder / "out")


@pytest.mark.parametrize("name", CASES)
def test_sound_data_is_taken(name: str, tmp_path: Path, in_this_process: None) -> None:
    case = CASES[name]
    try:
        take(case, case.files, tmp_path / "x")
    except ModelError as error:
        assert str(error) == "no model in this test"


@pytest.mark.parametrize("name", CASES)
def test_any_damage_is_a_clear_error_or_no_matter(name: str, tmp_path: Path, in_this_process: None) -> None:
    case = CASES[name]
    faults = []
    for what, files in broken(case):
        try:
            take(case, files, tmp_path / "x")
        except GalleyError as error:
            if "\n" in str(error) or not str(error):
                faults.append(f"{what}: {error!r}")
        except Exception as error:
            faults.append(f"{what}: {error!r}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", ["file", "folder", "nothing"])
def test_something_else_is_no_data(name: str, kind: str, tmp_path: Path, in_this_process: None) -> None:
    data = tmp_path / "data"
    if kind == "file":
        data.write_text("", encoding="utf-8")
    elif kind == "folder":
        data.mkdir()
    with pytest.raises(InputError, match="data") as caught:
        CASES[name].run(data, tmp_path, tmp_path / "out")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("truth", [None, 7, ["a.txt"], "missing.txt"])
def test_the_command_says_which_entry_is_wrong(
    truth: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text("words", encoding="utf-8")
    entries = [_PAGE, {**_PAGE, "id": "b", "truth": truth}]
    (tmp_path / "index.json").write_text(json.dumps(entries), encoding="utf-8")
    with pytest.raises(SystemExit) as caught:
        main(["bench", "realset", "--data", str(tmp_path), "--out", str(tmp_path / "out")])
    assert caught.value.code == InputError.exit_code
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert ("missing.txt" if truth == "missing.txt" else "index.json is not a list of pages") in said
    assert truth == "missing.txt" or "entry 2, truth: " in said


def test_two_samples_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("words", encoding="utf-8")
    (tmp_path / "index.json").write_text(json.dumps([_PAGE, _PAGE]), encoding="utf-8")
    with pytest.raises(InputError, match="two samples are named a"):
        realset.load(tmp_path)
