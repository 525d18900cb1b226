"""From the paths of a command line to the documents to parse and where each one's output goes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path, PurePath

from galley.errors import InputError
from galley.ingest.kind import SUFFIXES
from galley.ingest.remote import RemoteFile, find_remote
from galley.ingest.source import display_name
from galley.ingest.stores import is_remote, local_path, shown_url

STDIN = "-"


@dataclass(frozen=True)
class Input:
    """A document to parse.

    It holds its path, its name in messages, the path of its output without a suffix, and where it is from: an
    absolute path or an address without secrets.
    """

    path: Path
    name: str
    place: PurePath
    origin: str
    remote: RemoteFile | None = None
    """Where it comes from; ``path`` is then where ``fetch`` copies it to."""
    drafts: tuple[Path, ...] = ()
    """Files with what other tools read on it."""

    @property
    def file_name(self) -> str:
        """Its file's name, without a folder."""
        return PurePath(self.remote.name).name if self.remote is not None else self.path.name

    def fetch(self) -> None:
        """Make sure that the file is at ``path``.

        Raises:
            InputError: It cannot be downloaded.
        """
        if self.remote is not None:
            self.remote.fetch(self.path)

    def release(self) -> None:
        """The file is not needed any more."""
        if self.remote is not None:
            with suppress(OSError):  # a worker may have it open still
                self.path.unlink()

    def state(self) -> list[int | str]:
        """Size and time of change of the file and of its draft files, which tell whether they are still the same.

        Returns:
            An empty value when the file is gone.
        """
        own = list(self.remote.state) if self.remote is not None else _state(self.path)
        return own + [part for draft in self.drafts for part in _state(draft)]


def _state(path: Path) -> list[int | str]:
    try:
        found = path.stat()
    except OSError:
        return []
    return [found.st_size, found.st_mtime_ns]


Taken = Callable[[PurePath, str], bool]
"""Whether a place is taken by an output that is not of this origin."""


def find_inputs(
    paths: Sequence[str],
    skip: Collection[Path] = (),
    skip_urls: Collection[str] = (),
    taken: Taken = lambda place, origin: False,
) -> tuple[list[Input], list[InputError]]:
    """Find the documents to read: files as named, and those in folders with all their sub-folders, each once.

    A file named explicitly is always taken, whatever its name. A folder gives the files with a document's suffix, but
    nothing hidden.

    Args:
        paths: Files, folders and URLs.
        skip: Folders that are not searched.
        skip_urls: Folders behind URLs that are not searched.
        taken: Places that outputs of other documents have already.

    Returns:
        The documents, and what is wrong with single paths.
    """
    found: dict[Path | str, tuple[Path | RemoteFile, PurePath]] = {}  # by what the path leads to
    errors: list[InputError] = []
    for given in map(local_path, paths):
        path = Path(given)
        if given == STDIN:
            found.setdefault(path, (path, PurePath("stdin")))
        elif is_remote(given):
            try:
                remotes = find_remote(given, skip_urls)
            except InputError as error:
                errors.append(error)
            else:
                found |= {remote.url: (remote, place) for remote, place in remotes if remote.url not in found}
        elif path.is_dir():
            files = list(_search(path, skip, errors))
            if not files:
                looked_for = " ".join(sorted(SUFFIXES))
                errors.append(InputError(f"{display_name(path)} holds no documents; looked for {looked_for}"))
            for file in files:
                found.setdefault(Path(os.path.realpath(file)), (file, file.relative_to(path)))
        else:
            found.setdefault(Path(os.path.realpath(path)), (path, PurePath(path.name)))
    origins = [shown_url(key) if isinstance(key, str) else str(key) for key in found]
    places = _places([place for _, place in found.values()], origins, taken)
    inputs = [
        _input(file, place, origin)
        for (file, _), place, origin in zip(found.values(), places, origins, strict=True)
    ]
    return inputs, errors


def _input(file: Path | RemoteFile, place: PurePath, origin: str) -> Input:
    if isinstance(file, RemoteFile):
        return Input(Path(), file.name, place, origin, file)
    return Input(file, "stdin" if str(file) == STDIN else display_name(file), place, origin)


def _search(folder: Path, skip: Collection[Path], errors: list[InputError]) -> Iterator[Path]:
    def unreadable(error: OSError) -> None:
        errors.append(InputError(f"{display_name(Path(error.filename))} cannot be read: {error.strerror}"))

    for root, folders, files in os.walk(folder, onerror=unreadable):
        here = Path(root)
        folders[:] = sorted(
            name for name in folders if name[0] != "." and Path(os.path.realpath(here / name)) not in skip
        )
        for name in sorted(files):
            if name[0] != "." and PurePath(name).suffix.lower() in SUFFIXES:
                yield here / name


def _places(names: Sequence[PurePath], origins: Sequence[str], taken: Taken) -> list[PurePath]:
    """Where outputs go: the name without its suffix, with it where two would collide, else with a number."""
    shared = Counter(folded(_bare(name)) for name in names)
    given: set[str] = set()
    places = []
    for name, origin in zip(names, origins, strict=True):
        short = [_bare(name)] if shared[folded(_bare(name))] == 1 else []
        numbered = (name.with_name(f"{name.name}-{number}") for number in count(2))
        place = next(
            place
            for place in chain(short, [name], numbered)
            if folded(place) not in given and not taken(place, origin)
        )
        given.add(folded(place))
        places.append(place)
    return places


def _bare(name: PurePath) -> PurePath:
    """Without the suffix of a document; ``minutes.2024`` stays whole."""
    return name.with_suffix("") if name.suffix.lower() in SUFFIXES else name


def folded(place: PurePath) -> str:
    """Equal for paths that are one on a file system that ignores case."""
    return str(place).casefold()
