"""Letters that stand close together in an upright face as words: functions, units, text within formulas."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from galley.drafters.glyph_formulas.atoms import Atom, around, without
from galley.drafters.latex_functions import FUNCTIONS

LIMITS = frozenset(
    ["lim", "max", "min", "sup", "inf", "limsup", "liminf", "argmax", "argmin", "colim", "injlim", "projlim"]
)
_PLAIN_LIMITS = frozenset(["lim", "max", "min", "sup", "inf", "limsup", "liminf"])
_JOINED = {
    ("lim", "sup"): "limsup",
    ("lim", "inf"): "liminf",
    ("arg", "max"): "argmax",
    ("arg", "min"): "argmin",
}
_UPRIGHT = ("", "\\mathbf", "\\mathsf", "\\mathtt", "\\mathit")
_TOUCHING = 0.045
"""ems between letters of a word, at most"""
_WORD_GAP = (0.2, 0.9)
"""ems between words of a text"""
_PUNCTUATION = "-'’.,;:"


def read_words(items: Sequence[Atom]) -> list[Atom]:
    """The atoms with runs of letters of one upright face as one each."""
    letters = sorted(
        (i for i in items if i.kind == "letter" and _is_upright(i)), key=lambda i: (round(i.base, 1), i.left)
    )
    left = list(items)
    words: list[Atom] = []
    run: list[Atom] = []
    for item in [*letters, None]:
        if item is not None and run and _goes_on(run[-1], item):
            run.append(item)
            continue
        if len(run) > 1:
            left = without(left, *run)
            words.append(_word(run))
        elif run:
            left = without(left, *run)
            words.append(_lone(run[0]))
        run = [item] if item is not None else []
    return [*_numbers(left), *_texts(_functions(words), left)]


def _numbers(items: Sequence[Atom]) -> list[Atom]:
    """The atoms with figures that touch, and a point between them, as one number each."""
    figures = [i for i in items if i.kind == "digit" or (i.char == "." and i.kind == "punct")]
    left, run = list(items), [*figures[:0]]
    for item in [*sorted(figures, key=lambda i: (round(i.base, 1), i.left)), None]:
        if item is not None and run and _touches(run[-1], item):
            run.append(item)
            continue
        while run and run[-1].kind != "digit":
            run.pop()
        if len(run) > 1:
            latex = "".join(i.latex for i in run)
            whole = replace(run[0], latex=latex, char=latex, box=around(run), right=run[-1].right)
            left = [*without(left, *run), whole]
        run = [item] if item is not None and item.kind == "digit" else []
    return left


def _touches(before: Atom, item: Atom) -> bool:
    level = (
        abs(before.base - item.base) < 0.01 * item.size and abs(before.size - item.size) < 0.05 * item.size
    )
    alike = before.style == item.style or "." in (before.char, item.char)
    return level and alike and abs(item.left - before.right) < _TOUCHING * item.size


def _is_upright(item: Atom) -> bool:
    return item.style in _UPRIGHT and len(item.latex) == 1


def _goes_on(before: Atom, item: Atom) -> bool:
    level = (
        abs(before.base - item.base) < 0.01 * item.size and abs(before.size - item.size) < 0.05 * item.size
    )
    ligature = item.left == before.left
    return (
        level
        and before.style == item.style
        and (ligature or -2 * _TOUCHING * item.size < item.left - before.right < _TOUCHING * item.size)
    )


def _word(run: Sequence[Atom]) -> Atom:
    letters = "".join(unicodedata.normalize("NFKC", item.latex) for item in run)
    kind, latex = "word", f"{run[0].style or chr(92) + 'mathrm'}{{{letters}}}"
    if not run[0].style and letters in FUNCTIONS:
        kind, latex = "function", f"\\{letters}"
    elif not run[0].style and letters in LIMITS:
        kind, latex = "limit", _limit(letters)
    return replace(run[0], latex=latex, kind=kind, box=around(run), right=run[-1].right, char=letters)


def _lone(letter: Atom) -> Atom:
    return replace(letter, latex=f"{letter.style or chr(92) + 'mathrm'}{{{letter.latex}}}")


def _limit(name: str) -> str:
    return f"\\{name}" if name in _PLAIN_LIMITS else f"\\operatorname*{{{name}}}"


def _functions(words: list[Atom]) -> list[Atom]:
    """``lim sup`` and the like, which have a narrow space in them, as one."""
    found: list[Atom] = []
    for word in words:
        last = found[-1] if found else None
        both = _JOINED.get((last.char, word.char)) if last is not None else None
        if (
            last is not None
            and both
            and 0 < word.left - last.right < 0.3 * word.size
            and last.base == word.base
        ):
            box = last.box.union(word.box)
            found[-1] = replace(last, latex=_limit(both), kind="limit", box=box, right=word.right, char=both)
        else:
            found.append(word)
    return found


def _texts(words: list[Atom], others: Sequence[Atom]) -> list[Atom]:
    """Words with a word's space between them as one text."""
    found: list[Atom] = []
    for word in words:
        last = found[-1] if found else None
        if (
            last is not None
            and last.kind == word.kind == "word"
            and last.style == word.style
            and _is_spaced(last, word, others)
        ):
            text = f"{last.char} {word.char}"
            latex = f"\\text{{{text}}}" if not word.style else f"{word.style}{{{text}}}"
            found[-1] = replace(last, latex=latex, box=last.box.union(word.box), right=word.right, char=text)
        else:
            found.append(word)
    return found


def _is_spaced(last: Atom, word: Atom, others: Sequence[Atom]) -> bool:
    gap = (word.left - last.right) / word.size
    if any(last.right <= i.box.x <= word.left and abs(i.base - word.base) < word.size for i in others):
        return False
    return abs(last.base - word.base) < 0.01 * word.size and _WORD_GAP[0] < gap < _WORD_GAP[1]
