"""Lines of symbols with scripts, from left to right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from galley.drafters.formulas.glyph_boxes import Box
from galley.drafters.formulas.items import Group, Item, ReadItems, around
from galley.drafters.formulas.latex_words import Word, write
from galley.drafters.formulas.symbol_classes import Symbol
from galley.drafters.formulas.typeset import AXIS, SCRIPT, Line, best_on, has_size

_PRIMES = ("'", "\\prime")
_PARTNERS = {")": "(", "]": "[", "\\}": "\\{", "\\rangle": "\\langle"}
_RELATIONS = frozenset(
    ("=", "<", ">", "\\le", "\\ge", "\\equiv", "\\approx", "\\sim", "\\simeq", "\\cong", "\\to")
)
_LIKE_PRIMES = (*_PRIMES, "\\mathrm{l}", "/", ",")
_RAISED = (0.28, 0.38, 0.48, 0.6)
_LOWERED = (0.12, 0.22, 0.32)
"""ems from the line's baseline to that of a script"""
_LEAST_EM = 4.0
"""pixels, below which a line is too small to have scripts"""
_SCRIPT_COST = 1.0
"""nats that a place on the line is likelier than one in a script"""


@dataclass
class _Base:
    """A word of the line and the items of its scripts."""

    word: Word
    above: list[Item] = field(default_factory=list)
    below: list[Item] = field(default_factory=list)


def part_lines(items: list[Item], em: float) -> list[list[Item]]:
    """Items parted by the lines that full-sized ones stand on, where there are several."""
    guesses = [guess[0] for item in items if (guess := _guess(item)) and guess[0].em > 0.85 * em]
    levels: list[list[float]] = []
    for baseline in sorted(guess.baseline for guess in guesses):
        if levels and baseline < levels[-1][-1] + 0.5 * em:
            levels[-1].append(baseline)
        else:
            levels.append([baseline])
    centres = [sum(level) / len(level) - AXIS * em for level in levels if len(level) > 1]
    if len(centres) < 2 or min(b - a for a, b in pairwise(centres)) < 1.1 * em:
        return [items]
    parted: list[list[Item]] = [[] for _ in centres]
    for item in items:
        parted[min(range(len(centres)), key=lambda n: abs(centres[n] - item.box.y))].append(item)
    return parted


def read_line(items: Sequence[Item], em: float, read: ReadItems) -> Group:
    """Items of one line with their scripts."""
    ordered = sorted(items, key=lambda item: item.box.x0)
    line = _line_of(ordered, em)
    bases = _bases(ordered, line, set(ordered) if em < _LEAST_EM else set())
    torn = {item for base in bases for part in (base.above, base.below) for item in _torn(part)}
    if torn:
        bases = _bases(ordered, line, torn)
    words = [_with_scripts(base, em, read) for base in bases]
    sure = tuple(value for word in words for value in word.sure)
    return Group(write(words, line.em), around(ordered), line.em, line.baseline, sure)


def read_aligned(
    lines: Sequence[Sequence[Item]], em: float, read: ReadItems
) -> tuple[str, tuple[float, ...]]:
    """Lines under each other, set apart at their relation signs.

    With their symbols' log-probabilities.
    """
    place = _common_relation(lines, em)
    written: list[str] = []
    sure: tuple[float, ...] = ()
    for line in lines:
        cells = [list(line)]
        if place is not None:
            cells = [[i for i in line if (i.box.x < place - 0.4 * em) is left] for left in (True, False)]
        groups = [read_line(cell, em, read) if cell else None for cell in cells]
        written.append(" & ".join(group.latex if group else "" for group in groups).strip())
        sure += tuple(value for group in groups if group for value in group.sure)
    return " \\\\ ".join(written), sure


def _common_relation(lines: Sequence[Sequence[Item]], em: float) -> float | None:
    """Where from left to right the first relations of most lines stand; None where they do not line up."""
    signs = [[i.box.x for i in line if i.name in _RELATIONS] for line in lines]
    firsts = [min(places) for places in signs if places]
    if not firsts:
        return None
    middle = sorted(firsts)[len(firsts) // 2]
    in_line = sum(abs(first - middle) < 0.3 * em for first in firsts)
    return middle if in_line > 1 and in_line > 0.5 * len(lines) else None


def _bases(ordered: Sequence[Item], line: Line, full: set[Item]) -> list[_Base]:
    """The words of a line, each with its scripts.

    Args:
        ordered: The items from left to right.
        line: The line they stand on.
        full: Items that are no scripts.
    """
    bases: list[_Base] = []
    for item in ordered:
        place, word = _place(item, line, bases[-1].word if bases else None)
        if place == 0 or item in full or (not bases and len(ordered) == 1):
            bases.append(_Base(word))
            continue
        if not bases:
            bases.append(_Base(Word("{}", Box(item.box.x0, line.baseline, item.box.x0, line.baseline), ())))
        (bases[-1].above if place > 0 else bases[-1].below).append(item)
    alone = len(bases) == 1 and not bases[0].word.sure and not (bases[0].above and bases[0].below)
    return _bases(ordered, line, {*full, ordered[0]}) if alone else bases


def _torn(script: Sequence[Item]) -> list[Item]:
    """Brackets of a script without their partners: they belong to the line."""
    torn: list[Item] = []
    for item in script:
        if item.name in _PARTNERS.values():
            torn.append(item)
        elif item.name in _PARTNERS:
            if torn and torn[-1].name == _PARTNERS[item.name]:
                torn.pop()
            else:
                torn.append(item)
    return torn


def _with_scripts(base: _Base, em: float, read: ReadItems) -> Word:
    word = base.word
    for mark, part in (("_", base.below), ("^", base.above)):
        if not part:
            continue
        if mark == "^" and all(isinstance(i, Symbol) and i.name in _LIKE_PRIMES for i in part):
            word = replace(word, scripts=word.scripts + "'" * len(part))
            continue
        group = read(part, em * SCRIPT)
        word = replace(
            word,
            scripts=word.scripts + f"{mark}{{{group.latex}}}",
            sure=word.sure + group.sure,
            box=Box(word.box.x0, word.box.y0, max(word.box.x1, group.box.x1), word.box.y1),
        )
    return word


def _line_of(items: Sequence[Item], em: float) -> Line:
    """The size and baseline on which most of the large items stand."""
    guesses = [guess for item in items if (guess := _guess(item)) is not None]
    if not guesses:
        return Line(em, around(items).y + AXIS * em)

    def support(line: Line) -> float:
        found = 0.0
        for other, weight in guesses:
            off = abs(other.baseline - line.baseline) / (0.15 * line.em)
            size = abs(math.log(other.em / line.em)) / 0.2
            found += weight * max(0.0, 1 - off) * max(0.0, 1 - size)
        # Scripts may outnumber what carries them; a letter taken for its small twin looks like larger type.
        return found * math.exp(-5 * abs(math.log(line.em / em)))

    best = max((line for line, _ in guesses), key=support)
    full = [line for line, _ in guesses if 0.8 < line.em / best.em < 1.25]
    near = [line for line in full if abs(line.baseline - best.baseline) < 0.15 * best.em]
    sizes = sorted(line.em for line in near)
    baselines = sorted(line.baseline for line in near)
    return Line(sizes[len(sizes) // 2], baselines[len(baselines) // 2])


def _guess(item: Item) -> tuple[Line, float] | None:
    """The line an item would stand on by itself, and how much that says."""
    if isinstance(item, Group):
        return Line(item.em, item.baseline), 1.5
    kind, score = item.candidates[0]
    if not has_size(kind) or kind.height is None or kind.bottom is None:
        return None
    em = item.box.height / kind.height
    return Line(em, item.box.y1 + kind.bottom * em), 1.0 if score > -0.5 else 0.3


def _place(item: Item, line: Line, before: Word | None) -> tuple[int, Word]:
    """0 on the line, 1 above, -1 below; and the item as a word of this line."""
    if isinstance(item, Group):
        return _group_place(item, line), Word(item.latex, item.box, item.sure, item.name)
    kind, inline = best_on(item, line)
    score = next(score for known, score in item.candidates if known is kind)
    word = Word(kind.name, item.box, (score,), kind.name)
    if before is None:
        # A line begins with something on it; what stands before it belongs to nothing.
        return 0, word
    if kind.name in _PRIMES and item.box.y < line.axis:
        return 1, word
    raised, lowered = _script_lines(line, before.box)
    up = min(best_on(item, each)[1] for each in raised)
    down = min(best_on(item, each)[1] for each in lowered)
    inline -= _SCRIPT_COST
    best = min(inline, up, down)
    return (0 if best == inline else 1 if best == up else -1), word


def _script_lines(line: Line, before: Box) -> tuple[list[Line], list[Line]]:
    """Lines on which scripts of what stands before may lie, raised and lowered, and those of scripts of scripts."""
    size = SCRIPT * line.em
    raised = [Line(size, line.baseline - up * line.em) for up in _RAISED]
    lowered = [Line(size, line.baseline + down * line.em) for down in _LOWERED]
    if before.height > 1.3 * line.em:
        raised.append(Line(size, min(before.y0, line.baseline - 0.35 * line.em) + 0.35 * size))
        lowered.append(Line(size, before.y1 + 0.1 * size))
    smaller = [Line(0.72 * each.em, each.baseline) for each in (*raised, *lowered)]
    raised += [each for each in smaller if each.baseline < line.baseline]
    lowered += [each for each in smaller if each.baseline > line.baseline]
    return raised, lowered


def _group_place(group: Group, line: Line) -> int:
    """Where a part already read stands; a fraction's bar lies on the axis of its line."""
    off = (group.baseline - line.baseline) / line.em
    if abs(off) < (0.35 if group.em > 0.85 * line.em else 0.12):
        return 0
    return 1 if off < 0 else -1
