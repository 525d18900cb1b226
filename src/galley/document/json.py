"""Documents as JSON: every block with all that is known about it, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from pydantic import ValidationError

from galley.document.model import SCHEMA_VERSION, Document, Page
from galley.errors import InputError


def to_json(document: Document, indent: int | None = 2) -> str:
    """The document as JSON; nothing is left out. ``schema_version`` names the form: a new major breaks readers."""
    return "".join(json_pieces(document, document.pages, indent))


def json_pieces(head: Document, pages: Iterable[Page], indent: int | None = 2) -> Iterator[str]:
    """The JSON of a document with the given pages, page by page.

    Args:
        head: The rest of the document.
        pages: Its pages, asked for one at a time.
        indent: Spaces for each level; one line when None.
    """
    frame = head.model_copy(update={"pages": []}).model_dump_json(indent=indent, exclude_none=True)
    before, empty, after = frame.partition('"pages":[]' if indent is None else '"pages": []')
    outer, inner = ("", "") if indent is None else ("\n" + " " * indent, "\n" + " " * 2 * indent)
    yield before + empty[:-1]
    begun = False
    for page in pages:
        text = page.model_dump_json(indent=indent, exclude_none=True)
        yield ("," if begun else "") + inner + (text.replace("\n", inner) if inner else text)
        begun = True
    yield (outer if begun else "") + "]" + after


def from_json(text: str | bytes) -> Document:
    """The document that ``to_json`` wrote.

    Raises:
        InputError: The text is none, or of a newer major version.
    """
    try:
        return from_json_data(json.loads(text))
    except ValueError as error:
        raise InputError(f"this is not JSON: {error}") from None


def from_json_data(data: object) -> Document:
    """``from_json`` for JSON that is parsed already.

    Raises:
        InputError: It is no Galley document, or one of a newer major version.
    """
    version = data.get("schema_version") if isinstance(data, dict) else None
    if not isinstance(version, str):
        raise InputError("this JSON is no Galley document: it has no schema_version")
    if version.split(".")[0] != SCHEMA_VERSION.split(".")[0]:
        raise InputError(f"this document has schema version {version}; this Galley reads {SCHEMA_VERSION}")
    try:
        return Document.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InputError(f"this document does not fit the schema at {place}: {first['msg']}") from None
