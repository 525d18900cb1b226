"""Reads with tiny checkpoints in vLLM, each family once, in a process of its own."""

from __future__ import annotations

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

ROOT = Path(__file__).parents[3]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if "vllm" not in packages_distributions():  # not by import: this folder has the same name
        reason = pytest.mark.skip(
            reason="vLLM is not installed here; make test-vllm makes it a place of its own"
        )
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(reason)


@pytest.fixture(scope="session")
def surroundings() -> dict[str, str]:
    """The environment of an engine's processes."""
    own = dict(os.environ, HF_HUB_OFFLINE="1", VLLM_NO_USAGE_STATS="1", VLLM_CPU_OMP_THREADS_BIND="nobind")
    probe = [sys.executable, "-c", "import torchvision"]
    if subprocess.run(probe, capture_output=True, env=own, check=False).returncode:
        own["PYTHONPATH"] = str(Path(__file__).parents[1] / "without_operators")
    return own


@pytest.fixture(scope="session")
def read(
    tmp_path_factory: pytest.TempPathFactory, surroundings: dict[str, str]
) -> Callable[[str], dict[str, Any]]:
    """What ``reading.py`` reports of a family."""

    @lru_cache
    def run(family: str) -> dict[str, Any]:
        folder = tmp_path_factory.mktemp(family)
        report = folder / "report.json"
        command = [
            sys.executable,
            "-m",
            "tests.engines.vllm.reading",
            family,
            str(folder / "model"),
            str(report),
        ]
        done = subprocess.run(
            command, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-4000:]
        found: dict[str, Any] = json.loads(report.read_text())
        return found

    return run
