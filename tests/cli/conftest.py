"""Documents for the command line's tests, and a way to run it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

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


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run ``galley`` in ``tmp_path``."""

    def start(
        *words: str, parser: str | None = "Words", **options: object
    ) -> subprocess.CompletedProcess[str]:
        env = os.environ | {"OMP_NUM_THREADS": "1"}
        return subprocess.run(
            command(words, parser),
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            timeout=240,
            **options,
        )  # type: ignore[call-overload,no-any-return]

    return start


@pytest.fixture
def scans(tmp_path: Path) -> Path:
    """A folder of three good documents, two bad ones, and things to leave alone."""
    folder = tmp_path / "scans"
    (folder / "2024").mkdir(parents=True)
    (folder / "report.pdf").write_bytes(numbered(3))
    (folder / "2024" / "letter – ünï.pdf").write_bytes(numbered(1, "Dear"))
    (folder / "2024" / "report.PDF").write_bytes(numbered(2, "Old"))
    (folder / "empty.png").write_bytes(b"")
    (folder / "cut.pdf").write_bytes(numbered(3)[:150])
    (folder / "notes.txt").write_text("not a document")
    (folder / ".hidden.pdf").write_bytes(numbered(1))
    return folder
