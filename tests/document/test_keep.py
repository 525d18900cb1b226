"""What exports show, and that JSON and GLM-OCR JSON always hold everything."""

from __future__ import annotations

import pytest

from galley.document import BBox, Block, Document, Label, Page
from galley.errors import GalleyError

BOX = BBox(x0=100, y0=200, x1=1000, y1=2000)
FURNITURE = {
    "headers": Label.HEADER,
    "footers": Label.FOOTER,
    "footnotes": Label.FOOTNOTE,
    "page-numbers": Label.PAGE_NUMBER,
}


@pytest.fixture
def document() -> Document:
    blocks = [Block(label=label, bbox=BOX, content=f"the {name}") for name, label in FURNITURE.items()]
    blocks.append(Block(label=Label.TEXT, bbox=BOX, content="the body"))
    return Document(page_count=1, pages=[Page(number=1, width=1000, height=2000, blocks=blocks)])


@pytest.mark.parametrize("name", FURNITURE)
def test_keep_shows_what_it_names_and_nothing_else(document: Document, name: str) -> None:
    for shown in (document.to_markdown({name}), document.to_html({name}), document.to_text({name})):
        assert "the body" in shown
        assert [other for other in FURNITURE if f"the {other}" in shown] == [name]


def test_footnotes_are_shown_by_default(document: Document) -> None:
    assert "the footnotes" in document.to_markdown()
    assert "the headers" not in document.to_markdown()


def test_json_holds_everything_and_reads_back(document: Document) -> None:
    assert all(f"the {name}" in document.to_json() for name in FURNITURE)
    assert Document.from_json(document.to_json()) == document


@pytest.mark.parametrize("text", ["", "[]", "{", '{"pages": 3}', '{"unknown": 1}'])
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(GalleyError):
        Document.from_json(text)


def test_glmocr_regions_name_every_label_and_stay_on_its_scale() -> None:
    blocks = [Block(label=label, bbox=BOX, content="x") for label in Label]
    (regions,) = Document(pages=[Page(number=1, width=1000, height=2000, blocks=blocks)]).to_glmocr()
    assert [region["index"] for region in regions] == list(range(len(Label)))
    assert {region["label"] for region in regions} == {"text", "table", "formula", "image"}
    for region in regions:
        assert region["bbox_2d"] == [100, 100, 1000, 1000]
        assert region["polygon"] == [[100, 100], [1000, 100], [1000, 1000], [100, 1000]]
        assert all(isinstance(value, int) for value in region["bbox_2d"])


def test_html_escapes_content_attributes_and_cells() -> None:
    evil = '"><script>alert(1)</script>'
    blocks = [
        Block(label=Label.TITLE, bbox=BOX, content=evil),
        Block(label=Label.FIGURE, bbox=BOX, content=evil, image=f"a{evil}.png"),
        Block(label=Label.CODE, bbox=BOX, content=evil),
        Block(label=Label.LIST_ITEM, bbox=BOX, content=evil),
    ]
    html = Document(pages=[Page(number=1, width=1000, height=2000, blocks=blocks)]).to_html()
    assert "<script" not in html
    assert html.count("&lt;script&gt;") >= 4


def test_code_with_fences_stays_one_block() -> None:
    block = Block(label=Label.CODE, bbox=BOX, content="```\nx\n````")
    markdown = Document(pages=[Page(number=1, width=1000, height=2000, blocks=[block])]).to_markdown()
    assert markdown == "`````\n```\nx\n````\n`````\n"
