"""Pages read by the workers of a Ray cluster, which may be many machines."""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING, Any

from galley.errors import UsageError

if TYPE_CHECKING:
    from galley.parsing.options import ParseOptions
    from galley.reading import ParserFactory
    from galley.workers.batch_pool import BatchPool

_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",  # it would call home
    "RAY_worker_niceness": "0",  # its workers would only get what other programs leave them
    "RAY_gcs_server_port_wait_time_s": "300",  # a busy machine is slow to start what a cluster needs
    "RAY_agent_register_timeout_ms": "300000",
    "RAY_worker_register_timeout_seconds": "300",
}
"""Ray reads them when it is imported."""


def ray_pool(
    options: ParseOptions, factory: ParserFactory, jobs: int | None = None, address: str | None = None
) -> BatchPool[Any]:
    """A pool of workers to use in a ``with`` statement.

    Args:
        options: How to parse.
        factory: Makes the parser in each worker.
        jobs: How many workers; None or 0: as many as the cluster has room for.
        address: ``HOST:PORT`` of a running cluster, or ``auto``; None starts one on this machine and ends it.

    Raises:
        UsageError: Ray is not installed.
    """
    if importlib.util.find_spec("ray") is None:
        raise UsageError("--engine ray needs Ray; install it: pip install 'galley-ocr[ray]'")
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    from galley.workers.batch_pool import BatchPool
    from galley.workers.ray.backend import RayBackend

    return BatchPool(RayBackend(options, factory, jobs, address))
