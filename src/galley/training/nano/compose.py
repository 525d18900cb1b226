"""Regions and pages composed from the line data set in feature space.

Lines are encoded, their geometry is synthetic, and the targets are true.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NamedTuple

from galley.errors import InputError, UsageError
from galley.targets.nano.reading import SeenLine
from galley.targets.prompt import Task
from galley.training.nano.lines import PrintedLine, Unit, read_shard
from galley.training.nano.tables import compose_table, printed_table


class Composed(NamedTuple):
    """Groups of lines in drafted reading order, and what should be written."""

    task: Task
    groups: list[list[SeenLine]]
    target: str


@dataclass(frozen=True)
class Mixture:
    """Shares of the tasks among composed examples.

    Raises:
        UsageError: For one below 0.
    """

    text: float = 0.6
    table: float = 0.25
    page: float = 0.15

    def __post_init__(self) -> None:
        for name, share in asdict(self).items():
            if not 0 <= share <= 1:
                raise UsageError(f"the share of {name} must be between 0 and 1, not {share}")


class LineDataset:
    """Units by kind from a folder of shards; ``refresh`` takes in shards that have appeared since.

    At most ``limit`` shards are held in memory. When there are more, each turn holds the next of them in a
    seeded order, a fifth of ``limit`` exchanged: what is held depends on the turn and the folder alone.
    """

    def __init__(self, folder: Path, first: int, last: int, limit: int = 120):
        self.folder, self.first, self.last, self.limit = folder, first, last, limit
        self.held: dict[str, list[Unit]] = {}
        self.by_kind: dict[str, list[Unit]] = {}

    def refresh(self, rng: random.Random, turn: int = 0) -> int:
        """Number of shards held afterwards.

        Raises:
            InputError: There are none.
        """
        names = [path.name for path in sorted(self.folder.glob("shard-?????.npz")) if self._wanted(path)]
        if not names:
            raise InputError(
                f"{self.folder} has no shards from {self.first} to {self.last}; tools/data/build_lines.py makes them"
            )
        if len(names) > self.limit:
            order = rng.sample(names, len(names))
            start = turn * max(self.limit // 5, 1)
            names = [order[(start + place) % len(order)] for place in range(self.limit)]
        self.held = {name: self.held.get(name) or read_shard(self.folder / name) for name in sorted(names)}
        self.by_kind = {}
        for units in self.held.values():
            for unit in units:
                self.by_kind.setdefault(unit.kind, []).append(unit)
        return len(self.held)

    def draw(self, kind: str, rng: random.Random) -> Unit:
        """A unit of a kind.

        Raises:
            InputError: The shards held have none.
        """
        if kind not in self.by_kind:
            raise InputError(
                f"{self.folder} holds no {kind}: too few lines; build more shards, or larger ones"
            )
        return rng.choice(self.by_kind[kind])

    def _wanted(self, path: Path) -> bool:
        return self.first <= int(path.stem.split("-")[1]) <= self.last


def seen(line: PrintedLine, scale: float, dx: float, dy: float) -> SeenLine:
    """A line placed on a page: scaled, then shifted."""
    x0, y0, x1, y1 = (value * scale for value in line.box)
    return SeenLine(line.read, line.char_frames, line.features, (x0 + dx, y0 + dy, x1 + dx, y1 + dy))


def running_text(lines: Sequence[PrintedLine]) -> str:
    """Lines joined as a reader would: spaces between, broken words whole again."""
    parts = []
    for place, line in enumerate(lines):
        last = place == len(lines) - 1
        if line.tail == "-" and not last:
            parts.append(line.text.removesuffix("-"))
        else:
            parts.append(line.text + ("" if last or line.tail == "-" else line.tail))
    return "".join(parts)


def compose(dataset: LineDataset, mixture: Mixture, rng: random.Random) -> Composed:
    """One example of a random task."""
    makers = [_text, _table, _page]
    return rng.choices(makers, weights=[mixture.text, mixture.table, mixture.page])[0](dataset, rng)


def _some_lines(unit: Unit, rng: random.Random) -> list[PrintedLine]:
    """Mostly the whole unit, sometimes a run of its lines, as a region cut short is."""
    lines = list(unit.lines)
    if len(lines) > 2 and rng.random() < 0.25:
        start = rng.randrange(len(lines) - 1)
        lines = lines[start : start + rng.randint(1, len(lines))]
    return lines


def _text(dataset: LineDataset, rng: random.Random) -> Composed:
    """A region of one to three paragraphs below each other."""
    groups, texts, top = [], [], 0.0
    for _ in range(rng.choices([1, 2, 3], weights=[78, 16, 6])[0]):
        unit = dataset.draw(rng.choices(["paragraph", "lines", "heading"], weights=[82, 12, 6])[0], rng)
        lines = _some_lines(unit, rng)
        placed, top = _place(lines, 1 / unit.size, 0.0, top)
        groups.append(placed)
        texts.append(running_text(lines))
    return Composed(Task.TEXT, groups, "\n\n".join(texts))


def _place(
    lines: Sequence[PrintedLine], scale: float, left: float, top: float
) -> tuple[list[SeenLine], float]:
    """Move lines so that their corner is at (left, top).

    Returns:
        The lines, and where the next block may begin, in font sizes.
    """
    x = min(line.box[0] for line in lines) * scale
    y = min(line.box[1] for line in lines) * scale
    placed = [seen(line, scale, left - x, top - y) for line in lines]
    return placed, max(line.box[3] for line in placed) + 0.9


def _table(dataset: LineDataset, rng: random.Random) -> Composed:
    if rng.random() < 0.55:
        groups, markup = printed_table(dataset.draw("table", rng), rng)
    else:
        groups, markup = compose_table([dataset.draw("table", rng) for _ in range(rng.randint(2, 4))], rng)
    return Composed(Task.TABLE, groups, markup)


def _page(dataset: LineDataset, rng: random.Random) -> Composed:
    """A page of one to three columns: headings, paragraphs and now and then a small table."""
    columns = rng.choices([1, 2, 3], weights=[45, 42, 13])[0]
    width = _column_width(dataset, rng)
    regions: list[tuple[list[list[SeenLine]], str, float]] = []
    budget = rng.randint(6, 26)
    while budget > 0:
        kind = rng.choices(["paragraph", "heading", "lines", "table"], weights=[66, 20, 7, 7])[0]
        region = _region(dataset, kind, width, rng)
        if region:
            regions.append(region)
            budget -= sum(len(group) for group in region[0])
    if regions and rng.random() < 0.4:
        title = _heading(dataset, "# ", rng.uniform(1.5, 2.4), rng)
        regions.insert(0, title)
    placed = _set_columns(regions, columns, width, rng)
    groups = [group for block in placed for group in block]
    if columns > 1 and rng.random() < 0.15:
        groups = [group for group in groups if group]
        groups.sort(key=lambda group: group[0].box[1])
    return Composed(Task.PAGE, groups, "\n\n".join(text for _, text, _ in regions))


def _column_width(dataset: LineDataset, rng: random.Random) -> float:
    """Width of a drawn paragraph of several lines, in font sizes."""
    for _ in range(20):
        unit = dataset.draw("paragraph", rng)
        if len(unit.lines) > 2:
            return max(line.box[2] for line in unit.lines) / unit.size
    return 30.0


def _region(
    dataset: LineDataset, kind: str, width: float, rng: random.Random
) -> tuple[list[list[SeenLine]], str, float] | None:
    """Compose one block at the origin.

    Returns:
        Its groups, Markdown and height; None when the drawn unit does not fit the column.
    """
    if kind == "heading":
        return _heading(dataset, rng.choice(["## ", "## ", "### "]), rng.uniform(1.12, 1.5), rng)
    unit = dataset.draw(kind, rng)
    scale = 1 / unit.size
    if kind == "table":
        groups, markup = printed_table(unit, rng)
        lines = [line for group in groups for line in group]
        if len(lines) > 30:
            return None
        dx, dy = (-scale * min(line.box[side] for line in lines) for side in (0, 1))
        shown = [[_moved(line, scale, dx, dy) for line in group] for group in groups]
        return shown, markup, max(line.box[3] for group in shown for line in group) + 0.9
    natural = max(line.box[2] for line in unit.lines) * scale
    if len(unit.lines) > 2 and kind == "paragraph":
        if not 0.72 < width / natural < 1.35:
            return None
        scale *= width / natural
    lines_ = _some_lines(unit, rng)
    placed, height = _place(lines_, scale, 0.0, 0.0)
    return [placed], running_text(lines_), height


def _heading(
    dataset: LineDataset, mark: str, size: float, rng: random.Random
) -> tuple[list[list[SeenLine]], str, float]:
    unit = dataset.draw("heading", rng)
    placed, height = _place(unit.lines, size / unit.size, 0.0, 0.0)
    return [placed], mark + running_text(unit.lines), height


def _moved(line: SeenLine, scale: float, dx: float, dy: float) -> SeenLine:
    x0, y0, x1, y1 = (value * scale for value in line.box)
    return replace(line, box=(x0 + dx, y0 + dy, x1 + dx, y1 + dy))


def _set_columns(
    regions: list[tuple[list[list[SeenLine]], str, float]], columns: int, width: float, rng: random.Random
) -> list[list[list[SeenLine]]]:
    """Blocks poured into columns of like height, in reading order."""
    per_column = sum(height for _, _, height in regions) / columns
    gutter = width + rng.uniform(1.5, 4.0)
    column, top, gap = 0, 0.0, rng.uniform(0.0, 0.8)
    placed = []
    for groups, _, height in regions:
        if top > 0 and top + height / 2 > per_column and column < columns - 1:
            column, top = column + 1, 0.0
        placed.append([[_moved(line, 1.0, column * gutter, top) for line in group] for group in groups])
        top += height + gap
    return placed
