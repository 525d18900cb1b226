"""Documents behind URLs (``s3://``, ``gs://``, ``https://``, …) through fsspec, which knows the stores."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from galley.errors import InputError
from galley.ingest.kind import SUFFIXES
from galley.ingest.stores import WEB, file_system, protocol, reaching, shown_url

_WILD = re.compile(r"[*?\[]")
_VERSIONS = ("ETag", "etag", "mtime", "LastModified", "last_modified", "updated", "created")
_Found = list[tuple["RemoteFile", PurePosixPath]]


@dataclass(frozen=True)
class RemoteFile:
    """A file of a store. ``state``: size and version, which tell whether it is still the same."""

    url: str
    state: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """For messages and documents: the URL without secrets."""
        return shown_url(self.url)

    def read(self) -> bytes:
        """All of it. Raises ``InputError``."""
        with reaching(self.url, InputError):
            system, path = file_system(self.url)
            return bytes(system.cat_file(path))

    def fetch(self, target: Path) -> None:
        """Copy it to ``target`` on this machine. Raises ``InputError``."""
        with reaching(self.url, InputError):
            system, path = file_system(self.url)
            system.get_file(path, str(target))


def find_remote(url: str, skip: Collection[str] = ()) -> _Found:
    """The files a URL names, and the place of each below it.

    One file, the documents in a folder and in all its sub-folders, or what ``*``, ``?``, ``[a-z]`` and ``**`` match.

    A folder gives files with a document's suffix, but nothing hidden and nothing below the URLs of ``skip``. Raises
    ``InputError`` when there is nothing.
    """
    with reaching(url, InputError):
        system, path = file_system(url)
        if protocol(url) in WEB:  # a question mark begins a query there, and there are no folders
            name = PurePosixPath(urlsplit(url).path).name or "page"
            return [(_file(url, system.info(path)), PurePosixPath(name))]
        if _WILD.search(path) and not system.exists(path):
            found = _matches(system, path, url)
        else:
            info = system.info(path)
            if info["type"] == "file":
                return [(_file(url, info), PurePosixPath(PurePosixPath(path).name))]
            found = _documents(system, path, url.rstrip("/"), skip)
    if not found:
        raise InputError(f"{shown_url(url)} holds no documents; looked for {' '.join(sorted(SUFFIXES))}")
    return found


def _matches(system: Any, path: str, url: str) -> _Found:
    top, base = _before_wildcard(path), _before_wildcard(url)
    found = system.glob(path, detail=True)
    places = {_below(name, top): info for name, info in found.items() if info["type"] == "file"}
    return [(_file(f"{base}/{place}", places[place]), place) for place in sorted(places)]


def _documents(system: Any, path: str, base: str, skip: Collection[str]) -> _Found:
    places = {_below(name, path): info for name, info in system.find(path, detail=True).items()}
    wanted = [place for place in sorted(places) if _is_document(place)]
    files = [(_file(f"{base}/{place}", places[place]), place) for place in wanted]
    return [(file, place) for file, place in files if not _is_below(file.url, skip)]


def _before_wildcard(path: str) -> str:
    """The folder that everything a pattern matches is in."""
    return _WILD.split(path, maxsplit=1)[0].rpartition("/")[0]


def _file(url: str, info: dict[str, Any]) -> RemoteFile:
    version = next((info[key] for key in _VERSIONS if info.get(key)), "")
    return RemoteFile(url, (str(info.get("size")), str(version)))


def _below(name: str, top: str) -> PurePosixPath:
    return PurePosixPath(name.strip("/")).relative_to(top.strip("/"))


def _is_document(place: PurePosixPath) -> bool:
    hidden = any(part.startswith(".") for part in place.parts)
    return not hidden and place.suffix.lower() in SUFFIXES


def _is_below(url: str, folders: Collection[str]) -> bool:
    return any(url.startswith(folder.rstrip("/") + "/") for folder in folders)
