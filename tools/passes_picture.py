"""The picture of the passes in docs/architecture.md, as SVG: it shows on any site, without a script or a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise

_WIDTH, _GAP, _MARGIN = 178, 22, 16
"""Of a box, between boxes, around the picture, in pixels."""
_LINE, _HEAD = 16, 44
"""Height of a pass's name and of a box's title, in pixels."""
_STYLE = (
    "text{font:11px ui-monospace,Menlo,Consolas,monospace;fill:#1f2430}"
    ".title{font:bold 13px system-ui,sans-serif}.note{font:11px system-ui,sans-serif;fill:#4b5263}"
    ".box{fill:#eef2fb;stroke:#5b6ea8}.model{fill:#fdf3e0;stroke:#b98a35}"
    ".arrow{fill:none;stroke:#4b5263;stroke-width:1.3;marker-end:url(#tip)}"
)


def passes_svg(titles: Mapping[str, tuple[str, str]], passes: Mapping[str, Sequence[str]]) -> str:
    """One box per package, from left to right, with the names of its passes.

    Args:
        titles: The package's title and one line on it, by package.
        passes: Names of passes by package, in the order of the flow; the last package is that of the document.
    """
    boxes = list(passes)
    left = {name: _MARGIN + number * (_WIDTH + _GAP) for number, name in enumerate(boxes)}
    top = _MARGIN + 24
    height = _HEAD + _LINE * max(map(len, passes.values())) + 8
    middle = top + height // 2
    parts = [_text(_MARGIN, top - 10, "a page image", "note")]
    for name in boxes:
        parts += _box(left[name], top, height, titles[name], passes[name])
    for before, after in pairwise(boxes):
        parts.append(f'<path class="arrow" d="M{left[before] + _WIDTH} {middle}H{left[after] - 3}"/>')
    parts += _model(left[boxes[-2]], left[boxes[-1]], top + height)
    width = left[boxes[-1]] + _WIDTH + _MARGIN
    parts.append(_text(width - _MARGIN - 78, top - 10, "a Document", "note"))
    full = top + height + 72
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {full}" width="{width}" height="{full}">',
            "<title>The passes from a page image to a document</title>",
            f"<style>{_STYLE}</style>",
            '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="6" refY="4" orient="auto">'
            '<path d="M0 0L8 4L0 8z" fill="#4b5263"/></marker></defs>',
            f'<rect width="{width}" height="{full}" fill="#ffffff"/>',
            *parts,
            "</svg>\n",
        )
    )


def _text(x: int, y: int, text: str, style: str = "") -> str:
    kind = f' class="{style}"' if style else ""
    return f'<text{kind} x="{x}" y="{y}">{escape(text)}</text>'


def _box(x: int, y: int, height: int, title: tuple[str, str], names: Sequence[str]) -> list[str]:
    rect = f'<rect class="box" x="{x}" y="{y}" width="{_WIDTH}" height="{height}" rx="6"/>'
    head = [_text(x + 8, y + 19, title[0], "title"), _text(x + 8, y + 34, title[1], "note")]
    return [rect, *head, *(_text(x + 8, y + _HEAD + 8 + _LINE * i, name) for i, name in enumerate(names))]


def _model(blocks: int, document: int, bottom: int) -> list[str]:
    """The way round by a model, below the last two boxes."""
    x, y, width = blocks + _WIDTH // 2 + 16, bottom + 24, _WIDTH + _GAP - 32
    return [
        f'<rect class="model" x="{x}" y="{y}" width="{width}" height="32" rx="6"/>',
        _text(x + 9, y + 20, "a model verifies the blocks", "note"),
        f'<path class="arrow" d="M{x - 16} {bottom}V{y + 16}H{x - 3}"/>',
        f'<path class="arrow" d="M{x + width} {y + 16}H{document + _WIDTH // 2}V{bottom + 3}"/>',
        _text(x - 16 - 250, y + 20, "all strategies but draft go round by the model:", "note"),
    ]
