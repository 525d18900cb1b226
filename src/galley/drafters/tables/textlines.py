"""Lines of text across a table: pieces whose heights agree, top to bottom."""

from __future__ import annotations

from galley.drafters.tables.pieces import Piece

TALL = 2.2
"""Pieces taller than this many text heights are turned or large; they make no lines of their own beside
others."""


def text_lines(pieces: list[Piece], em: float) -> list[list[Piece]]:
    """Pieces grouped by height, top to bottom; in a line, left to right.

    A piece joins the line whose middle is within 0.45 of the smaller height; so a label centred between two
    rows stays by itself.
    """
    lines: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: piece.middle):
        if lines and abs(_middle(lines[-1]) - piece.middle) < 0.45 * min(em, max(piece.height, 0.5 * em)):
            lines[-1].append(piece)
        else:
            lines.append([piece])
    for line in lines:
        line.sort(key=lambda piece: piece.x0)
    return lines


def is_tall(piece: Piece, em: float) -> bool:
    """True for a piece too tall to stand in one line with others."""
    return piece.height > TALL * em


def _middle(line: list[Piece]) -> float:
    return sum(piece.middle for piece in line) / len(line)
