"""A format that nobody needs, added as any other; as a program, ``galley`` with it and a stand-in parser."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from galley.document import Document, Page
from galley.document.exporters import EXPORTERS, Exporter, register


def outline_pieces(document: Document, pages: Iterable[Page], keep: Collection[str]) -> Iterator[str]:
    """The first words of each page."""
    for page in pages:
        yield f"{page.number}: {page.blocks[0].content[:20] if page.blocks else ''}\n"


OUTLINE = Exporter("outline", "Outline", ".outline", "text/x-outline", outline_pieces)


def add() -> None:
    """Put it into the table of this process."""
    if OUTLINE.name not in EXPORTERS:
        register(OUTLINE)


def make_parser(options: object, image_sink: Any, gate: Path) -> Any:
    """A parser for a server's workers, which learn of the format this way."""
    from obedient import Obedient

    add()
    return Obedient(options, image_sink, gate)


if __name__ == "__main__":
    add()
    fakes = Path(__file__).parents[1] / "cli/fakes.py"
    sys.argv = [str(fakes), "Words", *sys.argv[1:]]
    sys.path.insert(0, str(fakes.parent))
    runpy.run_path(str(fakes), run_name="__main__")
