"""Servers for the tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from serving_fakes import Served


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with usual limits, for tests that leave nothing behind."""
    from serving_fakes import serving

    with serving(tmp_path_factory.mktemp("served")) as server:
        yield server


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Start a server with settings of one's own."""
    from serving_fakes import serving

    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(serving(tmp_path, **settings))
