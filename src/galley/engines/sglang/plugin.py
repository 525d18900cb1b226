"""The entry point ``sglang.srt.plugins``: registers the algorithm that ``--speculative-algorithm GALLEY`` names."""

from __future__ import annotations

import logging
from typing import Any

ALGORITHM = "GALLEY"
_WIDTH = 34
"""``--speculative-num-draft-tokens`` where it is not given: the last token, its successor and a block of 32."""
_REFUSED = {
    "enable_dp_attention": "data-parallel attention",
    "enable_two_batch_overlap": "two-batch overlap",
    "enable_lora": "LoRA adapters",
    "enable_return_hidden_states": "returned hidden states",
    "skip_tokenizer_init": "skipping the tokenizer, which its draft texts need",
}

_log = logging.getLogger(__name__)


def register() -> None:
    """Called by SGLang in every process before an engine is built; may be called twice."""
    try:
        from sglang.srt.model_executor.cuda_graph_config import Backend, Phase, with_phase
        from sglang.srt.speculative.spec_info import SpeculativeAlgorithm
        from sglang.srt.speculative.spec_registry import CustomSpecAlgo, get_spec
    except ImportError as error:
        # Nobody's engine fails for a plugin it may not use.
        _log.warning("this SGLang is not the one Galley drafts for (0.5.23): %s", error)
        return
    if get_spec(ALGORITHM) is not None:
        return

    class Drafting(CustomSpecAlgo):
        """Answers what the scheduler asks of every algorithm and the base class of 0.5.23 lacks."""

        def carries_draft_hidden_states(self) -> bool:
            return False

        def need_topk(self) -> bool:
            return False

        def create_future_map(self, *args: Any, **named: Any) -> Any:
            return SpeculativeAlgorithm.create_future_map(self, *args, **named)

    def settle(server_args: Any) -> None:
        check(server_args)
        server_args.speculative_num_draft_tokens = server_args.speculative_num_draft_tokens or _WIDTH
        # A chain has one branch and is drafted in one go, after what was written before it is known.
        server_args.speculative_num_steps = server_args.speculative_eagle_topk = 1
        server_args.disable_overlap_schedule = True
        # Steps differ in their rows; a captured graph has one number of them.
        server_args.cuda_graph_config = with_phase(
            server_args.cuda_graph_config, Phase.DECODE, backend=Backend.DISABLED
        )

    # Without overlap all the same (see ``settle``): SGLang warns of algorithms that say so here.
    @SpeculativeAlgorithm.register(
        ALGORITHM, supports_overlap=True, validate_server_args=settle, spec_class=Drafting
    )
    def worker(server_args: Any) -> type:
        from galley.engines.sglang.worker import DraftingWorker

        return DraftingWorker


def check(server_args: Any) -> None:
    """Check SGLang's options.

    Raises:
        ValueError: Galley does not draft under one of them.
    """
    for option, name in _REFUSED.items():
        if getattr(server_args, option):
            raise ValueError(f"--speculative-algorithm {ALGORITHM} does not go with {name}; leave one out")
    if server_args.pp_size != 1 or server_args.disaggregation_mode != "null":
        raise ValueError(
            f"--speculative-algorithm {ALGORITHM} needs a request's work in one place: no pipeline "
            "parallelism, no disaggregation"
        )
