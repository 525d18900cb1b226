"""What a formula is made of on its way to LaTeX: glyphs with their signs, and groups already read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from galley.drafters.formulas.glyph_boxes import Box, hull
from galley.drafters.glyph_formulas.signs import sign
from galley.ingest.page_glyphs import PageGlyphs
from galley.ingest.pdf_faces import Face, face
from galley.ingest.tex_encodings import HALVES, Code, Part, known

AXIS = 0.25
"""Height of the mathematical axis above the baseline, in ems."""
_TALL = 1.13
"""ems; brackets of this height stand on the axis rather than on the baseline"""
_BARS = {"∣": "|", "∥": "‖"}
"""Relations that some fonts use as brackets where they are tall."""
_STRETCHING = frozenset(("open", "close", "fence", "big", "integral", "radical"))


@dataclass(frozen=True)
class Atom:
    """A glyph or a part already read.

    Attributes:
        box: Of its ink.
        left, right: Where it begins and ends with its own side bearings.
        size: Pixels to the em.
        base: Y of the baseline.
        middle: Y of the axis it is centred on, for what stands on no baseline of its own.
        kind: Of ``Sign``, or ``word``, ``function``, ``limit`` (a function that takes limits), ``group``.
    """

    latex: str
    kind: str
    box: Box
    left: float
    right: float
    size: float
    base: float
    middle: float | None = None
    style: str = ""
    char: str = ""
    part: Part = ""
    doubts: int = 0
    is_mathematical: bool = False
    """of a face in which no text is set"""

    @property
    def axis(self) -> float:
        """Height of the axis that fraction bars and relations are centred on."""
        return self.base - AXIS * self.size if self.middle is None else self.middle

    @property
    def centred(self) -> bool:
        """Whether the atom is placed by its middle rather than by its baseline."""
        return self.middle is not None


Rules = Sequence[Box]
Read = Callable[[Sequence[Atom], Rules], Atom]
"""Atoms and rules to one group. Raises ``ValueError`` without atoms."""


def atoms(glyphs: PageGlyphs, chosen: NDArray[np.int64]) -> list[Atom]:
    """The chosen glyphs (indices) as atoms."""
    faces = _faces(glyphs)
    return [_atom(glyphs, int(index), faces) for index in chosen]


def mathematical(glyphs: PageGlyphs) -> NDArray[np.bool_]:
    """(n,) whether a glyph is of a mathematical face or alphabet and no sign that prose borrows from there."""
    marked = np.array([face(font.name).mathematical for font in glyphs.fonts], dtype=bool)
    if not len(marked):
        return np.zeros(len(glyphs.codes), dtype=bool)
    letters = (glyphs.codes >= 0x1D400) & (glyphs.codes < 0x1D800)
    return (marked[glyphs.faces] | letters) & ~np.isin(glyphs.codes, [ord(char) for char in BORROWED])


def _faces(glyphs: PageGlyphs) -> list[Face]:
    """The page's faces. Where no mathematical italic has letters, variables are set in the italic of the text."""
    found = [face(font.name) for font in glyphs.fonts]
    slanting = np.array([worn.style == "math" for worn in found], dtype=bool)
    letters = (glyphs.codes >= 0x41) & (glyphs.codes <= 0x7A) & ~glyphs.unmapped
    italics = (glyphs.codes >= 0x1D434) & (glyphs.codes <= 0x1D467)
    if not mathematical(glyphs).any() or bool((letters & slanting[glyphs.faces]).any() or italics.any()):
        return found
    return [replace(worn, style="math") if worn.style == "\\mathit" else worn for worn in found]


def _atom(glyphs: PageGlyphs, index: int, faces: Sequence[Face]) -> Atom:
    worn = faces[glyphs.faces[index]]
    meaning = known(int(glyphs.codes[index]), bool(glyphs.unmapped[index]), worn.encoding)
    box = Box(*(float(edge) for edge in glyphs.ink[index]))
    if meaning.char in _BARS and box.height > _TALL * glyphs.sizes[index]:
        meaning = Code(_BARS[meaning.char])
    meant = sign(meaning.char)
    left, base = (float(value) for value in glyphs.origins[index])
    right, size = left + float(glyphs.advances[index]), float(glyphs.sizes[index])
    stretched = meant.kind in _STRETCHING and box.height > _TALL * size
    centred = worn.encoding == "omx" or meant.kind in ("big", "integral", "radical") or stretched
    kind = "piece" if meaning.part else meant.kind
    doubts = int(meant.kind == "unknown" and not meaning.part and meaning.char not in HALVES)
    style = meant.style or (worn.style if meant.kind in ("letter", "digit") else "")
    return Atom(
        meant.latex, kind, box, left, right, size, base, box.y if centred else None, style, meaning.char,
        meaning.part, doubts, worn.mathematical or ord(meaning.char) > 0x1D3FF,
    )  # fmt: skip


BORROWED = frozenset("•∗*·†‡◦|<>{}\\∼→−×±/¬°′.,;:()[]-")
"""Signs that prose takes from mathematical faces too: they make no formula by themselves."""


def around(items: Iterable[Atom]) -> Box:
    """The box around all of at least one."""
    return hull(item.box for item in items)


def without(items: Iterable[Atom], *gone: Atom) -> list[Atom]:
    """The items but these."""
    ids = {id(item) for item in gone}
    return [item for item in items if id(item) not in ids]


def regrouped(group: Atom, latex: str, box: Box, kind: str = "group") -> Atom:
    """A group written another way in another box, on its own baseline."""
    return replace(
        group,
        latex=latex,
        box=box,
        left=min(group.left, box.x0),
        right=max(group.right, box.x1),
        kind=kind,
        char="",
        style="",
    )


def em_of(items: Iterable[Atom]) -> float:
    """Size of the largest."""
    return max(item.size for item in items)
