"""The columns and rows of a table: what rules say first, then what white space and the row model say."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from galley.drafters.tables.columns import Gap, covered, ruled_columns, white_columns
from galley.drafters.tables.pieces import Piece, piece_of
from galley.drafters.tables.rows import Placed, starts_row
from galley.drafters.tables.rulings import Ruling, Rulings
from galley.drafters.tables.separators import Separator, separators
from galley.drafters.tables.textlines import tall_pieces, text_lines

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
        return {c for line in self.placed for c in line.columns}


@dataclass
class Frame:
    """Column boundaries ``gaps`` (outer ones included) and rows top to bottom.

    closed: True when upright rules and level rules draw cells. separators: of the table; ``above[r]`` is the
    separator at the top of row r, None where white space alone parts it from row r − 1. loose: pieces that
    span rows.
    """

    gaps: list[Gap]
    rows: list[Row]
    above: list[Separator | None]
    closed: bool
    upright: list[Ruling]
    loose: list[Piece] = field(default_factory=list)

    @property
    def cols(self) -> int:
        return len(self.gaps) - 1

    def core(self, c: int) -> tuple[float, float]:
        """Left and right end of what text may fill in column c."""
        return self.gaps[c].right, self.gaps[c + 1].left

    def span(self, piece: Piece, em: float) -> tuple[int, int]:
        return touched(piece, self.gaps, em)


def build_frame(
    pieces: list[Piece], rulings: Rulings, box: tuple[float, float, float, float], em: float
) -> Frame:
    """Columns and rows of a table in ``box`` (x0, y0, x1, y1); ``em`` is the text height in pixels."""
    lines = text_lines(pieces, em)
    gaps = _columns(lines, rulings, box, em)
    narrowest = min((b.left - a.right for a, b in pairwise(gaps)), default=em)
    marks = _inner(separators(rulings, em, max(2.0 * em, 0.6 * narrowest)), box, em)
    closed = _is_closed(gaps, rulings.vertical, marks, box)
    loose, normal = _loose(pieces, marks, gaps, closed, em)
    rows, above = _rows(normal, marks, gaps, box, em, closed)
    return Frame(gaps, rows, above, closed, rulings.vertical, loose)


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
    x0, _, x1, _ = box
    ruled = ruled_columns(rulings.vertical, em, 1.2 * em)
    left = min([x0, *(p.x0 for line in lines for p in line)])
    right = max([x1, *(p.x1 for line in lines for p in line)])
    inner = [gap for gap in ruled if gap.middle - left > em and right - gap.middle > em]
    edges = [_edge(ruled, left, em), *inner, _edge(ruled, right, em)]
    found: list[Gap] = [edges[0]]
    for a, b in pairwise(edges):
        share = STRICT_SHARE if a.ruled and b.ruled else SHARE
        found += [gap for gap in white_columns(lines, a.right, b.left, em, share) if _apart(gap, a, b, em)]
        found.append(b)
    return found


def _edge(ruled: list[Gap], x: float, em: float) -> Gap:
    return next((gap for gap in ruled if abs(gap.middle - x) <= em), Gap(x, x))


def _apart(gap: Gap, a: Gap, b: Gap, em: float) -> bool:
    return gap.left > a.right and gap.right < b.left


def _inner(marks: list[Separator], box: tuple[float, float, float, float], em: float) -> list[Separator]:
    return [mark for mark in marks if box[1] - em <= mark.y <= box[3] + em]


def _is_closed(
    gaps: list[Gap], upright: list[Ruling], marks: list[Separator], box: tuple[float, float, float, float]
) -> bool:
    """Cells are drawn when an inner upright rule runs half the height and a level rule parts the inside."""
    height = max(1.0, box[3] - box[1])
    inner = [gap for gap in gaps[1:-1] if gap.ruled]
    runs = [
        covered([rule for rule in upright if gap.left - 1 <= rule.position <= gap.right + 1]) / height
        for gap in inner
    ]
    level = [mark for mark in marks if mark.rules and box[1] + 0.1 * height < mark.y < box[3] - 0.05 * height]
    return any(run >= 0.5 for run in runs) and bool(level)


def _loose(
    pieces: list[Piece], marks: list[Separator], gaps: list[Gap], closed: bool, em: float
) -> tuple[list[Piece], list[Piece]]:
    """Pieces that stand across a separator or are too tall for a row, and the rest.

    In a table with closed cells, any piece in a column that a separator above or below it leaves open is
    loose too when no other separator line is nearer; its cell decides where it belongs.
    """
    tall = tall_pieces(pieces, em)
    loose: list[Piece] = []
    normal: list[Piece] = []
    for piece in pieces:
        out = piece in tall or _stands_across(piece, marks) or (closed and _open_cell(piece, marks, gaps, em))
        (loose if out else normal).append(piece)
    return (loose, normal) if normal else ([], loose)


def _stands_across(piece: Piece, marks: list[Separator]) -> bool:
    low, high = piece.y0 + 0.25 * piece.height, piece.y1 - 0.25 * piece.height
    return any(low < mark.y < high for mark in marks if mark.rules)


def _open_cell(piece: Piece, marks: list[Separator], gaps: list[Gap], em: float) -> bool:
    """True when the nearest separator above or below the piece is not drawn in its columns, but is in
    others."""
    first, last = touched(piece, gaps, em)
    left, right = gaps[first].middle, gaps[last + 1].middle
    above = [m for m in marks if m.y <= piece.middle]
    below = [m for m in marks if m.y > piece.middle]
    inner = [m for m in [*above[-1:], *below[:1]] if m is not marks[0] and m is not marks[-1]]
    return any(m.rules and not m.covers(left, right) for m in inner)


def _rows(
    pieces: list[Piece],
    marks: list[Separator],
    gaps: list[Gap],
    box: tuple[float, float, float, float],
    em: float,
    closed: bool,
) -> tuple[list[Row], list[Separator | None]]:
    """Rows between separators; a stretch without text is a row only where closed cells show that it is
    meant."""
    stretches = _stretches(pieces, marks, gaps, em)
    bounds = [(a.right, b.left) for a, b in pairwise(gaps)]
    odds = iter([0.0, *starts_row([line for lines in stretches for line in lines], bounds, em)])
    ys = [box[1], *(mark.y for mark in marks), box[3]]
    rows: list[Row] = []
    above: list[Separator | None] = []
    for i, (lines, mark) in enumerate(zip(stretches, [None, *marks], strict=True)):
        within = closed and 0 < i < len(marks)
        prior = CLOSED_PRIOR if within else 0.0
        groups = _groups(lines, [next(odds) + prior for _ in lines])
        if groups or (within and ys[i + 1] - ys[i] >= 0.8 * em):
            rows += _stacked(groups, ys[i], ys[i + 1])
            above += [mark, *[None] * (len(groups) - 1)]
    return rows, above


def _stretches(pieces: list[Piece], marks: list[Separator], gaps: list[Gap], em: float) -> list[list[Placed]]:
    """Lines of text above, between and below the separators."""
    inside: list[list[Piece]] = [[] for _ in range(len(marks) + 1)]
    heights = [mark.y for mark in marks]
    for piece in pieces:
        inside[bisect_right(heights, piece.middle)].append(piece)
    return [[place(line, gaps, em) for line in text_lines(stretch, em)] for stretch in inside]


def _groups(lines: list[Placed], odds: list[float]) -> list[list[Placed]]:
    groups: list[list[Placed]] = []
    for line, odd in zip(lines, odds, strict=True):
        if groups and odd <= 0:
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _stacked(groups: list[list[Placed]], top: float, bottom: float) -> list[Row]:
    """Rows from ``top`` to ``bottom``, cut half way between their texts; one empty row for no groups."""
    cuts = [(max(line.bottom for line in a) + min(line.top for line in b)) / 2 for a, b in pairwise(groups)]
    edges = [top, *cuts, bottom]
    return [Row(group, a, b) for group, a, b in zip(groups or [[]], edges, edges[1:], strict=False)]


CLOSED_PRIOR = -4.0
"""Log odds added against a new row between two rules of a table whose cells are drawn."""


def place(line: list[Piece], gaps: Sequence[Gap], em: float) -> Placed:
    """The line's pieces with the columns they touch; pieces that would share a column are cut at its
    edges."""
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
