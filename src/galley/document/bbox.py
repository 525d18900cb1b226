"""An axis-aligned box in pixels of a page's image."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from pydantic import BaseModel, ConfigDict


class Data(BaseModel):
    """Plain data that takes no fields but its own."""

    model_config = ConfigDict(extra="forbid")


class BBox(Data):
    """An axis-aligned box in pixels of the page image.

    Attributes:
        x0: left edge.
        y0: top edge.
        x1: right edge.
        y1: bottom edge.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """Width in pixels, at least 0."""
        return max(0.0, self.x1 - self.x0)

    @property
    def height(self) -> float:
        """Height in pixels, at least 0."""
        return max(0.0, self.y1 - self.y0)

    @property
    def area(self) -> float:
        """Area in square pixels."""
        return self.width * self.height

    @property
    def center(self) -> tuple[float, float]:
        """The centre, x and y in pixels."""
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    def intersection(self, other: BBox) -> float:
        """Area shared with ``other`` in square pixels."""
        w = min(self.x1, other.x1) - max(self.x0, other.x0)
        h = min(self.y1, other.y1) - max(self.y0, other.y0)
        return w * h if w > 0 and h > 0 else 0.0

    def iou(self, other: BBox) -> float:
        """Intersection over union with ``other``, 0 to 1."""
        shared = self.intersection(other)
        union = self.area + other.area - shared
        return shared / union if union > 0 else 0.0

    def inside(self, other: BBox) -> float:
        """Share of this box's area that lies in ``other``, 0 to 1."""
        return self.intersection(other) / self.area if self.area > 0 else 0.0

    def union(self, other: BBox) -> BBox:
        """The smallest box that holds this one and ``other``."""
        return BBox(
            x0=min(self.x0, other.x0),
            y0=min(self.y0, other.y0),
            x1=max(self.x1, other.x1),
            y1=max(self.y1, other.y1),
        )

    @classmethod
    def around(cls, boxes: Iterable[BBox]) -> BBox:
        """The smallest box that holds all ``boxes``, of which there is at least one."""
        return reduce(cls.union, boxes)

    def padded(self, by: float, width: float, height: float) -> BBox:
        """The box grown on each side and clipped to the page.

        Args:
            by: pixels to grow.
            width: width of the page in pixels.
            height: height of the page in pixels.
        """
        return BBox(
            x0=max(0.0, self.x0 - by),
            y0=max(0.0, self.y0 - by),
            x1=min(width, self.x1 + by),
            y1=min(height, self.y1 + by),
        )
