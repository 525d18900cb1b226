"""Tesseract 5, for scripts that PP-OCRv6 does not read: the installed program, one run for all lines of a page."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from galley.document import BBox
from galley.drafters.line import Word
from galley.errors import ModelError, one_line
from galley.runtime import threads

PROGRAM = "tesseract"
_MARGIN = 12
"""White pixels put around a line: Tesseract misses letters that touch the edge."""
_SECONDS = 30.0
_SECONDS_PER_LINE = 5.0
"""A run that takes longer than the two together is given up."""
_SPACES = ("-c", "preserve_interword_spaces=1")
"""No spaces between the letters of scripts that have none between words."""
_WORD_LEVEL = "5"
_SCRIPT = re.compile(r"^Script: (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class LineReading:
    """What Tesseract read in one crop.

    Attributes:
        text: the line.
        confidence: mean of its words', weighted by their letters, 0 to 1; 0 where nothing was read.
        words: its words, with boxes in pixels of the crop.
    """

    text: str = ""
    confidence: float = 0.0
    words: list[Word] = field(default_factory=list)


class Tesseract:
    """The program ``tesseract`` and the data that is installed for it."""

    @cached_property
    def installed(self) -> frozenset[str]:
        """Names of the installed data; empty where the program is missing."""
        if shutil.which(PROGRAM) is None:
            return frozenset()
        listed = self._run(["--list-langs"], _SECONDS).splitlines()[1:]
        return frozenset(name.strip() for name in listed if name.strip())

    def read(self, crops: Sequence[NDArray[np.uint8]], data: Sequence[str]) -> list[LineReading]:
        """Read crops of single upright lines, (height, width, 3) uint8 RGB.

        Args:
            crops: the lines.
            data: names of installed data; together they read mixed lines.

        Raises:
            ModelError: the program failed.
        """
        if not crops:
            return []
        with tempfile.TemporaryDirectory(prefix="galley-") as folder:
            listed = _write(crops, Path(folder))
            limit = _SECONDS + _SECONDS_PER_LINE * len(crops)
            out = Path(folder) / "read"
            self._run(
                [str(listed), str(out), "--psm", "7", "-l", "+".join(data), *_SPACES, "txt", "tsv"], limit
            )
            texts = out.with_suffix(".txt").read_text(encoding="utf-8").split("\f")
            table = out.with_suffix(".tsv").read_text(encoding="utf-8")
        return _readings(texts, table, len(crops))

    def script(self, crops: Sequence[NDArray[np.uint8]]) -> str | None:
        """The script of some lines taken together, by Tesseract's script detection; None where it cannot tell."""
        if not crops or "osd" not in self.installed:
            return None
        with tempfile.TemporaryDirectory(prefix="galley-") as folder:
            path = Path(folder) / "lines.ppm"
            _stacked(crops).save(path)
            try:
                said = self._run([str(path), "-", "--psm", "0"], _SECONDS)
            except ModelError:  # too few characters to tell
                return None
        match = _SCRIPT.search(said)
        return match.group(1) if match else None

    def _run(self, arguments: list[str], seconds: float) -> str:
        limited = os.environ | {"OMP_THREAD_LIMIT": str(threads())}
        try:
            done = subprocess.run(
                [PROGRAM, *arguments], capture_output=True, timeout=seconds, env=limited, check=True
            )
        except subprocess.CalledProcessError as error:
            said = one_line(error.stderr.decode(errors="replace"))
            raise ModelError(f"tesseract failed: {said or error.returncode}") from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ModelError(f"tesseract failed: {one_line(error)}") from error
        return done.stdout.decode("utf-8", errors="replace")


def _write(crops: Sequence[NDArray[np.uint8]], folder: Path) -> Path:
    """Write the crops as images and the file that lists them; returns the latter."""
    paths = [folder / f"{number}.ppm" for number in range(len(crops))]
    for path, crop in zip(paths, crops, strict=True):
        _framed(crop).save(path)
    listed = folder / "lines.txt"
    listed.write_text("".join(f"{path}\n" for path in paths), encoding="utf-8")
    return listed


def _framed(crop: NDArray[np.uint8]) -> Image.Image:
    return ImageOps.expand(Image.fromarray(crop), _MARGIN, "white")


def _stacked(crops: Sequence[NDArray[np.uint8]]) -> Image.Image:
    """The crops below one another, as the lines of a page."""
    framed = [_framed(crop) for crop in crops]
    whole = Image.new("RGB", (max(one.width for one in framed), sum(one.height for one in framed)), "white")
    y = 0
    for one in framed:
        whole.paste(one, (0, y))
        y += one.height
    return whole


def _readings(texts: Sequence[str], table: str, count: int) -> list[LineReading]:
    """The ``count`` lines of Tesseract's texts and of its table of pieces, in the order of their images."""
    pieces: list[list[_Piece]] = [[] for _ in range(count)]
    for row in csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        text = (row.get("text") or "").strip()
        if row["level"] != _WORD_LEVEL or not text:
            continue
        x, y = int(row["left"]) - _MARGIN, int(row["top"]) - _MARGIN
        box = BBox(x0=x, y0=y, x1=x + int(row["width"]), y1=y + int(row["height"]))
        pieces[int(row["page_num"]) - 1].append(_Piece(text, box, float(row["conf"]) / 100))
    padded = [*texts, *[""] * count]
    return [_reading(text, found) for text, found in zip(padded, pieces, strict=False)]


class _Piece(NamedTuple):
    """A row of the table: a word, or a letter in scripts without spaces; its box in the crop and its confidence."""

    text: str
    bbox: BBox
    confidence: float


def _reading(text: str, pieces: Sequence[_Piece]) -> LineReading:
    letters = sum(len(piece.text) for piece in pieces)
    if not letters or not text.strip():
        return LineReading()
    confidence = sum(piece.confidence * len(piece.text) for piece in pieces) / letters
    words = text.split()
    return LineReading(" ".join(words), max(confidence, 0.0), _boxed(words, pieces))


def _boxed(words: Sequence[str], pieces: Sequence[_Piece]) -> list[Word]:
    """The words with the boxes of their pieces; none where the two do not spell the same."""
    if "".join(words) != "".join(piece.text for piece in pieces):
        return []
    found, rest = [], list(pieces)
    for word in words:
        parts, spelt = [], 0
        while spelt < len(word) and rest:
            piece = rest.pop(0)
            parts.append(piece.bbox)
            spelt += len(piece.text)
        if not parts:  # a piece held two words
            return []
        found.append(Word(word, BBox.around(parts)))
    return found
