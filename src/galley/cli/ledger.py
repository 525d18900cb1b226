"""What earlier runs have made in an output folder, so that ``--resume`` can go on from there and no run writes over
what is of another document."""

from __future__ import annotations

import json
from pathlib import Path, PurePath
from typing import Any

from galley.cli.inputs import Input, folded
from galley.ingest.stores import is_remote
from galley.writing import writing

LEDGER_NAME = ".galley-done.jsonl"


class Ledger:
    """One JSON line per document written; the last for a place counts, lines cut off by a crash do not."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / LEDGER_NAME
        self._entries: dict[str, dict[str, Any]] = {}
        self._made: dict[str, set[str]] = {}
        self._by_name: dict[str, dict[str, Any]] = {}
        for line in self._read().splitlines():
            self._remember(line)

    def finished(self, document: Input, fingerprint: str, files: list[PurePath]) -> bool:
        """Whether all ``files`` were made without a failure, from the same file with the same options."""
        entry = self._entries.get(str(document.place))
        return (
            entry is not None
            and entry.get("options") == fingerprint
            and entry.get("source") == document.state()
            and {str(file) for file in files} <= set(entry.get("files", ()))
            and all(self._has(file) for file in files)
        )

    def taken(self, place: PurePath, origin: str) -> bool:
        """Whether a place holds what was made of a document that is not ``origin`` and still exists."""
        entry = self._by_name.get(folded(place), {})
        other = str(entry.get("origin", origin))
        return (
            other != origin
            and any(self._has(PurePath(file)) for file in entry.get("files", ()))
            and (is_remote(other) or Path(other).exists())
        )

    def add(
        self, document: Input, fingerprint: str | None, files: list[PurePath], images: PurePath | None
    ) -> None:
        """Write down what was made of a document; ``fingerprint`` None: it is not finished. Raises
        ``OutputError``."""
        line = json.dumps(
            {
                "place": str(document.place),
                "origin": document.origin,
                "source": document.state(),
                "options": fingerprint,
                "files": [str(file) for file in files],
                "images": str(images) if images else None,
            }
        )
        self._remember(line)
        self._append(line)

    def made(self, document: Input) -> set[str]:
        """Files and folders of figures that earlier runs made of a document, relative to the folder."""
        return set(self._made.get(str(document.place), ()))

    def to_skip(self) -> tuple[set[Path], set[str]]:
        """Folders of figures that earlier runs wrote, and URLs of such: output, not documents."""
        return {(self._folder / name).resolve() for name in self._image_names()}, set()

    def close(self) -> None:
        """The run is at its end."""

    def _image_names(self) -> list[str]:
        return [entry["images"] for entry in self._entries.values() if entry.get("images")]

    def _read(self) -> str:
        return self._path.read_text(encoding="utf-8", errors="replace") if self._path.is_file() else ""

    def _append(self, line: str) -> None:
        with writing(self._path), self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def _has(self, file: PurePath) -> bool:
        return (self._folder / file).is_file()

    def _remember(self, line: str) -> None:
        try:
            entry = json.loads(line)
            self._entries[entry["place"]] = self._by_name[folded(PurePath(entry["place"]))] = entry
            made = self._made.setdefault(entry["place"], set())
            made.update(str(name) for name in (*entry.get("files", ()), entry.get("images")) if name)
        except (ValueError, KeyError, TypeError):
            pass
