"""Places of a KaTeX formula's symbols, from its tree of boxes: the part of CSS that KaTeX relies on.

All lengths are in em of the surrounding font until the end; y grows downwards from the baseline.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any
from unicodedata import east_asian_width

Box = dict[str, Any]
"""A symbol (``t`` text, ``w`` width, ``i`` slant), a picture (``svg``) or a span (``k`` boxes); ``c`` classes,
``s`` style.
"""

_EM = 24 * 1.21
"""Pixels of one em: text of 24 px, which KaTeX's style sheet enlarges."""
_SIZES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.44, 1.728, 2.074, 2.488)
_RESIZED = re.compile(r"(?:reset-)?size(\d+)")
_TEXT_MIDDLE = -0.34
"""The middle of a line of text, seen from its baseline."""
_LINE = 3.0
_ALIGN = {
    **dict.fromkeys(("mfrac", "op-limits", "accent", "col-align-c"), 0.5),
    **dict.fromkeys(("msupsub", "svg-align", "col-align-l"), 0.0),
    "col-align-r": 1.0,
}
_WIDTHS = {"nulldelimiter": 0.12}
_PADS = {
    "boxpad": (0.3, 0.3),
    "x-arrow-pad": (0.5, 0.5),
    "cancel-pad": (0.2, 0.2),
    "cancel-lap": (-0.2, -0.2),
}
_PADS["root"] = (0.2778, -0.5556)
_LAPS = {"rlap": 0.0, "clap": -0.5, "llap": -1.0}


@dataclass(frozen=True)
class Symbol:
    """A drawn character and the middle of its box in pixels; y grows downwards."""

    text: str
    x: float
    y: float


@dataclass(frozen=True)
class _Mark:
    text: str
    left: float
    right: float
    y: float

    def moved(self, right: float, down: float, scale: float = 1.0) -> _Mark:
        return replace(
            self, left=self.left * scale + right, right=self.right * scale + right, y=self.y * scale + down
        )


def lay_out(root: Box) -> tuple[Symbol, ...]:
    """Symbols of KaTeX's ``katex-html`` box, line by line; the lines of a displayed formula are centred."""
    lines: list[list[Box]] = [[]]
    for box in root["k"]:
        if "newline" in box.get("c", ()):
            lines.append([])
        else:
            lines[-1].append(box)
    symbols: list[Symbol] = []
    for number, line in enumerate(lines):
        width, marks = _line([box for box in line if "tag" not in box.get("c", ())], 0.5)
        for tag in (box for box in line if "tag" in box.get("c", ())):
            tag_width, tag_marks = _lay(tag, 0.5)
            marks += [mark.moved(width - tag_width, 0) for mark in tag_marks]
        symbols += _symbols(mark.moved(-width / 2, number * _LINE) for mark in marks)
    return tuple(symbols)


def _symbols(marks: Iterable[_Mark]) -> list[Symbol]:
    """One symbol for each character; those of one mark share its width."""
    symbols = []
    for mark in marks:
        step = (mark.right - mark.left) / len(mark.text)
        symbols += [
            Symbol(character, (mark.left + step * (at + 0.5)) * _EM, mark.y * _EM)
            for at, character in enumerate(mark.text)
        ]
    return symbols


def _line(boxes: list[Box], align: float) -> tuple[float, list[_Mark]]:
    """Boxes side by side."""
    x, marks = 0.0, []
    for box in boxes:
        width, inner = _lay(box, align)
        marks += [mark.moved(x, 0) for mark in inner]
        x += width
    return x, marks


def _lay(box: Box, align: float) -> tuple[float, list[_Mark]]:
    """The box's advance width and the marks of its spans.

    Args:
        box: KaTeX's box.
        align: 0 left, 0.5 centred, 1 right.
    """
    if "svg" in box:
        return 0.0, []
    if "t" in box:
        return _lay_symbol(box)
    classes = box["c"]
    align = next((_ALIGN[name] for name in classes if name in _ALIGN), align)
    width, marks = _stack(box, align) if "vlist-t" in classes else _span(box, align)
    scale = _scale(classes)
    return _styled(box, width * scale, [mark.moved(0, 0, scale) for mark in marks], scale)


def _span(box: Box, align: float) -> tuple[float, list[_Mark]]:
    """A span that holds bare text only is a mark; bare text beside other boxes only takes its width."""
    width, marks = _line(box["k"], align)
    if any("t" not in inner or _has_span(inner) for inner in box["k"]) or box.get("a"):
        return width, marks
    text = "".join(inner["t"] for inner in box["k"]).strip()
    return width, [_Mark(text, 0.0, width, _TEXT_MIDDLE)] if text.strip("\u200b") else []


def _lay_symbol(box: Box) -> tuple[float, list[_Mark]]:
    text = box["t"].strip()
    width = sum(box["w"] or (1.0 if east_asian_width(c) in "WF" else 0.5) for c in box["t"] if c != "\u200b")
    if not _has_span(box):
        return width, []
    marks = [_Mark(text, 0.0, width, _TEXT_MIDDLE)] if text.strip("\u200b") else []
    return _styled(box, width + max(0.0, box["i"]), marks, 1.0)


def _has_span(symbol: Box) -> bool:
    """KaTeX gives a symbol a span of its own only where there is something to say about it."""
    return bool(symbol["c"] or symbol["s"] or symbol["i"] > 0)


def _stack(box: Box, align: float) -> tuple[float, list[_Mark]]:
    """Rows one above the other, each at its ``top``, measured from the foot of its strut."""
    rows = []
    for row in box["k"][0]["k"][0]["k"] if box["k"] and box["k"][0]["k"] else []:
        if row.get("k") and "pstrut" in row["k"][0].get("c", ()):
            width, marks = _line(row["k"][1:], _ALIGN.get(row["c"][0], align) if row["c"] else align)
            style = row["s"]
            left = _em(style, "marginLeft")
            y = _em(style, "top") + _em(row["k"][0]["s"], "height")
            rows.append((left + width + _em(style, "marginRight"), left, y, marks))
    widest = max((width for width, *_ in rows), default=0.0)
    return widest, [
        mark.moved(left + (widest - width) * align, y) for width, left, y, marks in rows for mark in marks
    ]


def _styled(box: Box, width: float, marks: list[_Mark], scale: float) -> tuple[float, list[_Mark]]:
    """Margins, paddings, shifts and set widths."""
    style, classes = box["s"], box["c"]
    before = _em(style, "marginLeft") + _em(style, "paddingLeft")
    after = _em(style, "marginRight") + _em(style, "paddingRight")
    for name in classes:
        pad = _PADS.get(name, (0.0, 0.0))
        before, after = before + pad[0], after + pad[1]
        width = _WIDTHS.get(name, width)
    lap = next((_LAPS[name] for name in classes if name in _LAPS), None)
    shift = before * scale + _em(style, "left") * scale + (width * lap if lap is not None else 0.0)
    marks = [mark.moved(shift, _em(style, "top") * scale) for mark in marks]
    if lap is not None or ("accent-body" in classes and "accent-full" not in classes):
        return 0.0, marks
    available = _em(style, "width") * scale if "width" in style else width
    return available + (before + after) * scale, marks


def _scale(classes: list[str]) -> float:
    """The size of a span's text, in em of the text around it."""
    if not any(name.startswith("reset-size") for name in classes):
        return 1.0
    sizes = {name.startswith("reset"): m[1] for name in classes if (m := _RESIZED.fullmatch(name))}
    if len(sizes) < 2:
        return 1.0
    return _SIZES[int(sizes[False]) - 1] / _SIZES[int(sizes[True]) - 1]


def _em(style: dict[str, str], name: str) -> float:
    value = style.get(name) or ""
    try:
        return float(value.removesuffix("em")) if value.endswith("em") else 0.0
    except ValueError:
        return 0.0
