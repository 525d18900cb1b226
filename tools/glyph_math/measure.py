"""Read printed pages and compare the formulas with what was printed.

    python tools/glyph_math/measure.py --pages .build/glyph_math --family cm --part develop

The displayed formulas are read in their known place on the page.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import pypdfium2 as pdfium
from canonical import canonical
from rapidfuzz.distance import Levenshtein

from galley.drafters.formulas.glyph_boxes import Box
from galley.drafters.glyph_formulas import inline_formulas, read_formula
from galley.evaluation.omnidocbench.normalise import formula as omnidocbench_form
from galley.ingest.page_glyphs import PageGlyphs
from galley.ingest.pdf_glyphs import PageMap
from galley.ingest.pdf_page_glyphs import read_page_glyphs


@dataclass
class Result:
    """A formula as printed and as read."""

    id: int
    true: str
    read: str
    similarity: float
    raw: float
    doubts: int
    number_right: bool
    src: str


def similarity(read: str, true: str) -> float:
    """1 minus the normalised edit distance of two formulas in their one spelling."""
    return float(Levenshtein.normalized_similarity(canonical(read), canonical(true)))


def raw_similarity(read: str, true: str) -> float:
    """The same in OmniDocBench's normal form, which keeps differences of spelling."""
    return float(Levenshtein.normalized_similarity(omnidocbench_form(read), omnidocbench_form(true)))


def displayed(pdf: Path) -> Iterator[tuple[Result, float]]:
    """Each displayed formula of a file with the seconds it took to read, glyphs of the page not counted."""
    document = pdfium.PdfDocument(pdf)
    pages: dict[int, PageGlyphs] = {}
    for line in pdf.with_suffix(".jsonl").read_text().splitlines():
        entry = json.loads(line)
        (page, _, above), (last, _, below) = entry["begin"], entry["end"]
        if entry["kind"] != "display" or page != last:
            continue
        sheet = document[page - 1]
        width, height = sheet.get_size()
        if page not in pages:
            pages[page] = read_page_glyphs(sheet, PageMap(sheet, width, height))
        start = time.perf_counter()
        found = read_formula(pages[page], Box(0, height - above + 1.2, width, height - below - 7.5))
        seconds = time.perf_counter() - start
        latex = found.latex if found else ""
        number = found.number if found else None
        true = entry["latex"]
        scores = similarity(latex, true), raw_similarity(latex, true)
        doubts = found.doubts if found else 0
        yield Result(entry["id"], true, latex, *scores, doubts, number == entry["tag"], entry["src"]), seconds


@dataclass
class InlineScore:
    """Inline formulas of a file: printed, found, F1, similarity of those found, and what was missed and invented."""

    printed: int
    found: int
    f1: float
    similarity: float
    missed: list[str]
    invented: list[str]
    poor: list[tuple[float, str, str]]


def inline(pdf: Path) -> InlineScore:
    """Formulas found in running text against those printed; figures alone look like text and do not count."""
    document = pdfium.PdfDocument(pdf)
    entries = [json.loads(line) for line in pdf.with_suffix(".jsonl").read_text().splitlines()]
    missed, invented, poor, scores, found = [], [], [], [], 0
    for number in range(len(document)):
        sheet = document[number]
        width, height = sheet.get_size()
        runs = inline_formulas(read_page_glyphs(sheet, PageMap(sheet, width, height)))
        here = [e for e in entries if e["begin"][0] == number + 1 == e["end"][0]]
        turned = [e for e in entries if e["begin"][0] != e["end"][0]]
        spans = [(e, _spans(e, width, height)) for e in here if e["kind"] == "inline"]
        away = [
            s
            for e in here
            if e["kind"] == "display"
            for s in [(0, width, height - e["begin"][2] + 1, height - e["end"][2] - 1)]
        ]
        away += [
            (0, width, height - e["begin"][2] - 3, height) for e in turned if e["begin"][0] == number + 1
        ]
        away += [(0, width, 0, height - e["end"][2] + 3) for e in turned if e["end"][0] == number + 1]
        runs = [r for r in runs if not any(s[2] < r.base < s[3] for s in away)]
        taken: set[int] = set()
        for entry, parts in spans:
            own = [
                n
                for n, r in enumerate(runs)
                if any(
                    abs(r.base - y) < 3 and r.box.x1 > x0 + 0.5 and r.box.x0 < x1 - 0.5 for x0, x1, y in parts
                )
            ]
            counts = not re.fullmatch(r"[\d.,\s()%/:]*", canonical(entry["latex"]))
            taken |= set(own)
            if not counts:
                continue
            if any(s[2] < y < s[3] for _, _, y in parts for s in away):
                continue
            lines = {round(runs[n].base) for n in own}
            whole = sum(x1 - x0 for x0, x1, _ in parts)
            seen = sum(
                min(runs[n].box.x1, x1) - max(runs[n].box.x0, x0)
                for n in own
                for x0, x1, y in parts
                if abs(runs[n].base - y) < 3
            )
            over = sum(runs[n].box.width for n in own)
            if not own or seen < 0.5 * max(min(whole, over + 8), over):
                missed.append(entry["latex"])
                invented += [runs[n].latex for n in own]
                continue
            found += 1
            invented += [runs[n].latex for n in own[len(lines) :]]
            latex = " ".join(runs[n].latex for n in own)
            scores.append(similarity(latex, entry["latex"]))
            poor.append((scores[-1], entry["latex"], latex))
        invented += [run.latex for n, run in enumerate(runs) if n not in taken]
    precision, recall = found / max(1, found + len(invented)), found / max(1, found + len(missed))
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    return InlineScore(found + len(missed), found, f1, mean(scores or [0]), missed, invented, sorted(poor))


def _spans(entry: dict[str, Any], width: float, height: float) -> list[tuple[float, float, float]]:
    """x0, x1 and baseline of a formula's part in each line that it runs through."""
    (_, x0, above), (_, x1, below) = entry["begin"], entry["end"]
    if abs(above - below) < 2:
        return [(x0, x1, height - above)]
    return [(x0, width - 70, height - above), (70, x1, height - below)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=Path, required=True)
    parser.add_argument("--family", required=True)
    parser.add_argument("--part", required=True)
    parser.add_argument("--worst", type=int, default=0, help="formulas to show, the worst first")
    parser.add_argument(
        "--inline", action="store_true", help="show inline formulas rather than displayed ones"
    )
    args = parser.parse_args()
    score = inline(args.pages / f"{args.family}-{args.part}.pdf")
    print(
        f"{args.family} {args.part}: {score.printed} inline, F1 {score.f1:.4f}, similarity {score.similarity:.4f},"
        f" missed {len(score.missed)}, invented {len(score.invented)}"
    )
    if args.inline:
        print("missed", *score.missed[: args.worst], "invented", *score.invented[: args.worst], sep="\n  ")
        print(*(f"{s:.2f}  {true}\n      {read}" for s, true, read in score.poor[: args.worst]), sep="\n")
        return
    pairs = list(displayed(args.pages / f"{args.family}-{args.part}.pdf"))
    results = [result for result, _ in pairs]
    exact = mean(result.similarity == 1 for result in results)
    print(
        f"{args.family} {args.part}: {len(results)} displayed, similarity {mean(r.similarity for r in results):.4f},"
        f" exact {exact:.3f}, OmniDocBench form {mean(r.raw for r in results):.4f},"
        f" number right {mean(r.number_right for r in results):.3f}, {1000 * mean(s for _, s in pairs):.2f} ms each"
    )
    for result in sorted(results, key=lambda r: r.similarity)[: args.worst]:
        print(f"\n{result.id} {result.src} {result.similarity:.3f} doubts {result.doubts}")
        print(f"  true {canonical(result.true)}\n  read {canonical(result.read)}")


if __name__ == "__main__":
    main()
