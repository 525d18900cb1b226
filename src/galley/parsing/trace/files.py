"""Where traces are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath

from galley.errors import OutputError

_ODD = re.compile(r"[^\w.\-]+")


def document_folder(root: Path, name: str) -> Path:
    """The folder of a document's traces: its path below ``root``, so that no two documents share one."""
    parts = [_ODD.sub("_", part) for part in PurePath(name).parts if part != PurePath(name).anchor]
    parts = ["up" if part == ".." else part for part in parts if part not in ("", ".")]
    return root.joinpath(*(parts or ["document"]))


def page_folder(root: Path, name: str, number: int) -> Path:
    """The folder of one page's trace."""
    return document_folder(root, name) / f"page-{number:04}"


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Make the folder; turn what the system says about it into an ``OutputError``."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise OutputError(f"cannot write the trace to {folder}: {error.strerror or error}") from error
