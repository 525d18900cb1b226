"""JSON files of data sets, read as described types: whatever else they hold is one line that says where."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from galley.errors import InputError

T = TypeVar("T")


def read_bytes(file: Path) -> bytes:
    """What a file holds.

    Raises:
        InputError: It cannot be read.
    """
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from error


def read_json(file: Path, kind: type[T], what: str) -> T:
    """A JSON file as a ``kind``, any type that pydantic knows.

    Args:
        file: The file.
        kind: What it has to hold.
        what: The same in words, for the message: ``a list of pages``.

    Raises:
        InputError: The file cannot be read or holds something else.
    """
    return parse_json(read_bytes(file), kind, f"{file} is not {what}")


def read_json_lines(file: Path, kind: type[T], what: str) -> Iterator[tuple[int, T]]:
    """Number and value of each line of a JSON lines file that is not blank; raises as ``read_json``."""
    for number, line in enumerate(read_bytes(file).splitlines(), start=1):
        if line.strip():
            yield number, parse_json(line, kind, f"{file.name}, line {number} is not {what}")


def parse_json(text: bytes | str, kind: type[T], complaint: str) -> T:
    """JSON as a ``kind``; raises ``InputError`` with the complaint and where the JSON differs."""
    try:
        value = from_json(text)
    except ValueError as error:
        raise InputError(f"{complaint}: not JSON: {error}") from error
    return checked(value, kind, complaint)


def checked(value: Any, kind: type[T], complaint: str) -> T:
    """A value as a ``kind``; raises ``InputError`` with the complaint and where the value differs."""
    try:
        found: T = _adapter(kind).validate_python(value)  # type: ignore[arg-type]  # types are hashable
        return found
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ", ".join(f"entry {k + 1}" if isinstance(k, int) else str(k) for k in first["loc"])
        raise InputError(f"{complaint}: {place + ': ' if place else ''}{first['msg']}") from error


@lru_cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
