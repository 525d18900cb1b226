"""The proposer that vLLM's model runner asks after every step (``speculative_config``, ``custom_class``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vllm.tokenizers import cached_tokenizer_from_config

from galley.decoding import Window
from galley.decoding.window import Ids
from galley.engines.chain import ChainDrafter, draft_chains
from galley.engines.drafts import DRAFTS, ModelDrafts
from galley.engines.vllm.drafting_forward import DraftingForward, DraftingRow

SEQUENCE = "galley"
"""A request's own ``ChainDrafter`` in ``extra_args``, where engine and caller share a process."""


class Drafter:
    """Free drafts where they match, the model's own blocks where none does and the checkpoint drafts for itself.

    ``num_speculative_tokens`` is the longest chain: for a model that drafts for itself, its block and one more. A
    request brings its texts in ``SamplingParams.extra_args``, ``vllm_xargs`` over HTTP.
    """

    def __init__(self, vllm_config: Any) -> None:
        longest: int = vllm_config.speculative_config.num_speculative_tokens
        model = vllm_config.model_config
        self._room: int = model.max_model_len
        tokenizer = cached_tokenizer_from_config(model)
        self._drafts = ModelDrafts(model.model, tokenizer, model.get_vocab_size(), longest)
        self._following: dict[str, ChainDrafter] = {}

    def load_model(self, model: Any) -> None:
        """The model is the target's own; the runner that is attached later has it."""

    def attach(self, runner: Any) -> None:
        """Draft for this model runner."""
        self._runner = runner
        self._forward = DraftingForward(runner) if self._drafts.own else None

    def propose(
        self,
        sampled_token_ids: Sequence[Sequence[int]],
        num_tokens_no_spec: NDArray[np.integer],
        token_ids_cpu: NDArray[np.integer],
        slot_mappings: Any = None,
    ) -> list[list[int]]:
        """A chain for each row of the batch; none for rows that are still reading their prompt."""
        self._forget_finished()
        rows = [row for row, sampled in enumerate(sampled_token_ids) if len(sampled)]
        requests = [self._request(row) for row in rows]
        lengths = [int(num_tokens_no_spec[row]) for row in rows]
        written = [
            token_ids_cpu[row, request.num_prompt_tokens : length].tolist()
            for row, request, length in zip(rows, requests, lengths, strict=True)
        ]
        drafters = [self._follower(request) for request in requests]
        free_slots = [
            self._slots_left(request, len(tokens), length)
            for request, tokens, length in zip(requests, written, lengths, strict=True)
        ]
        where = {id(drafter): (row, n - 1) for drafter, row, n in zip(drafters, rows, lengths, strict=True)}

        def forward(waiting: Sequence[ChainDrafter], windows: Sequence[Window]) -> Sequence[Ids]:
            assert self._forward is not None
            asked = zip(waiting, windows, strict=True)
            return self._forward([DraftingRow(window, *where[id(drafter)]) for drafter, window in asked])

        chains: list[list[int]] = [[] for _ in sampled_token_ids]
        for row, tokens in zip(rows, draft_chains(drafters, written, free_slots, forward), strict=True):
            chains[row] = tokens
        return chains

    def _request(self, row: int) -> Any:
        return self._runner.requests[self._runner.input_batch.req_ids[row]]

    def _slots_left(self, request: Any, written: int, length: int) -> int:
        """Tokens that may still be drafted, one place being left for the model's own."""
        allowed = request.sampling_params.max_tokens
        left = self._room - length if allowed is None else min(allowed - written, self._room - length)
        return max(left - 1, 0)

    def _follower(self, request: Any) -> ChainDrafter:
        """The drafter that follows a request: brought along, known, or new."""
        extra = request.sampling_params.extra_args or {}
        known = extra.get(SEQUENCE) or self._following.get(request.req_id)
        if known is None:
            known = self._following[request.req_id] = self._drafts.drafter(extra.get(DRAFTS))
        return known

    def _forget_finished(self) -> None:
        for gone in self._following.keys() - self._runner.requests.keys():
            del self._following[gone]
