"""Any Hugging Face vision–language model as a verifying target."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import Cache

from galley.decoding import ScoreDetail, Scores, Window
from galley.targets.profiles import Profile
from galley.targets.prompt import Prompt, Task
from galley.targets.transformers.batch import additive_mask, padded, real_slots
from galley.targets.transformers.fixed_shapes import FixedShapes
from galley.targets.transformers.prompts import dialogue, model_inputs
from galley.targets.transformers.scores import first_scores, window_scores
from galley.targets.transformers.selfspec import BlockDiffusionSettings
from galley.targets.transformers.slots import KVSlots, Slot, WindowCache

_PREFILL_TOKENS = 8192
"""Padded prompt tokens read in one forward, at most (a longer prompt goes alone)."""


@dataclass(eq=False)
class TransformersSequence:
    """A sequence: its row of keys and values, and its rotary position minus its token count (M-RoPE)."""

    slot: Slot
    rope_delta: int


class TransformersTarget:
    """An adapter for models that read images; ``galley.targets.profiles`` holds what differs between families.

    Every forward passes its own 4-D mask and its own positions. The models' defaults read the state of the last
    prefill from the module, which is wrong as soon as there are two sequences.
    """

    def __init__(
        self,
        model: Any,
        processor: Any,
        profile: Profile,
        self_speculation: BlockDiffusionSettings | None = None,
    ) -> None:
        self.model, self.processor, self.profile = model, processor, profile
        self.name, self.table_format = profile.name, profile.tables
        self.tokenizer = processor.tokenizer
        self.tokenizer.padding_side = "right"
        self.vocab_size = int(model.get_output_embeddings().weight.shape[0])
        says = (model.generation_config, model.config.get_text_config())
        self.stop_ids = stop_ids_of(says, self.tokenizer, profile)
        self.mask_id = self_speculation.mask_id if self_speculation else None
        self.block_size = self_speculation.block_size if self_speculation else None
        self.device: torch.device = model.get_input_embeddings().weight.device
        self.slots = KVSlots()
        self.fixed_shapes: FixedShapes | None = None
        if self.device.type == "cuda":
            self.use_fixed_shapes(capture=True)
        self._takes = frozenset(inspect.signature(model.forward).parameters)

    @property
    def dtype(self) -> torch.dtype:
        """The dtype the model computes in."""
        return self.model.get_input_embeddings().weight.dtype

    def use_fixed_shapes(self, capture: bool) -> None:
        """Round windows up to a few shapes.

        Args:
            capture: whether to run each shape as a CUDA graph.
        """
        self.fixed_shapes = FixedShapes(self._fixed, self.slots, self.block_size, capture)

    def prompt(self, image: NDArray[np.uint8], task: Task) -> Prompt:
        """The prompt of a task.

        Args:
            image: (height, width, 3) uint8 RGB.
            task: what to read.

        Raises:
            ModelError: the family was not trained for the task.
        """
        return self.profile.prompt(image, task)

    def encode(self, text: str) -> list[int]:
        """Token ids of a draft, without special tokens."""
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def prompt_ids(self, prompt: Prompt) -> list[int]:
        """Token ids of a prompt, its image as a single token; for a repetition penalty or prompt lookup."""
        return self.encode(dialogue(self.processor, prompt.text))

    def decode(self, ids: Sequence[int]) -> str:
        """Text of response ids, stop tokens left out."""
        kept = [int(token) for token in ids if int(token) not in self.stop_ids]
        return str(self.tokenizer.decode(kept, skip_special_tokens=True))

    @torch.inference_mode()
    def prefill(
        self, prompts: Sequence[Prompt], detail: ScoreDetail = ScoreDetail.ARGMAX
    ) -> list[tuple[TransformersSequence, Scores]]:
        """Read image and words of each prompt. See ``Target.prefill``."""
        done: list[tuple[TransformersSequence, Scores]] = []
        for chunk in self._chunks(prompts):
            done += self._read(chunk, detail)
        return done

    @torch.inference_mode()
    def forward(
        self, items: Sequence[tuple[TransformersSequence, Window]], detail: ScoreDetail = ScoreDetail.ARGMAX
    ) -> list[Scores]:
        """One window per sequence in one forward. See ``Target.forward``."""
        order = sorted(range(len(items)), key=lambda i: items[i][0].slot.row)
        sequences = [items[i][0] for i in order]
        windows = [items[i][1] for i in order]
        widths = [len(window) for window in windows]
        places = [s.slot.length + s.rope_delta + w.depths for s, w in zip(sequences, windows, strict=True)]
        if self.fixed_shapes is not None:
            rows = [sequence.slot for sequence in sequences]
            logits = self.fixed_shapes(rows, windows, places, self.dtype, self.device)
        else:
            logits = self._ragged(sequences, windows, places)
        for sequence, width in zip(sequences, widths, strict=True):
            sequence.slot.pending = width
        found = dict(zip(order, window_scores(logits, windows, detail), strict=True))
        return [found[i] for i in range(len(items))]

    @torch.inference_mode()
    def commit(self, handle: TransformersSequence, slots: NDArray[np.int64]) -> None:
        """Keep these slots of the last window. See ``Target.commit``."""
        self.slots.keep(handle.slot, torch.as_tensor(np.asarray(slots, dtype=np.int64)))

    @torch.inference_mode()
    def release(self, handle: TransformersSequence) -> None:
        """Free the sequence's row."""
        self.slots.close(handle.slot)

    def _ragged(
        self,
        sequences: Sequence[TransformersSequence],
        windows: Sequence[Window],
        places: Sequence[NDArray[np.int64]],
    ) -> Tensor:
        """Logits of the windows' slots, padded no further than the batch needs: (sum of lengths, vocabulary)."""
        widths = [len(window) for window in windows]
        width, starts = max(widths), [sequence.slot.length for sequence in sequences]
        cache = WindowCache(self.slots, [s.slot.row for s in sequences], starts, width)
        return self._call(
            cache,
            input_ids=padded([window.tokens for window in windows], width, self.device),
            position_ids=padded(places, width, self.device),
            attention_mask=additive_mask(starts, [w.sees for w in windows], width, self.dtype, self.device),
            logits_to_keep=real_slots(widths, width, self.device),
        )

    def _fixed(self, cache: Cache, ids: Tensor, positions: Tensor, mask: Tensor) -> Tensor:
        return self._call(cache, input_ids=ids, position_ids=positions, attention_mask=mask)

    def _chunks(self, prompts: Sequence[Prompt]) -> list[list[Prompt]]:
        """Consecutive prompts that fit one forward, by a guess from their image areas."""
        if not self.profile.batch_prefill:
            return [[prompt] for prompt in prompts]
        chunks: list[list[Prompt]] = []
        for prompt in prompts:
            largest = max([_guess(p) for p in chunks[-1]] + [_guess(prompt)]) if chunks else 0
            if chunks and largest * (len(chunks[-1]) + 1) <= _PREFILL_TOKENS:
                chunks[-1].append(prompt)
            else:
                chunks.append([prompt])
        return chunks

    def _read(
        self, prompts: Sequence[Prompt], detail: ScoreDetail
    ) -> list[tuple[TransformersSequence, Scores]]:
        inputs = model_inputs(self.processor, prompts, self.profile.longest_side)
        lengths = inputs["attention_mask"].sum(-1).tolist()
        if len(prompts) == 1:
            # Without padding there is nothing to mask, and the causal kernels are faster.
            inputs.pop("attention_mask")
        inputs = {
            name: _placed(v, self.device, self.dtype) for name, v in inputs.items() if name in self._takes
        }
        opened = [self.slots.open() for _ in prompts]
        try:
            cache = WindowCache(self.slots, [slot.row for slot in opened], [0] * len(prompts), max(lengths))
            self._forget_positions()
            last = torch.tensor(lengths, device=self.device)[:, None] - 1
            logits = self._call(cache, **inputs, logits_to_keep=last)[:, 0]
        except Exception:
            for slot in reversed(opened):
                self.slots.close(slot)
            raise
        deltas = self._rope_deltas(len(prompts))
        for slot, length in zip(opened, lengths, strict=True):
            slot.length = length
        sequences = [TransformersSequence(slot, delta) for slot, delta in zip(opened, deltas, strict=True)]
        return list(zip(sequences, first_scores(logits, detail), strict=True))

    def _call(self, cache: Cache, **inputs: Any) -> Tensor:
        # A checkpoint's own code may be older than Transformers' present name for it.
        name = "cache" if "cache" in self._takes else "past_key_values"
        return self.model(**inputs, **{name: cache}, use_cache=True).logits

    def _forget_positions(self) -> None:
        """Clear the M-RoPE offset the model keeps from its last prefill."""
        if hasattr(self.model.model, "rope_deltas"):
            self.model.model.rope_deltas = None

    def _rope_deltas(self, count: int) -> list[int]:
        found = getattr(self.model.model, "rope_deltas", None)
        return [0] * count if found is None else [int(delta) for delta in found.flatten().tolist()]


def _guess(prompt: Prompt) -> int:
    return prompt.image.shape[0] * prompt.image.shape[1] // 28**2 + 64


def _placed(value: Any, device: torch.device, dtype: torch.dtype) -> Any:
    if not isinstance(value, Tensor):
        return value
    return value.to(device, dtype) if value.is_floating_point() else value.to(device)


def stop_ids_of(configs: Sequence[Any], tokenizer: Any, profile: Profile) -> frozenset[int]:
    """Stop tokens as the first of the checkpoint's configurations that names any says, and the family's."""
    stops: set[int] = set()
    for config in configs:
        ids = getattr(config, "eos_token_id", None)
        if ids is not None:
            stops |= {ids} if isinstance(ids, int) else set(ids)
            break
    vocabulary = tokenizer.get_vocab()
    stops |= {vocabulary[token] for token in profile.stop if token in vocabulary}
    return frozenset(stops) or frozenset({tokenizer.eos_token_id})
