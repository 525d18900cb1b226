"""Property tests: the same examples in every fast run, new ones in the slow run (``-m slow``)."""

from __future__ import annotations

import pytest

try:
    from hypothesis import settings
except ModuleNotFoundError:  # the environments of vLLM and SGLang have none, and no property tests
    settings = None


def pytest_configure(config: pytest.Config) -> None:
    if settings is not None:
        settings.register_profile("fixed", derandomize=True, deadline=None)
        settings.register_profile("random", derandomize=False, deadline=None, print_blob=True)
        settings.load_profile("random" if _slow_only(config) else "fixed")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Property tests are in the slow run as well, before ``-m`` takes its choice."""
    if _slow_only(config):
        for item in items:
            if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
                item.add_marker(pytest.mark.slow)


def _slow_only(config: pytest.Config) -> bool:
    return config.option.markexpr == "slow"
