"""Formulas and prose to print, split for ever into a part to develop on and a part to report on."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_CHARACTERS = {
    "\u2212": "-",
    "\u2009": " ",
    "\u00a0": " ",
    "\u2026": "\\ldots ",
    "\u00d7": "\\times ",
    "\u2032": "'",
    "&amp;": "&",
}
_FUNCTION = re.compile(
    r"\\(?:text|mathrm|textrm|operatorname)\{\s*(sin|cos|tan|cot|sec|csc|log|ln|exp|lim|max|min|sinh|cosh|tanh)\s*\}"
)
_NO_INK = re.compile(
    r"\\(?:label|tag|hspace|vspace)\*?\{[^{}]*\}|\\(?:nonumber|notag|displaystyle|textstyle)(?![A-Za-z])"
)
_UNFIT = re.compile(
    r"[<>]/?[a-z]+ |</|CDATA|\\(?:phantom|hphantom|vphantom|color|red|cancel|fbox|boxed|ref|cite|xref|hline|kern"
    r"|bgroup|egroup"
    r"|includegraphics|footnote|substack|multicolumn|smash|rlap|llap|hfill|hskip|vskip|rule|raisebox|require)(?![A-Za-z])"
    r"|#|%|\$|\\begin\{(?:align|equation|tikz|CD|xy|tabular)"
)
_PLAIN_TEXT = re.compile(r"[A-Za-z0-9 ,.;:'\"()\[\]!?$%&/@§°±×©*+=<>–—’‘“”#-]+")
_MOST_OF_ONE_SOURCE = {"stacks+stacks-project": 0.25, "openstax(mathml)": 0.35}


@dataclass(frozen=True)
class Source:
    """A formula as it goes to TeX."""

    latex: str
    kind: str
    src: str


def cleaned(latex: str) -> str | None:
    """LaTeX without what leaves no ink; None for what these pages cannot hold."""
    latex = _NO_INK.sub("", latex)
    for character, spelt in _CHARACTERS.items():
        latex = latex.replace(character, spelt)
    latex = _FUNCTION.sub(lambda match: f"\\{match[1]} ", latex).strip()
    if not latex or not latex.isascii() or _UNFIT.search(latex) or len(latex) > 400:
        return None
    return None if latex.count("{") != latex.count("}") else latex


def is_kept(latex: str) -> bool:
    """Whether a formula belongs to the part that is reported on and never looked at."""
    return hashlib.sha1(re.sub(r"[\s{}]", "", latex).encode()).digest()[0] % 2 == 0


def formulas(path: Path, kind: str, kept: bool, count: int, seed: int) -> list[Source]:
    """``count`` different formulas of one kind (``display`` or ``inline``) and one part of the split.

    No source gives more than its share: a quarter for the one that would be half of all.
    """
    pools: dict[str, list[Source]] = {}
    seen = set()
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            latex = cleaned(entry["latex"]) if entry["kind"] == kind else None
            if latex and latex not in seen and is_kept(latex) is kept:
                seen.add(latex)
                pools.setdefault(entry["src"], []).append(Source(latex, kind, entry["src"]))
    draw = random.Random(seed)
    chosen: list[Source] = []
    for src in sorted(pools):
        share = _MOST_OF_ONE_SOURCE.get(src, 0.08)
        chosen += draw.sample(pools[src], min(len(pools[src]), round(share * count * 1.5)))
    draw.shuffle(chosen)
    return chosen[:count]


def paragraphs(path: Path, seed: int) -> Iterator[str]:
    """Plain prose without end, 150 to 600 characters each."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        texts = [row[1] for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE) if len(row) > 1]
    fit = [text for text in texts if 150 <= len(text) <= 600 and _PLAIN_TEXT.fullmatch(text)]
    draw = random.Random(seed)
    while True:
        draw.shuffle(fit)
        yield from fit
