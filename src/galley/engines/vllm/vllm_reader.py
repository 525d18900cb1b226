"""A checkpoint that vLLM runs, as a reader: ``--model vllm:PATH``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from transformers import AutoConfig, AutoProcessor, GenerationConfig

from galley.decoding import Autoregressive, DraftMatching, PromptLookup, Request, Result, SelfSpeculation
from galley.decoding.drafters import DrafterConfig
from galley.engines.chain import Masks, MatchOrSelfDraft
from galley.engines.vllm.decoder import Model, VllmDecoder
from galley.engines.vllm.engine import EngineSettings, SharedEngine
from galley.errors import ModelError
from galley.targets.fitting import fitted
from galley.targets.profiles import Profile
from galley.targets.prompt import Prompt, Task, text_key
from galley.targets.transformers.loading import (
    checkpoint_family,
    checkpoint_folder,
    checkpoint_self_speculation,
)
from galley.targets.transformers.prompts import dialogue
from galley.targets.transformers.target import stop_ids_of

_LONGEST = 32
"""Tokens drafted at a time where the model's own blocks do not say."""


class VllmReader:
    """A model in a vLLM engine of this process; its decoders share the engine."""

    def __init__(
        self,
        engine: SharedEngine,
        processor: Any,
        profile: Profile,
        stop_ids: frozenset[int],
        masks: Masks,
        longest: int,
    ) -> None:
        self.name, self.table_format = profile.name, profile.tables
        self.stop_ids, self.mask_id, self.block_size = stop_ids, masks.mask_id, masks.block_size
        self._engine, self._processor, self._profile = engine, processor, profile
        self._model = Model(self._enter, stop_ids, masks, text_key(self), longest)

    def prompt(self, image: NDArray[np.uint8], task: Task) -> Prompt:
        """The prompt of a task; ``ModelError`` for one the family was not trained for."""
        return self._profile.prompt(image, task)

    def encode(self, text: str) -> list[int]:
        """Token ids of a draft, without special tokens."""
        return list(self._processor.tokenizer(text, add_special_tokens=False)["input_ids"])

    def decode(self, ids: Sequence[int]) -> str:
        """Text of response ids, stop tokens left out."""
        kept = [int(token) for token in ids if int(token) not in self.stop_ids]
        return str(self._processor.tokenizer.decode(kept, skip_special_tokens=True))

    def run(self, requests: Iterable[Request]) -> list[Result]:
        """Decode with every draft there is; callers in other threads share the engine's batches."""
        return self.decoder().run(requests)

    def decoder(self, decode: str = "auto", block_size: int | None = None) -> VllmDecoder:
        """A decoder on the engine.

        Args:
            decode: ``auto``, ``ar``, ``match``, ``prompt-lookup`` or ``self-spec``.
            block_size: Masks that one drafting forward fills; as the model was trained when None.

        Raises:
            ModelError: The model or the engine cannot do this.
        """
        return VllmDecoder(self._engine, self._model, self._config(decode, block_size))

    def _config(self, decode: str, block_size: int | None) -> DrafterConfig:
        own = SelfSpeculation(block_size) if self.mask_id is not None else None
        if decode == SelfSpeculation.name and own is None:
            raise ModelError(
                f"{self.name} was not trained to draft for itself (it has no block_diffusion.json); "
                "use --decode auto, match or ar"
            )
        configs: list[DrafterConfig] = [
            MatchOrSelfDraft(own),
            Autoregressive(),
            DraftMatching(),
            PromptLookup(),
        ]
        known = {config.name: config for config in configs} | ({own.name: own} if own else {})
        if decode not in known:
            raise ModelError(f"a model in vLLM does not decode by {decode}; use --decode {', '.join(known)}")
        return known[decode]

    def _enter(self, prompt: Prompt) -> dict[str, Any]:
        image = fitted(prompt.image, self._profile.longest_side)
        return {"prompt": dialogue(self._processor, prompt.text), "multi_modal_data": {"image": image}}


def load_vllm(
    path_or_id: str | Path, settings: EngineSettings | None = None, block_size: int | None = None
) -> VllmReader:
    """Load a checkpoint into a vLLM engine of this process.

    Args:
        path_or_id: A local folder or a hub id.
        settings: Of the engine.
        block_size: The most masks that the model will draft at a time; as it was trained when None.

    Raises:
        ModelError: The model is missing, of a family Galley does not know, or refused by vLLM.
    """
    settings = settings or EngineSettings()
    folder = checkpoint_folder(path_or_id)
    profile = checkpoint_family(folder, settings.trust_remote_code)
    processor = AutoProcessor.from_pretrained(folder, trust_remote_code=settings.trust_remote_code)
    config = AutoConfig.from_pretrained(folder, trust_remote_code=settings.trust_remote_code)
    text = config.get_text_config()
    own = checkpoint_self_speculation(folder, processor.tokenizer, text.vocab_size)
    masks = Masks(own.mask_id, own.block_size) if own else Masks()
    block = max(masks.block_size or 0, block_size or 0)
    longest = block + 1 if own else _LONGEST
    engine = SharedEngine(str(folder), settings, longest)
    stops = stop_ids_of([_generation(folder), text], processor.tokenizer, profile)
    return VllmReader(engine, processor, profile, stops, masks, longest)


def _generation(folder: Path) -> Any:
    known = (folder / "generation_config.json").is_file()
    return GenerationConfig.from_pretrained(folder) if known else GenerationConfig()
