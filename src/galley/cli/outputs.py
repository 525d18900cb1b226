"""Writing results into a folder: whole files or none."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path, PurePath
from types import TracebackType
from typing import TypeVar

from galley.cli.formats import suffixes
from galley.errors import UsageError
from galley.writing import shown_path, writing

Folder = TypeVar("Folder", bound="StagedFiles")


class StagedFiles:
    """Files that are completed in the folder ``_staging`` on this machine first; use it in a ``with`` statement.

    The folder is removed at the end of the statement.
    """

    _staging: Path

    def __enter__(self: Folder) -> Folder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._staging, ignore_errors=True)

    def staged_images(self, place: PurePath) -> Path:
        """Where the figures of one document are kept until ``publish_images``."""
        return self._staging / "images" / place

    def _stage(self, pieces: Iterable[str]) -> Path:
        """Text as a staged file."""
        draft = self._staging / "file"
        with draft.open("wb") as file:
            file.writelines(piece.encode("utf-8", "replace") for piece in pieces)
        return draft


class OutputFolder(StagedFiles):
    """The output folder of one run; use it in a ``with`` statement.

    Everything is written to a hidden folder inside of it first and moved into place when whole, so that an
    interrupted run leaves nothing half done.
    """

    def __init__(self, path: Path) -> None:
        """Make the folder. Raises ``OutputError`` when that cannot be, ``UsageError`` for names like a.md."""
        if path.suffix in suffixes() and not path.is_dir():
            raise UsageError(f"-o takes a folder; to write one file: galley parse FILE > {shown_path(path)}")
        self.path = path
        make_folder(path)
        with writing(path):
            self._staging = Path(tempfile.mkdtemp(prefix=".galley-", dir=path))

    def write(self, relative: PurePath, pieces: Iterable[str]) -> None:
        """Put text into a file of the folder, whole or not at all."""
        target = self.path / relative
        with writing(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            self._stage(pieces).replace(target)

    def remove(self, relative: PurePath) -> None:
        """Remove a file or a folder of figures that an earlier run wrote, if it is there."""
        target = self.path / relative
        with writing(target):
            if target.is_dir() and not target.is_symlink():
                shutil.rmtree(target)
            else:
                target.unlink(missing_ok=True)

    def publish_images(self, place: PurePath, relative: PurePath) -> bool:
        """Move a document's figures to ``relative``, over those of an earlier run; False when it has none."""
        staged, target = self.staged_images(place), self.path / relative
        if not staged.is_dir():
            return False
        with writing(target):
            if target.is_dir():
                shutil.rmtree(target)
            target.parent.mkdir(parents=True, exist_ok=True)
            staged.replace(target)
        return True


def make_folder(path: Path) -> None:
    """Make an output folder where there is none.

    Raises:
        OutputError: That cannot be.
    """
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)
