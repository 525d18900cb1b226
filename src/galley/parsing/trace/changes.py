"""What is different between two snapshots of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import count

from galley.parsing.trace.snapshot import LINES, LOOSE, Item, Snapshot

SAME_PLACE = 0.3
"""Least intersection over union of two boxes that may be one item before and after."""
INSIDE = 0.8
"""Share of a vanished item's area within the one it has become a part of."""
MOVED = 0.5
"""Pixels by which a side of a box has to move to count."""
_PREFIXES = {"lines": "l", "regions": "r", "zones": "z", "blocks": "b"}


class Kind(str, Enum):
    """What became of an item."""

    NEW = "new"
    GONE = "gone"
    CHANGED = "changed"


@dataclass(frozen=True)
class Named:
    """An item with the name that it keeps from pass to pass, such as ``z3``."""

    name: str
    item: Item


@dataclass(frozen=True)
class Change:
    """What became of one item.

    Attributes:
        kind: New, gone or changed.
        named: The item; as it was before, where it is gone.
        details: What is different, in words.
    """

    kind: Kind
    named: Named
    details: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Difference:
    """What one pass did to a page.

    Attributes:
        values: Names of what is known of the page as a whole, with what it was and what it is now.
        counts: Numbers of items before and after, by attribute, for those that changed.
        items: Changes of single items, by attribute.
        reordered: Attributes whose remaining items stand in another order.
    """

    values: dict[str, tuple[str, str]]
    counts: dict[str, tuple[int, int]]
    items: dict[str, list[Change]]
    reordered: list[str]

    @property
    def attributes(self) -> set[str]:
        """Attributes of the page that are different."""
        return {*self.values, *(name for name, found in self.items.items() if found), *self.reordered}


class Tracker:
    """Follows the items of one page from pass to pass."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.named: dict[str, list[Named]] = {}
        self._numbers = {kind: count(1) for kind in _PREFIXES}

    def take(self, snapshot: Snapshot) -> Difference:
        """Compare with the snapshot before, the first with an empty page."""
        values = {
            name: (self.values.get(name, ""), now)
            for name, now in snapshot.values.items()
            if self.values and self.values.get(name) != now
        }
        self.values = snapshot.values
        counts, changes, reordered = {}, {}, []
        lines: dict[int, str] = {}
        for kind, items in snapshot.items.items():
            before = self.named.get(kind, [])
            after = self._name(kind, before, [_with_lines(item, lines) for item in items], lines)
            if kind == LINES:
                lines = {id(named.item.source): named.name for named in after}
            changes[kind] = _changes(before, after)
            if changes[kind]:
                counts[kind] = len(before), len(after)
            if _order(before, after) != _order(after, before):
                reordered.append(kind)
            self.named[kind] = after
        return Difference(values, counts, changes, reordered)

    def _name(
        self, kind: str, before: Sequence[Named], items: Sequence[Item], lines: Mapping[int, str]
    ) -> list[Named]:
        """The items under the names they had before, new ones under new names; loose lines go by those of lines."""
        if kind == LOOSE:
            return [Named(lines.get(id(item.source), "?"), item) for item in items]
        found: dict[int, str] = {}
        waiting = list(before)
        for likeness in (_is_same, _looks_same, _is_at_same_place):
            for index, item in enumerate(items):
                if index in found:
                    continue
                match = max(waiting, key=lambda named: likeness(named.item, item), default=None)
                if match is not None and likeness(match.item, item) > 0:
                    found[index] = match.name
                    waiting.remove(match)
        return [
            Named(found.get(i) or f"{_PREFIXES[kind]}{next(self._numbers[kind])}", item)
            for i, item in enumerate(items)
        ]


def _with_lines(item: Item, names: Mapping[int, str]) -> Item:
    """The item with the names of its lines among its facts."""
    if not item.lines:
        return item
    held = " ".join(names.get(id(line), "?") for line in item.lines)
    return replace(item, facts={"lines": held, **item.facts})


def _is_same(before: Item, after: Item) -> float:
    return float(before.source is not None and before.source is after.source)


def _looks_same(before: Item, after: Item) -> float:
    return float(before.bbox == after.bbox and (before.text == after.text or before.label == after.label))


def _is_at_same_place(before: Item, after: Item) -> float:
    """Intersection over union; of one line within another, text that goes on counts as well."""
    iou = before.bbox.iou(after.bbox)
    if iou >= SAME_PLACE:
        return iou + (before.label == after.label)
    begins = (
        bool(before.text) and after.text.startswith(before.text) and before.bbox.inside(after.bbox) > INSIDE
    )
    return iou if begins else 0.0


def _changes(before: Sequence[Named], after: Sequence[Named]) -> list[Change]:
    old = {named.name: named.item for named in before}
    left = {named.name for named in after}
    found = []
    for named in after:
        if named.name not in old:
            found.append(Change(Kind.NEW, named))
        elif details := _details(old[named.name], named.item):
            found.append(Change(Kind.CHANGED, named, details))
    for named in before:
        if named.name not in left:
            home = next((o for o in after if named.item.bbox.inside(o.item.bbox) > INSIDE), None)
            found.append(Change(Kind.GONE, named, [f"now inside {home.name}"] if home else []))
    return found


def _details(before: Item, after: Item) -> list[str]:
    """What is different about one item."""
    found = []
    if before.label != after.label:
        found.append(f"label {before.label} → {after.label}")
    a, b = before.bbox, after.bbox
    if max(abs(a.x0 - b.x0), abs(a.y0 - b.y0), abs(a.x1 - b.x1), abs(a.y1 - b.y1)) > MOVED:
        found.append(f"box {box_text(before)} → {box_text(after)}")
    if before.text != after.text:
        found.append(f"text {shown(before.text)} → {shown(after.text)}")
    for name in sorted({*before.facts, *after.facts}):
        old, new = before.facts.get(name, "none"), after.facts.get(name, "none")
        if old != new:
            found.append(f"{name} {old} → {new}")
    return found


def _order(these: Sequence[Named], others: Sequence[Named]) -> list[str]:
    """Names of the items that both have, in the order of these."""
    known = {named.name for named in others}
    return [named.name for named in these if named.name in known]


def box_text(item: Item) -> str:
    """The box of an item in whole pixels."""
    box = item.bbox
    return f"({box.x0:.0f},{box.y0:.0f})-({box.x1:.0f},{box.y1:.0f})"


def shown(text: str, most: int = 60) -> str:
    """A text in quotation marks on one line, its middle left out where it is long."""
    text = " ".join(text.split())
    if len(text) > most:
        half = most // 2
        text = f"{text[:half]} … {text[-half:]}"
    return f'"{text}"'
