"""Rows of a formula: matrices and cases between tall brackets, binomials, aligned lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from galley.drafters.formulas.glyph_boxes import column_spans
from galley.drafters.glyph_formulas.atoms import AXIS, Atom, Read, around, em_of, without

_PAIRS = {
    ("(", ")"): "pmatrix",
    ("[", "]"): "bmatrix",
    ("|", "|"): "vmatrix",
    ("{", "}"): "Bmatrix",
    ("‖", "‖"): "Vmatrix",
}
_TALL = 1.15
"""ems of a bracket that may hold rows"""
_ROW = 0.75
"""ems of the rows' own size from one baseline to the next, at least"""
_COLUMN = 0.72
"""ems of the rows' own size between two columns, at least"""


def read_arrays(items: Sequence[Atom], read: Read) -> list[Atom]:
    """The atoms with each array as one group, the innermost brackets first."""
    left = list(items)
    for opening in sorted((i for i in left if _opens(i)), key=lambda item: item.box.height):
        if not any(opening is item for item in left):
            continue
        closing = _closing(opening, left)
        if closing is None and opening.char != "{":
            continue
        inside = _between(opening, closing, left)
        lines = rows(inside)
        if len(lines) < 2 and not _is_row_vector(closing, inside):
            continue
        group = _binomial(opening, closing, lines, read) or _array(opening, closing, inside, lines, read)
        left = [*without(left, opening, *inside, *([closing] if closing else [])), group]
    return left


def _is_row_vector(closing: Atom | None, inside: Sequence[Atom]) -> bool:
    """Whether a single row stands in columns: wide gaps without commas before them."""
    ordered = sorted(inside, key=lambda item: item.left)
    if closing is None or not ordered:
        return False
    em = _row_size(inside)
    gaps = [
        (a, b)
        for a, b in pairwise(ordered)
        if b.left - max(i.right for i in ordered if i.left <= a.left) > 0.93 * em
    ]
    return bool(gaps) and all(before.kind not in ("punct", "word", "rel") for before, _ in gaps)


def _opens(item: Atom) -> bool:
    return item.centred and item.kind in ("open", "fence") and item.box.height > _TALL * item.size


def _closing(opening: Atom, items: Sequence[Atom]) -> Atom | None:
    """The bracket that closes one of the same height."""
    depth = 0
    for item in sorted(items, key=lambda item: item.left):
        if item.left <= opening.left or item.kind not in ("open", "close", "fence") or not item.centred:
            continue
        if (
            abs(item.box.y - opening.box.y) > 0.1 * item.size
            or abs(item.box.height - opening.box.height) > 0.15 * item.size
        ):
            continue
        if item.kind == "open":
            depth += 1
        elif item.kind == "close" or opening.kind == "fence":
            if depth == 0:
                return item
            depth -= 1
    return None


def _between(opening: Atom, closing: Atom | None, items: Sequence[Atom]) -> list[Atom]:
    end = closing.box.x0 if closing else max(item.box.x1 for item in items) + 1
    edge = 0.35 * opening.size
    return [
        item
        for item in without(items, opening, *([closing] if closing else []))
        if opening.box.x1 - 0.05 * opening.size <= item.box.x <= end
        and opening.box.y0 - edge <= item.box.y <= opening.box.y1 + edge
    ]


def rows(items: Sequence[Atom]) -> list[list[Atom]]:
    """Atoms by the baselines of the largest; one row where there is but one baseline."""
    if not items:
        return []
    size = _row_size(items)
    levels: list[list[float]] = []
    marks = [item for item in items if item.size > 0.88 * size and item.kind not in ("accent", "prime")]
    for level in sorted(item.axis for item in marks):
        if levels and level - levels[-1][-1] < 0.3 * size:
            levels[-1].append(level)
        else:
            levels.append([level])
    centres = [_usual(level) for level in levels]
    kept = [centre for n, centre in enumerate(centres) if n == 0 or centre - centres[n - 1] > _ROW * size]
    if len(kept) < 2 or len(kept) < len(centres):
        return [list(items)]
    parted: list[list[Atom]] = [[] for _ in kept]
    for item in items:
        parted[min(range(len(kept)), key=lambda n: abs(kept[n] - item.axis))].append(item)
    return parted


def _row_size(items: Sequence[Atom]) -> float:
    plain = [item.size for item in items if not item.centred or item.kind in ("big", "integral", "group")]
    return max(plain or [item.size for item in items])


def _usual(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return ordered[len(ordered) // 2]


def _binomial(opening: Atom, closing: Atom | None, lines: Sequence[list[Atom]], read: Read) -> Atom | None:
    """Two lines closer to each other than those of a matrix, each centred."""
    if closing is None or (opening.char, closing.char) != ("(", ")") or len(lines) != 2:
        return None
    top, bottom = (read(line, []) for line in lines)
    em = max(top.size, bottom.size)
    apart = (bottom.axis - top.axis) / em
    in_text = em < 0.8 * opening.size
    close = apart < 1.3 if in_text else 1.33 < apart < 1.4
    if not close or abs(top.box.x - bottom.box.x) > 0.2 * em:
        return None
    latex = f"\\binom{{{top.latex}}}{{{bottom.latex}}}"
    size = opening.size if in_text else em
    return _grouped(latex, [opening, closing, *lines[0], *lines[1]], opening, size)


def _array(
    opening: Atom, closing: Atom | None, inside: Sequence[Atom], lines: Sequence[list[Atom]], read: Read
) -> Atom:
    spans = column_spans((item.box for item in inside), _COLUMN * _row_size(inside))
    written, doubts = [], 0
    for line in lines:
        cells = []
        for start, end in spans:
            cell = [item for item in line if start <= item.box.x <= end]
            group = read(cell, []) if cell else None
            cells.append(group.latex if group else "")
            doubts += group.doubts if group else 0
        written.append(" & ".join(cells))
    body = " \\\\ ".join(written)
    everything = [opening, *inside, *([closing] if closing else [])]
    if closing is None:
        latex = f"\\begin{{cases}} {body} \\end{{cases}}"
    else:
        name = _PAIRS.get((opening.char, closing.char))
        latex = f"\\begin{{{name}}} {body} \\end{{{name}}}"
        if name is None:
            latex = f"\\left{opening.latex} \\begin{{matrix}} {body} \\end{{matrix}} \\right{closing.latex}"
    return _grouped(latex, everything, opening, max(opening.size, em_of(inside)), doubts)


def _grouped(latex: str, parts: Sequence[Atom], opening: Atom, size: float, doubts: int = 0) -> Atom:
    box, axis = around(parts), opening.axis
    return Atom(latex, "group", box, box.x0, box.x1, size, axis + AXIS * size, axis, doubts=doubts)


def aligned(lines: Sequence[list[Atom]], read: Read) -> Atom:
    """Rows under each other, set apart at relations that begin at the same place."""
    place = _common_relation(lines)
    written, doubts, first = [], 0, None
    for line in lines:
        cells = [line]
        if place is not None:
            at = next((i.left for i in line if i.kind == "rel" and abs(i.left - place) < 0.05 * i.size), None)
            cells = (
                [line]
                if at is None
                else [[i for i in line if (i.box.x < at) is side] for side in (True, False)]
            )
        groups = [read(cell, []) if cell else None for cell in cells]
        first = first or next((group for group in groups if group), None)
        written.append(" & ".join(group.latex if group else "" for group in groups).strip())
        doubts += sum(group.doubts for group in groups if group)
    name = "gathered" if place is None else "aligned"
    body = " \\\\ ".join(written)
    assert first is not None
    box = around([item for line in lines for item in line])
    return replace(
        first, latex=f"\\begin{{{name}}} {body} \\end{{{name}}}", kind="group", box=box, left=box.x0, right=box.x1,
        middle=box.y, char="", style="", doubts=doubts,
    )  # fmt: skip


def _common_relation(lines: Sequence[list[Atom]]) -> float | None:
    places = [[item.left for item in line if item.kind == "rel"] for line in lines]
    for place in sorted(place for line in places for place in line):
        if sum(any(abs(place - other) < 0.01 * lines[0][0].size for other in line) for line in places) > 1:
            return place
    return None
