"""Output formats: their names, files and exporters."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib import import_module
from itertools import chain
from pathlib import PurePath
from typing import TYPE_CHECKING

from galley.errors import UsageError

if TYPE_CHECKING:
    from galley.document import Document, Page
    from galley.parsing.options import ParseOptions

GLM_OCR = "glmocr"
DOCLING = "docling"
SUFFIXES = {"md": ".md", "json": ".json", "html": ".html", "text": ".txt", DOCLING: ".docling.json"}
FORMATS = (*SUFFIXES, GLM_OCR)


def read_formats(given: list[str]) -> list[str]:
    """Names of formats from ``--format md,json`` or several ``--format``; each once, in order."""
    names = [name.strip().lower() for part in given for name in part.split(",") if name.strip()]
    for name in names:
        if name not in FORMATS:
            raise UsageError(f"there is no format {name!r}; there are {', '.join(FORMATS)}")
    if given and not names:
        raise UsageError(f"--format names no format; there are {', '.join(FORMATS)}")
    if DOCLING in names:
        import_module("galley.document.docling")  # what it needs may be missing
    return list(dict.fromkeys(names))


def output_files(name: str, place: PurePath) -> list[PurePath]:
    """The files a format writes, relative to the output folder; ``glmocr`` keeps GLM-OCR's own layout."""
    if name == GLM_OCR:
        return [place / f"{place.name}.json", place / f"{place.name}.md"]
    return [place.with_name(place.name + SUFFIXES[name])]


def image_folder(formats: list[str], place: PurePath) -> PurePath:
    """Where figures go, relative to the output folder."""
    return place / "imgs" if GLM_OCR in formats else place.with_name(f"{place.name}_images")


def render(
    name: str, document: Document, pages: Iterable[Page], options: ParseOptions
) -> list[Iterable[str]]:
    """A document with the given pages in a format: per file of ``output_files`` its text, piece by piece, as pages
    are gone through. Exporters are imported when needed."""
    if name == "json":
        from galley.document.json import json_pieces

        return [chain(json_pieces(document, pages), ["\n"])]
    if name == "html":
        from galley.document.html import html_pieces

        return [html_pieces(document.source, pages, options.keep)]
    if name == "text":
        from galley.document.text import text_pieces

        return [text_pieces(pages, options.keep)]
    if name == DOCLING:  # which knows only whole documents
        data = document.model_copy(update={"pages": list(pages)}).to_docling().export_to_dict()
        return [[json.dumps(data, ensure_ascii=False, indent=2) + "\n"]]
    from galley.document.markdown import markdown_pieces

    markdown = markdown_pieces(pages, options.keep)
    if name == "md":
        return [markdown]
    from galley.document.glmocr import glmocr_pieces

    return [glmocr_pieces(pages), markdown]
