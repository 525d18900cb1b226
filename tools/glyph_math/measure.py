"""Read printed pages and compare the formulas with what was printed.

    python tools/glyph_math/measure.py --pages .build/glyph_math --family cm --part develop

The displayed formulas are read in their known place on the page.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import pypdfium2 as pdfium
from canonical import canonical
from rapidfuzz.distance import Levenshtein

from galley.drafters.formulas.boxes import Box
from galley.drafters.glyph_formulas import read_formula
from galley.evaluation.omnidocbench.normalise import formula as omnidocbench_form
from galley.ingest.pdf_glyphs import PageMap
from galley.ingest.pdf_page_glyphs import PageGlyphs, read_page_glyphs


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
        yield (
            Result(
                entry["id"], entry["latex"], latex, similarity(latex, entry["latex"]), raw_similarity(latex, entry["latex"]),
                found.doubts if found else 0, number == entry["tag"], entry["src"],
            ),
            seconds,
        )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=Path, required=True)
    parser.add_argument("--family", required=True)
    parser.add_argument("--part", required=True)
    parser.add_argument("--worst", type=int, default=0, help="formulas to show, the worst first")
    args = parser.parse_args()
    pairs = list(displayed(args.pages / f"{args.family}-{args.part}.pdf"))
    results = [result for result, _ in pairs]
    exact = mean(result.similarity == 1 for result in results)
    print(
        f"{args.family} {args.part}: {len(results)} displayed, similarity {mean(r.similarity for r in results):.4f},"
        f" exact {exact:.3f}, OmniDocBench form {mean(r.raw for r in results):.4f},"
        f" number right {mean(r.number_right for r in results):.3f}, {1000 * mean(s for _, s in pairs):.2f} ms each"
    )
    for result in sorted(results, key=lambda r: r.similarity)[: args.worst]:
        print(f"\n{result.id} {result.src} {result.similarity:.3f} doubts {result.doubts}\n  true {canonical(result.true)}\n  read {canonical(result.read)}")


if __name__ == "__main__":
    main()
