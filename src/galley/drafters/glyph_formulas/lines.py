"""One line of a formula, from left to right, with its scripts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from galley.drafters.glyph_formulas.atoms import AXIS, Atom, Read, around

_ON_LINE = 0.035
"""ems off the baseline that still is on it"""
_ON_AXIS = 0.14


@dataclass
class _Base:
    """An atom of the line with the atoms of its scripts."""

    atom: Atom | None
    scripts: list[Atom] = field(default_factory=list)


@dataclass(frozen=True)
class Line:
    """Size of a line's type and the y of its baseline."""

    size: float
    base: float

    def holds(self, item: Atom) -> bool:
        """Whether an atom stands on the line rather than in a script."""
        if item.centred:
            return abs(item.axis - (self.base - AXIS * self.size)) < _ON_AXIS * self.size
        if item.kind in ("rel", "bin") and item.size > 0.9 * self.size:
            return abs(item.box.y - (self.base - AXIS * self.size)) < _ON_AXIS * self.size
        return abs(item.base - self.base) < _ON_LINE * self.size and item.size > 0.55 * self.size


def line_of(items: Sequence[Atom]) -> Line:
    """The line that the largest atoms stand on."""
    standing = [item for item in items if not item.centred and item.kind not in ("prime", "accent")]
    if not standing:
        widest = max(items, key=lambda item: item.size)
        return Line(widest.size, widest.axis + AXIS * widest.size)
    size = max(item.size for item in standing)
    largest = [item for item in standing if item.size > 0.92 * size]
    bases = sorted(item.base for item in largest)
    votes = [
        (sum(abs(base - other) < _ON_LINE * size for other in bases), -n, base)
        for n, base in enumerate(bases)
    ]
    line = Line(size, max(votes)[2])
    centred = [item for item in items if item.centred]
    if centred and not any(line.holds(item) for item in centred):
        # A fraction or bracket of a larger size with nothing beside it but its scripts.
        widest = max(centred, key=lambda item: item.size)
        if widest.size > 1.2 * size:
            return Line(widest.size, widest.axis + AXIS * widest.size)
    return line


def read_line(items: Sequence[Atom], read: Read) -> Atom:
    """Atoms of one line as one group."""
    ordered = sorted(items, key=lambda item: (item.left, item.box.x0))
    line = line_of(ordered)
    bases: list[_Base] = []
    for item in ordered:
        if line.holds(item):
            bases.append(_Base(item))
            continue
        if not bases:
            bases.append(_Base(None))
        bases[-1].scripts.append(item)
    words, doubts = [], 0
    for part in bases:
        latex, worries = _with_scripts(part, line, read)
        words.append(latex)
        doubts += worries
    box = around(ordered)
    return Atom(
        " ".join(words), "group", box, ordered[0].left, max(item.right for item in ordered), line.size, line.base,
        doubts=doubts,
    )  # fmt: skip


def _with_scripts(base: _Base, line: Line, read: Read) -> tuple[str, int]:
    atom = base.atom
    latex, doubts = ("{}", 0) if atom is None else (_written(atom), atom.doubts)
    above, below = _parted(base.scripts, line)
    primes = list(takewhile(lambda item: item.kind == "prime", above))
    above = above[len(primes) :]
    latex += "".join(item.latex for item in primes)
    for mark, part in (("_", below), ("^", above)):
        if part:
            group = read(part, [])
            latex += f"{mark}{{{group.latex}}}"
            doubts += group.doubts + (not any(item.size < 0.92 * line.size for item in part))
    return latex, doubts


def _written(atom: Atom) -> str:
    if atom.kind in ("letter", "digit") and atom.style.startswith("\\") and "{" not in atom.latex:
        return f"{atom.style}{{{atom.latex}}}"
    if atom.kind == "piece":
        return ""
    return atom.latex


def _parted(scripts: Sequence[Atom], line: Line) -> tuple[list[Atom], list[Atom]]:
    """Raised and lowered atoms; smaller ones among them go with the script that they are scripts of."""
    if not scripts:
        return [], []
    size = max(item.size for item in scripts)
    above: list[Atom] = []
    below: list[Atom] = []
    small: list[Atom] = []
    for item in scripts:
        if item.size < 0.85 * size:
            small.append(item)
        else:
            (above if item.axis < line.base - AXIS * line.size else below).append(item)
    first = (tuple(above), tuple(below))
    for item in small:
        near = [_distance(item, part) for part in first]
        (above if near[0] <= near[1] else below).append(item)
    return above, below


def _distance(item: Atom, part: Sequence[Atom]) -> float:
    """How far an atom is from those of a script that it may belong to."""
    found = float("inf")
    for other in part:
        aside = max(item.left - other.right, other.left - item.right, 0.0)
        found = min(found, abs(item.axis - other.axis) + aside)
    return found
