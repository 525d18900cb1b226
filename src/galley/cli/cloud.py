"""Results into a folder behind a URL, and the ledger of what is finished there."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path, PurePath

from galley.cli.formats import suffixes
from galley.cli.ledger import LEDGER_NAME, Ledger
from galley.cli.outputs import StagedFiles
from galley.errors import OutputError, UsageError
from galley.ingest.stores import file_system, protocol, reaching, shown_url
from galley.writing import writing

_SHARE_OF_TIME = 0.05
_FILE_SERVERS = ("sftp", "ssh", "ftp", "smb", "hdfs", "webhdfs", "webdav")
"""These have folders, which must be made. Object stores have none; for some, making one makes a bucket."""


class Store:
    """A folder behind a URL.

    Raises:
        OutputError: For what cannot be done there.
    """

    def __init__(self, url: str) -> None:
        """Raises ``UsageError`` for names like a.md."""
        if PurePath(url).suffix in suffixes():
            raise UsageError(f"-o takes a folder, not {shown_url(url)}")
        self.url = url.rstrip("/")
        with reaching(self.url, OutputError):
            self._system, top = file_system(self.url)
        self._top = top.rstrip("/")

    def read(self, relative: PurePath) -> bytes:
        """A file's content; nothing where there is none."""
        with reaching(self._url(relative), OutputError):
            try:
                return bytes(self._system.cat_file(self._path(relative)))
            except FileNotFoundError:
                return b""

    def put(self, relative: PurePath, file: Path) -> None:
        """Send a file in one request: object stores show it when all of it is there."""
        with reaching(self._url(relative), OutputError):
            path = self._path(relative)
            if protocol(self.url) in _FILE_SERVERS:
                self._system.makedirs(path.rpartition("/")[0], exist_ok=True)
            self._system.put_file(str(file), path)

    def remove(self, relative: PurePath) -> None:
        """Remove a file, or a folder with all that is in it, where it is there."""
        with reaching(self._url(relative), OutputError):
            path = self._path(relative)
            if self._system.exists(path):
                self._system.rm(path, recursive=True)

    def names(self) -> set[str]:
        """All files, as paths below the folder."""
        with reaching(self.url, OutputError):
            found = self._system.find(self._top)
        top = self._top.strip("/")
        return {str(PurePath(name.strip("/")).relative_to(top)) for name in found}

    def _path(self, relative: PurePath) -> str:
        return f"{self._top}/{relative.as_posix()}"

    def _url(self, relative: PurePath) -> str:
        return f"{self.url}/{relative.as_posix()}"


class CloudFolder(StagedFiles):
    """The output folder of one run behind an address; use it in a ``with`` statement.

    What is sent there is kept in a folder on this machine until it is complete.
    """

    def __init__(self, url: str) -> None:
        self._store = Store(url)
        self._staging = Path(tempfile.mkdtemp(prefix="galley-"))

    def write(self, relative: PurePath, pieces: Iterable[str]) -> None:
        """Put text into a file of the folder, whole or not at all."""
        with writing(self._staging / "file"):
            draft = self._stage(pieces)
        self._store.put(relative, draft)

    def remove(self, relative: PurePath) -> None:
        """Remove a file or a folder of figures that an earlier run wrote, if it is there."""
        self._store.remove(relative)

    def publish_images(self, place: PurePath, relative: PurePath) -> bool:
        """Send a document's figures to ``relative``, in place of an earlier run's; False when it has none."""
        staged = self.staged_images(place)
        if not staged.is_dir():
            return False
        self.remove(relative)
        for file in sorted(staged.iterdir()):
            self._store.put(relative / file.name, file)
        shutil.rmtree(staged)
        return True


class CloudLedger(Ledger):
    """A ledger behind an address.

    Stores cannot append, so the whole list is sent again: at intervals that take a small part of the time, and by
    ``close``. A run that is killed before has a few documents to read again.
    """

    def __init__(self, url: str) -> None:
        """Also puts it, so that a folder that cannot be written is known before anything is read."""
        self._store = Store(url)
        self._lines: list[str] = []
        self._lines_put = 0
        self._next_put = 0.0
        super().__init__(Path())
        self._put()

    def to_skip(self) -> tuple[set[Path], set[str]]:
        """See ``Ledger.to_skip``."""
        return set(), {f"{self._store.url}/{name}" for name in self._image_names()}

    def close(self) -> None:
        """Put what is not there yet.

        Raises:
            OutputError: The store refuses it.
        """
        if self._lines_put < len(self._lines):
            self._put()

    @cached_property
    def _there(self) -> set[str]:
        """The files that earlier runs left: one listing is cheaper than a question for each."""
        return self._store.names()

    def _read(self) -> str:
        text = self._store.read(PurePath(LEDGER_NAME)).decode("utf-8", "replace")
        self._lines = text.splitlines()
        return text

    def _append(self, line: str) -> None:
        self._lines.append(line)
        if time.monotonic() >= self._next_put:
            self._put()

    def _put(self) -> None:
        start = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="galley-") as folder:
            file = Path(folder) / LEDGER_NAME
            file.write_text("".join(f"{line}\n" for line in self._lines), encoding="utf-8")
            self._store.put(PurePath(LEDGER_NAME), file)
        self._lines_put = len(self._lines)
        end = time.monotonic()
        self._next_put = end + (end - start) / _SHARE_OF_TIME

    def _has(self, file: PurePath) -> bool:
        return str(file) in self._there
