"""The plots of a report, drawn by matplotlib without a display."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BLUE = "#4169a8"


class Plot(Protocol):
    """What a report can show."""

    @property
    def title(self) -> str:
        """What stands above the plot."""

    @property
    def worth_showing(self) -> bool:
        """Whether there is anything to draw."""

    def png(self) -> bytes:
        """The plot as a PNG file."""


@dataclass(frozen=True)
class Histogram:
    """How many samples have which score, 0 to 1."""

    title: str
    values: Sequence[float]

    @property
    def worth_showing(self) -> bool:
        """Whether there is anything to draw."""
        return bool(self.values)

    def png(self) -> bytes:
        """The plot as a PNG file."""

        def draw(axes: Axes) -> None:
            axes.hist(self.values, bins=20, range=(0, 1), color=_BLUE)
            axes.set(title=self.title, xlabel="score", ylabel="samples")

        return _png(draw)


@dataclass(frozen=True)
class Point:
    """One system in a scatter plot."""

    name: str
    x: float
    y: float


@dataclass(frozen=True)
class Scatter:
    """Systems by two figures; the first on a logarithmic axis where it spans more than a factor of ten."""

    title: str
    xlabel: str
    ylabel: str
    points: Sequence[Point]

    @property
    def worth_showing(self) -> bool:
        """Whether there is anything to draw."""
        return len(self.points) > 1

    def png(self) -> bytes:
        """The plot as a PNG file."""

        def draw(axes: Axes) -> None:
            axes.scatter([p.x for p in self.points], [p.y for p in self.points], color=_BLUE)
            for point in self.points:
                axes.annotate(point.name, (point.x, point.y), xytext=(5, 4), textcoords="offset points")
            axes.set(title=self.title, xlabel=self.xlabel, ylabel=self.ylabel)
            axes.margins(0.2)
            axes.grid(alpha=0.3)
            places = [point.x for point in self.points]
            if max(places) > 10 * min(places):
                axes.set_xscale("log")
                axes.xaxis.set_major_formatter("{x:g}")
            else:
                axes.set_xlim(0, 1.3 * max(places))

        return _png(draw)


@dataclass(frozen=True)
class Bars:
    """Groups of bars, one of each series per category; None leaves a gap."""

    title: str
    xlabel: str
    ylabel: str
    categories: Sequence[str]
    series: Mapping[str, Sequence[float | None]]

    @property
    def worth_showing(self) -> bool:
        """Whether there is anything to draw."""
        return any(value is not None for values in self.series.values() for value in values)

    def png(self) -> bytes:
        """The plot as a PNG file."""

        def draw(axes: Axes) -> None:
            width = 0.8 / len(self.series)
            for number, (name, values) in enumerate(self.series.items()):
                places = [i + (number - (len(self.series) - 1) / 2) * width for i in range(len(values))]
                axes.bar(places, [value or 0.0 for value in values], width, label=name)
            axes.set(title=self.title, xlabel=self.xlabel, ylabel=self.ylabel)
            axes.set_xticks(range(len(self.categories)), self.categories)
            axes.legend(fontsize="small")

        return _png(draw)


@dataclass(frozen=True)
class Lines:
    """Series of (x, y) points, each a line."""

    title: str
    xlabel: str
    ylabel: str
    series: Mapping[str, Sequence[tuple[float, float]]]

    @property
    def worth_showing(self) -> bool:
        """Whether there is anything to draw."""
        return any(len(points) > 1 for points in self.series.values())

    def png(self) -> bytes:
        """The plot as a PNG file."""

        def draw(axes: Axes) -> None:
            for name, points in self.series.items():
                axes.plot([x for x, _ in points], [y for _, y in points], marker="o", label=name)
            axes.set(title=self.title, xlabel=self.xlabel, ylabel=self.ylabel)
            axes.grid(alpha=0.3)
            axes.legend(fontsize="small")

        return _png(draw)


def _png(draw: Callable[[Axes], None]) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3), layout="constrained")
    draw(figure.add_subplot())
    data = io.BytesIO()
    FigureCanvasAgg(figure).print_png(data)
    return data.getvalue()
