"""Formulas printed by matplotlib's own TeX-like typesetter, which the classifier has not been trained with."""

from __future__ import annotations

import io
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from galley.document import BBox, Document, Label, Page
from galley.document.markdown import to_markdown
from galley.drafters.formulas import Formula, FormulaReader
from galley.drafters.formulas.components import components_of, groups_of
from galley.drafters.formulas.glyph_boxes import Box
from galley.drafters.formulas.structure import read_structure
from galley.drafters.formulas.symbol_classes import Symbol, kinds
from galley.drafters.line import TextLine
from galley.parsing.blocks.build_blocks import zone_blocks
from galley.parsing.blocks.context import BlockContext
from galley.parsing.blocks.latex import LEAST_CONFIDENCE, read_latex
from galley.parsing.blocks.read_lone_formula import lone_formula
from galley.parsing.page.state import BodyText, Zone

Gray = NDArray[np.uint8]


@lru_cache
def reader() -> FormulaReader:
    return FormulaReader()


def printed(latex: str, dpi: int = 200) -> Gray:
    """A formula as matplotlib prints it, dark on white."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import mathtext

    out = io.BytesIO()
    with matplotlib.rc_context({"mathtext.fontset": "cm", "savefig.facecolor": "white"}):
        mathtext.math_to_image(f"${latex}$", out, dpi=dpi, format="png")
    picture = Image.open(out).convert("RGBA")
    paper = Image.new("RGBA", picture.size, "white")
    return np.asarray(Image.alpha_composite(paper, picture).convert("L"))


def on_paper(height: int, width: int, *pictures: tuple[int, int, Gray]) -> Gray:
    """Pictures at (top, left) of a white sheet."""
    paper = np.full((height, width), 255, np.uint8)
    for top, left, picture in pictures:
        place = paper[top : top + picture.shape[0], left : left + picture.shape[1]]
        np.minimum(place, picture, out=place)
    return paper


def latex_of(gray: Gray) -> str:
    formula = reader().read(gray)
    assert formula is not None
    return formula.latex.replace(" ", "")


@pytest.mark.parametrize(
    "latex",
    [
        r"x^{2}+y^{2}=z^{2}",
        r"a_{ij}=b_{i}c_{j}",
        r"x_{a}^{2}+y_{n}^{3}",
        r"e^{-x^{2}}",
        r"\frac{a+b}{c}",
        r"\frac{1}{1+\frac{x}{y}}",
        r"\sqrt{x+1}",
        r"\frac{\sqrt{a+b}}{2}",
        r"\sum_{i=1}^{n}a_{i}",
        r"\prod_{k=1}^{m}b_{k}",
        r"\int_{0}^{1}f(x)dx",
        r"\lim_{x\to0}\frac{\sin x}{x}",
        r"f'(x)\leq2",
        r"\hat{x}+\bar{y}",
        r"\alpha x+\beta",
        r"\gamma=\frac{\lambda}{\mu}",
        r"A\subset B\cup C",
        r"x_{1},\ldots,x_{n}",
        r"x_{1}+\cdots+x_{n}",
        r"\sin\theta+\cos\theta",
        r"\log x",
        r"P(A|B)",
        r"\Delta\Omega=0",
        r"\infty",
        r"\partial f",
        r"\forall x\in S",
    ],
)
def test_reads(latex: str) -> None:
    assert latex_of(printed(latex)) == latex.replace(" ", "")


def test_number_at_the_right() -> None:
    formula, number = printed("a+b=c"), printed("(12)")
    sheet = on_paper(80, formula.shape[1] + 500, (20, 10, formula), (20, formula.shape[1] + 300, number))
    found = reader().read(sheet)
    assert found is not None
    assert found.number == "12"
    assert found.latex.replace(" ", "") == "a+b=c"


def test_matrix() -> None:
    cells = [printed(letter) for letter in "abcd"]
    sheet = np.full((170, 240), 255, np.uint8)
    for number, cell in enumerate(cells):
        top, left = 30 + 60 * (number // 2), 60 + 70 * (number % 2)
        place = sheet[top : top + cell.shape[0], left : left + cell.shape[1]]
        np.minimum(place, cell, out=place)
    for left, inward in ((20, 1), (210, -1)):
        sheet[10:160, left : left + 3] = 0
        for top in (10, 157):
            ends = sorted((left + 1, left + 1 + 14 * inward))
            sheet[top : top + 3, ends[0] : ends[1]] = 0
    assert latex_of(sheet) == r"\begin{bmatrix}a&b\\c&d\end{bmatrix}"


def test_lines_stand_under_their_relations() -> None:
    first, second = printed("x=1"), printed("x=2")
    sheet = on_paper(220, 300, (20, 20, first), (120, 20, second))
    assert latex_of(sheet) == r"\begin{aligned}x&=1\\x&=2\end{aligned}"


@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (100, 300)])
def test_blank(shape: tuple[int, int]) -> None:
    assert reader().read(np.full(shape, 255, np.uint8)) is None


@pytest.mark.parametrize("side", [64, 400])
def test_noise_is_doubted(side: int) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (side, side), np.uint8)
    found = reader().read(noise)
    assert found is None or found.confidence < LEAST_CONFIDENCE


def test_speckles_over_a_whole_page_are_no_formula() -> None:
    paper = np.full((3000, 3000), 255, np.uint8)
    paper[::6, ::6] = paper[1::6, ::6] = paper[::6, 1::6] = paper[1::6, 1::6] = 0
    assert reader().read(paper) is None


def test_dense_speckles_make_few_groups() -> None:
    ink = np.zeros((80, 80), np.uint8)
    for row in range(0, 80, 4):
        for column in range(0, 80, 4):
            ink[row : row + 2, column : column + 2] = 255
    _, pieces = components_of(ink)
    assert len(pieces) == 400
    assert len(groups_of(pieces)) <= 3000


def test_pixel() -> None:
    found = reader().read(np.zeros((1, 1), np.uint8))
    assert found is None or found.confidence <= 1


def test_uneven_paper() -> None:
    clean = printed(r"x^{2}+y=1").astype(np.float64)
    noise = np.random.default_rng(0).normal(0, 14, clean.shape)
    assert latex_of(np.clip(clean * 0.75 + 40 + noise, 0, 255).astype(np.uint8)) == "x^{2}+y=1"


def test_huge_symbol() -> None:
    large = Image.fromarray(printed("x+y")).resize((2400, 900))
    assert latex_of(np.asarray(large)) == "x+y"


KINDS = [kind for kind in kinds() if kind.name]
SYMBOLS = st.builds(
    lambda x, y, width, height, kind, other: Symbol(
        Box(x, y, x + width, y + height), ((kind, -0.1), (other, -2.0))
    ),
    st.integers(0, 300), st.integers(0, 100), st.integers(1, 60), st.integers(1, 60),
    st.sampled_from(KINDS), st.sampled_from(KINDS),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(SYMBOLS, min_size=1, max_size=25), st.floats(1, 80))
def test_any_symbols_give_balanced_braces(symbols: list[Symbol], em: float) -> None:
    latex = read_structure(symbols, em).latex
    depth = 0
    for mark in latex.replace("\\{", "").replace("\\}", ""):
        depth += (mark == "{") - (mark == "}")
        assert depth >= 0
    assert depth == 0
    assert not latex.endswith("\\sqrt")
    assert "\\sqrt}" not in latex


def zone(text: str) -> Zone:
    box = BBox(x0=10, y0=10, x1=200, y1=40)
    line = TextLine(text=text, bbox=box, confidence=0.9, source="ocr")
    return Zone(label=Label.FORMULA, bbox=box, lines=[line])


def test_a_formula_is_latex_in_markdown() -> None:
    context = BlockContext(BodyText(20), read_formula=lambda bbox, numbers: Formula("x^{2}", 0.97))
    (block,) = zone_blocks(zone("x2"), context)
    assert (block.content, block.flags, block.source) == ("x^{2}", [], "formula")
    page = Page(number=1, width=300, height=100, blocks=[block])
    assert "$$\nx^{2}\n$$" in to_markdown(Document(pages=[page]))


def test_one_that_cannot_be_read_keeps_its_text() -> None:
    context = BlockContext(BodyText(20), read_formula=lambda bbox, numbers: None)
    (block,) = zone_blocks(zone("x2 + y"), context)
    assert block.content == "x2 + y"
    assert "unverified" in block.flags


def test_noise_in_a_formulas_box_is_not_read() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (60, 200, 3), np.uint8)
    assert read_latex(reader(), noise, BBox(x0=0, y0=0, x1=200, y1=60), []) is None


def lone(*texts: str, picture: Gray, label: Label = Label.TEXT) -> str | None:
    """What a page with these lines, read over a picture, is if it is nothing but a formula."""
    lines = [
        TextLine(text, BBox(x0=60, y0=60 + 40 * n, x1=300, y1=90 + 40 * n)) for n, text in enumerate(texts)
    ]
    image = np.repeat(on_paper(600, 900, (50, 50, picture))[:, :, None], 3, axis=2)
    zones = [Zone(label, found.bbox, [found]) for found in lines]
    context = BlockContext(
        BodyText(30), read_formula=lambda box, numbers: read_latex(reader(), image, box, numbers)
    )
    block = lone_formula(zones, context)
    return None if block is None else block.content


def test_a_page_that_is_nothing_but_a_formula() -> None:
    """The layout model takes it for text in pieces."""
    picture = printed(r"\frac{a+b}{2} = \sqrt{x}")
    assert lone("a+b", "2", "= x", picture=picture) == r"\frac{a + b}{2} = \sqrt{x}"
    assert lone("where a and b are sides", "a+b = 2", picture=picture) is None  # words stay words
    assert lone("42", "17", picture=printed("42")) is None  # and bare numbers what they are
    assert lone(*["a+b"] * 40, picture=picture) is None
    assert lone("a+b", "2", "= x", picture=picture, label=Label.TABLE) is None
