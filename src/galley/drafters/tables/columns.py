"""Where columns begin and end: vertical rules, and white space that runs through the lines of text."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from galley.drafters.tables.pieces import Piece
from galley.drafters.tables.rulings import Ruling


@dataclass(frozen=True)
class Gap:
    """A column boundary: no text of one column lies between ``left`` and ``right``.

    ``ruled`` when a rule marks it.
    """

    left: float
    right: float
    ruled: bool = False

    @property
    def middle(self) -> float:
        """Half way between its sides, x in pixels."""
        return (self.left + self.right) / 2


def ruled_columns(rules: list[Ruling], stops: list[float], em: float) -> list[Gap]:
    """One boundary for each group of vertical rules within a text height.

    stops: heights of horizontal rules, bands and the table's edges. Rules of less than three text heights count
    only where they run from stop to stop; others are strokes of letters.
    """
    groups: list[list[Ruling]] = []
    for rule in sorted(rules, key=lambda rule: rule.position):
        if groups and rule.position - groups[-1][-1].position < 0.6 * em:
            groups[-1].append(rule)
        else:
            groups.append([rule])
    kept = [
        group for group in groups if covered(group) >= 3 * em or any(_stopped(r, stops, em) for r in group)
    ]
    return [Gap(min(r.position for r in g), max(r.position for r in g), ruled=True) for g in kept]


def _stopped(rule: Ruling, stops: list[float], em: float) -> bool:
    return all(any(abs(end - stop) < 0.5 * em for stop in stops) for end in (rule.start, rule.end))


def covered(rules: list[Ruling]) -> float:
    """Length that at least one of the rules covers."""
    total, end = 0.0, -np.inf
    for rule in sorted(rules, key=lambda rule: rule.start):
        total += max(0.0, rule.end - max(rule.start, end))
        end = max(end, rule.end)
    return total


def white_columns(lines: list[list[Piece]], left: float, right: float, em: float, share: float) -> list[Gap]:
    """Boundaries made by white space between ``left`` and ``right``.

    lines: pieces by line of text. em: text height. share: of the lines with text on both sides of a
    boundary, how many must keep it free, 0 to 1. Pieces that cross a well-supported gap (a heading over
    several columns) are then set aside, so that a column only few lines use is still found.
    """
    inside = [[p for p in line if left <= (p.x0 + p.x1) / 2 < right] for line in lines]
    inside = [line for line in inside if line]
    if len(inside) == 0:
        return []
    strong = _gaps(inside, left, right, em, share)
    plain = [[p for p in line if not any(_crosses(p, gap) for gap in strong)] for line in inside]
    plain = [line for line in plain if line]
    clear = _gaps(plain, left, right, em, 1.0)
    narrow = [gap for gap in strong if not any(g.left < gap.right and gap.left < g.right for g in clear)]
    return _without_strays(sorted([*clear, *narrow], key=lambda gap: gap.left), plain)


def _crosses(piece: Piece, gap: Gap) -> bool:
    return piece.x0 < gap.left and piece.x1 > gap.right


def _gaps(lines: list[list[Piece]], left: float, right: float, em: float, share: float) -> list[Gap]:
    size = max(1, int(np.ceil(right - left)))
    crossing = np.zeros(size)
    both = np.zeros(size)
    for line in lines:
        crossing += _inked(line, left, size)
        both += _between(line, left, size)
    used = np.nonzero(crossing)[0]
    if len(used) == 0:
        return []
    free = crossing <= (1.0 - share) * np.maximum(both, 1.0) + 1e-9
    free &= (both > 0) | (crossing == 0)
    free[: used[0]] = free[used[-1] + 1 :] = False
    return [
        Gap(left + a, left + b)
        for a, b in _runs_of(free)
        if b - a >= _narrowest(_support(lines, left + a, left + b), len(lines)) * em
    ]


def _support(lines: list[list[Piece]], left: float, right: float) -> int:
    """Lines that speak for a boundary.

    Those with text on both sides, or the fewer of those that end before it and those that start after it, whichever
    is more.
    """
    before = [any(piece.x1 <= left + 1 for piece in line) for line in lines]
    after = [any(piece.x0 >= right - 1 for piece in line) for line in lines]
    return max(sum(a and b for a, b in zip(before, after, strict=True)), min(sum(before), sum(after)))


def _narrowest(support: int, lines: int) -> float:
    """Least width of a gap in text heights: the more lines agree, the less it can be chance."""
    if support <= 1 or lines <= 1:
        return 0.9
    return 0.7 if support <= 3 else 0.35


def _inked(line: list[Piece], left: float, size: int) -> NDArray[np.bool_]:
    mask = np.zeros(size, dtype=bool)
    for piece in line:
        mask[max(0, int(piece.x0 - left)) : max(0, int(np.ceil(piece.x1 - left)))] = True
    return mask


def _between(line: list[Piece], left: float, size: int) -> NDArray[np.bool_]:
    """True from the line's first piece to its last."""
    mask = np.zeros(size, dtype=bool)
    mask[max(0, int(min(p.x0 for p in line) - left)) : max(0, int(max(p.x1 for p in line) - left))] = True
    return mask


def _runs_of(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    edges = np.nonzero(np.diff(mask.astype(np.int8), prepend=0, append=0))[0]
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _without_strays(gaps: list[Gap], lines: list[list[Piece]]) -> list[Gap]:
    """Gaps without the columns that only one line uses, and uses *instead of* both neighbours.

    A heading set over the middle of two columns is no column.
    """
    kept = list(gaps)
    while len(lines) >= 4:
        bounds = [-np.inf, *(gap.middle for gap in kept), np.inf]
        use = np.array([[_uses(line, a, b) for a, b in pairwise(bounds)] for line in lines])
        stray = next((c for c in range(1, len(kept)) if _is_stray(use, c)), None)
        if stray is None:
            break
        kept[stray - 1 : stray + 1] = [Gap(kept[stray - 1].left, kept[stray].right)]
    return kept


def _uses(line: list[Piece], left: float, right: float) -> bool:
    return any(left < (p.x0 + p.x1) / 2 <= right for p in line)


def _is_stray(use: NDArray[np.bool_], c: int) -> bool:
    rows = np.nonzero(use[:, c])[0]
    return len(rows) == 1 and not use[rows[0], c - 1] and not use[rows[0], c + 1]
