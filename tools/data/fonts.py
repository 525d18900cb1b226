"""Text fonts installed on this machine: families whose faces draw every character that English print
needs."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from fontTools.ttLib import TTCollection, TTFont
from PIL import Image, ImageDraw, ImageFont

REQUIRED = {chr(code) for code in range(32, 127)} | set("éü€§“”–°×’")
COMMON = (
    *("Liberation", "TeX Gyre", "Latin Modern", "CMU", "DejaVu", "STIX", "Carlito", "Caladea", "Noto Sans"),
    *("Noto Serif", "Open Sans", "Roboto", "Lato", "Arimo", "Tinos", "Cousine", "Libertine", "EB Garamond"),
)


@dataclass(frozen=True)
class Face:
    """One font file; ``covers`` holds every character it draws."""

    path: str
    index: int
    family: str
    covers: frozenset[str]

    @lru_cache(maxsize=4)  # noqa: B019 - faces live as long as the process
    def at(self, size: int) -> ImageFont.FreeTypeFont:
        return ImageFont.truetype(self.path, size, index=self.index)


def _glyph(font: ImageFont.FreeTypeFont, char: str) -> np.ndarray:
    """The ink of one character, cut tight and scaled to 24 × 24."""
    image = Image.new("L", (160, 160))
    ImageDraw.Draw(image).text((40, 40), char, fill=255, font=font)
    box = image.getbbox() or (0, 0, 1, 1)
    return np.asarray(image.crop(box).resize((24, 24)), dtype=np.float32)


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return float(np.abs(a - b).mean()) < 12.0


def _is_text_font(path: str, index: int) -> bool:
    """Draws letters that differ from each other, with lower case that is not small capitals."""
    font = ImageFont.truetype(path, 64, index=index)
    glyphs = {char: _glyph(font, char) for char in "ABaegrEGR"}
    if any(glyph.max() < 128 for glyph in glyphs.values()) or _same(glyphs["A"], glyphs["B"]):
        return False
    return not any(_same(glyphs[low], glyphs[low.upper()]) for low in "aegr")


def _characters(path: str, index: int) -> frozenset[str]:
    with TTCollection(path) if path.endswith(".ttc") else TTFont(path, lazy=True) as opened:
        font = opened.fonts[index] if isinstance(opened, TTCollection) else opened
        return frozenset(chr(code) for code in font.getBestCmap() if code < 0x10000)


def find_faces(cache: Path, folder: Path | None = None) -> list[Face]:
    """Every usable face installed, or lying in ``folder``; the scan is remembered in ``cache`` (JSON)."""
    if cache.is_file():
        return [Face(p, i, f, frozenset(c)) for p, i, f, c in json.loads(cache.read_text())]
    faces = []
    for path, index, family in sorted(_installed() if folder is None else _inside(folder)):
        try:
            covers = _characters(path, index)
            if covers >= REQUIRED and _is_text_font(path, index):
                faces.append(Face(path, index, family, covers))
        except Exception as error:  # a broken font file is one font less, and is named
            print(f"left out {path}: {error}")
    if not faces:
        raise SystemExit("there are no text fonts; install some, or name a folder of them with --fonts")
    cache.parent.mkdir(parents=True, exist_ok=True)
    cache.write_text(json.dumps([[f.path, f.index, f.family, "".join(sorted(f.covers))] for f in faces]))
    return faces


def _installed() -> set[tuple[str, int, str]]:
    """(file, index, family) of what fontconfig knows."""
    if shutil.which("fc-list") is None:
        raise SystemExit("fontconfig is missing; install it, or name a folder of fonts with --fonts")
    listing = subprocess.run(
        ["fc-list", "--format", "%{file}\t%{index}\t%{family[0]}\n"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    rows = (line.split("\t") for line in listing.splitlines())
    return {
        (path, int(index), family)
        for path, index, family in rows
        if path.endswith((".ttf", ".otf", ".ttc")) and int(index) <= 0xFFFF
    }


def _inside(folder: Path) -> set[tuple[str, int, str]]:
    paths = [path for path in folder.rglob("*") if path.suffix in (".ttf", ".otf")]
    return {(str(path), 0, str(ImageFont.truetype(path).getname()[0])) for path in paths}


class FontChooser:
    """Draws faces family by family, half of them from the families documents use most."""

    def __init__(self, faces: list[Face]):
        self._families: dict[str, list[Face]] = {}
        for face in faces:
            self._families.setdefault(face.family, []).append(face)
        self._names = sorted(self._families)
        self._common = [name for name in self._names if name.startswith(COMMON)] or self._names

    def draw(self, rng: random.Random, text: str) -> Face | None:
        """A face that covers ``text``, or None when a few tries find none."""
        needed = set(text) - {"\n"}
        for _ in range(8):
            family = rng.choice(self._common if rng.random() < 0.5 else self._names)
            face = rng.choice(self._families[family])
            if needed <= face.covers:
                return face
        return None
