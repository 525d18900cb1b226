"""From glyphs and rules to LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from galley.drafters.glyph_formulas.accents import read_accents
from galley.drafters.glyph_formulas.atoms import Atom, Rules
from galley.drafters.glyph_formulas.dots import read_dots
from galley.drafters.glyph_formulas.fractions import read_rules
from galley.drafters.glyph_formulas.limits import read_braces, read_limits
from galley.drafters.glyph_formulas.lines import read_line
from galley.drafters.glyph_formulas.roots import read_roots
from galley.drafters.glyph_formulas.rows import aligned, read_arrays, rows


def read_structure(items: Sequence[Atom], rules: Rules) -> Atom:
    """Atoms whose pieces and words are already joined, and rules, as one group.

    Raises:
        ValueError: Without atoms.
    """
    if not items:
        raise ValueError("nothing to read")
    left, free = read_roots(items, rules, read_structure)
    left = read_dots(left)
    left = read_accents(left, read_structure)
    left, free = read_rules(left, free, read_structure)
    left = read_braces(left, read_structure)
    left = read_limits(left, read_structure)
    left = read_arrays(left, read_structure)
    lines = rows(left)
    group = aligned(lines, read_structure) if len(lines) > 1 else read_line(left, read_structure)
    idle = sum(rule.is_flat for rule in free)
    return replace(group, doubts=group.doubts + idle) if idle else group
