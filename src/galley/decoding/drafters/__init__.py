"""Ways of drafting. Each is one file with its settings and its per-sequence drafter; this table names them all.

The command line, the options of ``galley.parse``, the served engines and the benchmarks read the table, so a new way of
drafting is a new file and one line here.
"""

from __future__ import annotations

from galley.decoding.drafters.auto import Auto
from galley.decoding.drafters.autoregressive import Autoregressive
from galley.decoding.drafters.base import (
    BatchChainDrafter,
    BatchDrafter,
    BatchItem,
    DecoderContext,
    Drafter,
    DrafterConfig,
    DraftWindow,
)
from galley.decoding.drafters.draft_model import DraftModel
from galley.decoding.drafters.match import DraftMatching, PromptLookup
from galley.decoding.drafters.mtp import Mtp
from galley.decoding.drafters.self_speculation import LARGEST_BLOCK, SelfSpeculation

__all__ = [
    "DRAFTERS",
    "LARGEST_BLOCK",
    "Auto",
    "Autoregressive",
    "BatchChainDrafter",
    "BatchDrafter",
    "BatchItem",
    "DecoderContext",
    "DraftMatching",
    "DraftModel",
    "DraftWindow",
    "Drafter",
    "DrafterConfig",
    "Mtp",
    "PromptLookup",
    "SelfSpeculation",
    "drafter_config",
]

DRAFTERS: dict[str, type[DrafterConfig]] = {
    config.name: config
    for config in (Auto, Autoregressive, SelfSpeculation, DraftMatching, PromptLookup, Mtp)
}
"""Ways of drafting by name, each with its usual settings when called without arguments."""


def drafter_config(drafter: str | DrafterConfig) -> DrafterConfig:
    """Settings from the name of a way of drafting; settings are returned as they are.

    Raises:
        ValueError: there is no such name.
    """
    if not isinstance(drafter, str):
        return drafter
    if drafter not in DRAFTERS:
        raise ValueError(f"there is no way of drafting called {drafter!r}; there are {', '.join(DRAFTERS)}")
    return DRAFTERS[drafter]()
