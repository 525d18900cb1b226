"""Pass: the mathematics within lines of text as ``$…$``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from galley.document import BBox, Label
from galley.document.spans import PLAIN
from galley.drafters.line import TextLine, Word
from galley.parsing.page.state import PageState, Zone
from galley.parsing.page.tools import PageTools

_RUNNING = (Label.TEXT, Label.HEADING, Label.TITLE, Label.LIST_ITEM)
_ONLY_FORMULAS = re.compile(r"(?:\$[^$]+\$[\s.,;]*)+(?:\([\w.]{1,8}\))?")
_ONE = re.compile(r"\$[^$]+\$")
_RELATION = re.compile(
    r"[=<>]|\\(?:leq|geq|neq|approx|equiv|sim|to|in|subset\w*|x?rightarrow|longrightarrow|mapsto)\b"
)
_OPEN_END = re.compile(
    r"(?:[=<>+\\-]|\\(?:in|leq|geq|neq|to|rightarrow|subset|subseteq|times|cdot|equiv|approx|sim|cong|cup|cap|oplus|otimes"
    r"|longrightarrow|mapsto|circ|wedge|vee|simeq))\$$"
)
"""A formula that goes on in the next line."""


def write_inline_formulas(page: PageState, tools: PageTools) -> None:
    """Write the words that hold mathematics as LaTeX in all zones but formulas, whose LaTeX is read as a whole.

    A formula over two lines becomes one. Lines of which nothing is left, as of a fraction's parts, go.

    Reads: text_layer.
    Changes: zones.
    """
    if page.text_layer.glyphs is None:
        return
    formulas = [zone.bbox for zone in page.zones if zone.label is Label.FORMULA]
    page.zones = [_with_formulas(_without_parts(zone, formulas)) for zone in page.zones]


def _without_parts(zone: Zone, formulas: Sequence[BBox]) -> Zone:
    """A zone without lines that hold signs of a displayed formula alone: its LaTeX is read from all of its glyphs."""
    if zone.label is Label.FORMULA:
        return zone
    kept = [
        line
        for line in zone.lines
        if not (_is_sign(line) and any(_is_at(line.bbox, box) for box in formulas))
    ]
    return replace(zone, lines=kept) if len(kept) < len(zone.lines) else zone


def _is_sign(line: TextLine) -> bool:
    return not any(char.isalnum() for char in line.text) or all(
        word.latex and _ONE.fullmatch(word.latex) for word in line.words
    )


def _is_at(line: BBox, formula: BBox) -> bool:
    """Whether a line's middle lies in a formula's box or within a line's height of it."""
    x, y = line.center
    return formula.x0 <= x <= formula.x1 and formula.y0 - line.height <= y <= formula.y1 + line.height


def _with_formulas(zone: Zone) -> Zone:
    if zone.label in (Label.FORMULA, Label.CODE):
        return zone
    lines = written_lines(zone.lines)
    if zone.label in _RUNNING and _is_displayed(lines):
        return replace(zone, label=Label.FORMULA)
    return replace(zone, lines=lines)


def _is_displayed(lines: Sequence[TextLine]) -> bool:
    """Whether lines are nothing but formulas with relations in them, and a number."""
    text = " ".join(line.text for line in lines)
    return bool(_ONLY_FORMULAS.fullmatch(text)) and bool(_RELATION.search(text))


def written_lines(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines with their mathematics written out."""
    found: list[TextLine] = []
    for line in (_written(line) for line in lines):
        if not line.text:
            continue
        if found and _OPEN_END.search(found[-1].text) and line.text.startswith("$"):
            found[-1] = _cut(found[-1], len(found[-1].text) - 1)
            line = replace(line, text=line.text[1:])
        found.append(line)
    return found


def _written(line: TextLine) -> TextLine:
    if all(word.latex is None for word in line.words) or _spelt(line.words) != line.text.split():
        return line
    words = [word if word.latex is None else _formula(word) for word in line.words]
    words = [word for word in words if word.text]
    return replace(line, text=" ".join(word.text for word in words), words=words)


def _formula(word: Word) -> Word:
    """A word as its LaTeX, with the styles of what stands before and after its mathematics."""
    latex = word.latex or ""
    if word.styles is None or word.char_boxes is None:
        return Word(latex, word.bbox)
    before = latex.split("$", 1)[0]
    after = latex.rsplit("$", 1)[-1] if "$" in latex else ""
    middle = len(latex) - len(before) - len(after)
    if len(before) + len(after) > len(word.text) or middle < 0:
        return Word(latex, word.bbox)
    tail = len(word.text) - len(after)
    box = np.array([[word.bbox.x0, word.bbox.y0, word.bbox.x1, word.bbox.y1]], dtype=np.float32)
    return Word(
        latex,
        word.bbox,
        styles=(*word.styles[: len(before)], *(PLAIN,) * middle, *word.styles[tail:]),
        char_boxes=np.concatenate(
            [word.char_boxes[: len(before)], np.repeat(box, middle, axis=0), word.char_boxes[tail:]]
        ),
    )


def _spelt(words: Sequence[Word]) -> list[str]:
    return " ".join(word.text for word in words).split()


def _cut(line: TextLine, length: int) -> TextLine:
    return replace(line, text=line.text[:length])
