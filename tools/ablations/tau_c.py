"""What does verification save us from? Direct block diffusion, unverified, at several thresholds tau_c, beside
self-speculation, on the shipped weights.

    python tools/ablations/tau_c.py --data .build/nano
"""

from __future__ import annotations

from decoding import AR, SELF_SPECULATION, arguments, compare, direct, load, show, speculative

TAUS = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99)


def main() -> None:
    options = arguments(__doc__, documents=8)
    target, documents = load(options)
    methods = {AR: speculative(target, "ar"), SELF_SPECULATION: speculative(target, "self-spec")}
    methods |= {f"diffusion, tau_c {tau}": direct(target, tau) for tau in TAUS}
    tallies = compare(target, documents, methods)
    rows = [
        [
            name,
            f"{tally.score:.4f}",
            f"{tally.total.tpf:.2f}",
            f"{tallies[AR].seconds / tally.seconds:.2f}",
            f"{tally.same_as(tallies[AR])} of {len(documents)}",
        ]
        for name, tally in tallies.items()
    ]
    show(
        f"{len(documents)} documents, {tallies[AR].total.tokens} tokens",
        ["decoder", "edit similarity", "TPF", "speed-up", "ids of AR"],
        rows,
    )


if __name__ == "__main__":
    main()
