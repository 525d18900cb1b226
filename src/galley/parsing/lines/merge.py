"""Pieces of a line that stand side by side, as one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from galley.document import BBox
from galley.drafters.bidi import in_reading_order
from galley.drafters.line import TextLine
from galley.geometry import rows


def merge_rows(lines: Sequence[TextLine]) -> list[TextLine]:
    """One line per row: fragments side by side joined by a space, from left to right."""
    return [merge_pieces([lines[i] for i in row]) for row in rows([line.bbox for line in lines])]


def merge_pieces(parts: Sequence[TextLine]) -> TextLine:
    """Pieces side by side, from left to right, as one line."""
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    parts = in_reading_order(parts)
    bbox = BBox.around(part.bbox for part in parts)
    known = [(part.confidence, len(part.text)) for part in parts if part.confidence is not None]
    weight = sum(length for _, length in known)
    return replace(
        first,
        text=" ".join(part.text for part in parts),
        bbox=bbox,
        confidence=sum(value * length for value, length in known) / weight if weight else None,
        words=[word for part in parts for word in part.words] if all(part.words for part in parts) else [],
        size=max(part.size for part in parts),
        bold=all(part.bold for part in parts),
        italic=all(part.italic for part in parts),
        mono=all(part.mono for part in parts),
        char_frames=None,
        features=None,
    )
