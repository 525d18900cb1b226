"""Files that are there whole or not at all, so that an interrupted run can be taken up again."""

from __future__ import annotations

import os
from pathlib import Path


def write_atomically(path: Path, text: str) -> None:
    """Write UTF-8 text beside ``path``, then put it in place; folders are made. Processes may race."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.part")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
