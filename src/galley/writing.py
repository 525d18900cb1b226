"""What goes wrong when files are written, said to the user."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from galley.errors import OutputError


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """Turn what the system says about writing ``target`` into an ``OutputError``."""
    try:
        yield
    except FileExistsError as error:
        raise OutputError(f"{shown_path(target)} is a file; -o takes a folder") from error
    except OSError as error:
        raise OutputError(f"cannot write {shown_path(target)}: {error.strerror or error}") from error


def shown_path(path: Path) -> str:
    """A path as messages name it."""
    from galley.ingest.source import display_name  # brings numpy with it

    return display_name(path)
