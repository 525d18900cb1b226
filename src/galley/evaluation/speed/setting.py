"""Where and with what a run was made: a figure without it says nothing."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from galley._version import __version__
from galley.runtime import threads

_PACKAGES = ("torch", "transformers", "onnxruntime", "numpy")


def setting_of(reader: Any) -> dict[str, Any]:
    """Device, threads, dtype and versions for a reader that is loaded."""
    device = str(getattr(reader, "device", "cpu"))
    return {
        "model": reader.name,
        "device": device,
        "processor": _gpu(device) or _cpu(),
        "cores": os.cpu_count(),
        "threads": _threads(reader),
        "dtype": str(getattr(reader, "dtype", "float32")).removeprefix("torch."),
        "galley": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        **{name: found for name in _PACKAGES if name in sys.modules and (found := _version(name))},
    }


def _threads(reader: Any) -> int:
    torch = sys.modules.get("torch")
    uses_torch = torch is not None and hasattr(reader, "dtype")
    return int(torch.get_num_threads()) if uses_torch else threads()  # type: ignore[union-attr]


def _gpu(device: str) -> str | None:
    torch = sys.modules.get("torch")
    if torch is None or not device.startswith("cuda"):
        return None
    return str(torch.cuda.get_device_name(device))


def _cpu() -> str:
    """The processor's name where Linux tells, else the architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
