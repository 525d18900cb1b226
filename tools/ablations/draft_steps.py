"""Is it worth drafting a block in several steps? One-shot drafting against filling only what the drafter is sure of
(above tau_d) and drafting the rest again, on the shipped weights.

    python tools/ablations/draft_steps.py --data .build/nano
"""

from __future__ import annotations

from decoding import AR, arguments, compare, load, show, speculative
from galley.decoding import SelfSpeculation

TAUS = (0.5, 0.7, 0.9, 0.95)


def main() -> None:
    options = arguments(__doc__, documents=8)
    target, documents = load(options)
    methods = {AR: speculative(target, "ar"), "one shot": speculative(target, SelfSpeculation())}
    methods |= {f"tau_d {tau}": speculative(target, SelfSpeculation(tau_d=tau)) for tau in TAUS}
    tallies = compare(target, documents, methods)
    rows = []
    for name, tally in tallies.items():
        total = tally.total
        steps = f"{total.draft_forwards / max(total.verify_forwards, 1):.2f}" if name != AR else ""
        aal = f"{total.aal:.1f}" if name != AR else ""
        speed_up = f"{tallies[AR].seconds / tally.seconds:.2f}"
        same = f"{tally.same_as(tallies[AR])} of {len(documents)}"
        rows.append([name, steps, aal, f"{total.tpf:.2f}", speed_up, same])
    header = ["drafting", "draft steps per verification", "AAL", "TPF", "speed-up", "ids of AR"]
    show(f"{len(documents)} documents, {tallies[AR].total.tokens} tokens", header, rows)


if __name__ == "__main__":
    main()
