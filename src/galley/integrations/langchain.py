"""A document loader for LangChain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from galley.api import AnySource
from galley.errors import UsageError
from galley.integrations.chunks import Mode, as_sources, read_chunks

try:
    from langchain_core.document_loaders import BaseLoader
    from langchain_core.documents import Document
except ImportError as error:
    raise UsageError(
        "GalleyLoader needs langchain-core; install it: pip install 'galley-ocr[langchain]'"
    ) from error


class GalleyLoader(BaseLoader):
    """Loads documents as Markdown: ``GalleyLoader("scan.pdf").load()``.

    Args:
        sources: one or several paths, addresses, bytes or open files.
        mode: one LangChain document per ``page``, ``block`` or ``document``.
        options: fields of ``ParseOptions``.

    Metadata are those of ``galley.integrations.chunks.read_chunks``.
    """

    def __init__(
        self, sources: AnySource | Iterable[AnySource], *, mode: Mode = "page", **options: Any
    ) -> None:
        self._sources = as_sources(sources)
        self._mode = mode
        self._options = options

    def lazy_load(self) -> Iterator[Document]:
        """Load one file after the other, each when its turn comes.

        Raises:
            GalleyError: a file cannot be read at all.
        """
        for text, metadata in read_chunks(self._sources, self._mode, self._options):
            yield Document(page_content=text, metadata=metadata)
