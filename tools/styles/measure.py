"""Precision and recall of each style on documents that several programs print.

    python tools/styles/measure.py --programs latex-cm,chromium-serif --seeds 1,2,3

The documents are made up (``documents.py``), so that the style of every letter is known. A letter counts as found where
the parsed document has it with the style; letters that the text lost count as missed.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path

from documents import make_document, truth
from programs import PROGRAMS, WITHOUT, print_pdf
from rapidfuzz.distance import Indel

from galley import Parser
from galley.document import Block, Document, Label
from galley.document.markdown_spans import RAISED

_PLAIN = frozenset[str]()
_SAME = 14
"""Letters by which the place of a block is found."""


def found(document: Document, true: str) -> tuple[str, list[frozenset[str]]]:
    """The letters of a parsed document, white space left out, and the names of the styles of each.

    Blocks are put in the order of the truth, for reading order is not what is measured.
    """
    places: list[tuple[int, str, list[frozenset[str]]]] = []
    for block in document.blocks:
        if block.label in (Label.HEADER, Label.FOOTER, Label.PAGE_NUMBER):
            continue
        letters, styles = _letters(block)
        place = true.lower().find(letters[:_SAME].lower())
        places.append((place if place >= 0 else places[-1][0] if places else 0, letters, styles))
    places.sort(key=lambda item: item[0])
    return "".join(item[1] for item in places), [style for item in places for style in item[2]]


def _letters(block: Block) -> tuple[str, list[frozenset[str]]]:
    names = [_PLAIN] * len(block.content)
    for span in block.spans:
        own = {style.value for style in span.styles} | ({"link"} if span.link else set())
        names[span.start : span.end] = [frozenset(own)] * (span.end - span.start)
    shown = [
        (char.translate(RAISED), own)
        for char, own in zip(block.content, names, strict=True)
        if not char.isspace() and char not in "•–"
    ]
    return "".join(char for char, _ in shown), [own for _, own in shown]


def count(
    true: tuple[str, list[frozenset[str]]], parsed: tuple[str, list[frozenset[str]]], wrong: list[str]
) -> dict[str, list[int]]:
    """Letters by style: found, missed, and found where there is none."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for step in Indel.opcodes(true[0].lower(), parsed[0].lower()):
        mine = parsed[1][step.dest_start : step.dest_end]
        wanted = true[1][step.src_start : step.src_end]
        size = max(len(mine), len(wanted))
        for at in range(size):
            a = wanted[at] if at < len(wanted) else _PLAIN
            b = mine[at] if at < len(mine) else _PLAIN
            for name in a | b:
                counts[name][0 if name in a & b else 1 if name in a else 2] += 1
            if a != b:
                place = step.src_start + at
                wrong.append(
                    f"{true[0][max(0, place - 12) : place]}|{true[0][place : place + 8]}: {sorted(a)} {sorted(b)}"
                )
    return counts


def main() -> None:
    """Print a row for each program and style."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--programs", default=",".join(PROGRAMS))
    options.add_argument("--seeds", default="1,2,3")
    options.add_argument("--keep", type=Path, help="folder in which the PDFs are kept")
    options.add_argument("--show", type=int, default=0, help="differences to show for each document")
    given = options.parse_args()
    parser = Parser(strategy="draft")
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for program in given.programs.split(","):
        own: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
        for seed in map(int, given.seeds.split(",")):
            parts = make_document(seed, WITHOUT.get(program, frozenset()))
            kept = given.keep / f"{program}-{seed}.pdf" if given.keep else None
            data = kept.read_bytes() if kept and kept.is_file() else print_pdf(program, parts)
            if kept:
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_bytes(data)
            wrong: list[str] = []
            true = truth(parts)
            for name, values in count(true, found(parser.parse(data), true[0]), wrong).items():
                for table in (own, totals):
                    table[name] = [a + b for a, b in zip(table[name], values, strict=True)]
            for line in wrong[: given.show]:
                print(f"  {program} {seed}: {line}")
        print(json.dumps({"program": program} | _rates(own)))
    print(json.dumps({"program": "all"} | _rates(totals)))


def _rates(counts: dict[str, list[int]]) -> dict[str, str]:
    return {
        name: f"{right / max(1, right + extra):.3f} / {right / max(1, right + missed):.3f}"
        for name, (right, missed, extra) in sorted(counts.items())
    }


if __name__ == "__main__":
    main()
