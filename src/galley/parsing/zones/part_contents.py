"""Pass: the entries of a table of contents as items of a list."""

from __future__ import annotations

from galley.document import Label
from galley.geometry import rows
from galley.parsing.page.state import PageState, Zone
from galley.parsing.page.tools import PageTools
from galley.parsing.zones.measure import box_around


def part_contents(page: PageState, tools: PageTools) -> None:
    """Make each entry of a table of contents a zone of its own, a list item, whatever the zone around it was.

    Other lines among them keep the label of their zone, but for those of tables and figures, which are text.

    Reads: zones.
    Changes: zones.
    """
    page.zones = [part for zone in page.zones for part in _parts(zone)]


def _parts(zone: Zone) -> list[Zone]:
    if not any(line.entry for line in zone.lines):
        return [zone]
    found: list[Zone] = []
    for row in rows([line.bbox for line in zone.lines]):
        for line in (zone.lines[i] for i in row):
            if line.entry:
                found.append(Zone(Label.LIST_ITEM, line.bbox, [line], zone.score))
            elif found and found[-1].label is not Label.LIST_ITEM:
                found[-1].lines.append(line)
                found[-1].bbox = box_around(found[-1].lines)
            else:
                label = Label.TEXT if zone.label in (Label.TABLE, Label.FIGURE) else zone.label
                found.append(Zone(label, line.bbox, [line], zone.score))
    return found
