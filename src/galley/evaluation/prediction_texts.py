"""Predictions by sample name, from a folder of files or one JSON file."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from pydantic import BaseModel

from galley.evaluation.records import read_json

_SUFFIXES = (".md", ".html", ".txt", ".tex", ".mmd")


class PredictionTexts:
    """Predictions by sample name.

    Args:
        path: A folder with a file for each sample, or a JSON object of texts by sample name, with or without the
            image's suffix.
    """

    def __init__(self, path: Path) -> None:
        self._folder = path if path.is_dir() else None
        self._texts = {} if self._folder else _texts(path)

    def get(self, name: str, image: str = "") -> str | None:
        """The answer to a sample.

        Args:
            name: The sample's name.
            image: Its file name, which the answer may be named after instead.
        """
        names = [candidate for candidate in (name, image) if candidate]
        if self._folder is None:
            return next((self._texts[n] for n in names if n in self._texts), None)
        files = (self._folder / f"{n}{suffix}" for n in names for suffix in _SUFFIXES)
        found = next((file for file in files if file.is_file()), None)
        return None if found is None else found.read_text(encoding="utf-8", errors="replace")


class _Answer(BaseModel):
    html: str


def _texts(path: Path) -> dict[str, str]:
    what = "a folder of predictions or a JSON object of texts by sample name"
    answers = read_json(path, dict[str, str | _Answer], what)
    return {name: text if isinstance(text, str) else text.html for name, text in answers.items()}


def stem_of(file: str) -> str:
    """A file name without its suffix; folders stay."""
    return PurePosixPath(file).with_suffix("").as_posix()
