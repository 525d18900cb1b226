"""What decoding took, remembered for proofs and figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from galley.decoding import ForwardCosts, Request, Result, Stats
from galley.parsing.strategies.decoders import Runner
from galley.parsing.strategies.work import forwards_of, reckoned
from galley.serving.tasks import Counts


class Recorded:
    """A runner that remembers what came of each run."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self.runs: list[list[Result]] = []

    @property
    def results(self) -> list[Result]:
        return [result for run in self.runs for result in run]

    def run(self, requests: Iterable[Request]) -> list[Result]:
        self.runs.append(self._runner.run(requests))
        return self.runs[-1]


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
    plain, own = reckoned(total, costs) if costs is not None else (0.0, 0.0)
    if own:
        counts.seconds_ar, counts.seconds = plain, own
    return counts
