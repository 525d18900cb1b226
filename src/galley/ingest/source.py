"""Open a document from anywhere and read its pages one at a time."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, TypeAlias

from galley.document import Failure
from galley.errors import GalleyError, InputError, one_line
from galley.ingest.kind import HEAD_BYTES, Kind, foreign_format, kind_of
from galley.ingest.page import PageImage
from galley.ingest.ranges import PageRanges
from galley.ingest.reader import DEFAULT_DPI, DEFAULT_MAX_PIXELS, Limits, Reader
from galley.ingest.stores import is_remote, local_path

SourceLike: TypeAlias = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO
"""A path, a URL such as ``s3://…``, ``-`` for standard input, a file's bytes, or a file opened for reading
bytes."""

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


@dataclass
class Source:
    """An open document; use it in a ``with`` statement.

    name: what to call it in messages. page_count: pages of the whole file. numbers: the 1-based numbers of
    the pages asked for. missing: failures for pages asked for that the file does not have. metadata: title,
    author.
    """

    name: str
    reader: Reader
    numbers: list[int]
    missing: list[Failure] = field(default_factory=list)

    @property
    def page_count(self) -> int:
        """Pages of the whole file."""
        return self.reader.page_count

    @property
    def metadata(self) -> dict[str, str]:
        """Title and author, where the file names them."""
        return self.reader.metadata

    def page(self, number: int) -> PageImage:
        """Read page ``number`` (1-based), in any order. Raises ``InputError`` when it cannot be read."""
        if not 1 <= number <= self.page_count:
            raise InputError(f"page {number} does not exist; {self.name} has {_pages(self.page_count)}")
        try:
            page = self.reader.read(number)
            page.document = self.name
            return page
        except GalleyError:
            raise
        except MemoryError as error:
            raise InputError(
                f"page {number} does not fit into memory; lower --dpi or --max-pixels"
            ) from error
        except Exception as error:  # a decoder may raise anything on a damaged page
            raise InputError(f"page {number} cannot be read: {one_line(error)}") from error

    def pages(self) -> Iterator[PageImage | Failure]:
        """The pages asked for, one at a time; a ``Failure`` stands in place of one that cannot be read."""
        for number in self.numbers:
            try:
                page = self.page(number)
            except InputError as error:
                yield Failure(message=str(error), page=number)
            else:
                yield page
                del page  # the next page must not be made while this one is held
        yield from self.missing

    def close(self) -> None:
        """Close the file."""
        self.reader.close()

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_source(
    source: SourceLike,
    *,
    pages: str | int | Iterable[int] | PageRanges | None = None,
    dpi: float = DEFAULT_DPI,
    max_pixels: int = DEFAULT_MAX_PIXELS,
    password: str | None = None,
    name: str | None = None,
) -> Source:
    """Open a PDF or an image file; what it is, its content says.

    pages: which to read, like ``"1-3,7"`` or ``[1, 2, 3, 7]``; all when None. dpi: resolution PDF pages are
    rendered at; images keep their own. max_pixels: a larger page is scaled down and says so in its
    ``warnings``. Raises ``InputError`` when the file cannot be read at all, ``UsageError`` for ranges that
    make no sense.
    """
    ranges = None if pages is None else PageRanges.of(pages)
    content, own_name = _locate(source)
    name = name or own_name
    reader = _reader(content, name, Limits(dpi, max_pixels), password)
    if reader.page_count < 1:
        reader.close()
        raise InputError(f"{name} has no pages")
    if ranges is None:
        return Source(name, reader, list(range(1, reader.page_count + 1)))
    missing = [
        Failure(message=f"pages {part} do not exist; {name} has {_pages(reader.page_count)}")
        for part in ranges.missing(reader.page_count)
    ]
    return Source(name, reader, ranges.select(reader.page_count), missing)


def _pages(count: int) -> str:
    return "1 page" if count == 1 else f"{count} pages"


def _reader(content: Path | bytes, name: str, limits: Limits, password: str | None) -> Reader:
    """Open with the reader of its kind. Raises ``InputError`` for whatever a library raises."""
    try:
        return _reader_of_kind(content, name, limits, password)
    except GalleyError:
        raise
    except MemoryError as error:
        raise InputError(f"{name} does not fit into memory") from error
    except Exception as error:  # no damaged file may take other documents down
        raise InputError(f"{name} cannot be read: {one_line(error)}") from error


def _reader_of_kind(content: Path | bytes, name: str, limits: Limits, password: str | None) -> Reader:
    head = _head(content, name)
    if not head:
        raise InputError(f"{name} is empty (0 bytes)")
    kind = kind_of(head)
    if kind is None:
        raise InputError(
            f"{name} is not a document Galley reads (it looks like {foreign_format(head)});"
            " give a PDF, PNG, JPEG, WebP, BMP, TIFF, GIF or HEIC file"
        )
    if kind is Kind.PDF:
        from galley.ingest.pdf import PdfReader

        return PdfReader(content, name, limits, password)
    from galley.ingest.images import ImageReader

    return ImageReader(content, name, kind, limits)


def _head(content: Path | bytes, name: str) -> bytes:
    if isinstance(content, bytes):
        return content[:HEAD_BYTES]
    try:
        with content.open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}") from error


def _locate(source: SourceLike) -> tuple[Path | bytes, str]:
    """The content as bytes or as a path that can be read again and again, and a name for it."""
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source), "document"
    if isinstance(source, str) and source == "-":
        return read_stdin(), "stdin"
    if isinstance(source, str) and is_remote(source):
        from galley.ingest.remote import RemoteFile

        remote = RemoteFile(source)
        return remote.read(), remote.name
    if isinstance(source, str):
        return _from_path(Path(local_path(source)))
    if isinstance(source, os.PathLike):
        return _from_path(Path(source))
    try:
        data = source.read()
    except (AttributeError, OSError, ValueError) as error:
        raise InputError(f"cannot read from {source!r}: {one_line(error)}") from error
    if not isinstance(data, bytes):
        raise InputError("the file object gives text; open it for reading bytes ('rb')")
    own = getattr(source, "name", None)
    return data, display_name(Path(own)) if isinstance(own, str) else "document"


def read_stdin() -> bytes:
    """All of standard input. Raises ``InputError`` when it is closed or cannot be read."""
    if sys.stdin is None:
        raise InputError("standard input is closed; give a file")
    try:
        return sys.stdin.buffer.read()
    except (OSError, ValueError) as error:
        raise InputError(f"standard input cannot be read: {one_line(error)}") from error


def _from_path(path: Path) -> tuple[Path | bytes, str]:
    name = display_name(path)
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if path.is_symlink():
            raise InputError(
                f"{name} is a broken link: it points to {display_name(path.readlink())}"
            ) from None
        raise InputError(f"{name} does not exist") from None
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{name!r} is not a file name: {one_line(error)}") from error
    if stat.S_ISDIR(mode):
        raise InputError(f"{name} is a folder; give a file")
    if stat.S_ISFIFO(mode):
        return path.read_bytes(), name
    if not stat.S_ISREG(mode):
        raise InputError(f"{name} is not a regular file")
    return path, name


def display_name(path: Path) -> str:
    """A path as one line that any output can carry.

    Bytes that are no UTF-8 become U+FFFD, control characters their escapes.
    """
    text = os.fsencode(path).decode("utf-8", "replace")
    return _CONTROLS.sub(lambda found: found.group().encode("unicode_escape").decode(), text)
