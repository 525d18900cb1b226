"""Pass: equation numbers as lines of their formulas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from galley.document import BBox, Label
from galley.drafters.line import TextLine
from galley.parsing.page.state import PageState, Zone
from galley.parsing.page.tools import PageTools
from galley.parsing.text.markers import equation_number


def join_equation_numbers(page: PageState, tools: PageTools) -> None:
    """Make each equation number beside a formula a line of the formula's zone.

    Reads: zones.
    Changes: zones.
    """
    page.zones = with_equation_numbers(page.zones)


def with_equation_numbers(zones: Sequence[Zone]) -> list[Zone]:
    """Zones in order; an equation number beside a formula becomes a line of the formula's zone."""
    formulas = [zone for zone in zones if zone.label is Label.FORMULA]
    numbers: dict[int, list[TextLine]] = {}
    left: list[Zone] = []
    for zone in zones:
        beside = (
            [formula for formula in formulas if _beside(formula.bbox, zone.bbox)] if _is_number(zone) else []
        )
        if beside:
            nearest = min(beside, key=lambda formula: abs(formula.bbox.center[1] - zone.bbox.center[1]))
            numbers.setdefault(id(nearest), []).extend(zone.lines)
        else:
            left.append(zone)
    return [replace(zone, lines=[*zone.lines, *numbers.get(id(zone), [])]) for zone in left]


def _is_number(zone: Zone) -> bool:
    return (
        zone.label in (Label.TEXT, Label.CAPTION)
        and len(zone.lines) == 1
        and bool(equation_number(zone.lines[0].text))
    )


def _beside(formula: BBox, number: BBox) -> bool:
    return formula.y0 <= number.center[1] <= formula.y1 and not formula.x0 < number.center[0] < formula.x1
