import json

import pytest

from galley.document import BBox, Block, Document, Label, Page
from galley.drafters.files import read_draft, read_draft_text
from galley.drafters.files.common import NOWHERE
from galley.drafters.files.read import JSON_FORMATS, JsonFormat
from galley.errors import InputError

PP = {
    "page_index": 2,
    "width": 800,
    "height": 1000,
    "parsing_res_list": [
        {"block_label": "doc_title", "block_content": "A title", "block_bbox": [10, 20, 300, 60]},
        {"block_label": "text", "block_content": "Some text", "block_bbox": [10, 80, 300, 100]},
        {
            "block_label": "table",
            "block_content": "<table><tr><td>1</td></tr></table>",
            "block_bbox": [1, 2, 3, 4],
        },
        {"block_label": "formula", "block_content": "$$ x^2 $$", "block_bbox": None},
        {"block_label": "image", "block_content": "<img src='a.jpg'>", "block_bbox": ["a", 2, 3, 4]},
        {"block_label": "something new", "block_content": 7},
    ],
}

HOCR = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html><body>
<div class='ocr_page' id='page_1' title='image "a.png"; bbox 0 0 640 480; ppageno 0'>
 <div class='ocr_carea' title="bbox 36 92 618 361">
  <p class='ocr_par' title="bbox 36 92 580 122">
   <span class='ocr_line' title="bbox 36 92 580 122; baseline 0 -5">
    <span class='ocrx_word' title='bbox 36 92 96 116; x_wconf 90'>Fish &amp;</span>
    <span class='ocrx_word' title='bbox 109 92 129 116; x_wconf 70'><strong>chips</strong></span>
   </span>
   <span class='ocr_line' title="bbox 36 126 500 152"><span class='ocrx_word' title='bbox 1 2 3 4'>below</span></span>
  </p>
  <p class='ocr_par'><span class='ocr_caption' title="bbox 1 200 9 210">
  <span class='ocrx_word'>Figure<br>1</span></span></p>
 </div>
</div>
<div class='ocr_page' title='bbox 0 0 100 200'></div>
</body></html>"""

ALTO = """<?xml version="1.0"?>
<alto xmlns="http://www.loc.gov/standards/alto/ns-v3#"><Description><MeasurementUnit>mm10</MeasurementUnit></Description>
<Layout><Page WIDTH="2540" HEIGHT="5080"><TopMargin><TextBlock><TextLine HPOS="0" VPOS="0" WIDTH="254" HEIGHT="254">
<String CONTENT="Head"/></TextLine></TextBlock></TopMargin>
<PrintSpace><TextBlock HPOS="254" VPOS="508" WIDTH="254" HEIGHT="127">
<TextLine HPOS="254" VPOS="508" WIDTH="254" HEIGHT="127">
<String CONTENT="two" WC="0.5"/><SP/><String CONTENT="wor" WC="1"/><HYP CONTENT="-"/></TextLine>
<TextLine><String CONTENT="ds"/><String CONTENT="here"/></TextLine></TextBlock>
<TextBlock><TextLine/></TextBlock></PrintSpace></Page></Layout></alto>"""

MARKDOWN = """# Title

Some *text*
on two lines.

## Part

- one
- two

  1. deeper

| a | b |
|---|---|
| 1 | 2 |

$$
x \\times y
$$

```
code  here
```

<table><tr><td>1</td></tr></table>
"""


def test_ppstructure():
    document = read_draft_text(json.dumps(PP))
    page = document.pages[0]
    assert (page.number, page.width, page.height) == (3, 800, 1000)
    labels = [Label.TITLE, Label.TEXT, Label.TABLE, Label.FORMULA, Label.FIGURE, Label.TEXT]
    assert [block.label for block in page.blocks] == labels
    assert page.blocks[0].bbox == BBox(x0=10, y0=20, x1=300, y1=60)
    assert [block.content for block in page.blocks[3:]] == ["x^2", "", ""]
    assert all(block.source == "file" for block in page.blocks)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda p: [p, p],
        lambda p: [{"res": p}, {"res": p}],
        lambda p: {"layoutParsingResults": [{"prunedResult": p}, {"prunedResult": p}]},
    ],
)
def test_ppstructure_wrapped(wrap):
    assert len(read_draft_text(json.dumps(wrap(PP))).pages) == 2


def test_hocr():
    first, second = read_draft_text(HOCR).pages
    assert (first.width, first.height, second.blocks) == (640, 480, [])
    text, caption = first.blocks
    assert text.content == "Fish & chips\nbelow"
    assert text.lines[0].confidence == pytest.approx(0.8)
    assert text.bbox == BBox(x0=36, y0=92, x1=580, y1=152)
    assert (caption.label, caption.content) == (Label.CAPTION, "Figure1")


def test_hocr_damaged_html_keeps_what_there_is():
    cut = HOCR[: HOCR.index("<strong>")]
    assert read_draft_text(cut).pages[0].blocks[0].content == "Fish &"


def test_alto():
    page = read_draft_text(ALTO).pages[0]
    assert (page.width, page.height) == (2000, 4000)
    header, body = page.blocks
    assert (header.label, header.content) == (Label.HEADER, "Head")
    assert body.content == "two wor-\nds here"
    assert body.lines[0].confidence == pytest.approx(0.75)
    assert body.bbox == BBox(x0=200, y0=400, x1=400, y1=500)


def test_markdown():
    blocks = read_draft_text(MARKDOWN).pages[0].blocks
    assert [(b.label, b.level) for b in blocks] == [
        (Label.TITLE, 1),
        (Label.TEXT, None),
        (Label.HEADING, 2),
        (Label.LIST_ITEM, 1),
        (Label.LIST_ITEM, 1),
        (Label.LIST_ITEM, 2),
        (Label.TABLE, None),
        (Label.FORMULA, None),
        (Label.CODE, None),
        (Label.TABLE, None),
    ]
    assert blocks[1].content == "Some *text*\non two lines."
    assert blocks[6].content == "| a | b |\n|---|---|\n| 1 | 2 |"
    assert blocks[7].content == "x \\times y"
    assert blocks[8].content == "code  here"


@pytest.mark.parametrize("text", ["", "\n", "[1] a reference", "{not json"])
def test_anything_else_is_markdown(text):
    blocks = read_draft_text(text).pages[0].blocks
    assert "".join(block.content for block in blocks) == text.strip()


def test_entities_are_refused():
    bomb = '<!DOCTYPE alto [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><alto><Layout>&b;</Layout></alto>'
    with pytest.raises(InputError, match="entities"):
        read_draft_text(bomb)
    external = '<!DOCTYPE alto [<!ENTITY x SYSTEM "file:///etc/passwd">]><alto>&x;</alto>'
    with pytest.raises(InputError, match="entities"):
        read_draft_text(external)


def test_a_new_format_is_one_entry(tmp_path, monkeypatch):
    def read_lines(data):
        blocks = [
            Block(label=Label.TEXT, bbox=NOWHERE, content=line, source="file") for line in data["lines"]
        ]
        return Document(page_count=1, pages=[Page(number=1, width=0, height=0, blocks=blocks)])

    toy = JsonFormat("Toy (lines)", lambda data: "lines" in data, read_lines)
    monkeypatch.setattr("galley.drafters.files.read.JSON_FORMATS", [*JSON_FORMATS, toy])
    path = tmp_path / "toy.json"
    path.write_text('{"lines": ["one", "two"]}', encoding="utf-8")
    assert [block.content for block in read_draft(path).pages[0].blocks] == ["one", "two"]
    with pytest.raises(InputError, match="Toy"):
        read_draft_text('{"other": 1}')


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<alto><Layout>", "damaged"),
        ("<alto>" + "<a>" * 300 + "</a>" * 300 + "</alto>", "too deep"),
        ("<alto><MeasurementUnit>furlong</MeasurementUnit></alto>", "furlong"),
        ('{"a": 1}', "none that Galley knows: PP-StructureV3"),
        ('{"parsing_res_list": 3}', "list of objects"),
        ('{"schema_version": "9.0"}', "9.0"),
        ("[" * 100_000 + "]" * 100_000, "too deep"),
    ],
)
def test_clear_errors(text, says):
    with pytest.raises(InputError, match=says) as caught:
        read_draft_text(text)
    assert "\n" not in str(caught.value)


def test_files(tmp_path):
    path = tmp_path / "draft.md"
    path.write_text("\ufeffHello", encoding="utf-8")
    document = read_draft(path)
    assert (document.source, document.pages[0].blocks[0].content) == (str(path), "Hello")
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        read_draft(path)
    with pytest.raises(InputError, match="No such file"):
        read_draft(tmp_path / "none")
