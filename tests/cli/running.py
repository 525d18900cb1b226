"""Documents for the command line's tests, and its command lines."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "ingest"))

from pdf_maker import PdfPage, make_pdf, text_at  # noqa: E402

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def numbered(pages: int, word: str = "Page") -> bytes:
    """A PDF whose pages say ``word`` and their number."""
    return make_pdf(
        *[PdfPage(text_at(72, 700, f"{word} {n}"), box=(0, 0, 300, 792)) for n in range(1, pages + 1)]
    )


def command(words: Sequence[str], parser: str | None = "Words") -> list[str]:
    """A command line of ``galley``, with a stand-in parser or None for the real one."""
    if parser is None:
        return [sys.executable, "-m", "galley", *words]
    return [sys.executable, str(HERE / "fakes.py"), parser, *words]
