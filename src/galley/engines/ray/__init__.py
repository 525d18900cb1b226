"""Pages read by the workers of a Ray cluster, which may be many machines."""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING

from galley.errors import UsageError

if TYPE_CHECKING:
    from galley.cli.worker import ParserFactory
    from galley.engines.ray.pool import RayPool
    from galley.parsing.options import ParseOptions


def ray_pool(
    options: ParseOptions, factory: ParserFactory, jobs: int | None = None, address: str | None = None
) -> RayPool:
    """A pool of workers to use in a ``with`` statement. Raises ``UsageError`` where Ray is not installed.

    jobs: how many workers; None or 0: as many as the cluster has room for. address: ``HOST:PORT`` of a running
    cluster, or ``auto``; None starts one on this machine and ends it.
    """
    if importlib.util.find_spec("ray") is None:
        raise UsageError("--engine ray needs Ray; install it: pip install 'galley[ray]'")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when Ray is imported; it would call home
    from galley.engines.ray.pool import RayPool

    return RayPool(options, factory, jobs, address)
