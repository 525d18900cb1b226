"""What a reading model is asked: an image and a task."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from galley.decoding import Target


class Task(str, Enum):
    """What to read in an image."""

    TEXT = "text"
    TABLE = "table"
    FORMULA = "formula"
    PAGE = "page"


class TableFormat(str, Enum):
    """How a model writes tables."""

    HTML = "html"
    OTSL = "otsl"


@dataclass(frozen=True, eq=False)
class Prompt:
    """An image, (height, width, 3) uint8 RGB, and the words that go with it (may be empty)."""

    image: NDArray[np.uint8]
    text: str


class Reader(Target, Protocol):
    """A target that reads images: it knows how each task is asked for and speaks text.

    name: what its blocks name as their source. table_format: the markup of its tables; formulas are LaTeX and
    pages Markdown.
    """

    name: str
    table_format: TableFormat

    def prompt(self, image: NDArray[np.uint8], task: Task) -> Prompt:
        """The prompt of a task. Raises ``ModelError`` for a task the model was not made for."""
        ...

    def encode(self, text: str) -> list[int]:
        """Token ids of a draft, without special tokens."""
        ...

    def decode(self, ids: list[int]) -> str:
        """Text of response ids, stop tokens left out."""
        ...
