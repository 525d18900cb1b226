"""Every script of ``examples/`` runs on the samples and prints what it promises."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LETTER = str(ROOT / "samples" / "letter.jpg")
REPORT = str(ROOT / "samples" / "report.pdf")
HOCR = """<html><body><div class="ocr_page" title="bbox 0 0 800 1000">
<p class="ocr_par" title="bbox 80 90 700 120"><span class="ocr_line" title="bbox 80 90 700 120">
<span class="ocrx_word" title="bbox 80 90 200 120">Twelve</span>
<span class="ocrx_word" title="bbox 210 90 400 120">hooks</span></span></p></div></body></html>"""


def run(name: str, *arguments: str) -> str:
    """Standard output of an example, run as the reader of its first lines would."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, str(ROOT / "examples" / f"{name}.py"), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_parse_document(tmp_path: Path) -> None:
    assert "2 of 2 pages read" in run("parse_document", REPORT, str(tmp_path))
    assert (tmp_path / "report.md").read_text().startswith("# Twenty-Eight Years of Mornings")
    assert len(json.loads((tmp_path / "report.json").read_text())["pages"]) == 2


def test_tables_to_csv(tmp_path: Path) -> None:
    assert "5 rows, 4 columns" in run("tables_to_csv", REPORT, str(tmp_path))
    (table,) = tmp_path.glob("*.csv")
    assert "1998–2004,0.4,168,14" in table.read_text().splitlines()


def test_long_document() -> None:
    said = run("long_document", REPORT)
    assert "page 1: " in said and "page 2: " in said and said.rstrip().endswith("0 failures")


def test_draft_file(tmp_path: Path) -> None:
    (tmp_path / "old.hocr").write_text(HOCR)
    assert "Brass hook" in run("draft_file", LETTER, str(tmp_path / "old.hocr"))


def test_many_documents() -> None:
    letter, report = run("many_documents", LETTER, REPORT).splitlines()
    assert "1 pages" in letter and "1 tables" in letter
    assert "2 pages" in report and "1 tables" in report


def test_serve_and_ask() -> None:
    pytest.importorskip("fastapi", reason="needs the serve extra")
    pytest.importorskip("httpx", reason="needs httpx")
    assert "| Brass hook | 12 | 2.75 | 33.00 |" in run("serve_and_ask", LETTER)


def test_custom_drafter() -> None:
    plain, drafted, verdict = run("custom_drafter", LETTER).splitlines()
    forwards = [int(line.split()[-3]) for line in (plain, drafted)]
    assert verdict == "same text"
    assert forwards[1] < forwards[0] / 2


def test_chunks_for_retrieval() -> None:
    chunks = [json.loads(line) for line in run("chunks_for_retrieval", REPORT).splitlines()]
    assert {"1 Introduction", "8 Outlook"} <= {chunk["heading"] for chunk in chunks}
    assert all(chunk["text"] and len(chunk["boxes"][0]) == 4 for chunk in chunks)


def test_no_example_is_left_out() -> None:
    tested = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert {path.stem for path in (ROOT / "examples").glob("*.py")} <= tested
