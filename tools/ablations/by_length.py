"""Where does drafting pay? Tokens per forward and decode speed-up over plain decoding by length of the output and by
kind of content, on the shipped weights.

    python tools/ablations/by_length.py --data .build/nano
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from decoding import AR, AUTO, SELF_SPECULATION, Tally, arguments, compare, load, show, speculative

BOUNDS = (0, 32, 64, 128, 256, 100_000)
DRAFTERS = {AR: "ar", SELF_SPECULATION: "self-spec", AUTO: "auto"}


def row(name: str, tallies: dict[str, Tally], chosen: Sequence[int]) -> list[str]:
    """Figures of some of the documents."""
    some = {decoder: tally.of(chosen) for decoder, tally in tallies.items()}
    cells = [name, str(len(chosen)), str(some[AR].total.tokens)]
    for decoder in (SELF_SPECULATION, AUTO):
        cells += [f"{some[decoder].total.tpf:.1f}", f"{some[AR].seconds / some[decoder].seconds:.1f}"]
    return cells


def main() -> None:
    options = arguments(__doc__, documents=16)
    target, documents = load(options)
    methods = {name: speculative(target, drafter) for name, drafter in DRAFTERS.items()}
    tallies = compare(target, documents, methods)
    lengths = [stats.tokens for stats in tallies[AR].stats]
    rows = []
    for low, high in pairwise(BOUNDS):
        chosen = [i for i, length in enumerate(lengths) if low < length <= high]
        name = f"{low + 1} to {high} tokens" if high < BOUNDS[-1] else f"over {low} tokens"
        rows += [row(name, tallies, chosen)] if chosen else []
    for task in dict.fromkeys(document.task for document in documents):
        rows.append(row(task.value, tallies, [i for i, one in enumerate(documents) if one.task is task]))
    header = ["output", "documents", "tokens", "self-speculation TPF", "speed-up", "auto TPF", "speed-up"]
    same = all(tally.same_as(tallies[AR]) == len(documents) for tally in tallies.values())
    show(f"ids of all decoders {'equal' if same else 'DIFFER from'} those of AR", header, rows)


if __name__ == "__main__":
    main()
