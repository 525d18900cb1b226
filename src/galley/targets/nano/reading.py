"""From recognised lines to *reading tokens*: what the embedded model sees of a region or page.

A line's character reading is cut by the decoder's own tokenizer. Each token carries its id, the encoder's
features over the columns it was read in, and its box; one reading token stands for about one response token,
so prompts stay short and the decoder can copy where the reading is right and look at the features where it is
not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from galley.targets.nano.tokens import Vocabulary
from galley.targets.prompt import Task

CHANNELS = 120
"""Features per frame of the recogniser."""
BINS = 8
"""Columns that each token's features are resampled to."""
_UNREAD_FRAMES = 10


@dataclass(frozen=True, eq=False)
class SeenLine:
    """A recognised line.

    Attributes:
        text: its text.
        char_frames: (len(text),) int64, the frame at which each character was read.
        features: (frames, 120) float16, the encoder's features.
        box: ``x0, y0, x1, y1`` in any unit that is the same for all lines of a reading.
    """

    text: str
    char_frames: NDArray[np.int64]
    features: NDArray[np.float16]
    box: tuple[float, float, float, float]


class RecognisedLine(Protocol):
    """A line as the OCR drafter hands it on when features were asked for."""

    text: str
    bbox: Any
    char_frames: NDArray[np.int64] | None
    features: NDArray[np.float16] | None


def seen(line: RecognisedLine) -> SeenLine:
    """A recognised line as a reading takes it.

    Raises:
        ValueError: the line has no features.
    """
    if line.char_frames is None or line.features is None:
        raise ValueError("the line was recognised without features")
    box = line.bbox
    return SeenLine(line.text, line.char_frames, line.features, (box.x0, box.y0, box.x1, box.y1))


@dataclass(frozen=True, eq=False)
class Reading:
    """``n`` reading tokens in reading order.

    Attributes:
        ids: (n,) int64.
        features: (n, 8 × 120) float16, zero for breaks.
        boxes: (n, 4) float32, ``x0, y0, x1, y1`` from the reading's top left corner in median line heights.
    """

    ids: NDArray[np.int64]
    features: NDArray[np.float16]
    boxes: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, eq=False)
class LineTokens:
    """Tokens of one line.

    Attributes:
        ids: (n,) int64.
        spans: (n, 2) float64, the frames ``[start, end)`` that each covers.
    """

    ids: NDArray[np.int64]
    spans: NDArray[np.float64]


def cut_line(vocabulary: Vocabulary, line: SeenLine, lead: bool) -> LineTokens:
    """Cut one line into tokens. ``lead`` puts a space before it, as inside running text."""
    frames = len(line.features)
    if not line.text:
        count = max(1, -(-frames // _UNREAD_FRAMES))
        edges = np.linspace(0, frames, count + 1)
        return LineTokens(np.full(count, vocabulary.unread), np.stack([edges[:-1], edges[1:]], axis=1))
    encoding = vocabulary.tokenizer.encode(" " + line.text if lead else line.text, add_special_tokens=False)
    shift = 1 if lead else 0
    chars = np.maximum(np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2) - shift, 0)
    spans = _char_edges(line.char_frames, frames)[chars]
    spans[:, 1] = np.maximum(spans[:, 1], spans[:, 0] + 1)
    return LineTokens(np.array(encoding.ids, dtype=np.int64), spans)


def _char_edges(char_frames: NDArray[np.int64], frames: int) -> NDArray[np.float64]:
    """(characters + 1,) frame edges: half way between neighbouring characters, and the line's ends."""
    centres = char_frames + 0.5
    return np.concatenate([[0.0], (centres[1:] + centres[:-1]) / 2, [float(frames)]])


def resample(features: NDArray[np.float16], spans: NDArray[np.float64]) -> NDArray[np.float16]:
    """Features of each span resampled to ``BINS`` columns by linear interpolation: (n, BINS × channels)."""
    count, channels = features.shape
    if not count:
        return np.zeros((len(spans), BINS * channels), np.float16)
    steps = (np.arange(BINS) + 0.5) / BINS
    at = np.clip(spans[:, :1] + steps * (spans[:, 1:] - spans[:, :1]) - 0.5, 0, count - 1)
    low = at.astype(np.int64)
    weight = (at - low)[:, :, None].astype(np.float16)
    high = np.minimum(low + 1, count - 1)
    mixed = features[low] * (1 - weight) + features[high] * weight
    return mixed.reshape(len(spans), BINS * channels)


def make_reading(vocabulary: Vocabulary, groups: Sequence[Sequence[SeenLine]], task: Task) -> Reading:
    """Reading tokens of groups of lines (paragraphs, regions, table cells), all in reading order.

    A break comes between groups, and before the first for tables and pages, whose responses also begin with
    markup. An empty group (a cell drafted empty) is its break alone.
    """
    parts: list[LineTokens] = []
    lines: list[SeenLine] = []
    marked = task in (Task.TABLE, Task.PAGE)
    for number, group in enumerate(groups):
        begun = number > 0 or marked
        if not group and begun and lines:
            parts.append(
                LineTokens(np.array([vocabulary.brk]), np.full((1, 2), float(len(lines[-1].features))))
            )
            lines.append(lines[-1])
        for place, line in enumerate(group):
            tokens = cut_line(vocabulary, line, lead=place > 0)
            parts.append(_with_break(vocabulary, tokens) if place == 0 and begun else tokens)
            lines.append(line)
    if not parts:
        return Reading(
            np.zeros(0, np.int64), np.zeros((0, BINS * CHANNELS), np.float16), np.zeros((0, 4), np.float32)
        )
    ids = np.concatenate([part.ids for part in parts])
    features = np.concatenate(
        [resample(line.features, part.spans) for line, part in zip(lines, parts, strict=True)]
    )
    features[ids == vocabulary.brk] = 0
    boxes = np.concatenate([_boxes(line, part.spans) for line, part in zip(lines, parts, strict=True)])
    return Reading(ids, features, _normalise(boxes, lines))


def _with_break(vocabulary: Vocabulary, tokens: LineTokens) -> LineTokens:
    """The tokens after a break that stands for the whole line's extent."""
    spans = np.array([[0.0, tokens.spans[-1, 1]]])
    return LineTokens(np.append(vocabulary.brk, tokens.ids), np.concatenate([spans, tokens.spans]))


def _boxes(line: SeenLine, spans: NDArray[np.float64]) -> NDArray[np.float64]:
    x0, y0, x1, y1 = line.box
    share = spans / max(len(line.features), 1)
    edges = x0 + share * (x1 - x0)
    return np.stack([edges[:, 0], np.full(len(spans), y0), edges[:, 1], np.full(len(spans), y1)], axis=1)


def _normalise(boxes: NDArray[np.float64], lines: list[SeenLine]) -> NDArray[np.float32]:
    """From the top left corner of all lines, in units of their median height."""
    height = float(np.median([line.box[3] - line.box[1] for line in lines])) or 1.0
    corner = np.array([min(line.box[0] for line in lines), min(line.box[1] for line in lines)])
    return ((boxes - np.tile(corner, 2)) / max(height, 1e-6)).astype(np.float32)
