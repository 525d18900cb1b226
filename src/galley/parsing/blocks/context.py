"""What making blocks of a page's zones needs besides the zones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

from galley.document import BBox, Table
from galley.drafters.formulas import Formula
from galley.drafters.line import TextLine
from galley.geometry import crop
from galley.layout.orientation import turned
from galley.parsing.blocks.latex import read_glyph_latex, read_latex
from galley.parsing.page.state import BodyText, PageState
from galley.parsing.page.tools import PageTools


@dataclass(frozen=True)
class BlockContext:
    """The page around its zones.

    Attributes:
        body: Measures of the running text.
        read_table: Table structure from a box and its lines; None where there is no table.
        read_formula: A formula from its box and the boxes of its numbers; None where it cannot be read.
        save_figure: Saves the picture of a box and returns its path; None where images are not kept.
    """

    body: BodyText
    read_table: Callable[[BBox, Sequence[TextLine]], Table | None] | None = None
    read_formula: Callable[[BBox, Sequence[BBox]], Formula | None] | None = None
    save_figure: Callable[[BBox], str] | None = None


def context_of(page: PageState, tools: PageTools) -> BlockContext:
    """The context of a page's zones. Pictures of figures are numbered in the order in which they are saved."""
    image, sink = page.image, tools.image_sink
    numbers = count(1)

    def save_figure(bbox: BBox) -> str:
        assert sink is not None
        picture = turned(crop(image, bbox), (360 - page.turned) % 360)
        return sink(f"page-{page.number}-figure-{next(numbers)}", picture)

    glyphs = page.text_layer.glyphs if page.uses_text_layer else None

    def read_formula(bbox: BBox, numbers: Sequence[BBox]) -> Formula | None:
        exact = read_glyph_latex(glyphs, bbox, numbers) if glyphs is not None else None
        return exact or read_latex(tools.formulas, image, bbox, numbers)

    return BlockContext(
        body=page.body,
        read_table=lambda bbox, lines: tools.tables.read(image, bbox, list(lines), page.vectors_in(bbox)),
        read_formula=read_formula,
        save_figure=save_figure if sink else None,
    )
