"""Reads with tiny checkpoints in SGLang, each engine once, in a process of its own."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[3]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if "sglang" not in packages_distributions():  # not by import: this folder has the same name
        reason = pytest.mark.skip(
            reason="SGLang is not installed here; make test-sglang makes it a place of its own"
        )
        for item in items:
            if HERE in item.path.parents:
                item.add_marker(reason)


@pytest.fixture(scope="session")
def surroundings() -> dict[str, str]:
    """The environment of an engine's processes."""
    own = dict(os.environ, HF_HUB_OFFLINE="1", SGLANG_USE_CPU_ENGINE="1")
    paths = [HERE / "spying"]
    if importlib.util.find_spec("sgl_kernel") is None:
        paths.append(HERE / "without_kernels")
    probe = [sys.executable, "-c", "import torchvision"]
    if subprocess.run(probe, capture_output=True, env=own, check=False).returncode:
        paths.append(HERE.parent / "without_operators")
    own["PYTHONPATH"] = os.pathsep.join(map(str, paths))
    return own


@pytest.fixture(scope="session")
def read(
    tmp_path_factory: pytest.TempPathFactory, surroundings: dict[str, str]
) -> Callable[[str], dict[str, Any]]:
    """What ``reading.py`` reports of an engine."""

    @lru_cache
    def run(engine: str) -> dict[str, Any]:
        folder = tmp_path_factory.mktemp(engine)
        report, log = folder / "report.json", folder / "windows"
        log.touch()
        words = [engine, str(folder / "model"), str(report)]
        done = subprocess.run(
            [sys.executable, "-m", "tests.engines.sglang.reading", *words],
            cwd=ROOT,
            env=surroundings | {"GALLEY_SPYING": str(log)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
        found: dict[str, Any] = json.loads(report.read_text())
        return found

    return run
