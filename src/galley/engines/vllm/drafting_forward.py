"""The drafting forward of block diffusion in vLLM: ``[x0, M .. M]`` on the paged cache of each sequence.

Attention backends know causal and full attention but no masks in between. Two pseudo-requests over the same
pages make the one window that is needed: x0 alone, which sees the past and itself, and the masks, which see
the past, x0 and each other. One full-attention forward runs them both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import torch
from vllm.forward_context import set_forward_context
from vllm.v1.attention.backend import CommonAttentionMetadata

from galley.decoding import Window
from galley.decoding.window import Ids


@dataclass(frozen=True, eq=False)
class DraftingRow:
    """A window and where it stands: the row of the runner's batch, and the boundary's position."""

    window: Window
    row: int
    boundary: int


class DraftingForward:
    """Runs drafting windows on a runner's model and cache.

    Their keys and values are overwritten by the verifying forward, which begins at the same boundary.
    """

    def __init__(self, runner: Any) -> None:
        if len(runner.kv_cache_config.kv_cache_groups) != 1:
            raise ValueError("drafting for itself needs a model whose layers share one kind of cache")
        self._runner = runner
        self._table = runner.input_batch.block_table[0]
        self._device = runner.device

    @torch.inference_mode()
    def __call__(self, rows: Sequence[DraftingRow]) -> list[Ids]:
        """The arg-max after each slot of each window."""
        widths = [len(row.window) for row in rows]
        places = [row.boundary + np.arange(width) for row, width in zip(rows, widths, strict=True)]
        slots = self._tensor(
            np.concatenate([self._slots(r.row, p) for r, p in zip(rows, places, strict=True)])
        )
        ids = self._tensor(np.concatenate([row.window.tokens for row in rows]))
        attention = self._attention(rows, widths, slots)
        metadata: dict[str, Any] = {}
        mapping: dict[str, torch.Tensor] = {}
        for group in chain.from_iterable(self._runner.attn_groups):
            built = group.build_metadata(attention)
            metadata |= dict.fromkeys(group.layer_names, built)
            mapping |= dict.fromkeys(group.layer_names, slots)
        config = self._runner.vllm_config
        with set_forward_context(metadata, config, num_tokens=len(ids), slot_mapping=mapping):
            hidden = self._runner.model(**self._inputs(ids), positions=self._positions(rows, places))
        best = self._runner.model.compute_logits(hidden).argmax(-1).cpu().numpy()
        return np.split(best, np.cumsum(widths)[:-1])

    def _attention(
        self, rows: Sequence[DraftingRow], widths: Sequence[int], slots: torch.Tensor
    ) -> CommonAttentionMetadata:
        """Two pseudo-requests per window: one slot, then the others."""
        queries = np.array([part for width in widths for part in (1, width - 1)], dtype=np.int32)
        starts = torch.from_numpy(np.concatenate([[0], np.cumsum(queries)]).astype(np.int32))
        ends = [r.boundary + past for r, w in zip(rows, widths, strict=True) for past in (1, w)]
        lengths = torch.tensor(ends, dtype=torch.int32)
        twice = torch.tensor([row.row for row in rows for _ in range(2)], device=self._device)
        return CommonAttentionMetadata(
            query_start_loc=starts.to(self._device),
            query_start_loc_cpu=starts,
            seq_lens=lengths.to(self._device),
            seq_lens_cpu_upper_bound=lengths,
            num_reqs=len(queries),
            num_actual_tokens=int(queries.sum()),
            max_query_len=int(queries.max()),
            max_seq_len=max(ends),
            block_table_tensor=self._table.block_table.gpu[twice],
            slot_mapping=slots,
            causal=False,
        )

    def _slots(self, row: int, places: np.ndarray) -> np.ndarray:
        """Where the positions of a batch row lie in the cache."""
        size = self._table.block_size
        pages = self._table.block_table.np[row, places // size]
        return pages.astype(np.int64) * size + places % size

    def _inputs(self, ids: torch.Tensor) -> dict[str, Any]:
        """As the runner gives them to the model, which may be compiled for just that."""
        if self._runner.supports_mm_inputs:
            return {"input_ids": None, "inputs_embeds": self._runner.model.embed_input_ids(ids)}
        return {"input_ids": ids}

    def _positions(self, rows: Sequence[DraftingRow], places: Sequence[np.ndarray]) -> torch.Tensor:
        if not self._runner.uses_mrope:
            return self._tensor(np.concatenate(places))
        shifted = [place + self._rope_delta(row.row) for row, place in zip(rows, places, strict=True)]
        return self._tensor(np.concatenate(shifted)).expand(3, -1)

    def _rope_delta(self, row: int) -> int:
        request = self._runner.requests[self._runner.input_batch.req_ids[row]]
        return int(request.mrope_position_delta or 0)

    def _tensor(self, values: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(values, dtype=np.int64)).to(self._device)
