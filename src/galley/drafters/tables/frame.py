"""The columns and rows of a table: what rules say first, then what white space and the row model say."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from galley.drafters.tables.columns import Gap, covered, ruled_columns, white_columns
from galley.drafters.tables.pieces import Piece, piece_of
from galley.drafters.tables.rows import Placed, group_rows, is_figure, starts_row
from galley.drafters.tables.rulings import Ruling, Rulings
from galley.drafters.tables.separators import Separator, separators
from galley.drafters.tables.textlines import is_tall, text_lines

SHARE = 0.7
"""Of the lines that have text on both sides of a white gap, how many must keep it free."""
STRICT_SHARE = 0.9
"""The same inside a column that rules close on both sides, where white space is mostly wide word spacing."""


@dataclass
class Row:
    """A row: its pieces with the columns they touch, and its height range."""

    placed: list[Placed]
    top: float
    bottom: float

    @property
    def columns(self) -> set[int]:
        """Columns that its text touches."""
        return {c for line in self.placed for c in line.columns}


@dataclass
class Frame:
    """Column boundaries ``gaps`` (outer ones included) and rows top to bottom.

    closed: True when vertical rules and horizontal rules draw cells. separators: of the table; ``above[r]`` is the
    separator at the top of row r, None where white space alone parts it from row r − 1. loose: pieces that
    span rows.
    """

    gaps: list[Gap]
    rows: list[Row]
    above: list[Separator | None]
    closed: bool
    vertical: list[Ruling]
    loose: list[Piece] = field(default_factory=list)

    @property
    def cols(self) -> int:
        """Number of columns."""
        return len(self.gaps) - 1

    def core(self, c: int) -> tuple[float, float]:
        """Left and right end of what text may fill in column c."""
        return self.gaps[c].right, self.gaps[c + 1].left


@dataclass
class Outline:
    """What rules and white space tell before rows are decided.

    Column boundaries, separators, and the lines of text above, between and below the separators.
    """

    gaps: list[Gap]
    marks: list[Separator]
    closed: bool
    loose: list[Piece]
    stretches: list[list[Placed]]

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """Left and right end of what text may fill, by column."""
        return [(a.right, b.left) for a, b in pairwise(self.gaps)]


def outline(
    pieces: list[Piece], rulings: Rulings, box: tuple[float, float, float, float], em: float
) -> Outline:
    """Columns, separators and lines of a table in ``box`` (x0, y0, x1, y1); ``em`` is the text height in pixels."""
    low = [piece for piece in pieces if not is_tall(piece, em)]
    gaps = _columns(text_lines(low or pieces, em), rulings, box, em)
    narrowest = min((b.left - a.right for a, b in pairwise(gaps)), default=em)
    marks = _inner(separators(rulings, em, max(2.0 * em, 0.6 * narrowest)), box, em)
    closed = _is_closed(gaps, rulings.vertical, marks, pieces)
    _mark_joining(marks, gaps, closed)
    _unjoin_between_figures(marks, gaps, pieces, em)
    loose, normal = _loose(pieces, marks, gaps, em)
    return Outline(gaps, marks, closed, loose, _stretches(normal, marks, gaps, em))


def build_frame(
    pieces: list[Piece], rulings: Rulings, box: tuple[float, float, float, float], em: float
) -> Frame:
    """Columns and rows of a table in ``box`` (x0, y0, x1, y1); ``em`` is the text height in pixels."""
    plan = outline(pieces, rulings, box, em)
    rows, above = _rows(plan, box, em)
    return Frame(plan.gaps, rows, above, plan.closed, rulings.vertical, plan.loose)


def touched(piece: Piece, gaps: Sequence[Gap], em: float) -> tuple[int, int]:
    """First and last column that a piece reaches into by more than a stroke."""
    found = []
    for c in range(len(gaps) - 1):
        left, right = gaps[c].right, gaps[c + 1].left
        shared = min(piece.x1, right) - max(piece.x0, left)
        if shared > min(0.35 * em, 0.5 * max(1.0, right - left)):
            found.append(c)
    if found:
        return found[0], found[-1]
    center = (piece.x0 + piece.x1) / 2
    nearest = min(range(len(gaps) - 1), key=lambda c: abs((gaps[c].right + gaps[c + 1].left) / 2 - center))
    return nearest, nearest


def _columns(
    lines: list[list[Piece]], rulings: Rulings, box: tuple[float, float, float, float], em: float
) -> list[Gap]:
    x0, y0, x1, y1 = box
    stops = [y0, y1, *rulings.bands, *(rule.position for rule in rulings.horizontal)]
    ruled = ruled_columns(rulings.vertical, stops, em)
    left = min((p.x0 for line in lines for p in line), default=None)
    right = max((p.x1 for line in lines for p in line), default=None)
    first = _edge(ruled[:1], x0 if left is None else left, em, 1, left is None)
    last = _edge(ruled[-1:], x1 if right is None else right, em, -1, right is None)
    inner = [gap for gap in ruled if gap.middle - first.middle > em and last.middle - gap.middle > em]
    edges = [first, *inner, last]
    found: list[Gap] = [edges[0]]
    for a, b in pairwise(edges):
        share = STRICT_SHARE if a.ruled and b.ruled else SHARE
        found += [gap for gap in white_columns(lines, a.right, b.left, em, share) if _apart(gap, a, b, em)]
        found.append(b)
    return found


def _edge(outermost: list[Gap], text: float, em: float, side: int, blank: bool) -> Gap:
    """The outermost rule if no ``text`` lies beyond it or all is ``blank``, else the edge of the text.

    side: 1 left, -1 right.
    """
    for gap in outermost:
        if blank or side * (text - gap.middle) > -0.5 * em:
            return gap
    return Gap(text, text)


def _apart(gap: Gap, a: Gap, b: Gap, em: float) -> bool:
    return gap.left > a.right and gap.right < b.left


def _inner(marks: list[Separator], box: tuple[float, float, float, float], em: float) -> list[Separator]:
    return [mark for mark in marks if box[1] - em <= mark.y <= box[3] + em]


def _is_closed(gaps: list[Gap], vertical: list[Ruling], marks: list[Separator], pieces: list[Piece]) -> bool:
    """Whether rules draw the cells.

    They do when an inner vertical rule runs half the table's height and a horizontal rule parts the inside.
    """
    ys = [mark.y for mark in marks if mark.rules] + [y for piece in pieces for y in (piece.y0, piece.y1)]
    top, height = min(ys, default=0.0), max(1.0, max(ys, default=0.0) - min(ys, default=0.0))
    inner = [gap for gap in gaps[1:-1] if gap.ruled]
    runs = [
        covered([rule for rule in vertical if gap.left - 1 <= rule.position <= gap.right + 1]) / height
        for gap in inner
    ]
    inside = [mark for mark in marks if mark.rules and 0.1 * height < mark.y - top < 0.95 * height]
    return any(run >= 0.5 for run in runs) and bool(inside)


def _mark_joining(marks: list[Separator], gaps: list[Gap], closed: bool) -> None:
    """Tell the separators whose openings join cells.

    In a table of drawn cells all inner ones, else those that leave the same columns open again and again. A single
    rule under a heading over some columns joins nothing.
    """
    sides = [(a.middle, b.middle) for a, b in pairwise(gaps)]
    opened = [tuple(not mark.covers(*side) for side in sides) for mark in marks]
    for mark, open_here in zip(marks, opened, strict=True):
        inner = mark is not marks[0] and mark is not marks[-1]
        again = opened.count(open_here) > 1 and sum(open_here) <= len(sides) / 2
        mark.joins = inner and any(open_here) and (closed or again)


def _unjoin_between_figures(marks: list[Separator], gaps: list[Gap], pieces: list[Piece], em: float) -> None:
    """A separator joins nothing where it leaves a column open in which figures stand below each other.

    They are no single cell.
    """
    for above, mark, below in zip(marks, marks[1:], marks[2:], strict=False):
        if not mark.joins:
            continue
        heights: dict[tuple[int, int], list[float]] = {}
        for piece in pieces:
            if above.y < piece.middle < below.y and is_figure(piece):
                heights.setdefault(touched(piece, gaps, em), []).append(piece.middle)
        mark.joins = not any(
            max(found) - min(found) > 0.6 * em and not mark.covers(gaps[first].middle, gaps[last + 1].middle)
            for (first, last), found in heights.items()
            if first == last
        )


def _loose(
    pieces: list[Piece], marks: list[Separator], gaps: list[Gap], em: float
) -> tuple[list[Piece], list[Piece]]:
    """Pieces that belong to no single line of text, and the rest.

    They stand across a separator, are too tall for the row beside them, or stand in a cell that a separator above or
    below leaves open.
    """
    loose: list[Piece] = []
    normal: list[Piece] = []
    for piece in pieces:
        tall = is_tall(piece, em) and _has_row_beside(piece, pieces, em)
        out = tall or _stands_across(piece, marks) or _open_cell(piece, marks, gaps, em)
        (loose if out else normal).append(piece)
    return (loose, normal) if normal else ([], loose)


def _has_row_beside(piece: Piece, pieces: list[Piece], em: float) -> bool:
    """Whether text of usual height stands beside a tall piece; a title set large is a row of its own."""
    return any(
        min(piece.y1, other.y1) - max(piece.y0, other.y0) > 0.5 * other.height
        for other in pieces
        if not is_tall(other, em)
    )


def _stands_across(piece: Piece, marks: list[Separator]) -> bool:
    low, high = piece.y0 + 0.25 * piece.height, piece.y1 - 0.25 * piece.height
    return any(low < mark.y < high and mark.rules and not mark.covers(piece.x0, piece.x1) for mark in marks)


def _open_cell(piece: Piece, marks: list[Separator], gaps: list[Gap], em: float) -> bool:
    """True when the nearest separator above or below the piece leaves the piece's columns open."""
    first, last = touched(piece, gaps, em)
    left, right = gaps[first].middle, gaps[last + 1].middle
    above = [m for m in marks if m.y <= piece.middle]
    below = [m for m in marks if m.y > piece.middle]
    return any(mark.joins and not mark.covers(left, right) for mark in [*above[-1:], *below[:1]])


def _rows(
    plan: Outline, box: tuple[float, float, float, float], em: float
) -> tuple[list[Row], list[Separator | None]]:
    """Rows between separators; a stretch without text is a row only where closed cells show that it is meant."""
    odds = starts_row(plan.stretches, plan.bounds, em, plan.closed)
    ys = [box[1], *(mark.y for mark in plan.marks), box[3]]
    rows: list[Row] = []
    above: list[Separator | None] = []
    for i, (lines, mark) in enumerate(zip(plan.stretches, [None, *plan.marks], strict=True)):
        groups = group_rows(lines, odds[i])
        drawn = plan.closed and 0 < i < len(plan.marks) and ys[i + 1] - ys[i] >= 0.8 * em
        if groups or drawn:
            fresh = _stacked(groups, ys[i], ys[i + 1])
            rows += fresh
            above += [mark, *[None] * (len(fresh) - 1)]
    return rows, above


def _stretches(pieces: list[Piece], marks: list[Separator], gaps: list[Gap], em: float) -> list[list[Placed]]:
    """Lines of text above, between and below the separators."""
    inside: list[list[Piece]] = [[] for _ in range(len(marks) + 1)]
    heights = [mark.y for mark in marks]
    for piece in pieces:
        inside[bisect_right(heights, piece.middle)].append(piece)
    return [[place(line, gaps, em) for line in text_lines(stretch, em)] for stretch in inside]


def _stacked(groups: list[list[Placed]], top: float, bottom: float) -> list[Row]:
    """Rows from ``top`` to ``bottom``, cut half way between their texts; one empty row for no groups."""
    cuts = [(max(line.bottom for line in a) + min(line.top for line in b)) / 2 for a, b in pairwise(groups)]
    edges = [top, *cuts, bottom]
    return [Row(group, a, b) for group, a, b in zip(groups or [[]], edges, edges[1:], strict=False)]


def place(line: list[Piece], gaps: Sequence[Gap], em: float) -> Placed:
    """The line's pieces with the columns they touch; pieces that would share a column are cut at its edges."""
    spans = [touched(piece, gaps, em) for piece in line]
    clash = [
        any(i != j and a[0] <= b[1] and b[0] <= a[1] for j, b in enumerate(spans)) and a[0] < a[1]
        for i, a in enumerate(spans)
    ]
    pieces: list[Piece] = []
    for piece, cut in zip(line, clash, strict=True):
        pieces += _cut(piece, gaps, em) if cut else [piece]
    return Placed(pieces, [touched(piece, gaps, em) for piece in pieces])


def _cut(piece: Piece, gaps: Sequence[Gap], em: float) -> list[Piece]:
    """The piece word by word, neighbours in one column together."""
    parts: list[Piece] = []
    last: int | None = None
    for word in piece.words:
        column = touched(piece_of([word]), gaps, em)[0]
        if column == last:
            parts[-1] = piece_of([*parts[-1].words, word])
        else:
            parts.append(piece_of([word]))
        last = column
    return parts
