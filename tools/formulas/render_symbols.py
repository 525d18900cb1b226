"""Print every symbol in several typefaces and sizes and cut it out.

    python tools/formulas/render_symbols.py --out .build/formulas

Needs pdflatex with amssymb, txfonts, pxfonts and the PSNFSS packages. Writes ``glyphs.npz`` (images of ink, 0 to 255,
and the class of each) and ``metrics.json``: per class the top, bottom and width of its ink in Computer Modern, in
ems, up from the baseline, and the number of its pieces.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pypdfium2
from scipy import ndimage
from symbols import TALL, Symbol, symbols

DPI = 600
EM = 10 / 72.27 * DPI
FACES = {
    "cm": "",
    "times": "\\usepackage{txfonts}",
    "palatino": "\\usepackage{pxfonts}",
    "ptmx": "\\usepackage{mathptmx}",
    "pazo": "\\usepackage{mathpazo}",
}
STYLES = ("$#$", "$\\scriptstyle #$", "$\\displaystyle #$")
SIZES = ("$\\big#$", "$\\Big#$", "$\\bigg#$", "$\\Bigg#$", "$\\left#\\rule[-13mm]{0mm}{26mm}\\right.$")
ROOTS = (
    "$\\sqrt{\\hphantom{abcdefgh}}$",
    "$\\sqrt{\\rule[-4mm]{0mm}{8mm}\\hphantom{abc}}$",
    "$\\sqrt{\\rule[-8mm]{0mm}{16mm}\\hphantom{abcde}}$",
)

_PAGE = "\\noindent\\hbox{\\vrule width 0pt height 20mm depth 18mm\\kern 6mm %s}\\newpage\n"
_DOCUMENT = """\\documentclass{article}
\\usepackage[paperwidth=50mm,paperheight=40mm,margin=0mm]{geometry}
\\usepackage{amssymb}
%s
\\pagestyle{empty}\\parindent=0pt\\topskip=0pt
\\begin{document}
%s
\\end{document}
"""


def print_all(preamble: str, sources: list[str], folder: Path) -> list[np.ndarray]:
    """A page of ink (0 to 255) for each source."""
    tex = folder / "page.tex"
    tex.write_text(_DOCUMENT % (preamble, "".join(_PAGE % source for source in ["H", *sources])))
    subprocess.run(
        ["pdflatex", "-interaction=batchmode", tex.name], cwd=folder, check=False, stdout=subprocess.DEVNULL
    )
    document = pypdfium2.PdfDocument(folder / "page.pdf")
    if len(document) != len(sources) + 1:
        raise SystemExit(
            f"TeX printed {len(document)} pages of {len(sources) + 1}; see {folder / 'page.log'}"
        )
    return [255 - document[i].render(scale=DPI / 72, grayscale=True).to_numpy() for i in range(len(document))]


def cut(page: np.ndarray) -> tuple[np.ndarray, tuple[int, int, int, int]] | None:
    """The ink of a page and its box (x0, y0, x1, y1); None for a blank page."""
    page = page.squeeze()
    rows, columns = np.flatnonzero((page > 60).any(1)), np.flatnonzero((page > 60).any(0))
    if not len(rows):
        return None
    x0, x1, y0, y1 = columns[0], columns[-1] + 1, rows[0], rows[-1] + 1
    return page[y0:y1, x0:x1], (int(x0), int(y0), int(x1), int(y1))


def jobs(classes: list[Symbol]) -> list[list[tuple[int, str]]]:
    """Lists of (class, what to print); the first is every class in text style."""
    every = [(number, symbol) for number, symbol in enumerate(classes) if symbol.name]
    plain = [[(n, style.replace("#", symbol.source)) for n, symbol in every] for style in STYLES]
    delimiters = [
        (n, s) for n, s in every if s.name in TALL and s.name not in ("\\sqrt", "\\int", "\\sum", "\\prod")
    ]
    sized = [[(n, size.replace("#", symbol.source)) for n, symbol in delimiters] for size in SIZES]
    root = next(n for n, symbol in every if symbol.name == "\\sqrt")
    return [*plain, *sized, [(root, source) for source in ROOTS]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, required=True)
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    classes = symbols()
    images: list[np.ndarray] = []
    labels: list[int] = []
    metrics: dict[str, list[float]] = {}
    pieces: dict[str, int] = {}
    for face, preamble in FACES.items():
        for job, items in enumerate(jobs(classes)):
            with tempfile.TemporaryDirectory() as folder:
                pages = print_all(preamble, [source for _, source in items], Path(folder))
            first = cut(pages[0])
            assert first is not None
            baseline = first[1][3]
            for (number, _), page in zip(items, pages[1:], strict=True):
                found = cut(page)
                if found is None:
                    continue
                ink, (x0, y0, x1, y1) = found
                images.append(ink)
                labels.append(number)
                if face == "cm" and job == 0:
                    size = [(baseline - y0) / EM, (baseline - y1) / EM, (x1 - x0) / EM]
                    metrics[classes[number].name] = [round(value, 3) for value in size]
                    pieces[classes[number].name] = int(ndimage.label(ink > 100, np.ones((3, 3)))[1])
            print(face, job, len(images), flush=True)
    np.savez_compressed(
        out / "glyphs.npz", labels=np.array(labels), **{f"g{i}": g for i, g in enumerate(images)}
    )
    (out / "metrics.json").write_text(json.dumps({"metrics": metrics, "pieces": pieces}, indent=0))


if __name__ == "__main__":
    main()
