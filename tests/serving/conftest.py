"""Servers for the tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from serving_fakes import Served, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with usual limits, for tests that leave nothing behind."""
    with serving(tmp_path_factory.mktemp("served")) as server:
        yield server


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Start a server with settings of one's own."""
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(serving(tmp_path, **settings))
