"""Files in which other tools have written down what they read on a document: drafts of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TypeAlias

from galley.document import Document, Page
from galley.drafters.files import read_draft
from galley.errors import InputError, UsageError
from galley.parsing.options import ParseOptions

DraftSource: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""One file or several."""

SUFFIXES = frozenset((".hocr", ".html", ".htm", ".xml", ".alto", ".json", ".md", ".markdown"))
"""What draft files in a folder are called: hOCR, ALTO, PP-StructureV3's or Galley's JSON, Markdown."""

SERVED = "openai:"


@dataclass(frozen=True)
class DraftFiles:
    """What one or several files have for one document.

    Attributes:
        spread: A file that names no pages goes with every page.
    """

    documents: Sequence[Document]
    spread: bool = False

    def of_page(self, number: int) -> list[Page]:
        """The files' pages of this number; the whole of files without pages where these are spread."""
        return [
            page
            for document in self.documents
            for page in document.pages
            if page.number == number or (self.spread and _is_pageless(document))
        ]


def read_draft_files(given: DraftSource, options: ParseOptions, name: str, page_count: int) -> DraftFiles:
    """The draft files of a document.

    Args:
        given: one file or several.
        options: what the document is read with.
        name: what the document is called.
        page_count: how many pages it has.

    Raises:
        InputError: for a file that cannot be read or is of no known form, or that does not say which page is which
            where that has to be known.
        UsageError: where the options leave drafts no use.
    """
    check_drafts_have_a_use(options)
    documents = [read_draft(path) for path in paths_of(given)]
    if options.strategy != "draft":
        return DraftFiles(documents, spread=True)
    for document in documents:
        if _is_pageless(document) and page_count > 1:
            raise InputError(
                f"the draft {document.source} does not say which text is on which page, and {name} has {page_count};"
                " leave out --strategy draft, so that a model finds it"
            )
    return DraftFiles(documents)


def check_drafts_have_a_use(options: ParseOptions) -> None:
    """Check that the strategy makes use of drafts.

    Raises:
        UsageError: The model takes none.
    """
    if options.model is not None and options.model.startswith(SERVED):
        raise UsageError(
            "a model behind a server is decoded there and takes no drafts; leave out --draft-from"
        )


def paths_of(given: DraftSource) -> list[Path]:
    """One path or several."""
    one = isinstance(given, str | os.PathLike)
    return [Path(given)] if one else [Path(path) for path in given]  # type: ignore[arg-type, union-attr]


def match_drafts(drafts: Sequence[Path], names: Sequence[str]) -> tuple[list[tuple[Path, ...]], list[str]]:
    """Which draft files belong to which documents.

    One document takes all files that are named. Otherwise a file belongs to the document of its own name: ``a.hocr``
    and ``a.pdf.hocr`` to ``a.pdf``. Files of a folder that belong to no document are left out.

    Args:
        drafts: files and folders.
        names: of the documents' files.

    Returns:
        The files of each document, and the documents that have none.

    Raises:
        UsageError: for a file that is named and belongs to no document.
        InputError: for what is not there, and a folder without draft files.
    """
    named = [path for path in drafts if not path.is_dir()]
    found = [file for folder in drafts if folder.is_dir() for file in _files(folder)]
    if len(names) == 1 and not found:
        return [tuple(named)], []
    keys = [{name.casefold(), PurePath(name).stem.casefold()} for name in names]
    for path in named:
        if not any(_key(path) in known for known in keys):
            raise UsageError(
                f"the draft {path} belongs to no document: with several of them, a.hocr is the draft of a.pdf"
            )
    matched = [tuple(path for path in (*named, *found) if _key(path) in known) for known in keys]
    return matched, [name for name, files in zip(names, matched, strict=True) if not files]


def _key(path: Path) -> str:
    return path.stem.casefold()


def _files(folder: Path) -> Iterable[Path]:
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.suffix.lower() in SUFFIXES)
    if not files:
        raise InputError(f"the folder {folder} holds no drafts; looked for {' '.join(sorted(SUFFIXES))}")
    return files


def _is_pageless(document: Document) -> bool:
    """Whether the file is one text without pages, as Markdown is."""
    return len(document.pages) == 1 and document.pages[0].width == 0
