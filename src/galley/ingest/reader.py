"""What the readers of all file formats have in common: their limits and what they can do."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Protocol

from galley.ingest.page import PageImage

DEFAULT_DPI = 200.0
DEFAULT_MAX_PIXELS = 50_000_000


@dataclass(frozen=True)
class Limits:
    """Resolution pages are rendered at (dots per inch) and the most pixels a page image may have."""

    dpi: float = DEFAULT_DPI
    max_pixels: int = DEFAULT_MAX_PIXELS


class Reader(Protocol):
    """One file format. ``read`` raises for a page that cannot be read; the others stay readable."""

    page_count: int
    metadata: dict[str, str]

    def read(self, number: int) -> PageImage:
        """Page ``number``, 1-based."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


def as_file(content: Path | bytes) -> Path | BytesIO:
    """The content as libraries take it that want a path or a file."""
    return BytesIO(content) if isinstance(content, bytes) else content
