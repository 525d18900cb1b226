"""The output formats of a command line."""

from __future__ import annotations

from galley.document.exporters import EXPORTERS, exporter
from galley.errors import UsageError


def read_formats(given: list[str]) -> list[str]:
    """Names of the formats of ``--format md,json`` or several ``--format``; each once, in order."""
    names = [name.strip().lower() for part in given for name in part.split(",") if name.strip()]
    if given and not names:
        raise UsageError(f"--format names no format; there are {', '.join(EXPORTERS)}")
    chosen = list(dict.fromkeys(exporter(name) for name in names))
    for one in chosen:
        one.require()
    return [one.name for one in chosen]


def suffixes() -> set[str]:
    """How files of results end."""
    return {one.suffix for one in EXPORTERS.values()}
