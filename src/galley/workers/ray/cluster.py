"""Reaching a Ray cluster, or starting one on this machine."""

from __future__ import annotations

import logging
import re
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import ray
import ray._private.services as ray_services
import ray._private.worker as ray_worker

from galley.errors import GalleyError, UsageError, one_line
from galley.runtime import cores

_STORE_BYTES = 128 * 2**20  # for documents; Ray moves to disk what does not fit
_CONNECT_TIMEOUT_S = 10
_START_TIMEOUT_S = 300
_ADDRESS = re.compile(r"(?P<host>\S+):(?P<port>\d{1,5})")
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def connected(address: str | None, jobs: int | None) -> Iterator[list[dict[str, float]]]:
    """The resources of each node of the cluster while connected to it.

    Args:
        address: ``HOST:PORT`` of a running cluster, or ``auto``. None starts one on this machine, which nobody else
            can reach, and ends it.
        jobs: CPUs of a cluster that is started here; all cores for None or 0.

    Raises:
        GalleyError: There is no cluster, or it cannot be started.
    """
    if address not in (None, "auto"):
        _check_reachable(address)
    ray_worker._worker_logs_enabled = (
        False  # it would print its own words about dead workers to standard output
    )
    options = _local_cluster(jobs) if address is None else {"address": address}
    with _signal_handlers_kept(), _slow_start_allowed():
        try:
            ray.init(**options, log_to_driver=False, logging_level=logging.ERROR, namespace="galley")
        except Exception as error:  # Ray raises many kinds
            what = "start Ray on this machine" if address is None else f"reach a Ray cluster at {address}"
            raise GalleyError(f"cannot {what}: {one_line(error)}") from error
    try:
        yield [node["Resources"] for node in ray.nodes() if node["Alive"]]
    finally:
        ray.shutdown()


def _check_reachable(address: str) -> None:
    """Find out whether something listens, which Ray would take minutes for.

    Raises:
        GalleyError: Nothing does.
    """
    found = _ADDRESS.fullmatch(address)
    if "://" in address or found is None or int(found["port"]) > 65535:
        raise UsageError(
            f"--address takes HOST:PORT or auto, not {address}; start Galley on a machine of the cluster"
        )
    try:
        socket.create_connection((found["host"].strip("[]"), int(found["port"])), _CONNECT_TIMEOUT_S).close()
    except (OSError, UnicodeError) as error:
        said = getattr(error, "strerror", None) or one_line(error)
        raise GalleyError(f"no Ray cluster answers at {address}: {said}") from error


def _local_cluster(jobs: int | None) -> dict[str, Any]:
    return {
        "address": "local",
        "num_cpus": jobs or cores(),
        "include_dashboard": False,
        "object_store_memory": _STORE_BYTES,
        "_node_ip_address": "127.0.0.1",
    }


@contextmanager
def _slow_start_allowed() -> Iterator[None]:
    """Ray gives a machine 30 seconds to appear in its own cluster; a busy one needs more, and gets it."""
    look = ray_services.get_node
    ray_services.get_node = _retrying(look)
    try:
        yield
    finally:
        ray_services.get_node = look


def _retrying(look: Callable[..., Any]) -> Callable[..., Any]:
    def get_node(*args: Any, **named: Any) -> Any:
        end = time.monotonic() + _START_TIMEOUT_S
        while True:
            try:
                return look(*args, **named)
            except RuntimeError:
                if time.monotonic() >= end:
                    raise
                time.sleep(1)

    return get_node


@contextmanager
def _signal_handlers_kept() -> Iterator[None]:
    """Ray sets signal handlers of its own; the program gets its own back."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
