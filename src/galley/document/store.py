"""Pages of a long document, kept out of memory."""

from __future__ import annotations

import pickle
import tempfile
import weakref
import zlib
from collections.abc import Iterable, Iterator

from galley.document.model import Page

_IN_MEMORY = 1 << 20
"""Packed bytes from which on pages go to a file: some three hundred pages of text."""
_LEVEL = 1


class PageStore:
    """Pages packed in memory while they are few and in a temporary file when they are many.

    Going through them gives each page anew, in order of page numbers, and may be done again and again; only the
    page at hand takes room.

    Raises:
        OSError: The temporary file cannot be written.
    """

    def __init__(self, pages: Iterable[Page] = ()) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._places: list[tuple[int, int, int]] = []  # page number, offset and length in bytes
        for page in pages:
            self.append(page)

    def append(self, page: Page) -> None:
        """Take a page; pages may come in any order."""
        packed = zlib.compress(pickle.dumps(page, pickle.HIGHEST_PROTOCOL), _LEVEL)
        offset = self._file.seek(0, 2) or self._file.tell()  # the spooled file of Python 3.10 returns nothing
        self._file.write(packed)
        self._places.append((page.number, offset, len(packed)))

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Page]:
        for _, offset, length in sorted(self._places):
            self._file.seek(offset)
            page: Page = pickle.loads(zlib.decompress(self._file.read(length)))
            yield page
