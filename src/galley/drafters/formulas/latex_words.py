"""Words of a formula's line put together: names of functions, upright runs, commands set apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from galley.drafters.formulas.glyph_boxes import Box
from galley.drafters.latex_functions import FUNCTIONS, LIMIT_FUNCTIONS

_FUNCTIONS = FUNCTIONS | LIMIT_FUNCTIONS | {"mod"}
_USUAL = {
    "\\parallel": "\\|",
    "\\ast": "*",
    "\\le": "\\leq",
    "\\ge": "\\geq",
    "\\ne": "\\neq",
}
"""how formulas usually write a sign"""
_STYLED = re.compile(r"\\math(rm|bf|cal|bb|frak)\{(\w)\}")


@dataclass(frozen=True)
class Word:
    """A symbol, or several already composed, with the scripts that stand on it.

    Attributes:
        latex: Its LaTeX without scripts.
        name: The symbol it is, "" for something composed.
    """

    latex: str
    box: Box
    sure: tuple[float, ...]
    name: str = ""
    scripts: str = ""


def write(words: Sequence[Word], em: float) -> str:
    """LaTeX of a line."""
    found = _with_functions(_with_norms(words, em), em)
    if found and found[-1].latex == "\\sqrt":  # a root of nothing is no LaTeX
        found[-1] = replace(found[-1], latex="\\surd")
    return " ".join(_USUAL.get(word.latex, word.latex) + word.scripts for word in found)


def _with_norms(words: Sequence[Word], em: float) -> list[Word]:
    """Two upright bars close together as one double bar."""
    found: list[Word] = []
    for word in words:
        last = found[-1] if found else None
        if last and last.name == word.name == "|" and not last.scripts and _is_double(last.box, word.box, em):
            sure = (*last.sure, *word.sure)
            found[-1] = replace(word, latex="\\|", box=last.box.union(word.box), sure=sure, name="\\parallel")
        else:
            found.append(word)
    return found


def _is_double(first: Box, second: Box, em: float) -> bool:
    return 0 < second.x - first.x < 0.35 * em and abs(first.height - second.height) < 0.15 * em


def _with_functions(words: Sequence[Word], em: float) -> list[Word]:
    """Runs of upright letters as functions, or as one upright word."""
    found: list[Word] = []
    run: list[Word] = []
    for word in [*words, None]:
        if word is not None and _upright(word) and (not run or _close(run[-1], word, em)):
            run.append(word)
            if not word.scripts:
                continue
            word = None if word is run[-1] else word
            found += _together(run)
            run = []
            continue
        found += _together(run)
        run = []
        if word is not None and _upright(word):
            run = [word]
        elif word is not None:
            found.append(word)
    return found


def _upright(word: Word) -> bool:
    return word.name.startswith("\\mathrm{")


def _close(before: Word, word: Word, em: float) -> bool:
    return word.box.x0 - before.box.x1 < 0.12 * em


def _together(run: Sequence[Word]) -> list[Word]:
    if len(run) < 2:
        return [replace(word, latex=_letter(word)) for word in run]
    letters = "".join(_letter(word) for word in run)
    latex = f"\\{letters}" if letters in _FUNCTIONS else f"\\mathrm{{{letters}}}"
    box = run[0].box.union(run[-1].box)
    return [Word(latex, box, tuple(s for word in run for s in word.sure), latex, run[-1].scripts)]


def _letter(word: Word) -> str:
    styled = _STYLED.fullmatch(word.name)
    return styled[2] if styled else word.latex
