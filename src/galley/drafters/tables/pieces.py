"""Words of a table and the pieces they make: runs of words on one line with no column gap between them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from galley.document import BBox
from galley.drafters.bidi import in_reading_order, is_leftward
from galley.drafters.line import TextLine, Word
from galley.drafters.tables.rulings import Ruling

JOIN = 0.6
"""Widest space between words of one piece, in text heights."""


@dataclass
class Piece:
    """Words that belong together, left to right, and the box around them."""

    words: list[Word]
    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def text(self) -> str:
        """The words in the order they are read in, joined by spaces."""
        return " ".join(word.text for word in in_reading_order(self.words))

    @property
    def middle(self) -> float:
        """Height of the centre."""
        return (self.y0 + self.y1) / 2

    @property
    def height(self) -> float:
        """In pixels."""
        return self.y1 - self.y0


def words_of(lines: list[TextLine]) -> list[list[Word]]:
    """Each line's words with usable boxes; a line without word boxes is cut in proportion to its characters."""
    return [words for line in lines if (words := _words(line))]


def unplaced_text(lines: list[TextLine]) -> list[str]:
    """Text of lines whose boxes are no boxes, which no geometry can place."""
    return [" ".join(line.text.split()) for line in lines if line.text.strip() and not _usable(line.bbox)]


def _words(line: TextLine) -> list[Word]:
    if not line.text.strip() or not _usable(line.bbox):
        return []
    known = [word for word in line.words if word.text.strip() and _usable(word.bbox)]
    same = "".join(word.text for word in known).replace(" ", "") == "".join(line.text.split())
    return known if known and same else _split(line)


def _usable(box: BBox) -> bool:
    return all(math.isfinite(v) for v in (box.x0, box.y0, box.x1, box.y1))


def _split(line: TextLine) -> list[Word]:
    """The line's words, boxes shared out by character count; a tall box is turned text and stays whole."""
    box, texts = line.bbox, line.text.split()
    if box.height > box.width or len(texts) == 1:
        return [Word(" ".join(texts), box)]
    total = sum(len(text) for text in texts) + len(texts) - 1
    step, at, words = box.width / total, box.x0, []
    for text in texts[::-1] if is_leftward(line.text) else texts:
        words.append(Word(text, BBox(x0=at, y0=box.y0, x1=at + step * len(text), y1=box.y1)))
        at += step * (len(text) + 1)
    return words


def text_height(words: list[list[Word]]) -> float:
    """Median height of the words in pixels, at least 4; turned words count by their width."""
    sizes = [
        min(w.bbox.height, max(w.bbox.width, 1.0)) if len(w.text) > 1 else w.bbox.height
        for ws in words
        for w in ws
    ]
    sizes = [size for size in sizes if size > 0]
    return max(4.0, float(np.median(sizes))) if sizes else 12.0


def cut_pieces(words: list[list[Word]], em: float, rules: list[Ruling]) -> list[Piece]:
    """Pieces of each line, cut at spaces wider than ``JOIN`` and at vertical ``rules``."""
    pieces: list[Piece] = []
    for line in words:
        run: list[Word] = []
        for word in sorted(line, key=lambda word: word.bbox.x0):
            if run and _apart(run[-1].bbox, word.bbox, em, rules):
                pieces.append(piece_of(run))
                run = []
            run.append(word)
        pieces.append(piece_of(run))
    return pieces


def _apart(left: BBox, right: BBox, em: float, rules: list[Ruling]) -> bool:
    height = min(left.height, right.height)
    wide = right.x0 - left.x1 > JOIN * max(em, 0.8 * height)
    (a, y), (b, _) = left.center, right.center
    slack = 0.3 * em
    return wide or any(
        max(a, left.x1 - slack) < rule.position < min(b, right.x0 + slack)
        and rule.start <= y <= rule.end
        # Strokes of large letters are shorter than the line.
        and rule.length > 0.8 * height
        for rule in rules
    )


def piece_of(words: list[Word]) -> Piece:
    """A piece around words given left to right."""
    boxes = [word.bbox for word in words]
    return Piece(
        words,
        min(b.x0 for b in boxes),
        min(b.y0 for b in boxes),
        max(b.x1 for b in boxes),
        max(b.y1 for b in boxes),
    )
