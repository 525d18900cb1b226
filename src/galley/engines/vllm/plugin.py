"""The entry point ``vllm.general_plugins``: puts ``Drafter`` into place where ``speculative_config`` names it.

vLLM gives a custom proposer neither the requests nor the cache, and reserves no cache for what it drafts. Both
is mended here, for engines that use Galley's proposer; others are left as they are.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

DRAFTER = "galley.engines.vllm.drafter.Drafter"
"""``speculative_config``'s ``model``, with ``method`` ``custom_class``."""

_log = logging.getLogger(__name__)


def register() -> None:
    """Called by vLLM in every process before an engine is built; may be called twice."""
    try:
        from vllm.config import VllmConfig
        from vllm.v1.worker.gpu_model_runner import GPUModelRunner

        initialize, lookahead = GPUModelRunner.initialize_kv_cache, VllmConfig.num_lookahead_tokens.fget
    except (ImportError, AttributeError) as error:
        # Nobody's engine fails for a plugin it may not use.
        _log.warning("this vLLM is not the one Galley drafts for (0.32): %s", error)
        return
    if not getattr(initialize, "by_galley", False):
        GPUModelRunner.initialize_kv_cache = _attaching(initialize)
        VllmConfig.num_lookahead_tokens = property(_reserving(lookahead))


def _attaching(initialize: Callable[..., None]) -> Callable[..., None]:
    """Tells the proposer which runner it drafts for, once the cache is there."""

    def initialize_kv_cache(self: Any, *args: Any, **named: Any) -> None:
        initialize(self, *args, **named)
        attach = getattr(getattr(self, "drafter", None), "attach", None)
        if attach is not None and _named(self.vllm_config):
            attach(self)

    initialize_kv_cache.by_galley = True  # type: ignore[attr-defined]
    return initialize_kv_cache


def _reserving(lookahead: Callable[[Any], int]) -> Callable[[Any], int]:
    """Cache slots for the boundary and the masks of a drafting forward."""

    def num_lookahead_tokens(self: Any) -> int:
        return self.num_speculative_tokens if _named(self) else lookahead(self)

    return num_lookahead_tokens


def _named(vllm_config: Any) -> bool:
    speculative = vllm_config.speculative_config
    return speculative is not None and speculative.model == DRAFTER
