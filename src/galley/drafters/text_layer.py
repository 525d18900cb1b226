"""The PDF's own text layer as a drafter: words in content order to lines of text."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox
from galley.drafters.bidi import in_reading_order, is_leftward
from galley.drafters.glyph_formulas.words_of_layer import with_inline_formulas
from galley.drafters.line import TextLine, Word
from galley.drafters.small_caps import with_drawn_capitals, with_small_caps
from galley.drafters.superscript import styles_of, with_superscripts
from galley.geometry import overlap_x, overlap_y
from galley.ingest.page import TextLayer, TextWord

# In font sizes:
WORD_GAP = 1.0
"""White space wider than that parts columns and table cells rather than words."""
TOUCHING = (-0.3, 0.06)
"""Words this close touch: no space, however narrow it is set, lies between them."""
MOST_BACKWARDS = 0.5
"""How far a word may begin before the end of the one it follows."""
# Ratios:
DROP_CAP = 1.7
"""How much larger than the text a drop cap is at least."""
SAME_ROW = 0.4
"""Shared height of two words on one line, as a part of the smaller height."""
RAISED = 0.15
"""Part of its height by which a word's lower edge is above that of a raised mark's neighbour."""


def text_layer_lines(layer: TextLayer) -> list[TextLine]:
    """Lines of the layer, top to bottom of its content order; every word occurs in exactly one line.

    Words side by side with ordinary spacing make a line. A wider gap (columns, table cells) starts a new one.
    """
    chains: list[list[TextWord]] = []
    words = with_drawn_capitals(layer.words)
    words = words if layer.glyphs is None else with_inline_formulas(words, layer.glyphs)
    for word in words:
        if not word.text.strip():
            continue
        if chains and _follows(chains[-1], word):
            chains[-1].append(word)
        else:
            chains.append([word])
    return [_line(chain) for chain in _join(chains)]


def _size(word: TextWord) -> float:
    return word.size or word.bbox.height


def _is_horizontal(word: TextWord) -> bool:
    """False for words set along the page's side: their characters advance up or down."""
    boxes = word.char_boxes
    if boxes is None or len(boxes) < 2:
        return len(word.text) < 3 or word.bbox.height < 2.5 * word.bbox.width
    advance = (boxes[-1, :2] + boxes[-1, 2:] - boxes[0, :2] - boxes[0, 2:]) / 2
    return bool(abs(advance[0]) >= abs(advance[1]))


def _follows(chain: Sequence[TextWord], word: TextWord) -> bool:
    last = chain[-1]
    if _is_horizontal(last) != _is_horizontal(word):
        return False
    size = max(_size(last), _size(word))
    if not _is_horizontal(word):
        above = last.bbox.y0 - word.bbox.y1
        below = word.bbox.y0 - last.bbox.y1
        return (
            overlap_x(last.bbox, word.bbox) > 0.5
            and -MOST_BACKWARDS * size < max(above, below) < WORD_GAP * size
        )
    if _is_initial(last, word):
        return False
    gap = word.bbox.x0 - last.bbox.x1
    anchor = max(chain, key=_size)
    same_row = max(overlap_y(last.bbox, word.bbox), overlap_y(anchor.bbox, word.bbox)) > SAME_ROW
    return same_row and -MOST_BACKWARDS * size < gap < WORD_GAP * size


def _is_initial(letter: TextWord, word: TextWord) -> bool:
    """Whether a letter set much larger than the word after it stands beside several lines.

    It is a line of its own until all lines are known.
    """
    return len(letter.text) <= 2 and letter.text[-1].isupper() and _size(letter) > DROP_CAP * _size(word)


def _join(chains: list[list[TextWord]]) -> list[list[TextWord]]:
    """Chains that sit side by side though the file draws other text between them become one."""
    if not chains:
        return []
    starts = np.array([[c[0].bbox.x0, c[0].bbox.y0, c[0].bbox.y1] for c in chains])
    successor: dict[int, int] = {}
    taken: set[int] = set()
    for i, chain in enumerate(chains):
        if not _is_horizontal(chain[-1]):
            continue
        for j in _near(chain, starts):
            # Links run to the right, or back by less than half a type size: a ring would have to run back.
            if (
                j != i
                and j not in taken
                and starts[j, 0] > chain[0].bbox.x0
                and _follows(chain, chains[j][0])
            ):
                successor[i] = j
                taken.add(j)
                break
    return [_linked(chains, successor, i) for i in range(len(chains)) if i not in taken]


def _near(chain: Sequence[TextWord], starts: NDArray[np.float64]) -> list[int]:
    """Chains that may follow, nearest first.

    Args:
        chain: The words so far.
        starts: (n, 3) x0, y0, y1 of each chain's first word.
    """
    last = chain[-1].bbox
    reach = 2 * max(_size(chain[-1]), last.height)
    gap = starts[:, 0] - last.x1
    near = (np.abs(gap) < reach) & (starts[:, 1] < last.y1) & (starts[:, 2] > last.y0)
    found = np.flatnonzero(near)
    return [int(j) for j in found[np.argsort(np.abs(gap[found]), kind="stable")]]


def _linked(chains: list[list[TextWord]], successor: dict[int, int], at: int) -> list[TextWord]:
    words = list(chains[at])
    while at in successor:
        at = successor[at]
        words += chains[at]
    return words


def _line(words: list[TextWord]) -> TextLine:
    if _is_horizontal(words[0]):
        words = in_reading_order(with_small_caps(with_superscripts(_glued(words))))
    letters = sum(len(word.text) for word in words)

    def mostly(name: str) -> bool:
        return 2 * sum(len(word.text) for word in words if getattr(word, name)) > letters

    sizes = sorted((_size(word), len(word.text)) for word in words)
    return TextLine(
        text=" ".join(word.text for word in words),
        bbox=BBox.around(word.bbox for word in words),
        source="pdf-text",
        words=[_plain_word(word) for word in words],
        size=_weighted_median(sizes),
        bold=mostly("bold"),
        italic=mostly("italic"),
        mono=mostly("mono"),
    )


def _plain_word(word: TextWord) -> Word:
    if word.styles is None or len(word.styles) != len(word.text):
        return Word(word.text, word.bbox, word.latex)
    return Word(word.text, word.bbox, word.latex, word.styles, word.char_boxes)


def _glued(words: Sequence[TextWord]) -> list[TextWord]:
    """Words that touch made one: PDFium ends a word where the baseline changes (``Edgar[1],``)."""
    glued: list[TextWord] = []
    for word in words:
        if glued and _touches(glued[-1], word):
            glued[-1] = _merged(glued[-1], word)
        else:
            glued.append(word)
    return glued


def _touches(left: TextWord, right: TextWord) -> bool:
    if unicodedata.category(left.text[0]) == "Mn":  # points of the letters of a word that ends there
        return left.bbox.x1 > right.bbox.x0
    size = max(_size(left), _size(right))
    gap = (right.bbox.x0 - left.bbox.x1) / max(1e-6, size)
    # A raised mark before a word, as before the address of an author, is no part of the word.
    mark = right.text[0].isalpha() and left.bbox.y1 < right.bbox.y1 - RAISED * right.bbox.height
    return TOUCHING[0] < gap < TOUCHING[1] and not mark


def _merged(left: TextWord, right: TextWord) -> TextWord:
    longer = left if len(left.text) >= len(right.text) else right
    if is_leftward(longer.text):
        left, right = right, left
    known = left.char_boxes is not None and right.char_boxes is not None
    boxes = np.concatenate([left.char_boxes, right.char_boxes]) if known else None
    latex = None
    if left.latex is not None or right.latex is not None:
        latex = "".join(word.text if word.latex is None else word.latex for word in (left, right))
    styles = None
    if left.styles is not None or right.styles is not None:
        styles = tuple(style for word in (left, right) for style in styles_of(word))
    bbox = left.bbox.union(right.bbox)
    return replace(
        longer, text=left.text + right.text, bbox=bbox, char_boxes=boxes, styles=styles, latex=latex
    )


def _weighted_median(pairs: list[tuple[float, int]]) -> float:
    half = sum(weight for _, weight in pairs) / 2
    for value, weight in pairs:
        half -= weight
        if half <= 0:
            return value
    return pairs[-1][0]
