"""What a page holds between two passes, in a form that can be compared, listed and drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from galley.document import BBox, Block, Page
from galley.drafters.line import TextLine
from galley.layout.region import Region
from galley.parsing.page.state import PageState, Zone

LINES, REGIONS, LOOSE, ZONES, BLOCKS = "lines", "regions", "loose_lines", "zones", "blocks"


@dataclass(frozen=True)
class Item:
    """A line, region, zone or block at one moment.

    Attributes:
        source: The object it was made of, which tells that it is the same as before; None where objects do not last.
        label: What it is; for lines, who read it.
        bbox: Its box in pixels of the upright page image.
        text: Its text; of a zone, that of its lines.
        facts: What else is worth comparing, by name.
        lines: The lines it holds, the objects among the page's own.
    """

    source: object
    label: str
    bbox: BBox
    text: str = ""
    facts: dict[str, str] = field(default_factory=dict)
    lines: Sequence[object] = ()


@dataclass(frozen=True)
class Snapshot:
    """A page at one moment.

    Attributes:
        values: What is known of the page as a whole, by name.
        items: Its lines, regions, zones and blocks in order, by attribute.
    """

    values: dict[str, str]
    items: dict[str, list[Item]]


def snapshot(page: PageState) -> Snapshot:
    """The state of a page between two passes."""
    body = page.body
    quads = "not looked for" if page.line_quads is None else f"{len(page.line_quads)} lines found"
    values = {
        "image": f"{page.width} × {page.height} pixels",
        "text_layer": f"{len(page.text_layer.words)} words, {page.text_layer.quality.value}",
        "uses_text_layer": "yes" if page.uses_text_layer else "no",
        "rotation": f"{page.rotation}°",
        "skew": f"{page.skew:.2f}°",
        "line_quads": quads,
        "ocr_lines": str(len(page.ocr_lines)),
        "body": f"height {body.height:.1f}, advance {body.advance:.1f} pixels, {len(body.words.own)} words",
        "warnings": "; ".join(page.warnings) or "none",
        "failures": "; ".join(page.failures) or "none",
        "work": f"{page.work.tokens} tokens by {page.work.reader}" if page.work else "none",
    }
    items = {
        LINES: _items(page.lines, _line),
        REGIONS: _items(page.regions, _region),
        LOOSE: _items(page.loose_lines, _line),
        ZONES: _items(page.zones, _zone),
        BLOCKS: _items(page.blocks, _block),
    }
    return Snapshot(values, items)


def page_snapshot(page: Page) -> Snapshot:
    """A page of a document between two document passes."""
    return Snapshot({}, {BLOCKS: [_block(block, lasts=False) for block in page.blocks]})


def _items(found: Iterable[object], make: Callable[..., Item]) -> list[Item]:
    return [make(one) for one in found]


def _line(line: TextLine) -> Item:
    sure = {} if line.confidence is None else {"confidence": f"{line.confidence:.2f}"}
    return Item(line, line.source, line.bbox, line.text, sure)


def _region(region: Region) -> Item:
    return Item(region, region.label.value, region.bbox, facts={"score": f"{region.score:.2f}"})


def _zone(zone: Zone) -> Item:
    order = {"read": "row by row" if zone.rowwise else "line by line"}
    return Item(zone, zone.label.value, zone.bbox, _joined(zone.lines), order, zone.lines)


def _block(block: Block, lasts: bool = True) -> Item:
    facts = {
        "level": str(block.level),
        "source": str(block.source),
        "flags": ", ".join(block.flags) or "none",
        "continues": str(block.continues),
        "extra": "; ".join(f"{name}: {value}" for name, value in sorted(block.extra.items())) or "none",
    }
    if block.table is not None:
        facts["table"] = f"{block.table.rows} × {block.table.cols}"
    return Item(block if lasts else None, block.label.value, block.bbox, block.content, facts)


def _joined(lines: Sequence[TextLine]) -> str:
    return " ".join(line.text for line in lines)
