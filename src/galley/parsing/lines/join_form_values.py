"""Pass: what stands in the fields of a form, joined to its labels."""

from __future__ import annotations

from collections.abc import Sequence

from galley.document import BBox, FormField
from galley.drafters.line import TextLine, Word
from galley.geometry import rows
from galley.ingest.form_words import BOXES
from galley.parsing.lines.merge import merge_pieces
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools
from galley.parsing.text.markers import has_tick_box

# In heights of the label:
LABEL_REACH = 12.0
"""Farthest from the end of a label, which a colon shows, to what is filled in."""
NEAR = 4.0
"""The same from a label without a colon, and from a box to the words it is for."""


def join_form_values(page: PageState, tools: PageTools) -> None:
    """Join each value of a field to the label left of it, and each box to be ticked to the words beside it.

    Labels side by side with their fields between them are one line, whether the fields are filled in or not.
    On a page that was read by OCR, the boxes are put in place of what was read there.

    Reads: text_layer, uses_text_layer, lines.
    Changes: lines.
    """
    fields = page.text_layer.fields
    boxes = [*(field.bbox for field in fields), *page.text_layer.typed]
    if boxes:
        lines = page.lines if page.uses_text_layer else _with_boxes(page.lines, fields)
        page.lines = joined_form_values(lines, boxes)


def joined_form_values(lines: Sequence[TextLine], fields: Sequence[BBox]) -> list[TextLine]:
    """The lines in their order; labels and what belongs to them are one, at the place of the first piece."""
    whole: dict[int, TextLine] = {}
    gone: set[int] = set()
    for row in rows([line.bbox for line in lines]):
        for part in _parts([lines[i] for i in row], fields):
            indices = [row[n] for n in part]
            if len(indices) > 1:
                whole[min(indices)] = merge_pieces([lines[i] for i in indices])
                gone.update(indices)
    return [whole.get(i, line) for i, line in enumerate(lines) if i not in gone or i in whole]


def _parts(row: Sequence[TextLine], fields: Sequence[BBox]) -> list[list[int]]:
    """Pieces of a row, from left to right, that make one line each."""
    values = [any(_within(line.bbox, box) for box in fields) for line in row]
    parts = [[0]]
    for n in range(1, len(row)):
        left, right = row[n - 1], row[n]
        gap = (right.bbox.x0 - left.bbox.x1) / max(1.0, min(left.bbox.height, right.bbox.height))
        if _has_between(left, right, fields):
            joins = True
        elif values[n]:
            colon = left.text.rstrip().endswith((":", "?", "："))
            reach = LABEL_REACH if colon else NEAR
            joins = gap < reach and (not values[n - 1] or _ends_ticked(left))
        elif _ends_ticked(left) or has_tick_box(right.text):
            joins = gap < NEAR
        else:
            joins = values[n - 1] and gap < LABEL_REACH and _has_right(right, row, n, fields)
        if joins:
            parts[-1].append(n)
        else:
            parts.append([n])
    return parts


def _has_between(left: TextLine, right: TextLine, fields: Sequence[BBox]) -> bool:
    """Whether nothing but a field that is left open stands between two lines of a row."""
    middle = (left.bbox.center[1] + right.bbox.center[1]) / 2
    open_fields = [
        box
        for box in fields
        if box.y0 < middle < box.y1
        and left.bbox.x1 <= box.center[0] <= right.bbox.x0
        and not _within(left.bbox, box)
    ]
    height = max(1.0, min(left.bbox.height, right.bbox.height))
    return len(open_fields) == 1 and (
        open_fields[0].x0 - left.bbox.x1 < NEAR * height
        or (
            left.text.rstrip().endswith((":", "："))
            and open_fields[0].x0 - left.bbox.x1 < LABEL_REACH * height
        )
    )


def _has_right(label: TextLine, row: Sequence[TextLine], n: int, fields: Sequence[BBox]) -> bool:
    """Whether a field stands right of a label, nearer than the next line of the row."""
    middle = label.bbox.center[1]
    reach = label.bbox.x1 + LABEL_REACH * label.bbox.height
    limit = min(reach, row[n + 1].bbox.x1 if n + 1 < len(row) else reach)
    return any(
        box.y0 < middle < box.y1 and label.bbox.x1 <= box.center[0] and box.x0 < limit for box in fields
    )


def _ends_ticked(line: TextLine) -> bool:
    """Whether a line ends with a box to be ticked."""
    return line.text.endswith(tuple(BOXES.values()))


def _within(box: BBox, field: BBox) -> bool:
    x, y = box.center
    return field.x0 <= x <= field.x1 and field.y0 <= y <= field.y1


def _with_boxes(lines: Sequence[TextLine], fields: Sequence[FormField]) -> list[TextLine]:
    """Recognised lines with the boxes that a form has, in place of what was read of them."""
    ticks = [field for field in fields if isinstance(field.value, bool)]
    kept = [line for line in lines if not any(_within(line.bbox, field.bbox) for field in ticks)]
    for field in ticks:
        text = BOXES[field.type, bool(field.value)]
        words = [Word(text, field.bbox)]
        kept.append(TextLine(text, field.bbox, source="pdf-text", words=words, size=field.bbox.height))
    return kept
