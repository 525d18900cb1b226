"""Drawing a painted formula with TeX and finding each token's box on the page."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
from PIL import Image

from galley.errors import ModelError
from galley.evaluation.atomic_files import write_atomically
from galley.evaluation.cdm.match import Drawing
from galley.evaluation.cdm.paint import Painted, colour, paint

INSTALL = "apt install texlive-latex-extra texlive-fonts-recommended texlive-science poppler-utils"
SECONDS = 30.0
_MARGIN = 8

_DOCUMENT = r"""\documentclass[12pt]{article}
\usepackage[landscape,a%dpaper,scale=0.98]{geometry}
\pagestyle{empty}
\usepackage{amsmath}
\usepackage{amssymb}
\usepackage{upgreek}
\usepackage{xcolor}
\IfFileExists{mathrsfs.sty}{\usepackage{mathrsfs}}{}
\IfFileExists{bm.sty}{\usepackage{bm}}{}
\begin{document}
\begin{displaymath}
%s
\end{displaymath}
\end{document}
"""


class RenderError(RuntimeError):
    """TeX drew nothing; the message holds its first complaint."""


@cache
def require_renderer() -> None:
    """Check that formulas can be drawn here.

    Raises:
        ModelError: TeX or poppler is missing or cannot draw colours in math; says what to install.
    """
    for program in ("pdflatex", "pdftoppm"):
        if shutil.which(program) is None:
            raise ModelError(f"CDM needs {program}: {INSTALL}, or leave it out with --no-cdm")
    try:
        drawing = _draw(paint(r"\frac{\alpha}{x}"))
    except RenderError as error:
        raise ModelError(f"CDM cannot draw with this TeX ({error}): {INSTALL}") from error
    if drawing.tokens != [r"\frac", r"\alpha", "x"]:
        raise ModelError(f"CDM cannot draw with this TeX, which lost tokens of a test formula: {INSTALL}")


def draw(latex: str, cache_folder: Path) -> Drawing:
    """The formula's drawing, from ``cache_folder`` when it was drawn before.

    Raises:
        LatexError: The formula is not well-formed.
        RenderError: TeX draws nothing.
    """
    painted = paint(latex)
    key = sha256((_DOCUMENT + painted.latex).encode()).hexdigest()
    cached = cache_folder / key[:2] / f"{key}.json"
    if cached.is_file():
        stored = json.loads(cached.read_text(encoding="utf-8"))
        return Drawing(stored["tokens"], np.array(stored["boxes"], dtype=np.float64), tuple(stored["size"]))
    drawing = _draw(painted)
    stored = {"tokens": drawing.tokens, "boxes": drawing.boxes.tolist(), "size": drawing.size}
    write_atomically(cached, json.dumps(stored))
    return drawing


def _draw(painted: Painted) -> Drawing:
    with tempfile.TemporaryDirectory(prefix="galley-cdm-") as name:
        folder = Path(name)
        source = _DOCUMENT % (_paper(len(painted.tokens)), painted.latex)
        (folder / "formula.tex").write_text(source, encoding="utf-8")
        _run(["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", "formula.tex"], folder)
        if not (folder / "formula.pdf").is_file():
            raise RenderError(_complaint(folder))
        plain = ["-aa", "no", "-aaVector", "no"]  # thin glyphs vanish in anti-aliasing
        _run(["pdftoppm", *plain, "-r", "200", "-png", "-singlefile", "formula.pdf", "formula"], folder)
        if not (folder / "formula.png").is_file():
            raise RenderError("pdftoppm made no image")
        with Image.open(folder / "formula.png") as image:
            drawing = _find(np.asarray(image.convert("RGB"), dtype=np.int32), painted.tokens)
        if not drawing.tokens:
            raise RenderError(_complaint(folder))
        return drawing


def _paper(tokens: int) -> int:
    """A5 for most formulas, larger paper where many tokens need room."""
    return 3 if tokens > 1300 else 4 if tokens > 600 else 5


def _run(command: list[str], folder: Path) -> None:
    # TeX may read and write below its folder only: formulas come from models.
    environment = {**os.environ, "openin_any": "p", "openout_any": "p", "TEXMFVAR": str(folder)}
    try:
        subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise RenderError(f"{command[0]} took more than {SECONDS:g} s") from error


def _complaint(folder: Path) -> str:
    log = folder / "formula.log"
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    first = re.search(r"^! (.*)$", text, re.M)
    return first.group(1) if first else "TeX drew nothing"


def _find(pixels: np.ndarray, tokens: list[str]) -> Drawing:
    """Find each token's colour on the page, cropped to what is drawn and a margin.

    Boxes are one pixel wider than the coloured pixels.
    """
    codes = pixels[..., 0] << 16 | pixels[..., 1] << 8 | pixels[..., 2]
    rows, columns = np.nonzero(codes != 0xFFFFFF)
    if not len(rows):
        return Drawing([], np.zeros((0, 4)), (2 * _MARGIN, 2 * _MARGIN))
    top, left = rows.min() - _MARGIN, columns.min() - _MARGIN
    size = (int(columns.max() + _MARGIN - left), int(rows.max() + _MARGIN - top))
    found, index = np.unique(codes[rows, columns], return_inverse=True)
    extremes = [
        _by_group(np.minimum, columns - left - 1, index),
        _by_group(np.minimum, rows - top - 1, index),
    ]
    extremes += [
        _by_group(np.maximum, columns - left + 1, index),
        _by_group(np.maximum, rows - top + 1, index),
    ]
    boxes = np.stack(extremes, axis=1).astype(np.float64)
    place = {int(code): row for row, code in enumerate(found)}
    drawn = [(token, place[code]) for i, token in enumerate(tokens) if (code := _code(i)) in place]
    return Drawing([token for token, _ in drawn], boxes[[row for _, row in drawn]], size)


def _by_group(reduce: Callable[..., np.ndarray], values: np.ndarray, group: np.ndarray) -> np.ndarray:
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    result: np.ndarray = reduce.reduceat(values[order], starts)  # type: ignore[attr-defined]
    return result


def _code(index: int) -> int:
    red, green, blue = colour(index)
    return red << 16 | green << 8 | blue
