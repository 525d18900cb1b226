"""What the readers of draft files share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from galley.document import BBox, Block, Label, Line

NOWHERE = BBox(x0=0, y0=0, x1=0, y1=0)


def number(text: object, default: float = 0.0) -> float:
    """A finite number, or the default."""
    try:
        value = float(text)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return default
    return value if math.isfinite(value) else default


def box(values: object) -> BBox:
    """A box from four numbers ``x0, y0, x1, y1``; ``NOWHERE`` for anything else."""
    if not isinstance(values, Sequence) or isinstance(values, str) or len(values) != 4:
        return NOWHERE
    x0, y0, x1, y1 = (number(value) for value in values)
    return BBox(x0=min(x0, x1), y0=min(y0, y1), x1=max(x0, x1), y1=max(y0, y1))


def union(lines: Sequence[Line]) -> BBox:
    """The box around lines that have one."""
    boxes = [line.bbox for line in lines if line.bbox != NOWHERE]
    return BBox.around(boxes) if boxes else NOWHERE


def mean_confidence(lines: Sequence[Line]) -> float | None:
    """Mean confidence of the lines weighted by their lengths."""
    known = [(line.confidence, max(1, len(line.text))) for line in lines if line.confidence is not None]
    total = sum(weight for _, weight in known)
    return min(1.0, sum(value * weight for value, weight in known) / total) if total else None


def text_block(lines: Sequence[Line], label: Label = Label.TEXT, bbox: BBox = NOWHERE) -> Block:
    """A block of lines, one line of the file to a line of content."""
    return Block(
        label=label,
        bbox=bbox if bbox != NOWHERE else union(lines),
        content="\n".join(line.text for line in lines),
        confidence=mean_confidence(lines),
        source="file",
        lines=list(lines),
    )
