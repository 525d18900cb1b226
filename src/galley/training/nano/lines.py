"""The line data set: printed lines with their truth and what the recogniser saw in them.

It is stored in shards of one ``.npz`` file each.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from galley.errors import InputError

Box = tuple[float, float, float, float]
Place = tuple[int, int, int, int]


class PrintedLine(NamedTuple):
    """A line as printed and as read.

    Attributes:
        text: The truth.
        tail: What joins it to the next line of its unit (a space, a line feed, nothing, or ``-`` for a printed
            hyphen that is taken away).
        box: Ink in pixels of its unit.
        place: (row, column, row span, column span) of its table cell.
        read, char_frames, confidence: The recogniser's reading.
        codes, scale: Its features (frames, 120) are their product; codes are int8 when they come from a shard.
    """

    text: str
    tail: str
    box: Box
    place: Place | None
    read: str
    char_frames: NDArray[np.int64]
    confidence: float
    codes: NDArray[Any]
    scale: NDArray[np.float32] | float = 1.0

    @property
    def features(self) -> NDArray[np.float16]:
        """The recogniser's features in their own scale."""
        return np.asarray(self.codes * self.scale, dtype=np.float16)


@dataclass(frozen=True)
class Unit:
    """Lines printed together: a paragraph, a heading, stand-alone lines or a table.

    Attributes:
        size: Font size in pixels.
    """

    kind: str
    size: float
    lines: Sequence[PrintedLine]


def write_shard(path: Path, units: Sequence[Unit]) -> None:
    """Store units with features as int8 and one scale per channel.

    This takes a third of the disk, with an error below half a step.
    """
    lines = [line for unit in units for line in unit.lines]
    features = np.concatenate([line.features for line in lines]).astype(np.float32)
    scale = np.maximum(np.percentile(np.abs(features), 99.99, axis=0), 1e-6) / 127
    quantised = np.clip(np.rint(features / scale), -127, 127).astype(np.int8)
    index = [
        {"kind": unit.kind, "size": unit.size, "lines": [_line_index(line) for line in unit.lines]}
        for unit in units
    ]
    temporary = path.with_suffix(".tmp.npz")
    np.savez(
        temporary,
        features=quantised,
        scale=scale.astype(np.float32),
        frames=np.concatenate([line.char_frames for line in lines]).astype(np.int16),
        index=np.frombuffer(json.dumps(index).encode(), np.uint8),
    )
    temporary.replace(path)


def read_shard(path: Path) -> list[Unit]:
    """The units of a shard.

    Raises:
        InputError: For a file that is none or is cut short.
    """
    try:
        with np.load(path) as stored:
            codes, scale = stored["features"], stored["scale"]
            frames = stored["frames"].astype(np.int64)
            index: list[dict[str, Any]] = json.loads(stored["index"].tobytes())
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise InputError(f"{path} is no shard of lines, or is cut short; build it again") from error
    units = []
    at = char = 0
    for unit in index:
        lines = []
        for entry in unit["lines"]:
            place, read, count = entry["place"], entry["read"], entry["frames"]
            lines.append(
                PrintedLine(
                    entry["text"],
                    entry["tail"],
                    tuple(entry["box"]),
                    tuple(place) if place else None,
                    read,
                    frames[char : char + len(read)],
                    entry["confidence"],
                    codes[at : at + count],
                    scale,
                )
            )
            at, char = at + count, char + len(read)
        units.append(Unit(unit["kind"], unit["size"], lines))
    return units


def _line_index(line: PrintedLine) -> dict[str, Any]:
    return {
        "text": line.text,
        "tail": line.tail,
        "box": [float(v) for v in line.box],
        "place": list(line.place) if line.place else None,
        "read": line.read,
        "confidence": round(line.confidence, 4),
        "frames": len(line.features),
    }
