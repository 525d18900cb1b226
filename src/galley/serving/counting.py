"""What decoding took, counted for proofs and figures."""

from __future__ import annotations

from collections.abc import Sequence

from galley.decoding import ForwardCosts, Result, Stats
from galley.parsing.strategies.work import estimated_seconds, forwards_of
from galley.serving.tasks import Counts


def counts_of(results: Sequence[Result], costs: ForwardCosts | None) -> Counts:
    """What the results took together; seconds where ``costs`` have been measured."""
    total = Stats()
    for result in results:
        total.add(result.stats)
    counts = Counts(
        tokens=total.tokens,
        prefills=total.prefill_forwards,
        forwards=forwards_of(total),
        drafts=total.draft_forwards,
        accepted=total.accepted,
    )
    plain, own = estimated_seconds(total, costs) if costs is not None else (0.0, 0.0)
    if own:
        counts.seconds_ar, counts.seconds = plain, own
    return counts
