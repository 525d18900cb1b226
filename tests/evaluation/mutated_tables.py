"""Pairs of HTML tables, one a damaged copy of the other, drawn from a fixed seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

TEXTS = [
    "", "12", "12.5 %", "north", "North", "a long cell of several words", "é", "中文单元格", "a &amp; b", "<b>bold</b>",
    "x<sup>2</sup>", "<i>it</i> tail", "line<br>break", "<b>n<i>ested</i></b>",
]  # fmt: skip


@dataclass
class Cell:
    text: str
    tag: str = "td"
    spans: dict[str, int] = field(default_factory=dict)

    def html(self) -> str:
        spans = "".join(f' {name}="{count}"' for name, count in self.spans.items())
        return f"<{self.tag}{spans}>{self.text}</{self.tag}>"


@dataclass
class Grid:
    rows: list[list[Cell]]
    head: int
    body: bool = True

    def html(self) -> str:
        lines = [f"<tr>{''.join(cell.html() for cell in row)}</tr>" for row in self.rows]
        head, body = "".join(lines[: self.head]), "".join(lines[self.head :])
        head = f"<thead>{head}</thead>" if self.head else ""
        return f"<table>{head}{f'<tbody>{body}</tbody>' if self.body else body}</table>"


def pairs(count: int, seed: int = 1) -> list[tuple[str, str]]:
    """``count`` (damaged, sound) tables of up to 8 × 6 cells with one to six damages."""
    generator = random.Random(seed)
    return [_pair(generator) for _ in range(count)]


def _pair(generator: random.Random) -> tuple[str, str]:
    width = generator.randrange(1, 7)
    grid = Grid([_row(generator, width) for _ in range(generator.randrange(1, 9))], generator.randrange(2))
    sound = grid.html()
    for _ in range(generator.randrange(1, 7)):
        generator.choice(DAMAGES)(generator, grid)
    return grid.html(), sound


def _row(generator: random.Random, width: int) -> list[Cell]:
    return [_cell(generator) for _ in range(width)]


def _cell(generator: random.Random) -> Cell:
    spans = {name: generator.randrange(2, 4) for name in ("colspan", "rowspan") if generator.random() < 0.1}
    return Cell(generator.choice(TEXTS), generator.choice(("td", "td", "td", "th")), spans)


def _any_row(generator: random.Random, grid: Grid) -> list[Cell]:
    return generator.choice(grid.rows) if grid.rows else []


def _drop_row(generator: random.Random, grid: Grid) -> None:
    if len(grid.rows) > 1:
        del grid.rows[generator.randrange(len(grid.rows))]


def _repeat_row(generator: random.Random, grid: Grid) -> None:
    at = generator.randrange(len(grid.rows))
    grid.rows.insert(at, [Cell(cell.text, cell.tag, dict(cell.spans)) for cell in grid.rows[at]])


def _swap_rows(generator: random.Random, grid: Grid) -> None:
    generator.shuffle(grid.rows)


def _drop_cell(generator: random.Random, grid: Grid) -> None:
    row = _any_row(generator, grid)
    if row:
        del row[generator.randrange(len(row))]


def _new_cell(generator: random.Random, grid: Grid) -> None:
    row = _any_row(generator, grid)
    row.insert(generator.randrange(len(row) + 1), _cell(generator))


def _new_text(generator: random.Random, grid: Grid) -> None:
    for cell in _any_row(generator, grid)[:1]:
        cell.text = generator.choice(TEXTS)


def _new_letter(generator: random.Random, grid: Grid) -> None:
    for cell in _any_row(generator, grid):
        cell.text += "z"


def _new_span(generator: random.Random, grid: Grid) -> None:
    for cell in _any_row(generator, grid)[-1:]:
        cell.spans = {"colspan": generator.randrange(1, 4)}


def _other_tag(generator: random.Random, grid: Grid) -> None:
    for cell in _any_row(generator, grid):
        cell.tag = "th"


def _other_groups(generator: random.Random, grid: Grid) -> None:
    grid.head, grid.body = generator.randrange(3), generator.random() < 0.5


Damage = Callable[[random.Random, Grid], None]
DAMAGES: tuple[Damage, ...] = (
    _drop_row, _repeat_row, _swap_rows, _drop_cell, _new_cell, _new_text, _new_letter, _new_span, _other_tag,
    _other_groups,
)  # fmt: skip
