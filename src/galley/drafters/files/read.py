"""Read a draft file of whatever form, told by its content."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from galley.document import Document
from galley.document.json import from_json_data
from galley.drafters.files.alto import read_alto
from galley.drafters.files.hocr import read_hocr
from galley.drafters.files.markdown import read_markdown
from galley.drafters.files.ppstructure import is_ppstructure, read_ppstructure
from galley.errors import InputError

MAX_BYTES = 200_000_000


@dataclass(frozen=True)
class JsonFormat:
    """The JSON that one tool writes.

    Attributes:
        name: The tool, and the key by which its files are known; part of an error message.
        recognises: Whether parsed JSON is the tool's.
        read: Its blocks.
    """

    name: str
    recognises: Callable[[object], bool]
    read: Callable[[object], Document]


def _is_galley(data: object) -> bool:
    return isinstance(data, dict) and "schema_version" in data


JSON_FORMATS = [
    JsonFormat("PP-StructureV3 (parsing_res_list)", is_ppstructure, read_ppstructure),
    JsonFormat("Galley (schema_version)", _is_galley, from_json_data),
]
"""Asked in this order."""


def read_draft(path: Path) -> Document:
    """The blocks of a draft file, with ``file`` as their source.

    Boxes are in the file's own pixels; where it names none, boxes are empty and the page's size is 0.
    Raises InputError when the file cannot be read or is none of the known forms.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path} is larger than {MAX_BYTES // 1_000_000} MB, too large for a draft")
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read the draft {path}: {error.strerror}") from None
    try:
        document = read_draft_text(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError(f"the draft {path} is not UTF-8 text; convert it first") from None
    except InputError as error:
        raise InputError(f"the draft {path}: {error}") from None
    document.source = str(path)
    return document


def read_draft_text(text: str) -> Document:
    """``read_draft`` for the content of a file."""
    head = text.lstrip()[:4096]
    if head.startswith(("{", "[")) and (data := _json(text)) is not None:
        for tool in JSON_FORMATS:
            if tool.recognises(data):
                return tool.read(data)
        raise InputError(
            f"this JSON is none that Galley knows: {', '.join(one.name for one in JSON_FORMATS)}"
        )
    if "ocr_page" in text and head.startswith("<"):
        return read_hocr(text)
    if head.startswith("<") and "<alto" in head.replace(":alto", "<alto"):
        return read_alto(text)
    return read_markdown(text)


def _json(text: str) -> object | None:
    """Parsed JSON, or None: Markdown may begin with a bracket as well."""
    try:
        return json.loads(text)
    except ValueError:
        return None
    except RecursionError:
        raise InputError("this JSON is nested too deep") from None
