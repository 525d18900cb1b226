"""The table of formats: one entry more is a format of the command line and of ``Document``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path, PurePath

import pytest

from galley.document import BBox, Block, Document, Label, Page
from galley.document.exporters import EXPORTERS, Exporter, ExtraFile, export, exporter, register
from galley.errors import UsageError

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))

from running import numbered
from toy_exporter import OUTLINE

BOX = BBox(x0=0, y0=0, x1=10, y1=10)
DOCUMENT = Document(
    source="a.pdf",
    pages=[Page(number=1, width=9, height=9, blocks=[Block(label=Label.TEXT, bbox=BOX, content="words")])],
)


@pytest.fixture
def outline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXPORTERS, OUTLINE.name, OUTLINE)


def test_a_new_format_is_one_of_documents(outline: None) -> None:
    assert DOCUMENT.export("outline") == export(DOCUMENT, "outline") == "1: words\n"
    with pytest.raises(UsageError, match=r"no format 'docx'; there are md, .*, outline$"):
        DOCUMENT.export("docx")


def galley(folder: Path, *words: str) -> str:
    line = [sys.executable, str(Path(__file__).parent / "toy_exporter.py"), "parse", *words]
    env = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(line, cwd=folder, env=env, capture_output=True, text=True, timeout=240)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_new_format_is_one_of_the_command_lines(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(2))
    assert "outline" in galley(tmp_path, "--help")
    assert galley(tmp_path, "a.pdf", "-f", "outline") == "1: Page 1\n2: Page 2\n"
    galley(tmp_path, "a.pdf", "-f", "outline,md", "-o", "out")
    assert (tmp_path / "out/a.outline").read_text() == "1: Page 1\n2: Page 2\n"
    assert (tmp_path / "out/a.md").read_text() == "Page 1\n\nPage 2\n"


def test_names_are_taken_once() -> None:
    with pytest.raises(ValueError, match="a format 'markdown' already"):
        register(Exporter("markdown", "Markdown again", ".md", "text/markdown", OUTLINE.pieces))
    assert exporter("markdown") is exporter("md") is EXPORTERS["md"]


def test_where_files_go() -> None:
    place = PurePath("in/a.b")
    assert EXPORTERS["md"].files(place) == [PurePath("in/a.b.md")]
    assert EXPORTERS["md"].image_folder(place) == PurePath("in/a.b_images")
    assert EXPORTERS["glmocr"].files(place) == [PurePath("in/a.b/a.b.json"), PurePath("in/a.b/a.b.md")]
    assert EXPORTERS["glmocr"].image_folder(place) == PurePath("in/a.b/imgs")
    assert EXPORTERS["docling"].files(place) == [PurePath("in/a.b.docling.json")]


def test_figures_are_called_as_seen_from_the_file() -> None:
    figure = Block(label=Label.FIGURE, bbox=BOX, image="a/imgs/page-1-figure-1.jpg")
    pages = [Page(number=1, width=9, height=9, blocks=[figure])]
    shown = EXPORTERS["md"].texts(Document(), pages, (), PurePath("a"))
    assert "".join(shown[0]) == "![](a/imgs/page-1-figure-1.jpg)\n"
    _, markdown = EXPORTERS["glmocr"].texts(Document(), pages, (), PurePath("a"))
    assert "".join(markdown) == "![](imgs/page-1-figure-1.jpg)\n"


def test_a_format_with_more_files_writes_them_all() -> None:
    extra = Exporter("two", "Two", ".a", "text/plain", OUTLINE.pieces, (ExtraFile(".b", OUTLINE.pieces),))
    assert extra.files(PurePath("x")) == [PurePath("x.a"), PurePath("x.b")]
    first, second = extra.texts(DOCUMENT, DOCUMENT.pages, ())
    assert "".join(first) == "".join(second) == "1: words\n"


def test_what_a_format_needs_is_named() -> None:
    lacking = Exporter("x", "X", ".x", "text/plain", OUTLINE.pieces, package="no_such_package", extra="xs")
    assert not lacking.available
    with pytest.raises(UsageError, match=r"the format x needs no-such-package; .*'galley-ocr\[xs\]'"):
        lacking.require()
