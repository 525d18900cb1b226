"""What stands centred over or under a sign: limits of operators, text over arrows, labels of braces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from galley.drafters.formulas.glyph_boxes import Box
from galley.drafters.glyph_formulas.atoms import Atom, Read, around, without
from galley.drafters.glyph_formulas.pieces import brace_spans

_OPERATORS = frozenset(("big", "integral", "limit"))
_CARRIERS = _OPERATORS | {"rel", "bin", "word", "letter", "group"}
_FAR = 0.55
"""ems between an operator and its limit, at most"""
_ARROWS = {"→": "\\xrightarrow", "⟶": "\\xrightarrow", "←": "\\xleftarrow", "⟵": "\\xleftarrow"}
_ARROWS |= {"⟹": "\\xRightarrow", "↦": "\\xmapsto", "⟼": "\\xmapsto"}


def read_limits(items: Sequence[Atom], read: Read) -> list[Atom]:
    """Operators, functions with limits and relations, each with what stands over and under it as one group."""
    left = list(items)
    signs = [i for i in left if i.kind in _CARRIERS]
    for sign in sorted(signs, key=lambda item: item.box.x):
        over, under = _beyond(sign, left, signs, -1), _beyond(sign, left, signs, 1)
        if over or under:
            left = [*without(left, sign, *over, *under), _with_limits(sign, over, under, read)]
    return left


def _beyond(sign: Atom, items: Sequence[Atom], signs: Sequence[Atom], side: int) -> list[Atom]:
    """The small line centred over (-1) or under (1) a sign."""
    box, em = sign.box, sign.size
    small = [item for item in without(items, sign) if item.size < 0.92 * em and item.kind != "prime"]
    seeds = [
        i for i in small if i.box.overlap_x(box) > 0 and _least_gap(sign) < _gap(box, i, side) < _FAR * em
    ]
    if not seeds:
        return []
    first = min(seeds, key=lambda item: (-round(item.size, 1), _gap(box, item, side)))
    line = sorted(
        (i for i in small if _hangs(i, first) and _gap(box, i, side) > -0.45 * em), key=lambda i: i.left
    )
    line = [i for i in line if i.box.overlap_x(box) > 0 or _owner(i, signs, side) in (sign, None)]
    return _centred(line, first, sign)


def _least_gap(sign: Atom) -> float:
    """Pixels, negative where a label may reach into its sign's box, as over an arrow's shaft."""
    return -(0.14 if sign.char in _ARROWS else 0.03) * sign.size


def _gap(box: Box, item: Atom, side: int) -> float:
    return item.box.y0 - box.y1 if side > 0 else box.y0 - item.box.y1


def _hangs(item: Atom, first: Atom) -> bool:
    """Whether an atom may stand on the line that begins with the first, or be a script on it."""
    level = abs(item.base - first.base) < 0.04 * first.size
    return level or (
        abs(item.axis - first.axis) < 0.7 * first.size and (item.centred or item.size < 0.9 * first.size)
    )


def _owner(item: Atom, signs: Sequence[Atom], side: int) -> Atom | None:
    rivals = [s for s in signs if s.kind in _OPERATORS and -0.03 * s.size < _gap(s.box, item, side)]
    return min(rivals, key=lambda s: abs(s.box.x - item.box.x), default=None) if rivals else None


def _centred(line: Sequence[Atom], first: Atom, sign: Atom) -> list[Atom]:
    """Of a line, the longest stretch without gaps whose middle is the sign's."""
    runs: list[list[Atom]] = []
    for item in line:
        if runs and item.left - max(i.right for i in runs[-1]) < 0.6 * first.size:
            runs[-1].append(item)
        else:
            runs.append([item])
    loose = sign.size * (
        0.28 if sign.kind == "integral" else 0.08 if sign.kind in ("letter", "group", "word") else 0.16
    )
    best: list[Atom] = []
    for run in runs:
        for start in range(len(run)):
            for end in range(len(run), start, -1):
                stretch = run[start:end]
                middle = (min(i.left for i in stretch) + max(i.right for i in stretch)) / 2
                off = min(
                    abs(middle - sign.box.x),
                    abs(around(stretch).x - sign.box.x),
                    abs(middle - (sign.left + sign.right) / 2),
                )
                if off < loose and len(stretch) > len(best):
                    best = stretch
    return best


def _with_limits(sign: Atom, over: Sequence[Atom], under: Sequence[Atom], read: Read) -> Atom:
    top = read(over, []) if over else None
    bottom = read(under, []) if under else None
    parts = [part for part in (top, bottom) if part is not None]
    if sign.char in _ARROWS:
        optional = f"[{bottom.latex}]" if bottom else ""
        latex = f"{_ARROWS[sign.char]}{optional}{{{top.latex if top else ''}}}"
    elif sign.kind not in _OPERATORS:
        latex = sign.latex
        if bottom:
            latex = f"\\underset{{{bottom.latex}}}{{{latex}}}"
        if top:
            latex = f"\\overset{{{top.latex}}}{{{latex}}}"
    else:
        latex = sign.latex
        latex += f"_{{{bottom.latex}}}" if bottom else ""
        latex += f"^{{{top.latex}}}" if top else ""
    left = min([sign.left, *(part.left for part in parts)])
    right = max([sign.right, *(part.right for part in parts)])
    kind = sign.kind if sign.kind in ("rel", "bin") else "group"
    doubts = sign.doubts + sum(part.doubts for part in parts)
    return replace(sign, latex=latex, kind=kind, left=left, right=right, doubts=doubts)


def read_braces(items: Sequence[Atom], read: Read) -> list[Atom]:
    """Horizontal braces with what they embrace and their labels."""
    left = list(items)
    for box, over, tips in brace_spans(left):
        em = tips[0].size
        column = [i for i in without(left, *tips) if box.x0 - 0.2 * em <= i.box.x <= box.x1 + 0.2 * em]
        inside = [i for i in column if (i.box.y > box.y) is over and abs(i.box.y - box.y) < 2.2 * em]
        label = [
            i
            for i in column
            if (i.box.y < box.y) is over and abs(i.box.y - box.y) < 1.6 * em and i.size < 0.9 * em
        ]
        if not inside:
            continue
        content = read(inside, [])
        command, mark = ("\\overbrace", "^") if over else ("\\underbrace", "_")
        latex = f"{command}{{{content.latex}}}"
        if label:
            latex += f"{mark}{{{read(label, []).latex}}}"
        left = [
            *without(left, *tips, *inside, *label),
            replace(content, latex=latex, kind="group", char="", style=""),
        ]
    return left
