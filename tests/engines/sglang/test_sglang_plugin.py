"""The plugin as SGLang looks for it."""

from __future__ import annotations

from importlib.metadata import entry_points


def test_sglang_finds_the_plugin() -> None:
    [plugin] = entry_points(group="sglang.srt.plugins", name="galley")
    assert plugin.load().__module__ == "galley.engines.sglang.plugin"
