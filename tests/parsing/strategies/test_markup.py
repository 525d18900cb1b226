"""Tables and Markdown as models write them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from galley.document import Cell, Label, Table
from galley.parsing.strategies.markdown_blocks import formula, markdown_pieces
from galley.parsing.strategies.table_markup import as_otsl, as_plain_html, read_html_table, read_otsl_table

SPANS = Table(
    rows=3,
    cols=3,
    cells=[
        Cell(row=0, col=0, text="a", rowspan=2),
        Cell(row=0, col=1, text="b < c", colspan=2),
        Cell(row=1, col=1, text="d"),
        Cell(row=1, col=2, text=""),
        Cell(row=2, col=0, text="e", colspan=3),
    ],
)


def test_tables_survive_both_markups() -> None:
    assert read_html_table(as_plain_html(SPANS)) == SPANS
    assert "<tbody>" not in as_plain_html(SPANS)
    assert read_otsl_table(as_otsl(SPANS)) == SPANS


def test_sloppy_html() -> None:
    table = read_html_table("junk<table><tr><td>a<td>b<br>c</td><tr><th rowspan=9>d</table><table><tr><td>x")
    assert table is not None
    assert [(c.row, c.col, c.text, c.header, c.rowspan) for c in table.cells] == [
        (0, 0, "a", False, 1),
        (0, 1, "b\nc", False, 1),
        (1, 0, "d", True, 1),
    ]
    wide = read_html_table('<table><tr><td colspan="99999999">a</td></tr></table>')
    assert wide is not None and wide.cols == 1000
    assert read_html_table("no table") is None and read_otsl_table("none") is None


@pytest.mark.parametrize(
    ("text", "latex", "extra"),
    [
        ("$$ x $$", "x", {}),
        ("\\[x\\]", "x", {}),
        ("$x$", "x", {}),
        ("x \\tag{(2.1)}", "x", {"number": "2.1"}),
        ("$", "$", {}),
    ],
)
def test_formulas(text: str, latex: str, extra: dict[str, str]) -> None:
    assert formula(text) == (latex, extra)


def test_markdown() -> None:
    text = (
        "# Title #\n\nText with **bold** and \\*stars\\*\nand a second line.\n- one\n2. two\n\n"
        "```python\nx = 1\n\ny\n```\n![Alt](a.png)\nBefore $$a$$ after\n\n"
        "<table><tr><td>1\n\n</td></tr></table>"
        "\n\n|a|b\\|c|\n|:-|-:|\n|1|2|\n\n\\[ E \\]\n\nopen $$ stays"
    )
    found = [(p.label, p.content, p.level) for p in markdown_pieces(text)]
    assert [(label, content) for label, content, _ in found if label is not Label.TABLE] == [
        (Label.HEADING, "Title"),
        (Label.TEXT, "Text with bold and *stars*\nand a second line."),
        (Label.LIST_ITEM, "one"),
        (Label.LIST_ITEM, "2. two"),
        (Label.CODE, "x = 1\n\ny"),
        (Label.FIGURE, "Alt"),
        (Label.TEXT, "Before"),
        (Label.FORMULA, "a"),
        (Label.TEXT, "after"),
        (Label.FORMULA, "E"),
        (Label.TEXT, "open $$ stays"),
    ]
    html, pipes = [p.table for p in markdown_pieces(text) if p.label is Label.TABLE]
    assert html is not None and html.cells[0].text == "1"
    assert pipes is not None and [(c.text, c.header) for c in pipes.cells] == [
        ("a", True),
        ("b|c", True),
        ("1", False),
        ("2", False),
    ]


@given(st.text(alphabet="#-*|`$<table>/trd \n\\[]()!ab1.", max_size=80))
def test_every_word_of_any_text_is_in_some_piece(text: str) -> None:
    pieces = markdown_pieces(text)
    assert all(p.start < p.end for p in pieces)
    assert all(a.end <= b.start for a, b in pairwise(pieces))
    outside = "".join(
        text[a:b]
        for a, b in zip([0, *(p.end for p in pieces)], [*(p.start for p in pieces), len(text)], strict=True)
    )
    assert not outside.strip()
