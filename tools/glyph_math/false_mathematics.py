"""Count inline mathematics on pages that hold none.

    python tools/glyph_math/false_mathematics.py FOLDER_OR_PDF... [--show 40]

Prints the runs found for each file, to be judged by eye where pages may hold some.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pypdfium2 as pdfium

from galley.drafters.glyph_formulas import inline_formulas
from galley.ingest.pdf_glyphs import PageMap
from galley.ingest.pdf_page_glyphs import read_page_glyphs


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--show", type=int, default=40)
    args = parser.parse_args()
    files = [
        file for path in args.paths for file in (sorted(path.glob("*.pdf")) if path.is_dir() else [path])
    ]
    pages, marked, shown = 0, 0, 0
    for file in files:
        document = pdfium.PdfDocument(file)
        for number in range(len(document)):
            sheet = document[number]
            width, height = sheet.get_size()
            runs = inline_formulas(read_page_glyphs(sheet, PageMap(sheet, width, height)))
            pages += 1
            marked += bool(runs)
            if runs and shown < args.show:
                shown += 1
                print(f"{file.name} {number + 1}:", *(run.latex for run in runs[:12]), sep="   ")
    print(f"{marked} of {pages} pages have runs")


if __name__ == "__main__":
    main()
