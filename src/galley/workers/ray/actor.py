"""What runs on the cluster: an actor that holds the parser and reads pages of documents sent to it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import ray

from galley._version import __version__
from galley.errors import GalleyError
from galley.parsing.options import ParseOptions
from galley.reading import ParserFactory
from galley.runtime import set_threads
from galley.workers.page_worker import PageResult, PageTask, PageWorker


@dataclass(frozen=True)
class PageWithFigures:
    """What became of one page, and the JPEG files of its figures by name."""

    result: PageResult
    figures: dict[str, bytes]


class PageActor:
    """Reads runs of pages with a parser of its own.

    It shares no files with the driver: documents come and figures go as bytes.
    """

    def __init__(self, options: ParseOptions, factory: ParserFactory) -> None:
        self._options = options
        self._factory = factory

    def start(self, version: str, threads: int | None) -> GalleyError | None:
        """Load the models.

        Args:
            version: The driver's; another one might read the same page in another way.
            threads: For each model; all cores when None.

        Returns:
            What stands in the way on this machine, None when nothing does.
        """
        if version != __version__:
            return GalleyError(
                f"a Ray worker has Galley {__version__}, this is {version}; install the same on all machines"
            )
        set_threads(threads)
        self._folder = tempfile.TemporaryDirectory(prefix="galley-")
        self._file = Path(self._folder.name) / "document"
        self._figures = Path(self._folder.name) / "figures"
        self._content: Any = None
        try:
            self._worker = PageWorker(self._options, self._factory)
        except GalleyError as error:
            return error
        return None

    def read(self, task: PageTask, content: list[Any]) -> Iterator[PageWithFigures]:
        """The pages of a task in order, each sent when it is read.

        Args:
            task: Which pages to read.
            content: The reference of the document's bytes, in a list so that they are fetched once for many tasks.
        """
        if content[0] != self._content:
            self._worker.close()
            self._file.write_bytes(ray.get(content[0]))
            self._content = content[0]
        here = replace(task, path=self._file, images=self._figures)
        for result in self._worker.read(here):
            yield PageWithFigures(result, self._take_figures())

    def _take_figures(self) -> dict[str, bytes]:
        files = sorted(self._figures.iterdir()) if self._figures.is_dir() else []
        figures = {file.name: file.read_bytes() for file in files}
        for file in files:
            file.unlink()
        return figures
