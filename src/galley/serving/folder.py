"""Where the files of one job lie. Every name is the server's own; nothing comes from a client."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from galley.document.exporters import Exporter


@dataclass(frozen=True)
class JobFolder:
    """The folder of a job: the document, its state, its pages as they are read, its result."""

    path: Path

    @property
    def document(self) -> Path:
        """The document as it was sent."""
        return self.path / "document"

    @property
    def state(self) -> Path:
        """The file that holds the job's state."""
        return self.path / "job.json"

    @property
    def images(self) -> Path:
        """The folder of the figures' pictures."""
        return self.path / "images"

    def page(self, number: int) -> Path:
        """A page as JSON."""
        return self.path / f"page-{number}.json"

    def page_image(self, number: int) -> Path:
        """The upright page, scaled down for showing."""
        return self.path / f"page-{number}.jpg"

    def proof(self, number: int) -> Path:
        """How the page's text came about."""
        return self.path / f"page-{number}-proof.json"

    def result(self, exporter: Exporter) -> Path:
        """The result in a format."""
        return self.path / f"result-{exporter.name}{exporter.suffix}"

    def write(self, path: Path, text: str | Iterable[str]) -> None:
        """Write a file of this folder, whole or not at all.

        Args:
            path: The file.
            text: In one piece or in many.
        """
        draft = path.with_name(f".{path.name}")
        with draft.open("wb") as file:
            pieces = [text] if isinstance(text, str) else text
            file.writelines(piece.encode("utf-8", "replace") for piece in pieces)
        draft.replace(path)

    def remove(self) -> None:
        """Remove the folder with everything in it."""
        shutil.rmtree(self.path, ignore_errors=True)
