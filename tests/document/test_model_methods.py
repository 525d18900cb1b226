"""What documents, pages and tables say of themselves."""

from __future__ import annotations

import sys

import pytest

from galley.document import BBox, Block, Cell, Document, Label, Page, Table
from galley.errors import UsageError

BOX = BBox(x0=0, y0=0, x1=10, y1=10)
FLAT = Table(
    rows=3,
    cols=2,
    cells=[
        Cell(row=0, col=0, text="Name", header=True),
        Cell(row=0, col=1, text="Weight, kg", header=True),
        Cell(row=1, col=0, text='the "big" one'),
        Cell(row=1, col=1, text="12"),
        Cell(row=2, col=0, text="two\nlines"),
    ],
)
SPANS = Table(
    rows=3,
    cols=3,
    cells=[
        Cell(row=0, col=0, text="Site", rowspan=2, header=True),
        Cell(row=0, col=1, text="Wind", colspan=2, header=True),
        Cell(row=1, col=1, text="mean", header=True),
        Cell(row=1, col=2, text="max", header=True),
        Cell(row=2, col=0, text="Harbour"),
        Cell(row=2, col=1, text="4.2", colspan=2),
    ],
)
BARE = Table(rows=1, cols=2, cells=[Cell(row=0, col=0, text="a"), Cell(row=0, col=1, text="b")])


def _block(label: Label, content: str = "", table: Table | None = None) -> Block:
    return Block(label=label, bbox=BOX, content=content, table=table)


DOCUMENT = Document(
    pages=[
        Page(
            number=1, width=9, height=9, blocks=[_block(Label.TITLE, "One"), _block(Label.TABLE, table=FLAT)]
        ),
        Page(
            number=2,
            width=9,
            height=9,
            blocks=[_block(Label.FOOTER, "foot"), _block(Label.TABLE, table=SPANS)],
        ),
    ]
)


def test_blocks_and_tables_in_reading_order() -> None:
    assert [block.label for block in DOCUMENT.blocks] == [
        Label.TITLE,
        Label.TABLE,
        Label.FOOTER,
        Label.TABLE,
    ]
    assert DOCUMENT.tables == [FLAT, SPANS]


def test_a_page_as_markdown() -> None:
    assert DOCUMENT.pages[0].to_markdown().startswith("# One\n\n| Name |")
    assert "foot" not in DOCUMENT.pages[1].to_markdown()
    assert DOCUMENT.pages[1].to_markdown(keep={"footers"}).startswith("foot\n\n<table>")


def test_tables_as_comma_separated_values() -> None:
    assert FLAT.to_csv() == 'Name,"Weight, kg"\n"the ""big"" one",12\n"two\nlines",\n'
    assert SPANS.to_csv() == "Site,Wind,\n,mean,max\nHarbour,4.2,\n"


def test_tables_as_html() -> None:
    assert SPANS.to_html().startswith(
        '<table><thead><tr><th rowspan="2">Site</th><th colspan="2">Wind</th></tr>'
    )


def test_tables_as_data_frames() -> None:
    pytest.importorskip("pandas")
    flat = FLAT.to_dataframe()
    assert list(flat.columns) == ["Name", "Weight, kg"] and flat["Weight, kg"].tolist() == ["12", ""]
    spans = SPANS.to_dataframe()
    assert list(spans.columns) == [("Site", "Site"), ("Wind", "mean"), ("Wind", "max")]
    assert spans.iloc[0].tolist() == ["Harbour", "4.2", "4.2"]
    assert BARE.to_dataframe().to_numpy().tolist() == [["a", "b"]]


def test_what_data_frames_need_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match="to_dataframe needs pandas; install it: pip install pandas"):
        FLAT.to_dataframe()


@pytest.mark.parametrize("keep", ["headers,tables", ["headers", "tables"], {"tables"}])
def test_unknown_furniture_is_refused(keep: object) -> None:
    message = "no page furniture 'tables' to keep; there are headers, footers, page-numbers, footnotes"
    for made in (DOCUMENT.to_markdown, DOCUMENT.to_html, DOCUMENT.to_text, DOCUMENT.pages[0].to_markdown):
        with pytest.raises(UsageError, match=message):
            made(keep)  # type: ignore[arg-type]


def test_furniture_may_be_named_in_one_string() -> None:
    assert DOCUMENT.to_text("footers, headers") == DOCUMENT.to_text({"footers", "headers"})
    assert "foot" in DOCUMENT.to_text("footers") and "foot" not in DOCUMENT.to_text(())
