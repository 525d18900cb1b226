"""``--draft-from`` and ``draft_from``: what other tools read, as drafts or as the document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from running import Run, numbered

import galley
from galley.document import BBox, Label, Page
from galley.draft_files import match_drafts, read_draft_files
from galley.ingest.page import PageImage
from galley.parsing.options import ParseOptions

DRAFT = ParseOptions(strategy="draft")


def hocr(*pages: str) -> str:
    """A file with one line a page, in the middle of pages of 1000 × 2000."""
    body = "".join(
        f'<div class="ocr_page" title="bbox 0 0 1000 2000"><p class="ocr_par">'
        f'<span class="ocr_line" title="bbox 100 200 900 300">{text}</span></p></div>'
        for text in pages
    )
    return f"<html><body>{body}</body></html>"


ALTO = """<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Layout>
<Page WIDTH="1000" HEIGHT="2000"><PrintSpace><TextBlock><TextLine HPOS="100" VPOS="200" WIDTH="800" HEIGHT="100">
<String CONTENT="As" HPOS="100" VPOS="200" WIDTH="80" HEIGHT="100"/><SP/>
<String CONTENT="ALTO" HPOS="200" VPOS="200" WIDTH="80" HEIGHT="100"/></TextLine></TextBlock></PrintSpace></Page>
</Layout></alto>"""
PADDLE = json.dumps(
    {
        "width": 1000,
        "height": 2000,
        "parsing_res_list": [
            {"block_label": "doc_title", "block_content": "As JSON", "block_bbox": [100, 200, 900, 300]},
            {
                "block_label": "table",
                "block_content": "<table><tr><td>a</td><td>b</td></tr></table>",
                "block_bbox": [100, 400, 900, 600],
            },
        ],
    }
)
MARKDOWN = "# As Markdown\n\nA **bold** word.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"


def draft(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text", "markdown"),
    [
        ("a.hocr", hocr("As hOCR"), "As hOCR\n"),
        ("a.xml", ALTO, "As ALTO\n"),
        ("a.json", PADDLE, "# As JSON\n\n| a | b |\n| --- | --- |\n"),
        ("a.md", MARKDOWN, "# As Markdown\n\nA bold word.\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n"),
    ],
)
def test_without_a_model_the_file_is_the_document(
    tmp_path: Path, name: str, text: str, markdown: str
) -> None:
    document = galley.parse(numbered(1), draft_from=draft(tmp_path, name, text), strategy="draft")
    assert document.to_markdown() == markdown
    page = document.pages[0]
    assert all(block.source == "file" for block in page.blocks)
    box = page.blocks[0].bbox
    if name == "a.md":
        assert (box.width, box.height) == (page.width, page.height)
    else:
        assert (box.x0 / page.width, box.y1 / page.height) == (pytest.approx(0.1), pytest.approx(0.15))


def test_lines_are_joined_to_running_text(tmp_path: Path) -> None:
    text = (
        '<div class="ocr_page" title="bbox 0 0 100 100"><p class="ocr_par">'
        '<span class="ocr_line">the orch-</span><span class="ocr_line">ard in the orchard</span></p></div>'
    )
    document = galley.parse(numbered(1), draft_from=draft(tmp_path, "a.hocr", text), options=DRAFT)
    assert document.to_text() == "the orchard in the orchard\n"


def test_pages_a_file_does_not_have_are_read(tmp_path: Path) -> None:
    path = draft(tmp_path, "a.hocr", hocr("First"))
    document = galley.parse(numbered(2), draft_from=[path], options=DRAFT)
    assert [page.blocks[0].content for page in document.pages] == ["First", "Page 2"]
    assert document.pages[1].warnings == ["no draft file has this page; it was read as without one"]
    assert document.pages[0].warnings == []


def test_a_file_without_pages_is_no_document_of_several(tmp_path: Path) -> None:
    path = draft(tmp_path, "a.md", MARKDOWN)
    message = "does not say which text is on which page, and document has 2; leave out --strategy draft"
    with pytest.raises(galley.InputError, match=message):
        galley.parse(numbered(2), draft_from=path, options=DRAFT)
    spread = read_draft_files(path, ParseOptions(), "document", 2)
    assert [len(spread.of_page(number)) for number in (1, 2)] == [1, 1]


def test_pages_get_the_drafts_of_their_number(tmp_path: Path) -> None:
    seen: list[list[Page] | None] = []

    class Looks:
        def parse_page(self, page: PageImage) -> Page:
            seen.append(page.drafts)
            return Page(number=page.number, width=1, height=1)

    paths = [draft(tmp_path, "a.hocr", hocr("one", "two")), draft(tmp_path, "b.hocr", hocr("eins"))]
    galley.parse(numbered(3), draft_from=paths, parser=Looks())
    list(galley.iter_pages(numbered(1), draft_from=paths[1], parser=Looks()))
    list(galley.iter_pages(numbered(1), parser=Looks()))
    texts = [drafts and [page.blocks[0].content for page in drafts] for drafts in seen]
    assert texts == [["one", "eins"], ["two"], [], ["eins"], None]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", '{"a": 1}', "none that Galley knows: PP-StructureV3"),
        ("a.html", "<html class='ocr_page'", "holds no ocr_page, so it is not hOCR"),
        ("gone.hocr", None, "cannot read the draft .*gone.hocr: No such file or directory"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, name: str, text: str | None, message: str) -> None:
    path = draft(tmp_path, name, text) if text is not None else tmp_path / name
    with pytest.raises(galley.InputError, match=message):
        galley.parse(numbered(1), draft_from=path, options=DRAFT)


def test_a_served_model_takes_no_drafts(tmp_path: Path) -> None:
    path = draft(tmp_path, "a.md", MARKDOWN)
    with pytest.raises(galley.UsageError, match="takes no drafts; leave out --draft-from"):
        galley.parse(numbered(1), draft_from=path, model="openai:http://localhost:1/v1#x")


def test_files_belong_to_documents_of_their_name(tmp_path: Path) -> None:
    a, b, other = (draft(tmp_path, name, "x") for name in ("A.hocr", "b.pdf.xml", "c.md"))
    draft(tmp_path, "a.pdf", "not a draft's suffix")
    assert match_drafts([other], ["a.pdf"]) == ([(other,)], [])
    assert match_drafts([a, b], ["a.pdf"]) == ([(a, b)], [])
    assert match_drafts([a, b], ["a.pdf", "b.pdf", "d.pdf"]) == ([(a,), (b,), ()], ["d.pdf"])
    assert match_drafts([tmp_path], ["a.pdf", "b.pdf"]) == ([(a,), (b,)], [])
    assert match_drafts([tmp_path], ["d.pdf"]) == ([()], ["d.pdf"])
    with pytest.raises(galley.UsageError, match=r"c\.md belongs to no document"):
        match_drafts([a, other], ["a.pdf", "b.pdf"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(galley.InputError, match=r"empty holds no drafts; looked for .*\.hocr"):
        match_drafts([tmp_path / "empty"], ["a.pdf"])


def test_the_command_line_takes_files_and_folders(run: Run, tmp_path: Path) -> None:
    for name in ("a.pdf", "b.pdf", "c.pdf"):
        (tmp_path / name).write_bytes(numbered(1))
    draft(tmp_path, "old.hocr", hocr("Old"))
    shown = run("parse", "a.pdf", "--draft-from", "old.hocr", "--strategy", "draft", parser=None)
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, "Old\n", "")
    (tmp_path / "drafts").mkdir()
    draft(tmp_path / "drafts", "a.hocr", hocr("Of a"))
    bad = draft(tmp_path / "drafts", "b.json", "{}")
    words = ("a.pdf", "b.pdf", "c.pdf", "-o", "out", "--strategy", "draft", "--draft-from", "drafts")
    done = run("parse", *words, parser=None)
    assert done.returncode == 3
    assert done.stderr.splitlines() == [
        "galley: note: c.pdf: there is no draft of this name; it was read without",
        f"galley: the draft {bad.relative_to(tmp_path)}: this JSON is none that Galley knows: PP-StructureV3"
        " (parsing_res_list), Galley (schema_version)",
    ]
    assert (tmp_path / "out/a.md").read_text() == "Of a\n"
    assert (tmp_path / "out/c.md").read_text() == "Page 1\n"
    draft(tmp_path / "drafts", "a.hocr", hocr("Of a, corrected"))
    bad.unlink()
    assert run("parse", *words, "--resume", parser=None).returncode == 0
    assert (tmp_path / "out/a.md").read_text() == "Of a, corrected\n"
    wrong = run("parse", "a.pdf", "b.pdf", "-o", "out", "--draft-from", "old.hocr", parser=None)
    assert wrong.returncode == 2 and "old.hocr belongs to no document" in wrong.stderr


def test_drafts_go_into_the_models_pool(tmp_path: Path) -> None:
    """The embedded model's requests have the file's texts beside the recogniser's, and write the same."""
    from galley.parsing.draft import DraftParser
    from galley.parsing.strategies.embedded import EmbeddedParser

    sample = Path(__file__).parents[2] / "samples/letter.jpg"
    options = ParseOptions(strategy="regions")
    try:
        parser = EmbeddedParser(options, DraftParser(options))
    except galley.ModelError as error:
        pytest.skip(str(error))
    asked: list[list[list[int]]] = []
    run = parser.decoder.run

    def noting(requests: Any) -> Any:
        asked.append([[list(ids) for ids in request.drafts] for request in requests])
        return run(requests)

    parser.decoder.run = noting  # type: ignore[method-assign]
    before = galley.parse(sample, options=options, parser=parser)
    width, height = before.pages[0].width, before.pages[0].height
    page = f'<div class="ocr_page" title="bbox 0 0 {width} {height}"><p class="ocr_par">'
    line = f'<span class="ocr_line" title="bbox 0 0 {width} {height}">Dear Ms Penn,</span></p></div>'
    after = galley.parse(
        sample, options=options, parser=parser, draft_from=draft(tmp_path, "a.hocr", page + line)
    )
    ids = parser.target.encode("Dear Ms Penn,")
    assert asked[0] and all(len(drafts) == 1 for drafts in asked[0])
    assert all(drafts[1:] == [ids] for drafts in asked[1])
    assert after.to_json() == before.to_json()


def test_drafts_near_a_box() -> None:
    from galley.parsing.strategies.file_drafts import FileDrafts

    drafted = Page(
        number=1,
        width=1000,
        height=2000,
        blocks=[
            galley.Block(label=Label.TEXT, bbox=BBox(x0=100, y0=200, x1=900, y1=300), content="near"),
            galley.Block(label=Label.TEXT, bbox=BBox(x0=100, y0=1200, x1=900, y1=1300), content="far"),
            galley.Block(label=Label.TEXT, bbox=BBox(x0=0, y0=0, x1=0, y1=0), content="anywhere"),
        ],
    )
    image = PageImage(1, np.zeros((200, 100, 3), np.uint8), 100.0, drafts=[drafted])
    box = BBox(x0=0, y0=25, x1=50, y1=60)
    assert [block.content for block in FileDrafts(image).near(box)] == ["near", "anywhere"]
    turned = FileDrafts(image, rotation=90)
    assert [block.content for block in turned.near(box)] == ["near", "far", "anywhere"]
