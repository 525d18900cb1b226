"""Output formats: their names, files and exporters."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING

from galley.errors import UsageError

if TYPE_CHECKING:
    from galley.document import Document
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


def render(name: str, document: Document, options: ParseOptions) -> list[str]:
    """The document in a format, one text per file of ``output_files``. Exporters are imported when needed."""
    if name == "json":
        from galley.document.json import to_json

        return [to_json(document) + "\n"]
    if name == "html":
        from galley.document.html import to_html

        return [to_html(document, options.keep)]
    if name == "text":
        from galley.document.text import to_text

        return [to_text(document, options.keep)]
    if name == DOCLING:
        data = document.to_docling().export_to_dict()
        return [json.dumps(data, ensure_ascii=False, indent=2) + "\n"]
    from galley.document.markdown import to_markdown

    markdown = to_markdown(document, options.keep)
    if name == "md":
        return [markdown]
    from galley.document.glmocr import to_glmocr

    return [json.dumps(to_glmocr(document), ensure_ascii=False, indent=2) + "\n", markdown]
