"""How often each symbol occurs in formulas, for a classifier that saw all alike.

    python tools/formulas/count_symbols.py --formulas formulas.jsonl.gz --out .build/formulas

``formulas.jsonl.gz`` holds ``{"latex": …, "src": …}`` lines; every source counts alike. Writes ``shares.json``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from symbols import symbols

_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[^\s]")
_STYLES = {
    "\\mathrm": "mathrm", "\\operatorname": "mathrm", "\\text": "mathrm", "\\rm": "mathrm", "\\mathbf": "mathbf",
    "\\bm": "mathbf", "\\boldsymbol": "mathbf", "\\bf": "mathbf", "\\mathcal": "mathcal", "\\cal": "mathcal",
    "\\mathscr": "mathcal", "\\mathbb": "mathbb", "\\mathfrak": "mathfrak",
}  # fmt: skip
_FUNCTION_NAMES = (
    "sin",
    "cos",
    "tan",
    "log",
    "ln",
    "exp",
    "lim",
    "max",
    "min",
    "sup",
    "inf",
    "det",
    "dim",
    "ker",
    "arg",
)
_FUNCTIONS = frozenset(f"\\{name}" for name in _FUNCTION_NAMES)
_SAME = {
    "\\leq": "\\le", "\\geq": "\\ge", "\\rightarrow": "\\to", "\\ldots": ".", "\\dots": ".", "\\cdots": "\\cdot",
    "\\lvert": "|", "\\rvert": "|", "\\vert": "|", "\\mid": "|", "\\lbrace": "\\{", "\\rbrace": "\\}", "*": "\\ast",
    "\\overline": "-", "\\bar": "-", "\\frac": "-", "\\dot": ".", "\\neq": "\\ne", "\\lbrack": "[", "\\rbrack": "]",
    "\\varnothing": "\\emptyset", "\\colon": ":", "\\land": "\\wedge", "\\lor": "\\vee", "\\gets": "\\leftarrow",
    "\\implies": "\\Rightarrow", "\\iff": "\\Leftrightarrow", "\\lt": "<", "\\gt": ">", "\\binom": "(", "'": "\\prime",
    "\\over": "-", "\\dfrac": "-", "\\tfrac": "-", "\\langle": "\\langle", "\\|": "\\parallel", "\\Vert": "\\parallel",
}  # fmt: skip
_SMOOTH = 2e-5


def names(latex: str) -> Iterator[str]:
    """The symbols that a formula prints, roughly."""
    style, depth, styled = "", 0, 0
    for token in _TOKEN.findall(latex):
        if token in _STYLES:
            style, styled = _STYLES[token], depth
        elif token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            style = "" if depth <= styled else style
        elif token in _FUNCTIONS:
            yield from (f"\\mathrm{{{letter}}}" for letter in token[1:])
        elif style and token.isalpha() and len(token) == 1:
            yield f"\\{style}{{{token}}}"
            style = style if depth > styled else ""
        else:
            yield _SAME.get(token, token)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--formulas", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    by_source: dict[str, Counter[str]] = {}
    with gzip.open(options.formulas, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            by_source.setdefault(row["src"], Counter()).update(names(row["latex"]))
    known = [symbol.name for symbol in symbols()]
    shares = dict.fromkeys(known, 0.0)
    for counts in by_source.values():
        total = sum(counts[name] for name in known)
        for name in known:
            shares[name] += counts[name] / total / len(by_source)
    shares["\\prime"] = shares["'"] = shares["\\prime"] / 2
    shares[""] = 0.01
    smoothed = {name: round(share + _SMOOTH, 7) for name, share in shares.items()}
    (options.out / "shares.json").write_text(json.dumps(smoothed, indent=0))


if __name__ == "__main__":
    main()
