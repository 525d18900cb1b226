"""Formulas read from the glyphs of two pages printed by TeX, whose LaTeX is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pytest

from galley.drafters.formulas.glyph_boxes import Box
from galley.drafters.glyph_formulas import inline_formulas, read_formula
from galley.drafters.glyph_formulas.signs import sign
from galley.drafters.text_layer import text_layer_lines
from galley.ingest.page import LayerQuality
from galley.ingest.page_glyphs import FontFace, PageGlyphs
from galley.ingest.pdf_glyphs import PageMap
from galley.ingest.pdf_page_glyphs import read_page_glyphs
from galley.ingest.pdf_text import read_text_layer

FOLDER = Path(__file__).parent
FILES = ("computer-modern", "latin-modern")
DISPLAYED = (
    (r"\int_{0}^{\infty} e^{- x^{2}} d x = \frac{\sqrt{\pi}}{2}", "1"),
    (
        r"\sum_{k = 1}^{n} \binom{n}{k} ( \frac{a_{k}}{b_{k} + 1} )^{k}"
        r" \geq \max_{i \in I} \| x'_{i} \|_{2}",
        None,
    ),
    (
        r"A = \begin{pmatrix} a_{11} & a_{12} \\ a_{21} & a_{22} \end{pmatrix} , g ( x ) ="
        r" \begin{cases} 0 & \mathrm{if} x < 0 \\ \bar{x} & \mathrm{otherwise} \end{cases}",
        None,
    ),
    (
        r"\begin{aligned} u & = v \cdot \nabla w \\ & \leq \limsup_{n \rightarrow \infty} \sqrt[3]{u_{n}}"
        r" \end{aligned}",
        None,
    ),
    (
        r"K \xrightarrow{\varphi} L \longrightarrow \bigoplus_{p \mid n} \mathfrak{g}_{p} \hookrightarrow"
        r" \overline{M} \mapsto \mathrm{Hom} ( M , N )",
        None,
    ),
)
SPANS = {
    "computer-modern": ((90, 145), (157, 202), (214, 259), (271, 318), (330, 371)),
    "latin-modern": ((90, 147), (159, 204), (216, 261), (273, 319), (331, 370)),
}
"""Baselines of the lines of prose above and below each displayed formula, in points."""
INLINE = (
    r"p = \frac{1}{2}",
    r"f : X \rightarrow Y",
    r"f ( x_{1} , x_{2} ) = \sqrt{x_{1}^{2} + x_{2}^{2}}",
    r"\alpha \in \mathbb{R}",
    r"| \alpha | \leq 10^{- 3}",
    r"\hat{y}_{i j}",
    r"\mathcal{L}",
    r"\sin ( 2 \pi t )",
)


def glyphs_of(name: str) -> PageGlyphs:
    document = pdfium.PdfDocument(FOLDER / f"{name}.pdf")
    page = document[0]
    width, height = page.get_size()
    return read_page_glyphs(page, PageMap(page, width, height))


def usual(latex: str) -> str:
    """Both files' ways to print one relation."""
    return latex.replace(r"\parallel", r"\|").replace(r"p | n", r"p \mid n")


@pytest.mark.parametrize("name", FILES)
def test_displayed_formulas_are_read_to_the_letter(name: str) -> None:
    glyphs = glyphs_of(name)
    for (above, below), (latex, number) in zip(SPANS[name], DISPLAYED, strict=True):
        found = read_formula(glyphs, Box(0, above + 2.5, 1000, below - 8.5))
        assert found is not None
        assert usual(found.latex) == latex
        assert (found.number, found.doubts) == (number, 0)


@pytest.mark.parametrize("name", FILES)
def test_inline_formulas_are_found_among_prose(name: str) -> None:
    found = [formula for formula in inline_formulas(glyphs_of(name)) if formula.base < 95]
    assert [formula.latex for formula in found] == list(INLINE)


@pytest.mark.parametrize("name", FILES)
def test_lines_of_the_text_layer_carry_their_formulas(name: str) -> None:
    page = pdfium.PdfDocument(FOLDER / f"{name}.pdf")[0]
    image = np.ascontiguousarray(page.render(scale=1.5, rev_byteorder=True).to_numpy()[:, :, :3])
    layer = read_text_layer(page, image)
    assert layer.quality is LayerQuality.GOOD
    first = text_layer_lines(layer)[0]
    written = " ".join(word.text if word.latex is None else word.latex for word in first.words)
    assert written.startswith(
        r"The year 2019 brought 42 % more, with $p = \frac{1}{2}$ at most; see page 3–7"
    )


def test_pages_without_mathematical_faces_have_none() -> None:
    codes = np.array([ord(char) for char in "p<0.05"])
    at = np.arange(len(codes), dtype=float) * 6
    ink = np.stack([at, at * 0 + 90, at + 5, at * 0 + 100], axis=1)
    origins = np.stack([at, at * 0 + 100], axis=1)
    plain = np.zeros(len(codes), dtype=bool)
    glyphs = PageGlyphs(
        codes, plain, codes * 0, at * 0 + 10, origins, at * 0 + 6, ink, ~plain, np.zeros((0, 4)),
        (FontFace("Times-Roman", 0),),
    )  # fmt: skip
    assert inline_formulas(glyphs) == []


@pytest.mark.parametrize(
    ("char", "latex", "style"),
    [("𝜑", r"\varphi", "math"), ("𝜙", r"\phi", "math"), ("ℝ", "R", r"\mathbb"), ("ℎ", "h", "math")],
)
def test_mathematical_alphabets_name_letter_and_style(char: str, latex: str, style: str) -> None:
    assert (sign(char).latex, sign(char).style) == (latex, style)


def test_a_glyph_nobody_knows_is_a_doubt() -> None:
    one = np.zeros(1)
    glyphs = PageGlyphs(
        np.array([0x7]), np.array([True]), np.zeros(1, dtype=int), one + 10, np.array([[0.0, 10.0]]), one + 5,
        np.array([[0.0, 2.0, 5.0, 10.0]]), np.array([True]), np.zeros((0, 4)), (FontFace("Odd", 0),),
    )  # fmt: skip
    found = read_formula(glyphs, Box(-5, -5, 20, 20))
    assert found is not None and found.doubts > 0
