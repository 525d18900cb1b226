"""What reading a page with a model took."""

from __future__ import annotations

from collections.abc import Sequence

from galley.decoding import Decoder, ForwardCosts, Result, Stats
from galley.document import Work
from galley.targets.prompt import Runner


def work_of(reader: str, results: Sequence[Result], runner: Runner) -> Work | None:
    """Tokens, forwards and seconds of all results together; None where they are not known or nothing was read.

    What its forwards and plain decoding's cost is estimated where ``runner`` has measured the costs.
    """
    stats = Stats()
    for result in results:
        stats.add(result.stats)
    if not stats.tokens:
        return None
    plain, own = estimated_seconds(stats, runner.costs) if isinstance(runner, Decoder) else (0.0, 0.0)
    return Work(
        reader=reader,
        tokens=stats.tokens,
        prefills=stats.prefill_forwards,
        forwards=forwards_of(stats),
        seconds=stats.seconds.total,
        decode_seconds=stats.seconds.total - stats.seconds.prefill,
        plain_seconds=plain,
        forward_seconds=own,
    )


def forwards_of(stats: Stats) -> int:
    """Forwards after the prefills."""
    return stats.draft_forwards + stats.verify_forwards + stats.plain_forwards


def estimated_seconds(stats: Stats, costs: ForwardCosts) -> tuple[float, float]:
    """Seconds that plain decoding of the same tokens would take, and that the forwards at hand do.

    Both 0 where costs were not measured. Both by the same table of costs: what else the machine does changes neither.
    """
    forwards = forwards_of(stats)
    if len(costs.widths) < 2 or not forwards:
        return 0.0, 0.0
    plain = (stats.tokens - stats.prefill_forwards) * float(costs.share(1))
    return plain, forwards * float(costs.share(round(stats.slots / forwards)))
