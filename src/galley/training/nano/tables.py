"""Tables from the line data set, as printed or put together from several with spans.

Of printed tables rows and columns are left out at random.
"""

from __future__ import annotations

import html
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from galley.targets.nano.reading import SeenLine
from galley.training.nano.lines import PrintedLine, Unit


@dataclass
class PlacedCell:
    """A cell with its place, spans and lines."""

    row: int
    col: int
    rowspan: int
    colspan: int
    lines: list[PrintedLine]

    @property
    def text(self) -> str:
        """The cell's lines as one text."""
        return " ".join(line.text for line in self.lines)


def to_html(cells: Iterable[PlacedCell], rows: int) -> str:
    """``<table>`` markup with one ``<tr>`` per row; cell text escaped, wrapped lines joined by spaces."""
    by_row: list[list[PlacedCell]] = [[] for _ in range(rows)]
    for cell in cells:
        by_row[cell.row].append(cell)
    parts = []
    for row in by_row:
        row.sort(key=lambda cell: cell.col)
        parts.append("<tr>" + "".join(map(_td, row)) + "</tr>")
    return "<table>" + "".join(parts) + "</table>"


def _td(cell: PlacedCell) -> str:
    spans = f' colspan="{cell.colspan}"' if cell.colspan > 1 else ""
    spans += f' rowspan="{cell.rowspan}"' if cell.rowspan > 1 else ""
    return f"<td{spans}>{html.escape(cell.text, quote=False)}</td>"


def visual_order(lines: Sequence[SeenLine]) -> list[SeenLine]:
    """Lines as OCR lists them: by visual row (centres within half a line height), left to right."""
    height = float(np.median([line.box[3] - line.box[1] for line in lines])) or 1.0
    rows: list[list[SeenLine]] = []
    for line in sorted(lines, key=lambda one: one.box[1] + one.box[3]):
        centre = (line.box[1] + line.box[3]) / 2
        if rows and centre - np.mean([(one.box[1] + one.box[3]) / 2 for one in rows[-1]]) < 0.5 * height:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda one: one.box[0])]


Groups = list[list[SeenLine]]
"""Lines of each drafted cell in reading order; an empty group is a cell drafted empty."""


def drafted_groups(
    cells: Sequence[PlacedCell], placed: Sequence[list[SeenLine]], rng: random.Random
) -> Groups:
    """The reading of a table as drafters give it.

    It comes cell by cell from a structure that may have errors, or line by line as OCR lists them.

    Args:
        cells: The true cells.
        placed: The lines of each cell.
        rng: Draws which of these it is, and the errors.
    """
    roll = rng.random()
    if roll < 0.35:
        return [[line] for line in visual_order([line for lines in placed for line in lines])]
    ordered = sorted(zip(cells, placed, strict=True), key=lambda pair: (pair[0].row, pair[0].col))
    groups = [list(lines) for _, lines in ordered]
    if roll < 0.75:
        return groups
    errors: Groups = []
    for group in groups:
        fault = rng.random()
        if fault < 0.06 and errors:
            errors[-1] += group
        elif fault < 0.12:
            errors += [[line] for line in group]
        elif group or fault > 0.4:
            errors.append(group)
    return errors


def printed_table(unit: Unit, rng: random.Random) -> tuple[Groups, str]:
    """A table as it was printed; one without row spans may lose rows at its end or after its head."""
    cells = _cells(unit)
    rows = 1 + max(cell.row + cell.rowspan - 1 for cell in cells)
    if rows > 3 and rng.random() < 0.5 and all(cell.rowspan == 1 for cell in cells):
        start = rng.randrange(1, rows - 1)
        stop = rng.randint(start + 1, rows)
        kept = [0, *range(start, stop)]
        cells = [cell for cell in cells if cell.row in kept]
        for cell in cells:
            cell.row = kept.index(cell.row)
        rows = len(kept)
    cells = _complete(cells, rows)
    placed = [
        [SeenLine(line.read, line.char_frames, line.features, line.box) for line in cell.lines]
        for cell in cells
    ]
    return drafted_groups(cells, placed, rng), to_html(cells, rows)


def _cells(unit: Unit) -> list[PlacedCell]:
    cells: dict[tuple[int, int], PlacedCell] = {}
    for line in unit.lines:
        assert line.place is not None
        row, col, rowspan, colspan = line.place
        cells.setdefault((row, col), PlacedCell(row, col, rowspan, colspan, [])).lines.append(line)
    return list(cells.values())


def _complete(cells: Sequence[PlacedCell], rows: int) -> list[PlacedCell]:
    """The cells and an empty one for every place of the grid that none covers."""
    cols = max(cell.col + cell.colspan for cell in cells)
    covered = {
        (cell.row + r, cell.col + c)
        for cell in cells
        for r in range(cell.rowspan)
        for c in range(cell.colspan)
    }
    empty = [PlacedCell(r, c, 1, 1, []) for r in range(rows) for c in range(cols) if (r, c) not in covered]
    return [*cells, *empty]


def compose_table(units: Sequence[Unit], rng: random.Random) -> tuple[Groups, str]:
    """Columns of several tables side by side under a new geometry, with column and row spans."""
    columns = _columns(units)
    rng.shuffle(columns)
    columns = columns[: rng.randint(2, 8)]
    rows = min(rng.randint(2, 14), max(len(column) for column in columns))
    grid = [
        PlacedCell(r, c, 1, 1, list(column[r]) if r < len(column) else [])
        for c, column in enumerate(columns)
        for r in range(rows)
    ]
    spares = [lines for column in columns for lines in column[rows:]] or [
        cell.lines for cell in grid if cell.lines
    ]
    cells = _add_spans(grid, rows, len(columns), spares, rng)
    rows = max(cell.row + cell.rowspan for cell in cells)
    sizes = {id(line): unit.size for unit in units for line in unit.lines}
    placed = _set(cells, rows, len(columns), sizes, rng)
    return drafted_groups(cells, placed, rng), to_html(cells, rows)


def _columns(units: Sequence[Unit]) -> list[list[list[PrintedLine]]]:
    """Columns of single cells: the lines of each cell from top to bottom."""
    found = []
    for unit in units:
        by_col: dict[int, list[PlacedCell]] = {}
        for cell in _cells(unit):
            if cell.colspan == cell.rowspan == 1:
                by_col.setdefault(cell.col, []).append(cell)
        for cells in by_col.values():
            if len(cells) > 1:
                cells.sort(key=lambda cell: cell.row)
                found.append([cell.lines for cell in cells])
    return found or [[cell.lines for cell in _cells(units[0])]]


def _add_spans(
    grid: list[PlacedCell], rows: int, cols: int, spares: list[list[PrintedLine]], rng: random.Random
) -> list[PlacedCell]:
    """A head row of groups over columns, groups of rows in the first column, a row across the table."""
    cells = grid
    if cols > 2 and rng.random() < 0.45:
        cells = [*_head_groups(cols, spares, rng), *_shifted(cells, 0)]
        rows += 1
    if rows > 3 and rng.random() < 0.3:
        cells = _row_groups(cells, rows, rng)
    if rows > 2 and rng.random() < 0.12:
        at = rng.randrange(1, rows)
        if not any(cell.row < at < cell.row + cell.rowspan for cell in cells):
            cells = [*_shifted(cells, at), PlacedCell(at, 0, 1, cols, list(rng.choice(spares)))]
    return cells


def _shifted(cells: list[PlacedCell], at: int) -> list[PlacedCell]:
    """Cells from row ``at`` on moved down by one row."""
    return [
        PlacedCell(cell.row + (cell.row >= at), cell.col, cell.rowspan, cell.colspan, cell.lines)
        for cell in cells
    ]


def _head_groups(cols: int, spares: list[list[PrintedLine]], rng: random.Random) -> list[PlacedCell]:
    cells, col = [], 0
    if rng.random() < 0.7:
        cells.append(PlacedCell(0, 0, 1, 1, []))
        col = 1
    while col < cols:
        span = min(rng.randint(1, 4), cols - col)
        cells.append(PlacedCell(0, col, 1, span, list(rng.choice(spares))))
        col += span
    return cells


def _row_groups(cells: list[PlacedCell], rows: int, rng: random.Random) -> list[PlacedCell]:
    """Runs of first-column cells merged into one that keeps the first cell's text."""
    first = {cell.row: cell for cell in cells if cell.col == 0 and cell.colspan == cell.rowspan == 1}
    merged: set[int] = set()
    row = 1
    while row < rows:
        span = min(rng.randint(1, 4), rows - row)
        run = [first.get(r) for r in range(row, row + span)]
        if span > 1 and all(run) and first[row].lines:
            first[row].rowspan = span
            merged |= set(range(row + 1, row + span))
        row += span
    return [cell for cell in cells if cell.col != 0 or cell.row not in merged]


def _set(
    cells: Sequence[PlacedCell], rows: int, cols: int, sizes: dict[int, float], rng: random.Random
) -> list[list[SeenLine]]:
    """The lines of each cell, with boxes in font sizes. A cell over several rows stands at their middle."""
    gap, pad, pitch = rng.uniform(0.5, 2.2), rng.uniform(0.05, 0.8), rng.uniform(1.05, 1.35)
    widths, heights = [1.0] * cols, [pitch] * rows
    for cell in cells:
        shown = max(((line.box[2] - line.box[0]) / sizes[id(line)] for line in cell.lines), default=0.0)
        for c in range(cell.col, cell.col + cell.colspan):
            widths[c] = max(widths[c], shown / cell.colspan)
        for r in range(cell.row, cell.row + cell.rowspan):
            heights[r] = max(heights[r], pitch * len(cell.lines) / cell.rowspan)
    lefts = np.cumsum([0.0, *(width + gap for width in widths)])
    tops = np.cumsum([0.0, *(height + pad for height in heights)])
    aligns = [rng.choice([0.0, 0.0, 0.5, 1.0]) for _ in range(cols)]
    middle = rng.random() < 0.5
    placed: list[list[SeenLine]] = []
    for cell in cells:
        placed.append([])
        available = lefts[cell.col + cell.colspan] - lefts[cell.col] - gap
        tall = tops[cell.row + cell.rowspan] - tops[cell.row] - pad
        baseline = tops[cell.row] + 0.8
        if middle or cell.rowspan > 1:
            baseline += max(0.0, tall - pitch * len(cell.lines)) / 2
        align = 0.5 if cell.colspan > 1 else aligns[cell.col]
        for number, line in enumerate(cell.lines):
            width, height = ((line.box[i + 2] - line.box[i]) / sizes[id(line)] for i in (0, 1))
            x = lefts[cell.col] + max(0.0, available - width) * align
            y = baseline + number * pitch - height
            placed[-1].append(
                SeenLine(line.read, line.char_frames, line.features, (x, y, x + width, y + height))
            )
    return placed
