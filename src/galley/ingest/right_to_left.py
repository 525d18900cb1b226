"""Lines of Hebrew and Arabic from the places of their glyphs: words, and the letters of each as they are read.

PDFium gives the glyphs of such lines now in the order of reading and now in that of their places, mirrors some of the
brackets and puts spaces in where it jumps. Places alone are certain: words are parted where a gap is, the letters of
each are put into the order of reading by the inverse of the Unicode Bidirectional Algorithm (UAX 9).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from galley.ingest.pdf_glyphs import Glyphs

_RIGHT_TO_LEFT = ("R", "AL")
_WORD_GAP = 0.16
"""Font sizes; a wider gap between two glyphs is a space."""
_SAME_PLACE = 0.02
"""Font sizes; signs that begin no farther apart are those that one ligature stands for."""
_OPENING = {"(": ")", "[": "]", "{": "}", "<": ">", "«": "»", "‹": "›"}
_MIRRORED = {**_OPENING, **{closing: opening for opening, closing in _OPENING.items()}}
_TURNED = frozenset(["ال", "أل", "إل", "آل", "هلل", "هللا"])
"""What ligatures stand for, backwards, as PDFium gives some of them: lam with alef, and the name of God."""
_FIGURES = ("EN", "AN")


def runs_leftward(char: str) -> bool:
    """Whether a character is a letter of a script that is written to the left."""
    return unicodedata.bidirectional(char[:1] or " ") in _RIGHT_TO_LEFT


class Unit:
    """What stands at one place: a sign, the letters of a ligature, a letter with its points."""

    def __init__(self, glyphs: Glyphs, index: int) -> None:
        self.indices = [index]
        self.char = glyphs.chars[index][0]
        self.size = max(1.0, float(glyphs.sizes[index]))
        self.x0, self.x1 = float(glyphs.boxes[index][0]), float(glyphs.boxes[index][2])

    @property
    def middle(self) -> float:
        """Halfway between its edges."""
        return (self.x0 + self.x1) / 2


def leftward_words(glyphs: Glyphs, line: Sequence[int]) -> tuple[list[list[int]], dict[int, str]]:
    """The words of one line that holds letters written to the left.

    Args:
        glyphs: Of the page.
        line: Indices of the line's printed characters and of the spaces that the file itself has.

    Returns:
        The indices of each word's characters in the order they are read in, words from right to left, and the brackets
        whose character is another than the glyphs have.
    """
    units = _units(glyphs, line)
    spaces = [unit for unit in units if unit.char.isspace()]
    words: list[list[Unit]] = []
    for unit in units:
        if unit.char.isspace():
            continue
        if words and not _parted(words[-1][-1], unit, spaces):
            words[-1].append(unit)
        else:
            words.append([unit])
    leftward = _is_leftward(words)
    arabic = any(unicodedata.bidirectional(unit.char) == "AL" for unit in units)
    brackets: dict[int, str] = {}
    found = []
    for word in words[::-1]:
        brackets.update(_brackets(word, leftward))
        found.append([i for unit in _as_read(word, leftward, arabic) for i in unit.indices])
    return found, brackets


def _is_leftward(words: Sequence[Sequence[Unit]]) -> bool:
    """Whether no more words of the line are written to the right than to the left."""
    lettered = [word for word in words if any(unit.char.isalpha() for unit in word)]
    leftward = sum(any(runs_leftward(unit.char) for unit in word) for word in lettered)
    return 2 * leftward >= len(lettered)


def _units(glyphs: Glyphs, line: Sequence[int]) -> list[Unit]:
    """The line's glyphs from left to right, each point with the letter it belongs to."""
    units: list[Unit] = []
    points: list[Unit] = []
    for index in line:
        unit = Unit(glyphs, index)
        if unicodedata.category(unit.char) == "Mn":
            points.append(unit)
        elif units and runs_leftward(unit.char) and abs(unit.x0 - units[-1].x0) < _SAME_PLACE * unit.size:
            units[-1].indices.append(index)
            units[-1].x1 = max(units[-1].x1, unit.x1)
        else:
            units.append(unit)
    for unit in units:
        if "".join(glyphs.chars[i] for i in unit.indices) in _TURNED:
            unit.indices.reverse()
    letters = [unit for unit in units if not unit.char.isspace()]
    for point in points:
        if letters:
            min(letters, key=lambda unit: abs(unit.middle - point.middle)).indices += point.indices
    return sorted(units, key=lambda unit: unit.middle)


def _parted(left: Unit, right: Unit, spaces: Sequence[Unit]) -> bool:
    """Whether a space stands between two neighbours."""
    gap = right.x0 - left.x1
    if gap > _WORD_GAP * max(left.size, right.size):
        return True
    return gap > 0 and any(left.middle < space.middle < right.middle for space in spaces)


def _as_read(word: Sequence[Unit], leftward: bool, arabic: bool) -> list[Unit]:
    """The units of a word, given from left to right, in the order they are read in."""
    kinds = [_direction(unit.char) for unit in word]
    if -1 not in kinds and (not leftward or 1 in kinds):
        return list(word)
    if leftward:
        return _reversed(word, arabic)
    first, last = kinds.index(-1), len(kinds) - kinds[::-1].index(-1)  # signs at its ends are the line's
    return [*word[:first], *_reversed(word[first:last], arabic), *word[last:]]


def _reversed(word: Sequence[Unit], arabic: bool) -> list[Unit]:
    """Units from right to left, figures and Latin letters among them from left to right."""
    chars = [unit.char for unit in word]
    read: list[Unit] = []
    end = len(word)
    while end > 0:
        start = end
        while start > 0 and _is_rightward(chars, start - 1, end):
            start -= 1
        while arabic and start < end and unicodedata.bidirectional(chars[start]) == "ET":
            start += 1  # the sign of per cent follows its figures
        start = start if start < end else end - 1
        read += word[start:end]
        end = start
    return read


def _is_rightward(chars: Sequence[str], at: int, end: int) -> bool:
    """Whether a sign is a figure or Latin letter, or belongs to those that it touches left of ``end``."""
    kind = unicodedata.bidirectional(chars[at])
    if kind in ("L", *_FIGURES):
        return True
    after = unicodedata.bidirectional(chars[at + 1]) if at + 1 < end else ""
    before = unicodedata.bidirectional(chars[at - 1]) if at > 0 else ""
    if kind == "ET":
        return after in _FIGURES or before in _FIGURES
    if kind in ("ES", "CS"):
        return after in _FIGURES and before in _FIGURES
    return before == "L" and after == "L"


def _brackets(word: Sequence[Unit], leftward: bool) -> dict[int, str]:
    """The brackets at the ends of a word by what they enclose, in the order of reading."""
    kinds = [_direction(unit.char) for unit in word]
    turned = leftward and (-1 in kinds or 1 not in kinds)
    signs = [unicodedata.category(unit.char)[0] == "P" for unit in word]
    first = signs.index(False) if False in signs else len(word)
    last = len(word) - (signs[::-1].index(False) if False in signs else 0)
    found: dict[int, str] = {}
    for n, unit in enumerate(word):
        if unit.char in _MIRRORED and (n < first or n >= last):
            opening = unit.char if unit.char in _OPENING else _MIRRORED[unit.char]
            opens = (n < first) != turned
            found[unit.indices[0]] = opening if opens else _OPENING[opening]
    return found


def _direction(char: str) -> int:
    """1 for a letter that is written to the right, -1 for one that is written to the left, 0 for all else."""
    kind = unicodedata.bidirectional(char)
    return -1 if kind in _RIGHT_TO_LEFT else int(kind == "L")
