"""Documents as JSON: every block with all that is known about it, and back."""

from __future__ import annotations

import json

from pydantic import ValidationError

from galley.document.model import SCHEMA_VERSION, Document
from galley.errors import InputError


def to_json(document: Document, indent: int | None = 2) -> str:
    """The document as JSON; nothing is left out. ``schema_version`` names the form: a new major breaks readers."""
    return document.model_dump_json(indent=indent, exclude_none=True)


def from_json(text: str | bytes) -> Document:
    """The document ``to_json`` wrote. Raises InputError where the text is none, or of a newer major version."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise InputError(f"this is not JSON: {error}") from None
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
