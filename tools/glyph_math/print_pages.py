"""Print formulas within prose and write down where each stands.

    python tools/glyph_math/print_pages.py --data data/train --family cm --part develop --out .build/glyph_math

Needs pdflatex or lualatex. Writes ``<family>-<part>.pdf`` and ``.jsonl``: a formula a line with its LaTeX, kind, number
and the places (page from 1, x and y in PDF points up from the lower left) where it begins and ends.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from corpus import Source, formulas, paragraphs
from families import FAMILIES, Family

_POINT = 72 / 72.27 / 65536
_DOCUMENT = """\\documentclass[10pt]{article}
\\usepackage[paperwidth=210mm,paperheight=280mm,margin=25mm]{geometry}
%(preamble)s
\\providecommand{\\Coloneqq}{::=}
\\makeatletter
\\ifdefined\\directlua\\let\\pdfsavepos\\savepos\\def\\placex{\\the\\lastxpos}\\def\\placey{\\the\\lastypos}\\else
\\def\\placex{\\the\\pdflastxpos}\\def\\placey{\\the\\pdflastypos}\\fi
\\newwrite\\places\\immediate\\openout\\places=\\jobname.pos
\\newcommand{\\place}[1]{\\pdfsavepos\\write\\places{#1 \\the\\value{page} \\placex\\space\\placey}}
\\makeatother
\\sloppy\\emergencystretch=3em\\allowdisplaybreaks[0]
\\begin{document}
%(body)s
\\end{document}
"""
_SPECIAL = {
    "#": "\\#",
    "$": "\\$",
    "%": "\\%",
    "&": "\\&",
    "_": "\\_",
    "–": "--",
    "—": "---",
    "’": "'",
    "‘": "`",
}
_SPECIAL |= {
    "“": "``",
    "”": "''",
    "§": "\\S{}",
    "°": "\\textdegree{}",
    "±": "\\textpm{}",
    "×": "\\texttimes{}",
}
_SPECIAL |= {
    "©": "\\copyright{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    '"': "''",
    "^": "\\^{}",
    "~": "\\~{}",
}


def escaped(text: str) -> str:
    """Prose as TeX."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def body(
    sources: Sequence[Source], prose: Iterator[str], seed: int
) -> tuple[str, dict[int, dict[str, object]]]:
    """The pages' TeX, and what stands in them by number."""
    draw = random.Random(seed)
    inline = [(n, s) for n, s in enumerate(sources) if s.kind == "inline"]
    displayed = [(n, s) for n, s in enumerate(sources) if s.kind == "display"]
    truth: dict[int, dict[str, object]] = {}
    pieces, numbers = [], 0
    while inline or displayed:
        words = next(prose).split()
        for _ in range(min(len(inline), draw.randint(1, 3))):
            number, source = inline.pop()
            truth[number] = {"id": number, "kind": "inline", "latex": source.latex, "src": source.src}
            place = draw.randrange(1, max(2, len(words) - 14))
            words.insert(
                place, f"\0\\typeout{{F{number}}}\\place{{{number} b}}${source.latex}$\\place{{{number} e}}"
            )
        text = " ".join(word[1:] if word[0] == "\0" else escaped(word) for word in words)
        if displayed:
            number, source = displayed.pop()
            numbered = draw.random() < 0.3
            numbers += numbered
            truth[number] = {"id": number, "kind": "display", "latex": source.latex, "src": source.src}
            truth[number]["tag"] = str(numbers) if numbered else None
            opening, closing = ("\\begin{equation}", "\\end{equation}") if numbered else ("\\[", "\\]")
            after = " ".join(escaped(word) for word in next(prose).split()[:25])
            text += (
                f"\\place{{{number} b}}\\typeout{{F{number}}}\n{opening}{source.latex}{closing}\n"
                f"\\place{{{number} e}}{after}"
            )
        pieces.append(f"\\typeout{{F-1}}{text}\n")
    return "\n".join(pieces), truth


def run(family: Family, text: str, folder: Path, name: str) -> str:
    """Print; returns the log."""
    tex = folder / f"{name}.tex"
    tex.write_text(_DOCUMENT % {"preamble": family.preamble, "body": text}, encoding="utf-8")
    command = [family.program, "-interaction=nonstopmode", tex.name]
    subprocess.run(command, cwd=folder, check=False, stdout=subprocess.DEVNULL)
    return (folder / f"{name}.log").read_text(encoding="latin-1")


def faulty(log: str) -> set[int]:
    """Numbers of the formulas that TeX complains about."""
    found, at = set(), -1
    for line in log.splitlines():
        if match := re.match(r"F(-?\d+)\b", line):
            at = int(match[1])
        elif line.startswith(("!", "Missing character")):
            found.add(at)
    return found


def places(path: Path) -> dict[int, dict[str, tuple[int, float, float]]]:
    """By number, where each formula begins (``b``) and ends (``e``)."""
    found: dict[int, dict[str, tuple[int, float, float]]] = {}
    for line in path.read_text().splitlines():
        number, side, page, x, y = line.split()
        found.setdefault(int(number), {})[side] = int(page), int(x) * _POINT, int(y) * _POINT
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--family", choices=FAMILIES, required=True)
    parser.add_argument("--part", choices=("develop", "report"), required=True)
    parser.add_argument("--count", type=int, default=300, help="formulas of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    name, family = f"{args.family}-{args.part}", FAMILIES[args.family]
    file = args.data / "formulas.jsonl.gz"
    sources = [
        source
        for kind in ("display", "inline")
        for source in formulas(file, kind, args.part == "report", args.count, args.seed)
    ]
    bad: set[int] = set()
    for _ in range(5):
        fit = [source for number, source in enumerate(sources) if number not in bad]
        text, truth = body(fit, paragraphs(args.data / "text.tsv.gz", args.seed), args.seed)
        bad = faulty(run(family, text, args.out, name))
        sources = fit
        if not bad - {-1}:
            break
    marks = places(args.out / f"{name}.pos")
    with (args.out / f"{name}.jsonl").open("w", encoding="utf-8") as out:
        for number, entry in sorted(truth.items()):
            begin, end = marks[number]["b"], marks[number]["e"]
            out.write(json.dumps({**entry, "begin": begin, "end": end}) + "\n")
    print(f"{len(truth)} formulas in {args.out / name}.pdf")


if __name__ == "__main__":
    main()
