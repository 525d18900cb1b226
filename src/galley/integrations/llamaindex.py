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
    """Reads documents as Markdown: ``GalleyReader().load_data("scan.pdf")``.

    It can also be a ``file_extractor`` of ``SimpleDirectoryReader``. Metadata are those of
    ``galley.integrations.chunks.read_chunks``; layout keys are kept from embeddings and models.

    Args:
        mode: one LlamaIndex document per ``page``, ``block`` or ``document``.
        options: fields of ``ParseOptions``.
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
        """Read one or several documents, each when its turn comes.

        Args:
            file: paths, addresses, bytes or open files.
            extra_info: metadata to add.
            more: further arguments that ``SimpleDirectoryReader`` passes; not used.

        Raises:
            GalleyError: a document cannot be read at all.
        """
        for text, metadata in read_chunks(as_sources(file), self._mode, self._options):
            yield Document(
                text=text,
                metadata=metadata | (extra_info or {}),
                excluded_embed_metadata_keys=list(LAYOUT_KEYS),
                excluded_llm_metadata_keys=list(LAYOUT_KEYS),
            )
