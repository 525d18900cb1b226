"""What reading a page with a model took."""

from __future__ import annotations

from collections.abc import Sequence

from galley.decoding import Decoder, Result, Stats
from galley.document import Work
from galley.targets.prompt import Runner


def work_of(reader: str, results: Sequence[Result], runner: Runner) -> Work | None:
    """Tokens, forwards and seconds of all results together; None where they are not known or nothing was read.

    Plain decoding is reckoned from the cost of a forward of one slot, where ``runner`` has measured that.
    """
    stats = Stats()
    for result in results:
        stats.add(result.stats)
    if not stats.tokens:
        return None
    forwards = stats.draft_forwards + stats.verify_forwards + stats.plain_forwards
    return Work(
        reader=reader,
        tokens=stats.tokens,
        prefills=stats.prefill_forwards,
        forwards=forwards,
        seconds=stats.seconds.total,
        decode_seconds=stats.seconds.total - stats.seconds.prefill,
        plain_seconds=(stats.tokens - stats.prefill_forwards) * _plain_forward(runner),
    )


def _plain_forward(runner: Runner) -> float:
    """Seconds of a forward of one slot; 0 where they were not measured."""
    if not isinstance(runner, Decoder) or len(runner.costs.widths) < 2:
        return 0.0
    return float(runner.costs.share(1))
