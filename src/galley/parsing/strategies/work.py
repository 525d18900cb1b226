"""What reading a page with a model took."""

from __future__ import annotations

from collections.abc import Sequence

from galley.decoding import Result, Stats
from galley.document import Work


def work_of(reader: str, results: Sequence[Result]) -> Work | None:
    """Tokens, forwards and seconds of all results together; None where they are not known or nothing was read."""
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
    )
