"""The plugin as vLLM looks for it."""

from __future__ import annotations

from importlib.metadata import entry_points


def test_vllm_finds_the_plugin() -> None:
    [plugin] = entry_points(group="vllm.general_plugins", name="galley")
    assert plugin.load().__module__ == "galley.engines.vllm.plugin"
