"""DoclingDocument export, judged by docling-core itself."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("docling_core")

from docling_core.types.doc import ContentLayer, CoordOrigin, DoclingDocument

from galley.cli.formats import read_formats
from galley.document import BBox, Block, Cell, Document, Failure, Label, Page, Table
from galley.document.exporters import EXPORTERS


def box(y: float, height: float = 50, x: float = 100, width: float = 800) -> BBox:
    return BBox(x0=x, y0=y, x1=x + width, y1=y + height)


def block(label: Label, content: str, y: float = 100, **fields: object) -> Block:
    return Block.model_validate({"label": label, "bbox": box(y), "content": content} | fields)


def document(*blocks: Block, **fields: object) -> Document:
    page = Page(number=1, width=1000, height=1400, dpi=100, blocks=list(blocks))
    return Document.model_validate(
        {"source": "in/report.pdf", "page_count": 1, "pages": [page.model_dump()]} | fields
    )


SPANS = Table(
    rows=3,
    cols=3,
    cells=[
        Cell(row=0, col=0, text="Site", rowspan=2, header=True, bbox=box(300, 40, width=100)),
        Cell(row=0, col=1, text="Wind", colspan=2, header=True),
        Cell(row=1, col=1, text="mean", header=True),
        Cell(row=1, col=2, text="max", header=True),
        Cell(row=2, col=0, text="Harbour", header=True),
        Cell(row=2, col=1, text="4.2"),
    ],
)


def test_all_kinds_of_blocks_pass_doclings_validation_and_export() -> None:
    made = document(
        block(Label.TITLE, "Twenty Winters"),
        block(Label.HEADER, "Annual report"),
        block(Label.HEADING, "Wind", level=2),
        block(Label.HEADING, "By site", level=3),
        block(Label.TEXT, "It blew_all day."),
        block(Label.LIST_ITEM, "gulls"),
        block(Label.LIST_ITEM, "terns", level=2),
        block(Label.LIST_ITEM, "rails", level=1),
        block(Label.FORMULA, "E = mc^2", extra={"number": "3"}),
        block(Label.FORMULA, "E = m c 2", flags=["unverified"]),
        block(Label.CODE, "x = 1\ny = 2"),
        block(Label.REFERENCE, "[1] Smith 1990."),
        block(Label.FOOTNOTE, "1 As measured."),
        block(Label.PAGE_NUMBER, "7"),
    ).to_docling()
    DoclingDocument.model_validate(made.export_to_dict())
    made.validate_tree(made.body)
    markdown = made.export_to_markdown()
    for piece in (
        "# Twenty Winters",
        "## Wind",
        "### By site",
        "It blew\\_all day.",
        "- gulls\n    - terns\n- rails",
        "$$E = mc^2 \\tag{3}$$",
        "E = m c 2",
        "```\nx = 1\ny = 2\n```",
        "[1] Smith 1990.",
        "1 As measured.",
    ):
        assert piece in markdown, markdown
    assert "Annual report" not in markdown and made.name == "report"
    furniture = [text.text for text in made.texts if text.content_layer is ContentLayer.FURNITURE]
    assert furniture == ["Annual report", "7"]


def test_boxes_are_points_from_the_bottom_left() -> None:
    made = document(block(Label.TEXT, "words", y=100)).to_docling()
    size = made.pages[1].size
    assert (size.width, size.height) == pytest.approx((720, 1008))
    [place] = made.texts[0].prov
    assert place.page_no == 1 and place.bbox.coord_origin is CoordOrigin.BOTTOMLEFT
    assert place.bbox.as_tuple() == pytest.approx((72, 1008 - 108, 648, 1008 - 72))
    top_left = place.bbox.to_top_left_origin(size.height)
    assert top_left.as_tuple() == pytest.approx((72, 72, 648, 108))
    assert place.bbox.area() == pytest.approx(576 * 36)


def test_tables_keep_spans_headers_and_boxes() -> None:
    made = document(block(Label.TABLE, "", table=SPANS, y=300)).to_docling()
    [table] = made.tables
    grid = [[cell.text for cell in row] for row in table.data.grid]
    assert grid == [["Site", "Wind", "Wind"], ["Site", "mean", "max"], ["Harbour", "4.2", ""]]
    first = table.data.grid[0][0]
    assert (first.row_span, first.col_span, first.column_header) == (2, 1, True)
    assert table.data.grid[2][0].row_header and not table.data.grid[2][0].column_header
    assert first.bbox is not None
    assert first.bbox.to_top_left_origin(1008).as_tuple() == pytest.approx((72, 216, 144, 244.8))
    assert 'rowspan="2"' in table.export_to_html(made)
    assert table.export_to_dataframe(made).shape[1] == 3


def test_a_caption_belongs_to_what_it_stands_beside() -> None:
    made = document(
        block(Label.CAPTION, "Table 1: Sites.", y=250),
        block(Label.TABLE, "", table=SPANS, y=310),
        block(Label.FIGURE, "a chart", y=600, image="report_images/page-1-figure-1.jpg"),
        block(Label.CAPTION, "Figure 1: Wind.", y=655),
        block(Label.TEXT, "Between.", y=800),
        block(Label.CAPTION, "Figure 2, lost.", y=900),
        block(Label.TEXT, "The end.", y=1000),
    ).to_docling()
    assert made.tables[0].caption_text(made) == "Table 1: Sites."
    assert made.pictures[0].caption_text(made) == "Figure 1: Wind."
    image = made.pictures[0].image
    assert image is not None and (str(image.uri), image.mimetype) == (
        "report_images/page-1-figure-1.jpg",
        "image/jpeg",
    )
    markdown = made.export_to_markdown()
    assert markdown.count("Table 1") == markdown.count("Figure 1") == markdown.count("Figure 2, lost.") == 1


def test_ordered_lists_keep_their_markers() -> None:
    made = document(
        block(Label.LIST_ITEM, "3. three", extra={"marker": "3."}),
        block(Label.LIST_ITEM, "4. four", extra={"marker": "4."}),
        block(Label.TEXT, "Between."),
        block(Label.LIST_ITEM, "one", extra={"marker": "•"}),
    ).to_docling()
    markdown = made.export_to_markdown()
    assert "3. three\n4. four" in markdown and "- one" in markdown
    assert len(made.groups) == 2 and made.texts[0].orig == "3. three"


def test_text_over_two_pages_is_one_item_with_two_places() -> None:
    joined = Document(
        source="a.pdf",
        page_count=2,
        pages=[
            Page(number=1, width=1000, height=1400, dpi=100, blocks=[block(Label.TEXT, "It was a light-")]),
            Page(
                number=2,
                width=500,
                height=700,
                dpi=50,
                blocks=[block(Label.TEXT, "house.", continues=True, extra={"joint": None})],
            ),
        ],
    )
    [text] = joined.to_docling().texts
    assert text.text == "It was a lighthouse."
    assert [(place.page_no, place.charspan) for place in text.prov] == [(1, (0, 14)), (2, (14, 20))]


def test_cells_from_a_later_page_have_no_box_on_this_one() -> None:
    cells = [Cell(row=row, col=0, text=str(row), bbox=box(100)) for row in range(3)]
    table = Table(rows=3, cols=1, cells=cells)
    merged = block(Label.TABLE, "", table=table, extra={"row_pages": [[0, 1], [2, 2]]})
    [made] = document(merged).to_docling().tables
    assert [cell.bbox is None for cell in made.data.table_cells] == [False, False, True]


def test_failures_are_notes() -> None:
    failed = document(block(Label.ASIDE, "words"), failures=[Failure(message="page 2: torn", page=2)])
    made = failed.to_docling()
    assert [(text.text, text.content_layer) for text in made.texts] == [
        ("words", ContentLayer.BODY),
        ("page 2: torn", ContentLayer.NOTES),
    ]
    assert made.export_to_markdown().strip() == "words"


def test_as_a_format_of_the_command_line() -> None:
    assert read_formats(["docling"]) == ["docling"]
    made = document(block(Label.TEXT, "words"))
    [pieces] = EXPORTERS["docling"].texts(made, made.pages, ())
    assert DoclingDocument.model_validate(json.loads("".join(pieces))).texts[0].text == "words"
