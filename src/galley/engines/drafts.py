"""From a request's draft texts to the drafter that follows it in an engine."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from galley.decoding import DraftPool, SelfSpeculation
from galley.engines.chain import ChainDrafter, Masks, MatchOrSelfDraft, start
from galley.targets.prompt import text_key
from galley.targets.transformers.loading import checkpoint_folder, checkpoint_self_speculation

DRAFTS = "galley_drafts"
"""What a request calls its draft texts, a list of strings."""

_log = logging.getLogger(__name__)


class ModelDrafts:
    """Free drafts where they match, the model's own blocks where none does and the checkpoint drafts for itself.

    Args:
        model: A checkpoint's folder or hub id.
        longest: The most tokens of a chain.
    """

    def __init__(self, model: str, tokenizer: Any, vocab_size: int, longest: int) -> None:
        self._tokenizer, self._longest = tokenizer, longest
        own = checkpoint_self_speculation(checkpoint_folder(model), tokenizer, vocab_size)
        self._masks = Masks(own.mask_id, own.block_size) if own else Masks()
        self._key = text_key(self)

    @property
    def own(self) -> bool:
        """Whether the model drafts for itself."""
        return self._masks.mask_id is not None

    def decode(self, ids: Sequence[int]) -> str:
        """Text of token ids."""
        return str(self._tokenizer.decode(ids, skip_special_tokens=True))

    def drafter(self, texts: object) -> ChainDrafter:
        """A drafter for one request.

        Args:
            texts: What a request gave as ``galley_drafts``, by rights a list of strings. Whatever else it is
                must not end the engine, which others use too: it is left out, with a warning.
        """
        encode = self._tokenizer.encode
        pool = DraftPool([encode(text, add_special_tokens=False) for text in _strings(texts)], self._key)
        own = SelfSpeculation() if self.own else None
        return ChainDrafter(start(MatchOrSelfDraft(own), self._masks, pool), self._longest)


def _strings(texts: object) -> list[str]:
    if texts is None:
        return []
    given = texts if isinstance(texts, (list, tuple)) else [texts]
    kept = [text for text in given if isinstance(text, str)]
    if len(kept) < len(given):
        _log.warning("%s is a list of strings; what else a request put there is no draft", DRAFTS)
    return kept
