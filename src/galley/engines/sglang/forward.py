"""Forwards of rows on a model runner of SGLang's, and its sampling for each row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from sglang.srt.environ import envs
from sglang.srt.model_executor.forward_batch_info import CaptureHiddenMode, ForwardBatch, ForwardMode

from galley.decoding.window import Ids
from galley.engines.sglang.window_rows import Rows

_PER_REQUEST = (
    "temperatures",
    "top_ps",
    "top_ks",
    "min_ps",
    "sampling_seed",
    "acc_additive_penalties",
    "acc_scaling_penalties",
    "logit_bias",
)


class RowsForward:
    """Runs rows of a scheduler's batch. Its requests must have cache for every place of theirs."""

    def __init__(self, runner: Any) -> None:
        self._runner = runner

    def best(self, batch: Any, rows: Rows) -> Ids:
        """The arg-max after each row."""
        output = self._run(self._forward_batch(batch, rows))
        best: Ids = output.next_token_logits.argmax(-1).cpu().numpy()
        return best

    def sampled(self, batch: Any, rows: Rows) -> tuple[Ids, Any]:
        """What the engine writes after each row, as its request wants it sampled; and the model's output."""
        forward = self._forward_batch(batch, rows)
        forward.sampling_info = _for_rows(batch, rows)
        output = self._run(forward)
        return self._runner.sample(output, forward).cpu().numpy(), output

    def _run(self, forward: ForwardBatch) -> Any:
        # The buffers that a batch is copied to otherwise have a place for each request, not for each row.
        with envs.SGLANG_EAGER_INPUT_NO_COPY.override(True):
            return self._runner.forward(forward).logits_output

    def _forward_batch(self, batch: Any, rows: Rows) -> ForwardBatch:
        pools = batch.req_pool_indices[self._tensor(rows.owners)]
        table = self._runner.req_to_token_pool.req_to_token
        places = self._tensor(rows.places)
        forward = ForwardBatch(
            forward_mode=ForwardMode.DECODE,
            batch_size=len(rows),
            input_ids=self._tensor(rows.tokens),
            req_pool_indices=pools,
            seq_lens=self._tensor(rows.ends),
            out_cache_loc=table[pools, places].long(),
            seq_lens_sum=int(rows.ends.sum()),
            seq_lens_cpu=torch.from_numpy(rows.ends),
            positions=places,
            return_logprob=batch.return_logprob,
            top_logprobs_nums=batch.top_logprobs_nums,
            token_ids_logprobs=batch.token_ids_logprobs,
            capture_hidden_mode=CaptureHiddenMode.NULL,
            return_hidden_states_before_norm=False,
        )
        if self._runner.model_config.model_is_mrope:
            shifts = np.array([_shift(batch, owner) for owner in range(len(batch.reqs))], dtype=np.int64)
            forward.mrope_positions = self._tensor(rows.places + shifts[rows.owners]).repeat(3, 1)
        self._runner.kv_index_translator.bind_own_plan(forward)
        return forward

    def _tensor(self, values: Ids) -> torch.Tensor:
        return torch.from_numpy(values).to(self._runner.device)


def _shift(batch: Any, owner: int) -> int:
    """How far an image moves the positions of the text behind it."""
    images = batch.multimodal_inputs
    delta = images[owner].mrope_position_delta if images and images[owner] is not None else None
    return 0 if delta is None else int(delta.flatten()[0])


def _for_rows(batch: Any, rows: Rows) -> Any:
    """How each row is sampled. Fields that are not repeated go with batches of one row a request."""
    info = batch.sampling_info
    owners = torch.from_numpy(rows.owners).to(info.device)
    known = {name: getattr(info, name) for name in _PER_REQUEST}
    repeated = {name: value[owners] for name, value in known.items() if value is not None}
    grammars = [batch.reqs[owner].grammar for owner in rows.owners] if batch.has_grammar else None
    return replace(info, **repeated, grammars=grammars)
