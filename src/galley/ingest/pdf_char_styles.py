"""Styles and links of a PDF page's characters: from fonts, drawn lines, and annotations."""

from __future__ import annotations

import numpy as np
import pypdfium2 as pdfium
from numpy.typing import NDArray

from galley.document.spans import PLAIN, CharStyle, Style
from galley.ingest.drawn_lines import ruled_characters
from galley.ingest.pdf_annotations import read_links, read_markup
from galley.ingest.pdf_faces import face
from galley.ingest.pdf_glyphs import Glyphs, PageMap, Run
from galley.ingest.pdf_scene import Scene

_EAST_ASIAN = "\u2e80"
"""First character of the scripts whose letters are all of one width."""
_OVERLAP = 0.5
"""Share of a link's or a mark-up's height that lies within a character's box."""


def char_styles(
    page: pdfium.PdfPage,
    space: PageMap,
    glyphs: Glyphs,
    spans: list[list[int]],
    scene: Scene,
    rules: NDArray[np.float64],
) -> list[CharStyle]:
    """The style of each character.

    Args:
        page: the page.
        space: where its points are in its image.
        glyphs: its ``n`` characters.
        spans: indices of the characters of each word.
        scene: in which order its texts are drawn, and which twice.
        rules: (m, 4) boxes of the lines drawn on it, in pixels.
    """
    by_run: dict[int, frozenset[Style]] = {}
    for run in glyphs.runs:
        if id(run) not in by_run:
            by_run[id(run)] = _drawn(run, scene)
    sets = [by_run[id(run)] for run in glyphs.runs]
    sets = [
        styles - {Style.MONOSPACE} if Style.MONOSPACE in styles and char >= _EAST_ASIAN else styles
        for styles, char in zip(sets, glyphs.chars, strict=True)
    ]
    found: dict[Style, NDArray[np.bool_]] = ruled_characters(glyphs, spans, rules)
    for style, box in read_markup(page, space):
        found[style] = found.get(style, np.zeros(len(sets), dtype=bool)) | _within(glyphs.boxes, box)
    for style, chosen in found.items():
        for index in np.flatnonzero(chosen):
            sets[index] = sets[index] | {style}
    links: dict[int, str] = {}
    for address, box in read_links(page, space):
        links.update(dict.fromkeys(np.flatnonzero(_within(glyphs.boxes, box)).tolist(), address))
    made: dict[tuple[frozenset[Style], str | None], CharStyle] = {(frozenset(), None): PLAIN}
    # The line under a link shows that it is one.
    keys = [
        (styles - {Style.UNDERLINE} if index in links else styles, links.get(index))
        for index, styles in enumerate(sets)
    ]
    return [made.setdefault(key, CharStyle(*key)) for key in keys]


def _drawn(run: Run, scene: Scene) -> frozenset[Style]:
    """What a text object's font and way of drawing say."""
    if face(run.font.name).mathematical:
        return frozenset()
    shown = {
        Style.BOLD: run.font.bold or run.thickened or run.order in scene.doubled,
        Style.ITALIC: run.font.italic or run.slanted,
        Style.MONOSPACE: run.font.mono,
        Style.SMALL_CAPS: run.font.small_caps,
    }
    return frozenset(style for style, is_so in shown.items() if is_so)


def _within(boxes: NDArray[np.float32], box: NDArray[np.float32]) -> NDArray[np.bool_]:
    """(n,) whether the middle of each box lies within another across and shares enough of its height."""
    middle = (boxes[:, 0] + boxes[:, 2]) / 2
    shared = np.minimum(boxes[:, 3], box[3]) - np.maximum(boxes[:, 1], box[1])
    least = _OVERLAP * np.minimum(boxes[:, 3] - boxes[:, 1], max(float(box[3] - box[1]), 1e-6))
    centre = (boxes[:, 1] + boxes[:, 3]) / 2
    level = (shared > least) & (centre > box[1]) & (centre < box[3])
    return np.asarray((middle >= box[0]) & (middle <= box[2]) & level)
