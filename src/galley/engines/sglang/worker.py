"""The worker that SGLang's scheduler asks for every step: chains that Galley drafts, verified by the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from sglang.srt.managers.utils import GenerationBatchResult
from sglang.srt.runtime_context import get_spec
from sglang.srt.speculative.base_spec_worker import BaseSpecWorker
from sglang.srt.speculative.spec_info import SpecInput, SpecInputType

from galley.decoding import Window
from galley.decoding.matching import agreement
from galley.decoding.window import Ids
from galley.engines.chain import ChainDrafter, draft_chains
from galley.engines.drafts import DRAFTS, ModelDrafts
from galley.engines.sglang.forward import RowsForward
from galley.engines.sglang.window_rows import Rows


class _NothingCarried(SpecInput):
    """What the scheduler carries from step to step: without overlap, requests know all that was written."""

    def __init__(self) -> None:
        super().__init__(SpecInputType.NGRAM_VERIFY)

    def filter_batch(self, new_indices: Any, new_indices_cpu: Any = None) -> None:
        """Nothing of requests that left is kept here."""

    def merge_batch(self, other: SpecInput) -> None:
        """Nothing of requests that joined is kept here."""


class DraftingWorker(BaseSpecWorker):
    """Stands between the scheduler and the target's worker.

    Free drafts where they match, the model's own blocks where none does and the checkpoint drafts for itself. A
    request brings its texts as ``galley_drafts`` in its ``custom_params``.
    """

    def __init__(self, server_args: Any, gpu_id: int, nccl_port: int, target_worker: Any) -> None:
        super().__init__()
        self._target_worker, self._draft_worker = target_worker, None
        self.model_runner = target_worker.model_runner
        self.speculative_num_draft_tokens: int = get_spec().speculative_num_draft_tokens
        model = self.model_runner.model_config
        self._room: int = model.context_len
        longest = self.speculative_num_draft_tokens - 1
        self._drafts = ModelDrafts(model.model_path, target_worker.tokenizer, model.vocab_size, longest)
        self._following: WeakKeyDictionary[Any, ChainDrafter] = WeakKeyDictionary()
        self._rows = RowsForward(self.model_runner)

    def __getattr__(self, name: str) -> Any:
        if name == "_target_worker":
            raise AttributeError(name)
        return getattr(self._target_worker, name)

    def forward_batch_generation(self, batch: Any, pp_proxy_tensors: Any = None) -> GenerationBatchResult:
        """A prompt's forward, or a step: draft, verify, keep what agrees."""
        if batch.forward_mode.is_extend():
            result = self._target_worker.forward_batch_generation(batch)
            result.new_seq_lens = batch.seq_lens
        else:
            result = self._step(batch)
        result.next_draft_input = _NothingCarried()
        return result

    @torch.inference_mode()
    def _step(self, batch: Any) -> GenerationBatchResult:
        boundaries = batch.seq_lens.tolist()
        chains = self._chains(batch, boundaries)
        windows = [
            Window.chain([request.output_ids[-1], *chain])
            for request, chain in zip(batch.reqs, chains, strict=True)
        ]
        sampled, output = self._rows.sampled(batch, Rows.of(range(len(windows)), windows, boundaries))
        if batch.return_logprob:
            output.next_token_logprobs = output.next_token_logprobs[:, None]
        width = self.speculative_num_draft_tokens
        written = torch.zeros(len(chains), width, dtype=torch.int64)
        counts = torch.ones(len(chains), dtype=torch.int32)
        for row, tokens in enumerate(_kept(chains, sampled.tolist())):
            written[row, : len(tokens)] = torch.tensor(tokens)
            counts[row] = len(tokens)
        return GenerationBatchResult(
            logits_output=output,
            next_token_ids=written.flatten(),
            accept_lens=counts,
            new_seq_lens=batch.seq_lens + counts.to(batch.seq_lens),
            speculative_num_draft_tokens=width,
        )

    def _chains(self, batch: Any, boundaries: Sequence[int]) -> list[list[int]]:
        """What is verified behind the last token of each request."""
        chains: list[list[int]] = [[] for _ in batch.reqs]
        if _one_by_one(batch):
            return chains
        owners = [owner for owner, request in enumerate(batch.reqs) if _position_free(request)]
        drafters = [self._follower(batch.reqs[owner]) for owner in owners]
        where = {id(drafter): owner for drafter, owner in zip(drafters, owners, strict=True)}

        def forward(waiting: Sequence[ChainDrafter], windows: Sequence[Window]) -> Sequence[Ids]:
            asked = [where[id(drafter)] for drafter in waiting]
            rows = Rows.of(asked, windows, [boundaries[owner] for owner in asked])
            best = iter(self._rows.best(batch, rows))
            return [np.fromiter(best, np.int64, len(window)) for window in windows]

        written = [list(batch.reqs[owner].output_ids) for owner in owners]
        free_slots = [self._slots_left(batch.reqs[owner], boundaries[owner]) for owner in owners]
        for owner, chain in zip(owners, draft_chains(drafters, written, free_slots, forward), strict=True):
            chains[owner] = chain
        return chains

    def _slots_left(self, request: Any, boundary: int) -> int:
        """Tokens that may still be drafted, one place being left for the model's own."""
        allowed = request.sampling_params.max_new_tokens - len(request.output_ids)
        return max(min(allowed, self._room - boundary - 1) - 1, 0)

    def _follower(self, request: Any) -> ChainDrafter:
        known = self._following.get(request)
        if known is None:
            given = request.sampling_params.custom_params
            texts = given.get(DRAFTS) if isinstance(given, dict) else None
            known = self._following[request] = self._drafts.drafter(texts)
        return known


def _kept(chains: Sequence[list[int]], sampled: Sequence[int]) -> list[list[int]]:
    """What each request has written: its chain as far as it was sampled too, and one token more.

    A draft is one text, not a distribution: keeping it where it is what was sampled keeps the distribution.
    """
    kept, place = [], 0
    for chain in chains:
        tokens = sampled[place : place + len(chain) + 1]
        kept.append(list(tokens[: agreement(chain, 0, tokens) + 1]))
        place += len(chain) + 1
    return kept


def _one_by_one(batch: Any) -> bool:
    """Whether the engine's own sampling keeps record of a batch row by row, and so wants one for each request."""
    info = batch.sampling_info
    recorded = info.sampling_mask_batch_indices is not None or info.has_watermark_candidates
    return batch.return_logprob or info.has_custom_logit_processor or recorded


def _position_free(request: Any) -> bool:
    """Whether a request's rule of sampling is the same for all tokens of a chain."""
    rule = request.sampling_params
    penalised = rule.frequency_penalty or rule.presence_penalty or rule.repetition_penalty != 1
    return request.grammar is None and not penalised and not rule.min_new_tokens
