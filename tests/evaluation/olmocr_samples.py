"""Tests in olmOCR-Bench's form with outputs to check, drawn from a fixed seed: sound, damaged and odd ones."""

from __future__ import annotations

import random
from typing import Any

from galley.evaluation.olmocr.normal_form import normalise

Sample = tuple[dict[str, Any], str]
"""A test and an output of its page."""

WORDS = [
    "ore",
    "silver",
    "assay",
    "the",
    "drift",
    "—",
    "shaft",
    "“lode”",
    "vein,",
    "Stope*",
    "winze",
    "adit",
    "level",
    "1911",
    "£4.50",
    "tons",
    "per_ton",
    "café",
    "naïve",
    "µm",
    "pump-house",
    "engine",
    "**bold**",
    "_slanted_",
    "<b>heavy</b>",
    "x<br>y",
    "water",
    "table",
]
CELLS = [
    "",
    "12",
    "12.5",
    "north",
    "North",
    "south adit",
    "—",
    "4 000",
    "**total**",
    "a_b_c",
    "7%",
    "x",
    "lode A",
    "lode B",
]


def samples(count: int, seed: int = 20) -> list[Sample]:
    """``count`` samples of each kind but math."""
    generator = random.Random(seed)
    makers = (_presence, _order, _table, _baseline)
    return [
        ({"pdf": "mine.pdf", "page": 1, "id": f"{make.__name__}{number}", **test}, output)
        for make in makers
        for number in range(count)
        for test, output in [make(generator)]
    ]


def _text(generator: random.Random, words: int) -> str:
    return "".join(
        generator.choice(WORDS) + generator.choice((" ", " ", " ", "\n", "\n\n")) for _ in range(words)
    )


def _damaged(generator: random.Random, text: str, edits: int) -> str:
    letters = list(text)
    for _ in range(edits):
        at = generator.randrange(len(letters))
        letters[at] = generator.choice(("", "e", letters[at].upper(), letters[at] * 2))
    return "".join(letters)


def _piece(generator: random.Random, text: str, size: int) -> str:
    at = generator.randrange(max(1, len(text) - size))
    return text[at : at + size].strip() or "ore"


def _presence(generator: random.Random) -> Sample:
    output = _text(generator, 60)
    wanted = _damaged(
        generator, _piece(generator, output, generator.randrange(8, 40)), generator.randrange(4)
    )
    test: dict[str, Any] = {"type": generator.choice(("present", "absent")), "text": wanted.strip() or "ore"}
    test["max_diffs"] = generator.randrange(4)
    test["case_sensitive"] = generator.random() < 0.7
    for name in ("first_n", "last_n"):
        if generator.random() < 0.3:
            test[name] = generator.choice((40, 150))
    return test, output


def _order(generator: random.Random) -> Sample:
    output = _text(generator, 60)
    pieces = [_piece(generator, output, generator.randrange(8, 30)) for _ in range(2)]
    before, after = (_damaged(generator, piece, generator.randrange(2)).strip() or "ore" for piece in pieces)
    most = min(len(normalise(before)), len(normalise(after))) // 2
    return {
        "type": "order",
        "before": before,
        "after": after,
        "max_diffs": min(generator.randrange(3), most),
    }, output


def _table(generator: random.Random) -> Sample:
    rows = [
        [generator.choice(CELLS) for _ in range(generator.randrange(2, 5))]
        for _ in range(generator.randrange(1, 5))
    ]
    make = generator.choice((_pipes, _html, _html))
    output = f"Before.\n\n{make(generator, rows)}\n\nAfter.\n"
    row = generator.randrange(len(rows))
    column = generator.randrange(len(rows[row]))
    test: dict[str, Any] = {
        "type": "table",
        "cell": rows[row][column] or "12",
        "max_diffs": generator.randrange(3),
    }
    places = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
    for name in generator.sample([*places, "top_heading", "left_heading"], generator.randrange(1, 4)):
        down, right = places.get(name, (0, 0))
        r, c = row + down, column + right
        r, c = (0, c) if name == "top_heading" else (r, 0) if name == "left_heading" else (r, c)
        inside = 0 <= r < len(rows) and 0 <= c < len(rows[r])
        likely = rows[r][c] if inside and generator.random() < 0.8 else generator.choice(CELLS)
        test[name] = likely
    test["ignore_markdown_tables"] = generator.random() < 0.1
    return test, output


def _pipes(generator: random.Random, rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    if generator.random() < 0.8:
        lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines)


def _html(generator: random.Random, rows: list[list[str]]) -> str:
    heads = generator.choice((0, 1, 1, 2))
    first_column = generator.random() < 0.3
    spans = generator.random() < 0.5

    def cell(row: int, column: int, text: str) -> str:
        tag = "th" if row < heads or (first_column and column == 0) else "td"
        span = f' {generator.choice(("rowspan", "colspan"))}="{generator.randrange(1, 4)}"'
        return f"<{tag}{span if spans and generator.random() < 0.3 else ''}>{text}</{tag}>"

    lines = [
        "<tr>" + "".join(cell(r, c, text) for c, text in enumerate(row)) + "</tr>"
        for r, row in enumerate(rows)
    ]
    cut = min(heads, len(lines)) if generator.random() < 0.5 else 0
    head = f"<thead>{''.join(lines[:cut])}</thead>" if cut else ""
    return f"<table>{head}{''.join(lines[cut:])}</table>"


def _baseline(generator: random.Random) -> Sample:
    text = generator.choice(
        (_text(generator, 20), "", " \n", "…—|", _text(generator, 5) + "ab" * generator.randrange(40))
    )
    text += generator.choice(("", "", "矿", "🙂", "う", " ![an image of ore](a.png)", "z" * 31, "z" * 30))
    test: dict[str, Any] = {"type": "baseline"}
    if generator.random() < 0.4:
        test |= {
            "max_length": generator.choice((0, 10, 80)),
            "max_length_skips_image_alt_tags": generator.random() < 0.5,
        }
    test["check_disallowed_characters"] = generator.random() < 0.8
    return test, text


FORMULAS: list[tuple[str, str]] = [
    (r"\frac{a}{b}+c", r"the ratio $\frac{a}{b}+c$ holds"),
    (r"\frac{a}{b}+c", r"\(\frac ab + c\)"),
    (r"\frac{a}{b}+c", r"$a/b+c$"),
    (r"\frac{a}{b}+c", r"$\dfrac{a}{b}+c$"),
    (r"\frac{a}{b}+c", r"\[ y = \frac{a}{b}+c \]"),
    (r"\frac{a}{b}+c", r"$\frac{b}{a}+c$"),
    (r"\frac{a}{b}+c", r"$\frac{a}{b}$"),
    (r"\frac{a}{b}+c", r"$\frac{a}{$ and $\frac{a}{b} + c$"),
    (r"\frac{a}{b}+c", "no formula"),
    (r"\frac{a}{b}+c", "$$\n\\frac{a}{b}+c, \\quad c > 0\n$$"),
    (r"x^2_i", r"$x_i^2$"),
    (r"x^2_i", r"$x_i 2$"),
    (r"x^2_i", r"$x_2^i$"),
    (r"x^2_i", r"${x_i}^2$"),
    (r"x^{2}", r"$x^2$ and $y$"),
    (r"x^{2}", r"$x^22$"),
    (r"x^{2}", r"$x_{2}$"),
    (r"\left(a+b\right)", r"$(a+b)$"),
    (r"\left(a+b\right)", r"$[a+b]$"),
    (r"\left(\frac{a}{b}\right)^2", r"$(\frac{a}{b})^2$"),
    (r"\mathbf{v} \cdot \mathbf{w}", r"$v \cdot w$"),
    (r"\mathbf{v} \cdot \mathbf{w}", r"$v \times w$"),
    (r"\mathcal{F}", r"$F$"),
    (r"\sum_{i=1}^{n} a_i", r"$\sum_{i=1}^n a_i$"),
    (r"\sum_{i=1}^{n} a_i", r"$\sum_{i=0}^n a_i$"),
    (r"\sum_{i=1}^{n} a_i", r"$\sum_{i=1}^m a_i$"),
    (r"\sum_{i=1}^{n} a_i", r"$\sum\nolimits_{i=1}^{n} a_i$"),
    (r"\int_0^\infty e^{-x}\,dx", r"$\int_{0}^{\infty} e^{-x} dx$"),
    (r"\int_0^\infty e^{-x}\,dx", r"$\int_{0}^{\infty} e^{x} dx$"),
    (r"\int_0^\infty e^{-x}\,dx", r"$\int_{0}^{\infty} e^{-x} \mathrm{d}x$"),
    (r"\sqrt{x+1}", r"$\sqrt {x + 1}$"),
    (r"\sqrt{x+1}", r"$\sqrt{x}+1$"),
    (r"\sqrt{x+1}", r"$x+1$"),
    (r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", r"$\left(\begin{array}{cc} a & b \\ c & d \end{array}\right)$"),
    (r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", r"$\begin{pmatrix} a & c \\ b & d \end{pmatrix}$"),
    (r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", r"$\begin{bmatrix} a & b \\ c & d \end{bmatrix}$"),
    (r"\begin{cases} 1 & x>0 \\ 0 & x \le 0 \end{cases}", r"$\begin{cases} 1 & x > 0 \\ 0 & x \leq 0 \end{cases}$"),
    (r"\begin{cases} 1 & x>0 \\ 0 & x \le 0 \end{cases}", r"$\begin{cases} 1 & x > 0 \\ 0 & x < 0 \end{cases}$"),
    (r"f(x) = \sin x", r"$f(x)=\sin(x)$"),
    (r"f(x) = \sin x", r"$f(x)=sin x$"),
    (r"f(x) = \sin x", r"$f(x) = \operatorname{sin} x$"),
    (r"f(x) = \sin x", r"$f(x) = \cos x$"),
    (r"a \neq b", r"$a \ne b$"),
    (r"a \neq b", r"$a = b$"),
    (r"a \le b", r"$a \leq b$"),
    (r"a \to b", r"$a \rightarrow b$"),
    (r"\hat{x}", r"$\widehat{x}$"),
    (r"\hat{x}", r"$\tilde{x}$"),
    (r"\bar{x}_n", r"$\overline{x}_n$"),
    (r"\text{if } x > 0", r"$\mathrm{if}\ x > 0$"),
    (r"\text{if } x > 0", r"$if x > 0$"),
    (r"E = mc^2 \tag{1}", r"$E = mc^2 \quad (1)$"),
    (r"E = mc^2", r"$E = m c^{2} \tag{1}$"),
    (r"E = mc^2", r"$E = m c^{3}$"),
    (r"E = mc^2", r"\$E = mc^2\$"),
    (r"E = mc^2", r"$E$ = $mc^2$"),
    (r"\overline{AB} \parallel \overline{CD}", r"$\overline{AB} \| \overline{CD}$"),
    (r"\begin{aligned} a &= b \\ c &= d \end{aligned}", r"$$\begin{align*} a &= b \\ c &= d \end{align*}$$"),
    (r"\begin{aligned} a &= b \\ c &= d \end{aligned}", r"$$a = b$$ $$c = d$$"),
    (r"\lim_{x \to 0} \frac{\sin x}{x} = 1", r"$\lim_{x\rightarrow 0}\frac{\sin x}{x}=1$"),
    (r"\lim_{x \to 0} \frac{\sin x}{x} = 1", r"$\lim_{x \to 0} \frac{x}{\sin x} = 1$"),
    (r"\binom{n}{k}", r"${n \choose k}$"),
    (r"\binom{n}{k}", r"$\binom{k}{n}$"),
    (r"a' + b''", r"$a^{\prime} + b^{\prime\prime}$"),
    (r"\underbrace{a+b}_{n}", r"$a+b$"),
    (r"\alpha_{ij}", r"$\alpha_{i j}$"),
    (r"\alpha_{ij}", r"$a_{ij}$"),
    (r"\alpha_{ij}", r"$\alpha_{ji}$"),
    (r"|x|", r"$\left| x \right|$"),
    (r"|x|", r"$\vert x \vert$"),
    (r"|x|", r"$\|x\|$"),
]  # fmt: skip


def math_samples() -> list[Sample]:
    return [
        ({"pdf": "mine.pdf", "page": 1, "id": f"math{number}", "type": "math", "math": formula}, output)
        for number, (formula, output) in enumerate(FORMULAS)
    ]
