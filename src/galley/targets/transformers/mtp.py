"""Drafting with GLM-OCR's multi-token-prediction head, one extra decoder layer.

For every committed token ``t[j]`` the head reads its embedding and the model's last hidden state of the token
before it, and predicts ``t[j + 1]``. When it drafts deeper, its own output replaces the hidden state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import Cache

from galley.decoding import ScoreDetail, Scores, Window
from galley.targets.profiles import Profile
from galley.targets.prompt import Prompt
from galley.targets.transformers.batch import additive_mask, padded
from galley.targets.transformers.mtp_head import MtpHead
from galley.targets.transformers.selfspec import BlockDiffusionSettings
from galley.targets.transformers.slots import KVSlots, Slot, WindowCache
from galley.targets.transformers.target import TransformersSequence, TransformersTarget

_AXES = 3
"""Rotary axes: time, height, width."""


@dataclass(eq=False)
class MtpSequence(TransformersSequence):
    """A sequence and what the head has yet to read of it.

    Attributes:
        head_slot: the head's own row of keys and values.
        hidden: chunks of the model's last hidden states, (n, size), from the last boundary token that the head read on.
        tokens: their ids, (n,).
        positions: their rotary positions, (axes, n).
        reach: (size,) the head's output at the boundary token it read last.
    """

    head_slot: Slot
    hidden: list[Tensor] = field(default_factory=list)
    tokens: list[NDArray[np.int64]] = field(default_factory=list)
    positions: list[NDArray[np.int64]] = field(default_factory=list)
    window: Window | None = None
    window_hidden: Tensor | None = None
    reach: Tensor | None = None


class MtpTransformersTarget(TransformersTarget):
    """A target that drafts with its multi-token-prediction head (``MtpTarget``)."""

    def __init__(
        self,
        model: Any,
        processor: Any,
        profile: Profile,
        self_speculation: BlockDiffusionSettings | None = None,
        *,
        head: MtpHead,
    ) -> None:
        super().__init__(model, processor, profile, self_speculation)
        # A replayed graph runs no hooks, and the head lives on what they see.
        self.fixed_shapes = None
        self.head = head
        self.head_slots = KVSlots()
        self._text = model.get_decoder()
        self._hidden: Tensor | None = None
        self._positions: Tensor | None = None
        self._ids: Tensor | None = None
        self._text.norm.register_forward_hook(self._see_hidden)
        self._text.rotary_emb.register_forward_pre_hook(self._see_positions, with_kwargs=True)

    @torch.inference_mode()
    def forward(
        self, items: Sequence[tuple[TransformersSequence, Window]], detail: ScoreDetail = ScoreDetail.ARGMAX
    ) -> list[Scores]:
        """See ``Target.forward``; also keeps the hidden states for the head."""
        scores = super().forward(items, detail)
        for row, (sequence, window) in enumerate(sorted(items, key=lambda item: item[0].slot.row)):
            assert isinstance(sequence, MtpSequence) and self._hidden is not None
            sequence.window, sequence.window_hidden = window, self._hidden[row]
        return scores

    @torch.inference_mode()
    def commit(self, handle: TransformersSequence, slots: NDArray[np.int64]) -> None:
        """See ``Target.commit``."""
        assert (
            isinstance(handle, MtpSequence) and handle.window is not None and handle.window_hidden is not None
        )
        picks = np.asarray(slots, dtype=np.int64)
        places = handle.slot.length + handle.rope_delta + handle.window.depths[picks]
        handle.hidden.append(handle.window_hidden[torch.from_numpy(picks).to(handle.window_hidden.device)])
        handle.tokens.append(handle.window.tokens[picks])
        handle.positions.append(np.broadcast_to(places, (_AXES, len(picks))))
        super().commit(handle, slots)

    @torch.inference_mode()
    def release(self, handle: TransformersSequence) -> None:
        """See ``Target.release``; also frees the head's row."""
        assert isinstance(handle, MtpSequence)
        self.head_slots.close(handle.head_slot)
        super().release(handle)

    @torch.inference_mode()
    def mtp(self, items: Sequence[tuple[MtpSequence, int]], depth: int) -> list[NDArray[np.int64]]:
        """Draft ``depth`` tokens after each boundary token. See ``MtpTarget.mtp``."""
        order = sorted(range(len(items)), key=lambda i: items[i][0].head_slot.row)
        sequences = [items[i][0] for i in order]
        self._read_committed([items[i] for i in order])
        reach = torch.stack([sequence.reach for sequence in sequences if sequence.reach is not None])
        drafts = [self._best(reach)]
        for step in range(1, depth):
            alone = [np.ones((1, 1), dtype=bool)] * len(sequences)
            ids = drafts[-1].cpu().numpy()[:, None]
            places = [np.full((_AXES, 1), s.slot.length + s.rope_delta + step) for s in sequences]
            starts = [s.head_slot.length + step - 1 for s in sequences]
            reach = self._head_forward(sequences, starts, list(ids), places, reach[:, None], alone)[:, 0]
            drafts.append(self._best(reach))
        rows = torch.stack(drafts, dim=1).cpu().numpy()
        return [row for _, row in sorted(zip(order, rows, strict=True), key=lambda pair: pair[0])]

    def _read_committed(self, items: Sequence[tuple[MtpSequence, int]]) -> None:
        """Pair the hidden state of every newly cached token with its successor, up to the boundary token."""
        behind = [(sequence, boundary) for sequence, boundary in items if sequence.hidden]
        if not behind:
            return
        sequences = [sequence for sequence, _ in behind]
        ids, places = [], []
        for sequence, boundary in behind:
            here = np.full((_AXES, 1), sequence.slot.length + sequence.rope_delta)
            ids.append(np.append(np.concatenate(sequence.tokens)[1:], boundary))
            places.append(np.concatenate([*sequence.positions, here], axis=1)[:, 1:])
        hidden = nn.utils.rnn.pad_sequence([torch.cat(s.hidden) for s in sequences], batch_first=True)
        sees = [np.tri(len(row), dtype=bool) for row in ids]
        starts = [sequence.head_slot.length for sequence in sequences]
        out = self._head_forward(sequences, starts, ids, places, hidden, sees)
        for row, (sequence, read) in enumerate(zip(sequences, ids, strict=True)):
            sequence.head_slot.length += len(read)
            sequence.reach = out[row, len(read) - 1]
            sequence.hidden, sequence.tokens, sequence.positions = [], [], []

    def _head_forward(
        self,
        sequences: Sequence[MtpSequence],
        starts: Sequence[int],
        ids: Sequence[NDArray[np.int64]],
        places: Sequence[NDArray[np.int64]],
        hidden: Tensor,
        sees: Sequence[NDArray[np.bool_]],
    ) -> Tensor:
        width = hidden.shape[1]
        cache = WindowCache(self.head_slots, [s.head_slot.row for s in sequences], starts, width)
        embedded = self._text.embed_tokens(padded(ids, width, self.device))
        rotary = self._text.rotary_emb(embedded, position_ids=padded(places, width, self.device))
        mask = additive_mask(starts, sees, width, self.dtype, self.device)
        return self.head(embedded, hidden, rotary, mask, cache)

    def _best(self, reach: Tensor) -> Tensor:
        return self.model.get_output_embeddings()(reach).argmax(-1)

    def _read(
        self, prompts: Sequence[Prompt], detail: ScoreDetail
    ) -> list[tuple[TransformersSequence, Scores]]:
        return [
            (self._with_head(sequence, row), scores)
            for row, (sequence, scores) in enumerate(super()._read(prompts, detail))
        ]

    def _with_head(self, sequence: TransformersSequence, row: int) -> MtpSequence:
        assert self._hidden is not None and self._positions is not None and self._ids is not None
        length = sequence.slot.length
        places = self._positions[:, row, :length].cpu().numpy()
        return MtpSequence(
            sequence.slot,
            sequence.rope_delta,
            self.head_slots.open(),
            hidden=[self._hidden[row, :length]],
            tokens=[self._ids[row, :length].cpu().numpy()],
            positions=[np.broadcast_to(places, (_AXES, length))],
        )

    def _call(self, cache: Cache, **inputs: Any) -> Tensor:
        self._ids = inputs["input_ids"]
        return super()._call(cache, **inputs)

    def _see_hidden(self, module: nn.Module, inputs: Any, output: Tensor) -> None:
        self._hidden = output

    def _see_positions(self, module: nn.Module, args: Any, kwargs: dict[str, Any]) -> None:
        self._positions = kwargs["position_ids"]
