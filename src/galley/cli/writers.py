"""Where finished documents go: a folder, or standard output."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import Protocol

from galley.cli.cloud import CloudFolder
from galley.cli.formats import FORMATS, GLM_OCR, image_folder, output_files, render
from galley.cli.inputs import Input
from galley.cli.ledger import Ledger
from galley.cli.outputs import OutputFolder
from galley.document import Block, Document, Page
from galley.errors import OutputError
from galley.parsing.options import ParseOptions


class Writer(Protocol):
    """Takes documents as they are finished."""

    def finished(self, given: Input) -> bool:
        """Whether the document need not be parsed again."""
        ...

    def image_places(self, given: Input) -> tuple[Path, str]:
        """The folder the document's figures are written to, and what the document calls it."""
        ...

    def write(self, given: Input, document: Document, pages: Iterable[Page], complete: bool) -> None:
        """Take a parsed document: all but its pages, and these, which can be gone through again and again.
        ``complete``: no page of it failed."""
        ...

    def write_failed(self, given: Input, document: Document) -> None:
        """Take a document that could not be read at all; only JSON says so."""
        ...


class StdoutWriter:
    """One document in one format to standard output, as UTF-8 whatever the terminal's encoding."""

    def __init__(self, name: str, options: ParseOptions) -> None:
        self._format = name
        self._options = options

    def finished(self, given: Input) -> bool:
        return False

    def image_places(self, given: Input) -> tuple[Path, str]:
        return Path(), ""  # images without an output folder are a usage error

    def write(self, given: Input, document: Document, pages: Iterable[Page], complete: bool) -> None:
        (pieces,) = render(self._format, document, pages, self._options)
        try:
            for piece in pieces:
                sys.stdout.buffer.write(piece.encode("utf-8", "replace"))
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(f"cannot write standard output: {error.strerror or error}") from error

    def write_failed(self, given: Input, document: Document) -> None:
        if self._format == "json":
            self.write(given, document, (), complete=False)


class FolderWriter:
    """Documents in any formats to a folder. ``resume``: skip what an earlier run finished."""

    def __init__(
        self,
        folder: OutputFolder | CloudFolder,
        ledger: Ledger,
        formats: list[str],
        options: ParseOptions,
        resume: bool,
    ) -> None:
        self._folder = folder
        self._ledger = ledger
        self._formats = formats
        self._options = options
        self._resume = resume

    def finished(self, given: Input) -> bool:
        return self._resume and self._ledger.finished(given, self._options.fingerprint(), self._files(given))

    def image_places(self, given: Input) -> tuple[Path, str]:
        called = image_folder(self._formats, given.place).relative_to(given.place.parent)
        return self._folder.staged_images(given.place), called.as_posix()

    def write(self, given: Input, document: Document, pages: Iterable[Page], complete: bool) -> None:
        images = image_folder(self._formats, given.place)
        has_images = self._folder.publish_images(given.place, images)
        for name in self._formats:
            shown = _ImagesBeside(pages, f"{given.place.name}/") if name == GLM_OCR else pages
            texts = render(name, document, shown, self._options)
            for file, pieces in zip(output_files(name, given.place), texts, strict=True):
                self._folder.write(file, pieces)
        fingerprint = self._options.fingerprint() if complete else None
        self._ledger.add(given, fingerprint, self._files(given), images if has_images else None)

    def write_failed(self, given: Input, document: Document) -> None:
        self._remove_earlier(given)
        if "json" in self._formats:
            (pieces,) = render("json", document, (), self._options)
            (file,) = output_files("json", given.place)
            self._folder.write(file, pieces)
            self._ledger.add(given, None, [file], None)

    def _remove_earlier(self, given: Input) -> None:
        """What earlier runs made of a document must not pass for the result of one that failed."""
        made = self._ledger.made(given) | {str(file) for file in self._files(given)}
        for name in FORMATS:
            for path in (*output_files(name, given.place), image_folder([name], given.place)):
                if str(path) in made:
                    self._folder.remove(path)

    def _files(self, given: Input) -> list[PurePath]:
        return [file for name in self._formats for file in output_files(name, given.place)]


class _ImagesBeside:
    """Pages whose figures are called without the folder that a file lies in itself."""

    def __init__(self, pages: Iterable[Page], folder: str) -> None:
        self._pages = pages
        self._folder = folder

    def __iter__(self) -> Iterator[Page]:
        for page in self._pages:
            yield page.model_copy(update={"blocks": [self._beside(block) for block in page.blocks]})

    def _beside(self, block: Block) -> Block:
        if not block.image:
            return block
        return block.model_copy(update={"image": block.image.removeprefix(self._folder)})
