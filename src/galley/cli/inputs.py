"""From the paths of a command line to the documents to parse and where each one's output goes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from galley.errors import InputError
from galley.ingest.kind import SUFFIXES
from galley.ingest.source import display_name

STDIN = "-"


@dataclass(frozen=True)
class Input:
    """A document to parse, its name in messages, and the path of its output without a suffix."""

    path: Path
    name: str
    place: PurePath


def find_inputs(paths: Sequence[str], skip: Collection[Path] = ()) -> tuple[list[Input], list[InputError]]:
    """Files as named, folders searched for documents in all their sub-folders; each file once.

    A file named explicitly is always taken, whatever its name; a folder gives those with a document's suffix,
    but nothing hidden and nothing below ``skip``. Also returns what is wrong with single paths.
    """
    found: dict[Path, tuple[Path, PurePath]] = {}  # by what the path leads to
    errors: list[InputError] = []
    for given in paths:
        path = Path(given)
        if given == STDIN:
            found.setdefault(path, (path, PurePath("stdin")))
        elif path.is_dir():
            files = list(_search(path, skip, errors))
            if not files:
                looked_for = " ".join(sorted(SUFFIXES))
                errors.append(InputError(f"{display_name(path)} holds no documents; looked for {looked_for}"))
            for file in files:
                found.setdefault(Path(os.path.realpath(file)), (file, file.relative_to(path)))
        else:
            found.setdefault(Path(os.path.realpath(path)), (path, PurePath(path.name)))
    places = _places([place for _, place in found.values()])
    inputs = [
        Input(path, "stdin" if str(path) == STDIN else display_name(path), place)
        for (path, _), place in zip(found.values(), places, strict=True)
    ]
    return inputs, errors


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


def _places(names: Sequence[PurePath]) -> list[PurePath]:
    """Where outputs go: the name without its suffix, with it where two would collide, else with a number."""
    shared = Counter(_folded(_bare(name)) for name in names)
    taken: set[str] = set()
    places = []
    for name in names:
        place = _bare(name) if shared[_folded(_bare(name))] == 1 else name
        number = 2
        while _folded(place) in taken:
            place = name.with_name(f"{name.name}-{number}")
            number += 1
        taken.add(_folded(place))
        places.append(place)
    return places


def _bare(name: PurePath) -> PurePath:
    """Without the suffix of a document; ``minutes.2024`` stays whole."""
    return name.with_suffix("") if name.suffix.lower() in SUFFIXES else name


def _folded(place: PurePath) -> str:
    """Equal for paths that are one on a file system that ignores case."""
    return str(place).casefold()
