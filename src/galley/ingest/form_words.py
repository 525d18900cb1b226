"""The values of form fields as words of the text layer: where their appearance shows something else or nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from galley.document import BBox, FormField
from galley.ingest.page import Comment, TextWord
from galley.ingest.pdf_forms import PageForm

BOXES = {
    ("checkbox", False): "[ ]",
    ("checkbox", True): "[x]",
    ("radio", False): "( )",
    ("radio", True): "(x)",
}
"""How the state of a check box or a radio button is written."""
_ADVANCE = 0.5
"""Type sizes; the usual width of a letter."""
_LINE_STEP = 1.2
"""Type sizes from one line of a field to the next."""
_FILLED = 0.7
"""Part of a field's height that its letters fill where the file names no type size."""
_USUAL_SIZE = 12.0
"""Points; no larger type is chosen for a field that names none."""
_ONE_LINE = 2.5
"""Type sizes; a box that is higher holds more than one line."""
_LABEL_REACH = 12.0
"""Type sizes from a label to what is typed beside it."""
_LEADER = re.compile(r"[._…\s-]*")
_PARTS = re.compile(r"[^\W_]+")


def with_form_words(
    words: Sequence[TextWord], form: PageForm, scale: float
) -> tuple[list[TextWord], list[Comment], list[BBox]]:
    """The words of a page with the values of its fields, the comments that are no part of its text, where others are.

    A text that is typed beside or upon the blank of a printed form is part of it.

    Args:
        words: Of the page, those of the fields' appearances among them.
        form: The fields and comments.
        scale: Pixels per point.
    """
    kept = list(words)
    added: list[TextWord] = []
    for n, field in enumerate(form.fields):
        text = field_text(field)
        if text is None:
            continue
        size = form.sizes.get(n, 0.0)
        kept, more = _replaced(kept, field, text, size, n in form.multiline, scale)
        added += more
    comments: list[Comment] = []
    typed_boxes: list[BBox] = []
    for comment in form.comments:
        shown = [word for word in kept if _within(word.bbox, comment.bbox)]
        typed = comment.text.split() if comment.kind == "FreeText" else ()
        own = [word for word in shown if word.text in typed]
        if comment.kind == "FreeText" and _fills_in(comment.bbox, kept, shown, own):
            typed_boxes.append(comment.bbox)
            added += [] if own else _laid_out(comment.text, comment.bbox, 0.0, True, scale)
        else:
            kept = _without(kept, own)
            comments.append(comment)
    return [*kept, *added], comments, typed_boxes


def _fills_in(
    box: BBox, words: Sequence[TextWord], shown: Sequence[TextWord], own: Sequence[TextWord]
) -> bool:
    """Whether a typed text stands on a blank line or right of a label."""
    mine = {id(word) for word in own}
    if any(id(word) not in mine and _LEADER.fullmatch(word.text) for word in shown):
        return True
    middle = box.center[1]
    left = [w for w in words if id(w) not in mine and w.bbox.y0 < middle < w.bbox.y1 and w.bbox.x1 < box.x1]
    nearest = max(left, key=lambda word: word.bbox.x1, default=None)
    if nearest is None or box.height > _ONE_LINE * nearest.size:
        return False
    return nearest.text.endswith((":", "_", "…")) and box.x0 - nearest.bbox.x1 < _LABEL_REACH * nearest.size


def field_text(field: FormField) -> str | None:
    """What a field says on paper; None for one whose look says all: a button, a signature, a password."""
    if isinstance(field.value, bool):
        return BOXES[field.type, field.value]
    if field.value is None or field.type in ("button", "signature"):
        return None
    return field.value if isinstance(field.value, str) else ", ".join(field.value)


def _replaced(
    words: list[TextWord], field: FormField, text: str, size: float, multiline: bool, scale: float
) -> tuple[list[TextWord], list[TextWord]]:
    """The words without what a field's appearance shows, and the words of its value instead."""
    shown = [word for word in words if _within(word.bbox, field.bbox)]
    if isinstance(field.value, bool):
        return _without(words, [word for word in shown if len(word.text) <= 2]), _laid_out(
            text, field.bbox, size, False, scale
        )
    if field.type == "list":
        known = {part for option in field.options for part in _PARTS.findall(option)}
        shown = [word for word in shown if set(_PARTS.findall(word.text)) <= known]
        return _without(words, shown), _laid_out(text, field.bbox, size, True, scale)
    if _squeezed(" ".join(word.text for word in shown)) == _squeezed(text) and not _in_pieces(shown, text):
        return words, []
    gone = [word for word in shown if _squeezed(word.text) in _squeezed(text) or _LEADER.fullmatch(word.text)]
    return (_without(words, gone) if text.strip() else words), _laid_out(
        text, field.bbox, size, multiline, scale
    )


def _in_pieces(shown: Sequence[TextWord], text: str) -> bool:
    """Whether the letters stand apart, one to a box."""
    return len(shown) > len(text.split())


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _without(words: Sequence[TextWord], gone: Sequence[TextWord]) -> list[TextWord]:
    ids = {id(word) for word in gone}
    return [word for word in words if id(word) not in ids]


def _within(box: BBox, field: BBox) -> bool:
    x, y = box.center
    return field.x0 <= x <= field.x1 and field.y0 <= y <= field.y1


def _laid_out(text: str, box: BBox, size: float, multiline: bool, scale: float) -> list[TextWord]:
    """Words of a text set into a box, in one line or in as many as it takes."""
    lines = [line.split() for line in text.split("\n") if line.strip()]
    if text in BOXES.values():
        lines = [[text]]
    room = box.height / max(1, len(lines)) if multiline else box.height
    size = min(size or _USUAL_SIZE * scale, _FILLED * room) or 1.0
    y = box.y0 if multiline else box.center[1] - size / 2
    found: list[TextWord] = []
    for line in lines:
        x = box.x0
        for part in line:
            width = _ADVANCE * size * len(part)
            if multiline and x > box.x0 and x + width > box.x1:
                x, y = box.x0, y + _LINE_STEP * size
            right = min(x + width, box.x1) if text in BOXES.values() else x + width
            found.append(TextWord(part, BBox(x0=x, y0=y, x1=right, y1=y + size), size=size))
            x += width + _ADVANCE * size / 2
        y += _LINE_STEP * size
    return found
