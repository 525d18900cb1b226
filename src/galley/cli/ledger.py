"""What earlier runs have finished in an output folder, so that ``--resume`` can go on from there."""

from __future__ import annotations

import json
from pathlib import Path, PurePath
from typing import Any

from galley.cli.inputs import Input

LEDGER_NAME = ".galley-done.jsonl"


class Ledger:
    """One JSON line per finished document; the last for a place counts, lines cut off by a crash do not."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / LEDGER_NAME
        self._entries: dict[str, dict[str, Any]] = {}
        self._made: dict[str, set[str]] = {}
        if self._path.is_file():
            for line in self._path.read_text(encoding="utf-8", errors="replace").splitlines():
                self._remember(line)

    def finished(self, document: Input, fingerprint: str, files: list[PurePath]) -> bool:
        """Whether all ``files`` were made without a failure, from the same file with the same options."""
        entry = self._entries.get(str(document.place))
        return (
            entry is not None
            and entry.get("options") == fingerprint
            and entry.get("source") == _state(document.path)
            and {str(file) for file in files} <= set(entry.get("files", ()))
            and all((self._folder / file).is_file() for file in files)
        )

    def add(self, document: Input, fingerprint: str, files: list[PurePath], images: PurePath | None) -> None:
        """Write down that a document is finished. Raises ``OSError``."""
        line = json.dumps(
            {
                "place": str(document.place),
                "source": _state(document.path),
                "options": fingerprint,
                "files": [str(file) for file in files],
                "images": str(images) if images else None,
            }
        )
        self._remember(line)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def made(self, document: Input) -> set[str]:
        """Files and folders of figures that earlier runs made of a document, relative to the folder."""
        return set(self._made.get(str(document.place), ()))

    def image_folders(self) -> set[Path]:
        """Folders of figures that earlier runs wrote: output, not documents."""
        names = [entry["images"] for entry in self._entries.values() if entry.get("images")]
        return {(self._folder / name).resolve() for name in names}

    def _remember(self, line: str) -> None:
        try:
            entry = json.loads(line)
            self._entries[entry["place"]] = entry
            made = self._made.setdefault(entry["place"], set())
            made.update(str(name) for name in (*entry.get("files", ()), entry.get("images")) if name)
        except (ValueError, KeyError, TypeError):
            pass


def _state(path: Path) -> list[int]:
    """Size and time of change, which tell whether a file is still the same; empty when it is gone."""
    try:
        found = path.stat()
    except OSError:
        return []
    return [found.st_size, found.st_mtime_ns]
