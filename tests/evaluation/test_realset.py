"""The real-set bench: what of a document counts."""

from __future__ import annotations

from galley.document import BBox, Block, Document, Label, Page
from galley.evaluation.realset.systems import document_output


def test_text_in_figures_counts_only_where_the_truth_holds_it() -> None:
    box = BBox(x0=0, y0=0, x1=1, y1=1)
    blocks = [
        Block(label=Label.TEXT, bbox=box, content="body"),
        Block(label=Label.FIGURE, bbox=box, content="axis"),
    ]
    document = Document(pages=[Page(number=1, width=1, height=1, blocks=blocks)])
    assert document_output(document).text == "body"
    assert document_output(document, figure_text=True).text == "body\n\naxis"
