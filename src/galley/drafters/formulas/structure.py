"""From symbols on a page to LaTeX: fractions, roots, limits, accents, scripts, rows.

Each step takes what it recognises out of the items and puts one group in its place, so that the last step has one
line of items with scripts to read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from galley.drafters.formulas.layout import BIG, INTEGRALS, SCRIPT, Group, Item, Line, best_on, has_size
from galley.drafters.formulas.symbols import Box, Symbol
from galley.drafters.formulas.words import Word, write

_ACCENTS = {
    "\\hat": "\\hat",
    "\\widehat": "\\hat",
    "\\tilde": "\\tilde",
    "\\widetilde": "\\tilde",
    "\\sim": "\\tilde",
    "\\vec": "\\vec",
    "\\to": "\\vec",
    "\\rightharpoonup": "\\vec",
    "\\check": "\\check",
    ".": "\\dot",
    "\\cdot": "\\dot",
}
_LINES = ("-", "\\mathrm{l}", "|", "/")
_DOTS = (".", "\\cdot")
_PRIMES = ("'", "\\prime")
_LIMITED = ("lim", "max", "min", "sup", "inf", "limsup", "liminf", "argmax", "argmin")
_WITH_LIMITS = (BIG - INTEGRALS) | {f"\\{name}" for name in _LIMITED}
_LEFT = frozenset(
    ("(", "[", "\\{", "|", "\\lfloor", "\\lceil", "\\parallel", "\\mathrm{l}", "l", "1", "\\langle")
)
_RIGHT = frozenset(
    (")", "]", "\\}", "|", "\\rfloor", "\\rceil", "\\parallel", "\\mathrm{l}", "l", "1", "\\rangle")
)
_MATRICES = {"(": "pmatrix", "[": "bmatrix", "|": "vmatrix", "\\{": "Bmatrix"}


class Structure:
    """Reads items whose main line is ``em`` pixels to the em."""

    def __init__(self, em: float) -> None:
        self.em = em

    def read(self, items: Sequence[Item]) -> Group:
        """All items as one group. Raises ``ValueError`` without any."""
        if not items:
            raise ValueError("nothing to read")
        steps: tuple[Callable[[list[Item]], list[Item]], ...] = (
            self._roots,
            self._dots,
            self._fractions,
            self._matrices,
            self._functions,
            self._limits,
            self._accents,
        )
        left = list(items)
        for step in steps:
            left = step(left)
        lines = [self._line(row) for part in rows(left, 0.4 * self.em) for row in self._baselines(part)]
        if len(lines) == 1:
            return lines[0]
        latex = " \\\\ ".join(line.latex for line in lines)
        sure = tuple(value for line in lines for value in line.sure)
        box = _hull(left)
        aligned = f"\\begin{{aligned}} {latex} \\end{{aligned}}"
        return Group(aligned, box, self.em, box.y + 0.25 * self.em, sure)

    # Roots and fractions

    def _roots(self, items: list[Item]) -> list[Item]:
        for sign in sorted((i for i in items if _is(i, "\\sqrt")), key=lambda item: -item.box.width):
            if sign not in items:
                continue
            roof = next((i for i in items if _is_bar(i) and self._continues(sign, i)), sign)
            box = sign.box.union(roof.box)
            inside = [i for i in items if i is not sign and i is not roof and box.holds(i.box)]
            if not inside:
                continue
            content = self.read(inside)
            rest = [item for item in items if item is not sign and item is not roof and item not in inside]
            group = _wrapped(f"\\sqrt{{{content.latex}}}", [sign, roof], content)
            items = [*rest, group]
        return items

    def _continues(self, sign: Item, bar: Item) -> bool:
        """Whether a bar is the roof of a root, printed apart from it."""
        near = 0.12 * self.em
        return (
            abs(bar.box.x0 - sign.box.x1) < near + 0.1 * sign.box.width
            and abs(bar.box.y - sign.box.y0) < near
        )

    def _fractions(self, items: list[Item]) -> list[Item]:
        for bar in sorted((i for i in items if _is_bar(i)), key=lambda item: item.box.width):
            if bar not in items:
                continue
            column = [i for i in items if i is not bar and bar.box.x0 - 2 <= i.box.x <= bar.box.x1 + 2]
            over = [i for i in column if i.box.y < bar.box.y and i.box.y1 < bar.box.y1 + 2]
            under = [i for i in column if i.box.y > bar.box.y and i.box.y0 > bar.box.y0 - 2]
            above, below = self._nearest(bar, over), self._nearest(bar, under)
            if not above or not below or not self._spans(bar, above, below):
                continue
            top, bottom = self.read(above), self.read(below)
            em = max(top.em, bottom.em)
            box = bar.box.union(top.box).union(bottom.box)
            sure = (*top.sure, *bottom.sure)
            latex = f"\\frac{{{top.latex}}}{{{bottom.latex}}}"
            group = Group(latex, box, em, bar.box.y + 0.25 * em, sure, "\\frac")
            items = [i for i in items if i is not bar and i not in above and i not in below] + [group]
        return items

    def _nearest(self, bar: Item, items: Sequence[Item]) -> list[Item]:
        """Of what stands on one side of a bar, all up to the first gap: beyond it is another line."""
        found: list[Item] = []
        reached = bar.box
        for item in sorted(items, key=lambda item: _apart(item.box, bar.box)):
            if found and _apart(item.box, reached) > 0.32 * self.em:
                break
            found.append(item)
            reached = reached.union(item.box)
        return found

    def _spans(self, bar: Item, above: Sequence[Item], below: Sequence[Item]) -> bool:
        """Whether a bar is as wide as the wider of what stands over and under it, and close to both."""
        wide = max(_hull(above).width, _hull(below).width)
        near = max(bar.box.y - max(i.box.y1 for i in above), min(i.box.y0 for i in below) - bar.box.y)
        return bar.box.width > 0.75 * wide and near < 0.65 * self.em

    # Matrices

    def _matrices(self, items: list[Item]) -> list[Item]:
        """Rows between tall delimiters, or behind a tall brace, as one group."""
        for left in sorted((i for i in items if self._is_tall(i, _LEFT)), key=lambda item: -item.box.height):
            if left not in items:
                continue
            right = self._closing(left, items)
            if right is None and not _is(left, "\\{"):
                continue
            end = right.box.x0 if right else max(i.box.x1 for i in items) + 1
            inside = [
                i
                for i in items
                if left.box.x1 <= i.box.x <= end
                and left.box.y0 - 2 <= i.box.y <= left.box.y1 + 2
                and i is not right
            ]
            lines = rows(inside, 0.18 * self.em) if inside else []
            if len(lines) < 2 or not all(self._is_full(line) for line in lines):
                continue
            group = self._grid(left, right, inside, lines)
            items = [i for i in items if i not in inside and i is not left and i is not right] + [group]
        return items

    def _is_tall(self, item: Item, names: frozenset[str]) -> bool:
        return isinstance(item, Symbol) and _is(item, *names) and item.box.height > 1.7 * self.em

    def _is_full(self, line: Sequence[Item]) -> bool:
        """Whether a row has something of the matrix's own size in it, unlike scripts alone."""
        return _hull(line).height > 0.4 * self.em or any(isinstance(item, Group) for item in line)

    def _closing(self, left: Item, items: Sequence[Item]) -> Item | None:
        alike = [
            i
            for i in items
            if i is not left
            and self._is_tall(i, _RIGHT)
            and i.box.x0 > left.box.x1
            and abs(i.box.y - left.box.y) < 0.3 * self.em
            and 0.8 < i.box.height / left.box.height < 1.25
        ]
        return min(alike, key=lambda item: item.box.x0, default=None)

    def _grid(
        self, left: Item, right: Item | None, inside: Sequence[Item], lines: Sequence[Sequence[Item]]
    ) -> Group:
        edges = columns(inside, 0.65 * self.em)
        sure = _sure(left)
        written = []
        for line in lines:
            cells = []
            for start, end in edges:
                cell = [item for item in line if start <= item.box.x <= end]
                group = Structure(self.em).read(cell) if cell else None
                cells.append(group.latex if group else "")
                sure += group.sure if group else ()
            written.append(" & ".join(cells))
        name = "cases" if right is None else _MATRICES.get(left.name, "bmatrix")
        box = _hull([*inside, left, *([right] if right else [])])
        body = " \\\\ ".join(written)
        latex = f"\\begin{{{name}}} {body} \\end{{{name}}}"
        return Group(latex, box, self.em, box.y + 0.25 * self.em, sure, name)

    # Dots, limits, accents

    def _dots(self, items: list[Item]) -> list[Item]:
        """Three dots in a row, upright or slanting, as one sign."""
        dots = sorted((i for i in items if _is(i, *_DOTS)), key=lambda item: (item.box.x, item.box.y))
        for first in dots:
            for second in dots:
                step = second.box.x - first.box.x, second.box.y - first.box.y
                if first not in items or second not in items or not self._is_step(step):
                    continue
                place = second.box.x + step[0], second.box.y + step[1]
                third = next((dot for dot in dots if dot in items and self._is_at(dot, place)), None)
                if third is None:
                    continue
                others = [i for i in items if i not in (first, second, third)]
                items = [*others, self._dotted(_hull([first, second, third]), step, others)]
        return items

    def _is_step(self, step: tuple[float, float]) -> bool:
        x, y = abs(step[0]), abs(step[1])
        return 0.15 * self.em < max(x, y) < 0.75 * self.em and step[0] > -0.1 * self.em and step != (0, 0)

    def _is_at(self, dot: Item, place: tuple[float, float]) -> bool:
        return abs(dot.box.x - place[0]) < 0.1 * self.em and abs(dot.box.y - place[1]) < 0.1 * self.em

    def _dotted(self, box: Box, step: tuple[float, float], others: Sequence[Item]) -> Group:
        level = abs(step[1]) < 0.1 * self.em
        upright = abs(step[0]) < 0.1 * self.em
        centred = level and _is_centred(box, others)
        name = ("\\cdots" if centred else "\\ldots") if level else "\\vdots" if upright else "\\ddots"
        baseline = box.y1 if name == "\\ldots" else box.y + 0.25 * self.em
        return Group(name, box, self.em, baseline, (-0.1,), name)

    def _functions(self, items: list[Item]) -> list[Item]:
        """Names that take limits, as one sign."""
        for name in sorted(_LIMITED, key=len, reverse=True):
            for start in [i for i in items if _spells(i, name[0])]:
                run = self._spelt(name, start, items)
                if run is None:
                    continue
                sure = tuple(value for item in run for value in _sure(item))
                group = Group(f"\\{name}", _hull(run), self.em, run[0].box.y1, sure, f"\\{name}")
                items = [item for item in items if item not in run] + [group]
        return items

    def _spelt(self, name: str, start: Item, items: Sequence[Item]) -> list[Item] | None:
        """Items that spell a name close together on one baseline from ``start`` on."""
        run = [start]
        for letter in name[1:]:
            last = run[-1].box
            following = [
                i
                for i in items
                if i not in run
                and _spells(i, letter)
                and -0.08 * self.em < i.box.x0 - last.x1 < 0.15 * self.em
                and min(i.box.y1, last.y1) - max(i.box.y0, last.y0) > 0.5 * min(i.box.height, last.height)
            ]
            if not following:
                return None
            run.append(following[0])
        return run

    def _limits(self, items: list[Item]) -> list[Item]:
        """What stands over and under big operators, except beside integrals."""
        for sign in sorted((i for i in items if _is(i, *_WITH_LIMITS)), key=lambda item: item.box.x):
            if isinstance(sign, Symbol) and sign.box.height < 0.9 * self.em * SCRIPT:
                continue
            over = self._stacked(sign, items, above=True)
            under = self._stacked(sign, items, above=False)
            if not over and not under:
                continue
            items = [item for item in items if item not in over and item not in under and item is not sign]
            items.append(self._with_limits(sign, over, under))
        return items

    def _with_limits(self, sign: Item, over: Sequence[Item], under: Sequence[Item]) -> Group:
        latex, sure = _name(sign), _sure(sign)
        for mark, part in (("_", under), ("^", over)):
            if part:
                group = Structure(self.em * SCRIPT).read(part)
                latex += f"{mark}{{{group.latex}}}"
                sure += group.sure
        # Of the sign's own height, so that the line it stands in is not taken for a taller one.
        baseline = sign.baseline if isinstance(sign, Group) else sign.box.y + 0.25 * self.em
        return Group(latex, sign.box, self.em, baseline, sure, _name(sign))

    def _stacked(self, sign: Item, items: Sequence[Item], above: bool) -> list[Item]:
        box, reach = sign.box, 0.45 * self.em

        def beyond(item: Item) -> bool:
            gap = box.y0 - item.box.y1 if above else item.box.y0 - box.y1
            return item is not sign and -0.12 * self.em < gap < 0.5 * self.em

        found = [i for i in items if beyond(i) and i.box.overlap_x(box) > 0]
        grown = True
        while found and grown:
            hull = _hull(found)
            more = [
                i
                for i in items
                if i not in found
                and beyond(i)
                and hull.x0 - reach < i.box.x1
                and i.box.x0 < hull.x1 + reach
                and min(hull.y1, i.box.y1) > max(hull.y0, i.box.y0)
            ]
            found += more
            grown = bool(more)
        return found

    def _accents(self, items: list[Item]) -> list[Item]:
        for mark in [i for i in items if isinstance(i, Symbol) and (_is_bar(i) or _is(i, *_ACCENTS))]:
            under = [i for i in items if i is not mark and self._carries(i, mark)]
            if not under:
                continue
            content = Structure(self.em).read(under) if len(under) > 1 else self._alone(under[0])
            command = "\\bar" if len(under) == 1 else "\\overline"
            if not _is_bar(mark):
                command = next(_ACCENTS[k.name] for k, _ in mark.candidates if k.name in _ACCENTS)
            group = replace(content, latex=f"{command}{{{content.latex}}}", name="")
            items = [item for item in items if item is not mark and item not in under] + [group]
        return items

    def _carries(self, item: Item, mark: Symbol) -> bool:
        """Whether an item stands right under a mark."""
        gap = item.box.y0 - mark.box.y1
        if not -0.1 * self.em < gap < 0.4 * self.em or _is_bar(item):
            return False
        if isinstance(item, Symbol) and not has_size(item.kind):
            return False
        if mark.box.width > 1.3 * item.box.width:
            return mark.box.x0 - 0.1 * self.em <= item.box.x <= mark.box.x1 + 0.1 * self.em
        # Marks stand a little to the right over slanting letters; an exponent begins behind them.
        return -0.15 * self.em < mark.box.x - item.box.x < 0.25 * self.em

    # The line

    def _baselines(self, items: list[Item]) -> list[list[Item]]:
        """Items parted by the lines that full-sized ones stand on, where there are several."""
        guesses = [
            (guess[0].baseline, item)
            for item in items
            if (guess := self._guess(item)) and self._is_main(guess[0])
        ]
        levels: list[list[tuple[float, Item]]] = []
        for baseline, item in sorted(guesses, key=lambda pair: pair[0]):
            if levels and baseline < levels[-1][-1][0] + 0.5 * self.em:
                levels[-1].append((baseline, item))
            else:
                levels.append([(baseline, item)])
        levels = [level for level in levels if len(level) > 1]
        centres = [sum(baseline for baseline, _ in level) / len(level) - 0.25 * self.em for level in levels]
        if len(levels) < 2 or min(b - a for a, b in pairwise(centres)) < 1.1 * self.em:
            return [items]
        parted: list[list[Item]] = [[] for _ in levels]
        for item in items:
            parted[min(range(len(centres)), key=lambda n: abs(centres[n] - item.box.y))].append(item)
        return parted

    def _is_main(self, line: Line) -> bool:
        return line.em > 0.85 * self.em

    def _alone(self, item: Item) -> Group:
        return self._line([item])

    def _line(self, items: Sequence[Item]) -> Group:
        """Items of one line with their scripts, from left to right."""
        ordered = sorted(items, key=lambda item: item.box.x0)
        line = self._line_of(ordered)
        words: list[Word] = []
        scripts: list[tuple[list[Item], list[Item]]] = []
        for item in ordered:
            place, word = self._place(item, line, words[-1] if words else None)
            if place == 0 or (not words and place < 0 and len(ordered) == 1):
                words.append(word)
                scripts.append(([], []))
                continue
            if not words:
                words.append(Word("{}", Box(item.box.x0, line.baseline, item.box.x0, line.baseline), ()))
                scripts.append(([], []))
            scripts[-1][0 if place > 0 else 1].append(item)
        whole = []
        for word, (above, below) in zip(words, scripts, strict=True):
            whole.append(self._with_scripts(word, above, below))
        sure = tuple(value for word in whole for value in word.sure)
        return Group(write(whole, line.em), _hull(ordered), line.em, line.baseline, sure)

    def _with_scripts(self, word: Word, above: list[Item], below: list[Item]) -> Word:
        for mark, part in (("_", below), ("^", above)):
            if not part:
                continue
            if mark == "^" and (primes := _primes(part)):
                word = replace(word, scripts=word.scripts + primes)
                continue
            group = Structure(self.em * SCRIPT).read(part)
            word = replace(
                word,
                scripts=word.scripts + f"{mark}{{{group.latex}}}",
                sure=word.sure + group.sure,
                box=Box(word.box.x0, word.box.y0, max(word.box.x1, group.box.x1), word.box.y1),
            )
        return word

    def _line_of(self, items: Sequence[Item]) -> Line:
        """The size and baseline on which most of the large items stand."""
        guesses = [guess for item in items if (guess := self._guess(item)) is not None]
        if not guesses:
            middle = _hull(items).y
            return Line(self.em, middle + 0.25 * self.em)

        def support(line: Line) -> float:
            found = 0.0
            for other, weight in guesses:
                off = abs(other.baseline - line.baseline) / (0.15 * line.em)
                size = abs(math.log(other.em / line.em)) / 0.2
                found += weight * max(0.0, 1 - off) * max(0.0, 1 - size)
            # Scripts may outnumber what carries them; a letter taken for its small twin looks like larger type.
            return found * math.exp(-5 * abs(math.log(line.em / self.em)))

        best = max((line for line, _ in guesses), key=support)
        full = [pair for pair in guesses if 0.8 < pair[0].em / best.em < 1.25]
        near = [line for line, _ in full if abs(line.baseline - best.baseline) < 0.15 * best.em]
        sizes = sorted(line.em for line in near)
        baselines = sorted(line.baseline for line in near)
        return Line(sizes[len(sizes) // 2], baselines[len(baselines) // 2])

    def _guess(self, item: Item) -> tuple[Line, float] | None:
        """The line an item would stand on by itself, and how much that says."""
        if isinstance(item, Group):
            return Line(item.em, item.baseline), 1.5
        kind, score = item.candidates[0]
        if not has_size(kind) or kind.height is None or kind.bottom is None:
            return None
        em = item.box.height / kind.height
        return Line(em, item.box.y1 + kind.bottom * em), 1.0 if score > -0.5 else 0.3

    def _place(self, item: Item, line: Line, before: Word | None) -> tuple[int, Word]:
        """0 on the line, 1 above, -1 below; and the item as a word of this line."""
        if isinstance(item, Group):
            place = _group_place(item, line)
            return place, Word(item.latex, item.box, item.sure, item.name)
        kind, inline = best_on(item, line)
        score = next(score for known, score in item.candidates if known is kind)
        word = Word(kind.name, item.box, (score,), kind.name)
        if before is None:
            # A line begins with something on it; what stands before it belongs to nothing.
            return 0, word
        if kind.name in _PRIMES and item.box.y < line.axis:
            return 1, word
        size = SCRIPT * line.em
        heights = [before.box.y0, line.baseline - 0.35 * line.em]
        raised = [Line(size, line.baseline - up * line.em) for up in (0.28, 0.38, 0.48, 0.6)]
        raised += [Line(size, min(heights) + 0.35 * size)] if before.box.height > 1.3 * line.em else []
        lowered = [Line(size, line.baseline + down * line.em) for down in (0.12, 0.22, 0.32)]
        lowered += [Line(size, before.box.y1 + 0.1 * size)] if before.box.height > 1.3 * line.em else []
        smaller = [Line(0.72 * each.em, each.baseline) for each in (*raised, *lowered)]
        up = min(
            best_on(item, each)[1] for each in (*raised, *(s for s in smaller if s.baseline < line.baseline))
        )
        down = min(
            best_on(item, each)[1] for each in (*lowered, *(s for s in smaller if s.baseline > line.baseline))
        )
        best = min(inline - 1.0, up, down)
        place = 0 if best == inline - 1.0 else 1 if best == up else -1
        return place, word


def rows(items: Sequence[Item], gap: float) -> list[list[Item]]:
    """Items parted where nothing stands for ``gap`` pixels from top to bottom, in order."""
    found: list[list[Item]] = []
    bottom = 0.0
    for item in sorted(items, key=lambda item: item.box.y0):
        if found and item.box.y0 < bottom + gap:
            found[-1].append(item)
            bottom = max(bottom, item.box.y1)
        else:
            found.append([item])
            bottom = item.box.y1
    return found


def columns(items: Sequence[Item], gap: float) -> list[tuple[float, float]]:
    """Spans of x parted where nothing stands for ``gap`` pixels, in order."""
    spans: list[tuple[float, float]] = []
    for item in sorted(items, key=lambda item: item.box.x0):
        if spans and item.box.x0 < spans[-1][1] + gap:
            spans[-1] = spans[-1][0], max(spans[-1][1], item.box.x1)
        else:
            spans.append((item.box.x0, item.box.x1))
    return spans


def _group_place(group: Group, line: Line) -> int:
    """Where a part already read stands; a fraction's bar lies on the axis of its line."""
    off = (group.baseline - line.baseline) / line.em
    if group.em > 0.85 * line.em and abs(off) < 0.35:
        return 0
    if abs(off) < 0.12:
        return 0
    return 1 if off < 0 else -1


def _primes(items: Sequence[Item]) -> str:
    """Primes for a superscript that is nothing else; else an empty string."""
    signs = (*_PRIMES, "\\mathrm{l}", "/", ",")
    if all(isinstance(item, Symbol) and item.kind.name in signs for item in items):
        return "'" * len(items)
    return ""


def _is(item: Item, *names: str) -> bool:
    return item.name in names


def _is_bar(item: Item) -> bool:
    if not isinstance(item, Symbol) or not item.box.is_flat:
        return False
    return _is(item, *_LINES, "") or item.box.width > 10 * item.box.height


def _is_centred(box: Box, others: Sequence[Item]) -> bool:
    """Whether dots stand at the height of the signs beside them rather than at the foot of letters."""
    beside = [
        i.box for i in others if not isinstance(i, Symbol) or has_size(i.kind) or i.name in ("+", "=", "-")
    ]
    near = [
        other
        for other in beside
        if min(other.y1, box.y1 + other.height) > max(other.y0, box.y0 - other.height)
    ]
    if not near:
        return False
    nearest = min(near, key=lambda other: min(abs(other.x0 - box.x1), abs(box.x0 - other.x1)))
    return box.y < nearest.y + 0.3 * nearest.height


def _spells(item: Item, letter: str) -> bool:
    """Whether a symbol may be an upright letter."""
    if not isinstance(item, Symbol):
        return False
    names = (f"\\mathrm{{{letter}}}", letter, *(("|", "1") if letter == "l" else ()))
    return any(kind.name in names and score > -4 for kind, score in item.candidates)


def _apart(first: Box, second: Box) -> float:
    """Pixels of paper between two boxes from top to bottom, 0 where they overlap."""
    return max(first.y0 - second.y1, second.y0 - first.y1, 0.0)


def _name(item: Item) -> str:
    return item.name


def _sure(item: Item) -> tuple[float, ...]:
    return (item.candidates[0][1],) if isinstance(item, Symbol) else item.sure


def _hull(items: Sequence[Item]) -> Box:
    box = items[0].box
    for item in items[1:]:
        box = box.union(item.box)
    return box


def _wrapped(latex: str, around: Sequence[Item], content: Group) -> Group:
    box = content.box
    for item in around:
        box = box.union(item.box)
    return Group(latex, box, content.em, content.baseline, content.sure, "\\sqrt")
