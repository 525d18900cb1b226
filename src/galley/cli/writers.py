"""Where finished documents go: a folder, or standard output."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import Protocol

from galley.cli.cloud import CloudFolder
from galley.cli.inputs import Input
from galley.cli.ledger import Ledger
from galley.cli.outputs import OutputFolder
from galley.document import Document, Page
from galley.document.exporters import EXPORTERS, Exporter
from galley.errors import OutputError
from galley.parsing.options import ParseOptions

_SAYS_FAILURES = "json"
"""The format that also tells of documents that could not be read at all."""


class Writer(Protocol):
    """Takes documents as they are finished."""

    def finished(self, given: Input) -> bool:
        """Whether the document need not be parsed again."""
        ...

    def image_places(self, given: Input) -> tuple[Path, str]:
        """The folder the document's figures are written to, and what the document calls it."""
        ...

    def write(self, given: Input, document: Document, pages: Iterable[Page], complete: bool) -> None:
        """Take a parsed document.

        Args:
            given: where it came from and where its output goes.
            document: all but its pages.
            pages: can be gone through again and again.
            complete: whether no page of it failed.
        """
        ...

    def write_failed(self, given: Input, document: Document) -> None:
        """Take a document that could not be read at all; only JSON says so."""
        ...


class StdoutWriter:
    """One document in one format to standard output, as UTF-8 whatever the terminal's encoding."""

    def __init__(self, exporter: Exporter, options: ParseOptions) -> None:
        self._exporter = exporter
        self._options = options

    def finished(self, given: Input) -> bool:
        """See ``Writer.finished``."""
        return False

    def image_places(self, given: Input) -> tuple[Path, str]:
        """See ``Writer.image_places``."""
        return Path(), ""  # images without an output folder are a usage error

    def write(self, given: Input, document: Document, pages: Iterable[Page], complete: bool) -> None:
        """See ``Writer.write``."""
        pieces = self._exporter.texts(document, pages, self._options.keep)[0]
        try:
            for piece in pieces:
                sys.stdout.buffer.write(piece.encode("utf-8", "replace"))
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(f"cannot write standard output: {error.strerror or error}") from error

    def write_failed(self, given: Input, document: Document) -> None:
        """See ``Writer.write_failed``."""
        if self._exporter.name == _SAYS_FAILURES:
            self.write(given, document, (), complete=False)


class FolderWriter:
    """Documents in any formats to a folder.

    Args:
        resume: Skip what an earlier run finished.
    """

    def __init__(
        self,
        folder: OutputFolder | CloudFolder,
        ledger: Ledger,
        formats: Sequence[Exporter],
        options: ParseOptions,
        resume: bool,
    ) -> None:
        self._folder = folder
        self._ledger = ledger
        self._formats = formats
        self._options = options
        self._resume = resume

    def finished(self, given: Input) -> bool:
        """See ``Writer.finished``."""
        return self._resume and self._ledger.finished(given, self._options.fingerprint(), self._files(given))

    def image_places(self, given: Input) -> tuple[Path, str]:
        """See ``Writer.image_places``."""
        called = self._image_folder(given).relative_to(given.place.parent)
        return self._folder.staged_images(given.place), called.as_posix()

    def write(self, given: Input, document: Document, pages: Iterable[Page], complete: bool) -> None:
        """See ``Writer.write``."""
        images = self._image_folder(given)
        has_images = self._folder.publish_images(given.place, images)
        for exporter in self._formats:
            self._write(exporter, given, document, pages)
        fingerprint = self._options.fingerprint() if complete else None
        self._ledger.add(given, fingerprint, self._files(given), images if has_images else None)

    def write_failed(self, given: Input, document: Document) -> None:
        """See ``Writer.write_failed``."""
        self._remove_earlier(given)
        for exporter in self._formats:
            if exporter.name == _SAYS_FAILURES:
                self._write(exporter, given, document, ())
                self._ledger.add(given, None, exporter.files(given.place), None)

    def _write(self, exporter: Exporter, given: Input, document: Document, pages: Iterable[Page]) -> None:
        texts = exporter.texts(document, pages, self._options.keep, given.place)
        for file, pieces in zip(exporter.files(given.place), texts, strict=True):
            self._folder.write(file, pieces)

    def _remove_earlier(self, given: Input) -> None:
        """What earlier runs made of a document must not pass for the result of one that failed."""
        made = self._ledger.made(given) | {str(file) for file in self._files(given)}
        for exporter in EXPORTERS.values():
            for path in (*exporter.files(given.place), exporter.image_folder(given.place)):
                if str(path) in made:
                    self._folder.remove(path)

    def _files(self, given: Input) -> list[PurePath]:
        return [file for exporter in self._formats for file in exporter.files(given.place)]

    def _image_folder(self, given: Input) -> PurePath:
        """Figures are written once: where a format has a folder of its own, in that."""
        chosen = next((one for one in self._formats if one.own_folder), self._formats[0])
        return chosen.image_folder(given.place)
