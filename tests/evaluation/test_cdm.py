"""CDM: what is coloured, how drawings are matched and, where TeX is installed, whole formulas."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from galley.evaluation.cdm import cdm, cdm_all
from galley.evaluation.cdm.latex import LatexError
from galley.evaluation.cdm.match import Drawing, match
from galley.evaluation.cdm.paint import MAX_TOKENS, colour, paint

tex = pytest.mark.skipif(
    not shutil.which("pdflatex") or not shutil.which("pdftoppm"), reason="needs pdflatex and pdftoppm"
)


@pytest.mark.parametrize(
    ("latex", "tokens"),
    [
        (r"x^2", ["x", "2"]),
        (r"\frac{a}{b}", [r"\frac", "a", "b"]),
        (r"a \over b", ["a", r"\frac", "b"]),
        (r"\mathbf{v} + \text{if}", ["v", "+", "i", "f"]),
        (r"\sin x", ["s", "i", "n", "x"]),
        (r"a \ldots b", ["a", ".", ".", ".", "b"]),
        (r"\left( a \right)", [r"\left(", "a", r"\right)"]),
        (r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", [r"\left(", "a", "b", "c", "d", r"\right)"]),
        ("a % comment\n b", ["a", "b"]),
        ("", []),
    ],
)
def test_tokens_with_ink(latex: str, tokens: list[str]) -> None:
    assert paint(latex).tokens == tokens


def test_order_of_scripts_means_nothing() -> None:
    assert paint("x^2_i").latex == paint("x_i^2").latex


@pytest.mark.parametrize(
    "broken",
    ["{a", "a}", r"\frac{a}", r"\left( a", r"\right)", r"\begin{matrix} a", r"\begin{nothing}a\end{nothing}",
     r"\begin{matrix}a\end{array}", r"x^", r"\sqrt[3"],
)  # fmt: skip
def test_broken_formulas_are_refused(broken: str) -> None:
    with pytest.raises(LatexError):
        paint(broken)


def test_colours_are_distinct_and_neither_black_nor_white() -> None:
    colours = {colour(index) for index in range(MAX_TOKENS - 1)}
    assert len(colours) == MAX_TOKENS - 1
    assert not colours & {(0, 0, 0), (255, 255, 255)}
    with pytest.raises(LatexError, match="more than"):
        paint("x" * (MAX_TOKENS + 1))


def row(tokens: str, shift: float = 0.0) -> Drawing:
    left = np.arange(len(tokens)) * 20.0 + shift
    boxes = np.stack([left, np.zeros_like(left), left + 15, np.full_like(left, 20)], axis=1)
    return Drawing(list(tokens), boxes, (20 * len(tokens), 20))


def test_equal_and_shifted_drawings_match_fully() -> None:
    assert match(row("abcdefgh"), row("abcdefgh")).f1 == 1
    assert match(row("abcdefgh"), row("abcdefgh", shift=300)).f1 == 1


def test_f1_counts_wrong_and_missing_tokens() -> None:
    assert match(row("abcdefgh"), row("abcXefgh")).f1 == pytest.approx(14 / 16, abs=1e-3)
    assert match(row("abcdefgh"), row("abcdefg")).f1 == pytest.approx(14 / 15, abs=1e-3)
    assert match(row("abcd"), row("wxyz")).f1 == 0


@tex
def test_formulas_that_look_alike_score_one(tmp_path: Path) -> None:
    pairs = [
        (r"x_i^{2} + \frac ab", r"$$x^2_i+\frac{a}{b}$$"),
        (r"\left(a\right)", "(a)"),
        (r"a \over b", r"\frac{a}{b}"),
    ]
    assert [score.f1 for score in cdm_all(pairs, tmp_path, workers=2)] == [1, 1, 1]


@tex
def test_one_wrong_letter(tmp_path: Path) -> None:
    assert cdm("a+b=c", "a+b=d", tmp_path).f1 == pytest.approx(8 / 10)


@tex
def test_what_cannot_be_drawn_says_why(tmp_path: Path) -> None:
    prediction = cdm(r"\frac{a}{", "a", tmp_path)
    truth = cdm("a", r"\frac{a}{", tmp_path)
    assert (prediction.f1, truth.f1) == (0, 0)
    assert "predicted formula cannot be drawn" in (prediction.problem or "") and not prediction.failed
    assert "true formula cannot be drawn" in (truth.problem or "") and truth.failed
    assert cdm("", "a", tmp_path).problem is None
