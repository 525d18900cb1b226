"""Boxes of ink."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce


@dataclass(frozen=True)
class Box:
    """x0, y0, x1, y1 in pixels, y down."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """Pixels from left to right."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Pixels from top to bottom."""
        return self.y1 - self.y0

    @property
    def x(self) -> float:
        """Middle from left to right."""
        return (self.x0 + self.x1) / 2

    @property
    def y(self) -> float:
        """Middle from top to bottom."""
        return (self.y0 + self.y1) / 2

    @property
    def is_flat(self) -> bool:
        """Whether the box is as flat as a bar."""
        return self.width > 3 * self.height

    def union(self, other: Box) -> Box:
        """The box around both."""
        return Box(
            min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1)
        )

    def overlap_x(self, other: Box) -> float:
        """Pixels that both share from left to right, negative where they are apart."""
        return min(self.x1, other.x1) - max(self.x0, other.x0)

    def overlap_y(self, other: Box) -> float:
        """Pixels that both share from top to bottom, negative where they are apart."""
        return min(self.y1, other.y1) - max(self.y0, other.y0)

    def holds(self, other: Box) -> bool:
        """Whether the other's centre lies in this box."""
        return self.x0 <= other.x and other.x <= self.x1 and self.y0 <= other.y and other.y <= self.y1


def hull(boxes: Iterable[Box]) -> Box:
    """The box around all of at least one."""
    return reduce(Box.union, boxes)


def column_spans(boxes: Iterable[Box], gap: float) -> list[tuple[float, float]]:
    """Spans of x parted where nothing stands for ``gap`` pixels, in order."""
    spans: list[tuple[float, float]] = []
    for box in sorted(boxes, key=lambda box: box.x0):
        if spans and box.x0 < spans[-1][1] + gap:
            spans[-1] = spans[-1][0], max(spans[-1][1], box.x1)
        else:
            spans.append((box.x0, box.x1))
    return spans
