"""A reader for LlamaIndex."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from galley.api import AnySource
from galley.errors import UsageError
from galley.integrations.chunks import LAYOUT_KEYS, Mode, as_sources, read_chunks

try:
    from llama_index.core.readers.base import BaseReader
    from llama_index.core.schema import Document
except ImportError as error:
    raise UsageError(
        "GalleyReader needs llama-index-core; install it: pip install 'galley-ocr[llamaindex]'"
    ) from error


class GalleyReader(BaseReader):
    """Documents as Markdown: ``GalleyReader().load_data("scan.pdf")``; also a ``file_extractor`` of
    ``SimpleDirectoryReader``.

    mode: a LlamaIndex document per ``page``, ``block`` or ``document``. options: fields of ``ParseOptions``. Metadata
    as ``read_chunks`` says; what of it is for programs is kept from embeddings and models.
    """

    def __init__(self, *, mode: Mode = "page", **options: Any) -> None:
        self._mode = mode
        self._options = options

    def lazy_load_data(
        self,
        file: AnySource | Iterable[AnySource],
        extra_info: dict[str, Any] | None = None,
        **more: Any,
    ) -> Iterable[Document]:
        """The documents of one or several paths, URLs, bytes or files, each read when its turn comes. Raises
        ``GalleyError``.

        extra_info: metadata to add. more: what ``SimpleDirectoryReader`` passes besides; not used.
        """
        for text, metadata in read_chunks(as_sources(file), self._mode, self._options):
            yield Document(
                text=text,
                metadata=metadata | (extra_info or {}),
                excluded_embed_metadata_keys=list(LAYOUT_KEYS),
                excluded_llm_metadata_keys=list(LAYOUT_KEYS),
            )
