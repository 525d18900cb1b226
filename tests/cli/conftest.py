"""A way to run the command line, and a folder to run it on."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from running import Run, command, numbered


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
