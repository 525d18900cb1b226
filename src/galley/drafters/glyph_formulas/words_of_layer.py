"""The words of a text layer with the mathematics in them as LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox
from galley.document.spans import PLAIN, CharStyle
from galley.drafters.glyph_formulas.inline import ASCENT, DESCENT, InlineFormula, inline_formulas
from galley.ingest.page import TextWord
from galley.ingest.page_glyphs import PageGlyphs


def with_inline_formulas(words: Sequence[TextWord], glyphs: PageGlyphs) -> list[TextWord]:
    """The words in their order; those that hold inline mathematics of the page say so in ``latex``.

    A formula over several words becomes a part of the one where it begins, at the height of its line. Words whose
    characters' boxes are unknown stay.
    """
    formulas = inline_formulas(glyphs)
    if not formulas:
        return list(words)
    owners = _owners(words, formulas)
    begins = _begins(words, owners, len(formulas))
    signs = [""] * len(formulas)
    for word, own in zip(words, owners, strict=True):
        for place in np.flatnonzero(own >= 0):
            signs[own[place]] += word.text[place]
    found = []
    for number, (word, own) in enumerate(zip(words, owners, strict=True)):
        kept = word if (own < 0).all() else _marked(number, word, own, formulas, signs, begins)
        found += [kept] if kept is not None else []
    return found


def _owners(words: Sequence[TextWord], formulas: Sequence[InlineFormula]) -> list[NDArray[np.int64]]:
    """For each word the number of the formula that each of its characters belongs to, -1 for those of none."""
    lengths = [len(word.text) if _is_known(word) else 0 for word in words]
    boxes = [word.char_boxes for word in words if _is_known(word) and word.char_boxes is not None]
    owner = np.full(sum(lengths), -1, dtype=np.int64)
    if len(owner):
        corners = np.concatenate(boxes)
        centres = (corners[:, :2] + corners[:, 2:]) / 2
        for number, formula in enumerate(formulas):
            inside = np.zeros(len(centres), dtype=bool)
            for x0, y0, x1, y1 in formula.parts:
                inside |= ((centres >= (x0, y0)) & (centres <= (x1, y1))).all(axis=1)
            owner[inside] = number
    parted = np.split(owner, np.cumsum(lengths)[:-1]) if lengths else []
    return [own if len(own) else np.full(len(word.text), -1) for own, word in zip(parted, words, strict=True)]


def _is_known(word: TextWord) -> bool:
    return word.char_boxes is not None and len(word.char_boxes) == len(word.text)


def _begins(
    words: Sequence[TextWord], owners: Sequence[NDArray[np.int64]], count: int
) -> list[tuple[int, int]]:
    """For each formula the word and the character of it that stand furthest to the left."""
    least = np.full(count, np.inf)
    found = [(-1, -1)] * count
    for number, (word, own) in enumerate(zip(words, owners, strict=True)):
        for place in np.flatnonzero(own >= 0):
            assert word.char_boxes is not None
            if word.char_boxes[place, 0] < least[own[place]]:
                least[own[place]] = word.char_boxes[place, 0]
                found[own[place]] = number, int(place)
    return found


def _marked(
    number: int,
    word: TextWord,
    own: NDArray[np.int64],
    formulas: Sequence[InlineFormula],
    signs: Sequence[str],
    begins: Sequence[tuple[int, int]],
) -> TextWord | None:
    """A word with the formulas that begin in it whole and without the rest of others; None where nothing is left."""
    assert word.char_boxes is not None
    text, latex, boxes = "", "", []
    styles: list[CharStyle] = []
    for place, (char, formula) in enumerate(zip(word.text, own, strict=True)):
        if formula < 0:
            text, latex = text + char, latex + char
            styles.append(word.styles[place] if word.styles else PLAIN)
            boxes.append(word.char_boxes[place : place + 1])
        elif begins[formula] == (number, place):
            text, latex = text + signs[formula], f"{latex}${formulas[formula].latex}$"
            styles += [PLAIN] * len(signs[formula])
            boxes.append(_even_boxes(formulas[formula], len(signs[formula])))
    if not text:
        return None
    placed = np.concatenate(boxes)
    x0, y0, x1, y1 = (float(v) for v in (*placed[:, :2].min(axis=0), *placed[:, 2:].max(axis=0)))
    bbox = BBox(x0=x0, y0=y0, x1=x1, y1=y1)
    kept = tuple(styles) if any(style != PLAIN for style in styles) else None
    return replace(word, text=text, latex=latex, char_boxes=placed, styles=kept, bbox=bbox)


def _even_boxes(formula: InlineFormula, count: int) -> NDArray[np.float32]:
    """(count, 4): the stretch of the line that a formula takes, cut into equal widths."""
    left, right = formula.parts[:, 0].min(), formula.parts[:, 2].max()
    edges = np.linspace(left, right, count + 1, dtype=np.float32)
    y0, y1 = formula.base - ASCENT * formula.size, formula.base + DESCENT * formula.size
    return np.stack([edges[:-1], np.full(count, y0), edges[1:], np.full(count, y1)], axis=1).astype(
        np.float32
    )
