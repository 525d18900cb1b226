"""Heights that separate rows for certain: rules and the edges of shaded bands."""

from __future__ import annotations

from dataclasses import dataclass, field

from galley.drafters.tables.columns import covered
from galley.drafters.tables.rulings import Ruling, Rulings


@dataclass
class Separator:
    """A height between rows; ``rules`` are the rules drawn there, none for the edge of a band.

    joins: True when cells above and below are one where the rules leave them open.
    """

    y: float
    rules: list[Ruling] = field(default_factory=list)
    joins: bool = False

    def covers(self, left: float, right: float) -> bool:
        """True when rules draw most of the stretch from ``left`` to ``right``; a band's edge crosses everything."""
        if not self.rules:
            return True
        inside = [
            Ruling(rule.position, max(rule.start, left), min(rule.end, right))
            for rule in self.rules
            if rule.end > left and rule.start < right
        ]
        return covered(inside) >= 0.6 * max(1.0, right - left)


def separators(rulings: Rulings, em: float, shortest: float) -> list[Separator]:
    """What separates rows, top to bottom.

    Rules that together are at least ``shortest`` pixels long, grouped within half a text height, and band edges that
    no rule marks already.
    """
    groups: list[list[Ruling]] = []
    for rule in sorted(rulings.horizontal, key=lambda rule: rule.position):
        if groups and rule.position - groups[-1][-1].position < 0.5 * em:
            groups[-1].append(rule)
        else:
            groups.append([rule])
    found = [
        Separator(sum(rule.position for rule in group) / len(group), group)
        for group in groups
        if covered(group) >= shortest
    ]
    for y in rulings.bands:
        if all(abs(y - other.y) > 0.6 * em for other in found):
            found.append(Separator(y))
    return sorted(found, key=lambda separator: separator.y)
