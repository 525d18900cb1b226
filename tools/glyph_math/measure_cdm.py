"""CDM of displayed formulas read from printed pages.

    python tools/glyph_math/measure_cdm.py --pages .build/glyph_math --family cm --part report --count 100

Needs pdflatex and pdftoppm.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import mean

from measure import displayed

from galley.evaluation.cdm import cdm_all


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=Path, required=True)
    parser.add_argument("--family", required=True)
    parser.add_argument("--part", required=True)
    parser.add_argument("--count", type=int, default=100)
    args = parser.parse_args()
    results = [result for result, _ in displayed(args.pages / f"{args.family}-{args.part}.pdf")][: args.count]
    pairs = [(result.read, result.true) for result in results]
    scores = cdm_all(pairs, args.pages / "cdm-cache", workers=1)
    known = [score for score in scores if not score.failed]
    undrawn = sum(score.problem is not None for score in known)
    print(f"CDM {mean(score.f1 for score in known):.4f} of {len(known)}; {undrawn} cannot be drawn")
    print(f"{len(scores) - len(known)} left out: TeX cannot draw what was printed")


if __name__ == "__main__":
    main()
