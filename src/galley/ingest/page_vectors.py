"""What a page draws with straight lines: ruling lines and filled rectangles, exact as its file has them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox


def _no_boxes() -> NDArray[np.float64]:
    return np.zeros((0, 4))


def _no_colours() -> NDArray[np.uint8]:
    return np.zeros((0, 3), np.uint8)


@dataclass(frozen=True)
class PageVectors:
    """Rules and fills that can be seen, in page-image pixels, y down, in drawing order.

    rules: (m, 4) ``x0, y0, x1, y1`` of horizontal and vertical lines, as thick as they are drawn; dots and dashes in
    a row are one. rule_colours: (m, 3), red, green and blue. fills: (k, 4) filled rectangles thicker than a line.
    fill_colours: (k, 3). complete: whether the page's paths were all read; a drawing of many thousands is not.
    """

    rules: NDArray[np.float64] = field(default_factory=_no_boxes)
    rule_colours: NDArray[np.uint8] = field(default_factory=_no_colours)
    fills: NDArray[np.float64] = field(default_factory=_no_boxes)
    fill_colours: NDArray[np.uint8] = field(default_factory=_no_colours)
    complete: bool = True

    @property
    def horizontal(self) -> NDArray[np.bool_]:
        """(m,), which of the rules are wider than high."""
        return self.rules[:, 2] - self.rules[:, 0] >= self.rules[:, 3] - self.rules[:, 1]

    def taken(self, rules: NDArray[np.bool_], fills: NDArray[np.bool_]) -> PageVectors:
        """Those of the rules and fills that the masks, (m,) and (k,), keep."""
        return replace(
            self,
            rules=self.rules[rules],
            rule_colours=self.rule_colours[rules],
            fills=self.fills[fills],
            fill_colours=self.fill_colours[fills],
        )

    def within(self, box: BBox) -> PageVectors:
        """What meets a box."""
        return self.taken(_meet(self.rules, box), _meet(self.fills, box))


def _meet(boxes: NDArray[np.float64], box: BBox) -> NDArray[np.bool_]:
    return (
        (boxes[:, 0] <= box.x1) & (boxes[:, 2] >= box.x0) & (boxes[:, 1] <= box.y1) & (boxes[:, 3] >= box.y0)
    )
