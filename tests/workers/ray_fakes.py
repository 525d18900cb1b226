"""Parsers for workers of a Ray cluster; as a program, ``galley`` with one of them."""

from __future__ import annotations

import functools
import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))

from fakes import DiesOnTwo, NoModel, Words  # noqa: F401 - looked up by name

from galley.document import Page
from galley.ingest import PageImage

DEATH_NOTE = "GALLEY_TEST_DEATH_NOTE"
DEADLY_PAGE = 30


class KilledOnce(Words):
    """The first worker that comes to the deadly page is killed; it leaves a note for the next ones."""

    def parse_page(self, page: PageImage) -> Page:
        note = Path(os.environ[DEATH_NOTE])
        if page.number == DEADLY_PAGE and not note.exists():
            note.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)
        return super().parse_page(page)


if __name__ == "__main__":
    import ray_fakes  # by its name, so that workers find the class

    import galley.cli.parse_run
    from galley.cli import main

    galley.cli.parse_run.run_parse = functools.partial(
        galley.cli.parse_run.run_parse, factory=getattr(ray_fakes, sys.argv[1])
    )
    main(sys.argv[2:])
