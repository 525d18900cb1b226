"""Predictions by sample name, from a folder of files or one JSON file."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

from galley.errors import InputError

_SUFFIXES = (".md", ".html", ".txt", ".tex", ".mmd")


class Answers:
    """``path``: a folder with a file for each sample, or a JSON object of texts by sample name, with or
    without the image's suffix.
    """

    def __init__(self, path: Path) -> None:
        self._folder = path if path.is_dir() else None
        self._texts = {} if self._folder else _texts(path)

    def get(self, name: str, image: str = "") -> str | None:
        """The answer to a sample; ``image``: its file name, which the answer may be named after instead."""
        names = [candidate for candidate in (name, image) if candidate]
        if self._folder is None:
            return next((self._texts[n] for n in names if n in self._texts), None)
        files = (self._folder / f"{n}{suffix}" for n in names for suffix in _SUFFIXES)
        found = next((file for file in files if file.is_file()), None)
        return None if found is None else found.read_text(encoding="utf-8", errors="replace")


def _texts(path: Path) -> dict[str, str]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise InputError(f"{path} is neither a folder of predictions nor a JSON file: {error}") from error
    if not isinstance(data, dict):
        raise InputError(f"{path} holds no JSON object of texts by sample name")
    return {str(name): _text(path, name, value) for name, value in data.items()}


def _text(path: Path, name: str, value: object) -> str:
    text = value.get("html") if isinstance(value, dict) else value
    if not isinstance(text, str):
        raise InputError(f"{path}: {name} is no text")
    return text


def stem_of(file: str) -> str:
    """A file name without its suffix; folders stay."""
    return PurePosixPath(file).with_suffix("").as_posix()
