"""A page with the boxes of its items: colour by label, numbered in order, thick where a pass has changed them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from galley.document import BBox
from galley.parsing.trace.changes import Difference, Kind, Named
from galley.parsing.trace.snapshot import BLOCKS, LINES, LOOSE, REGIONS, ZONES

SIDE = 1400
"""Pixels of the longer side of a drawing; a larger page is scaled down."""
FADED = 0.45
"""How much of the page's own darkness is left, so that boxes stand out."""
_TYPE_SIZE = 15
_THIN, _THICK = 1, 3
_GREY, _RED = (150, 150, 150), (220, 0, 0)
_COLOURS = {
    "title": (136, 14, 79),
    "heading": (194, 24, 91),
    "text": (25, 118, 210),
    "list_item": (0, 151, 167),
    "code": (93, 64, 55),
    "caption": (245, 124, 0),
    "table": (46, 125, 50),
    "formula": (123, 31, 162),
    "figure": (175, 140, 0),
    "reference": (69, 90, 100),
    "header": (120, 120, 120),
    "footer": (120, 120, 120),
    "page_number": (120, 120, 120),
    "footnote": (0, 105, 92),
    "aside": (158, 157, 36),
    "pdf-text": (25, 118, 210),
    "ocr": (0, 121, 107),
}
_BEHIND = {LINES: (), REGIONS: (LINES,), LOOSE: (), ZONES: (LOOSE,), BLOCKS: ()}
"""What is drawn thinly behind the items that a pass is about."""


def page_picture(image: NDArray[np.uint8]) -> Image.Image:
    """A (height, width, 3) page as the ground of a drawing: pale and at most ``SIDE`` pixels high and wide."""
    picture = Image.fromarray(image).convert("L")
    picture.thumbnail((SIDE, SIDE), Image.Resampling.BILINEAR)
    return picture.point(lambda level: round(255 - FADED * (255 - level))).convert("RGB")


def subject(changed: Collection[str], items: Mapping[str, Sequence[Named]]) -> str:
    """Which kind of items a drawing shows: the last one that a pass has changed, else the last there are."""
    order = (BLOCKS, ZONES, LOOSE, REGIONS, LINES)
    touched = [kind for kind in order if kind in changed]
    present = [kind for kind in order if items.get(kind)]
    return next(iter([*touched, *present]), LINES)


def drawn(
    ground: Image.Image, width: int, kind: str, items: Mapping[str, Sequence[Named]], found: Difference
) -> Image.Image:
    """The page with its items of one kind.

    Args:
        ground: The page, as from ``page_picture``.
        width: Of the page itself in pixels, which boxes refer to.
        kind: Of the items to draw.
        items: All items of the page, by kind.
        found: What the pass has changed.
    """
    picture = ground.copy()
    pen, scale = ImageDraw.Draw(picture), ground.width / max(1, width)
    for behind in _BEHIND[kind]:
        for named in items.get(behind, ()):
            pen.rectangle(_scaled(named.item.bbox, scale), outline=_GREY)
    changes = {change.named.name: change for change in found.items.get(kind, ())}
    for number, named in enumerate(items.get(kind, ()), 1):
        colour = _COLOURS.get(named.item.label, _GREY)
        place = _scaled(named.item.bbox, scale)
        pen.rectangle(place, outline=colour, width=_THICK if named.name in changes else _THIN)
        # On a page full of lines, labels would hide what they name.
        words = f"{number}" if kind == LINES else f"{number} {named.item.label} {named.name}"
        _write(pen, place, words, colour)
    for change in changes.values():
        if change.kind is Kind.GONE:
            place = _scaled(change.named.item.bbox, scale)
            pen.rectangle(place, outline=_RED)
            pen.line(place, fill=_RED)
            _write(pen, place, f"gone {change.named.name}", _RED)
    return picture


def _scaled(box: BBox, scale: float) -> tuple[float, float, float, float]:
    x0, y0 = box.x0 * scale, box.y0 * scale
    return x0, y0, max(x0 + 1, box.x1 * scale), max(y0 + 1, box.y1 * scale)


def _write(
    pen: ImageDraw.ImageDraw,
    place: tuple[float, float, float, float],
    words: str,
    colour: tuple[int, int, int],
) -> None:
    """Words in a filled box at the upper left corner of a place."""
    font = ImageFont.load_default(_TYPE_SIZE)
    corner = place[0], max(0.0, place[1] - _TYPE_SIZE)
    pen.rectangle(pen.textbbox(corner, words, font=font), fill=colour)
    pen.text(corner, words, fill="white", font=font)
