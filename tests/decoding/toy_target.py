"""A toy model on token ids: deterministic logits, drafting of a chosen quality, a strict protocol."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from galley.decoding import LoopGuard, ScoreDetail, Scores, Window

STOP = 0


@lru_cache(maxsize=50_000)
def _logits(seed: int, vocab: int, stop_bias: float, tail: tuple[int, ...]) -> np.ndarray:
    row = np.random.default_rng(abs(hash((seed, tail)))).normal(0.0, 3.0, vocab).astype(np.float32)
    row[STOP] += stop_bias
    row[vocab - 1] = -30.0  # the mask token is never text
    row.setflags(write=False)
    return row


@dataclass(eq=False)
class ToyHandle:
    prompt: int
    cached: list[int] = field(default_factory=list)
    window: Window | None = None
    released: bool = False


class ToyTarget:
    """Next-token logits depend on the prompt and the last two tokens (and the length, modulo a prime).

    quality: probability that a mask drafts what the model will write. mtp_quality: the same of its MTP head,
    None for none. forwards: (batch, detail) of every forward, windows: their windows.
    """

    def __init__(
        self, vocab: int = 40, block_size: int | None = 8, quality: float = 0.8, stop_bias: float = 1.0
    ) -> None:
        self.vocab_size = vocab
        self.stop_ids = frozenset({STOP})
        self.mask_id = vocab - 1 if block_size else None
        self.block_size = block_size
        self.quality = quality
        self.stop_bias = stop_bias
        self.handles: list[ToyHandle] = []
        self.windows: list[list[Window]] = []
        self.details: list[ScoreDetail] = []

    # The model

    def logits(self, prompt: int, context: Sequence[int]) -> np.ndarray:
        tail = (*context[-2:], len(context) % 97)
        return _logits(prompt, self.vocab_size, self.stop_bias, tail)

    def continuation(self, prompt: int, context: Sequence[int], length: int) -> list[int]:
        """The model's own greedy text after a context."""
        text = list(context)
        for _ in range(length):
            text.append(int(np.argmax(self.logits(prompt, text))))
        return text[len(context) :]

    # The protocol

    def prefill(
        self, prompts: Sequence[int], detail: ScoreDetail = ScoreDetail.ARGMAX
    ) -> list[tuple[ToyHandle, Scores]]:
        handles = [ToyHandle(prompt) for prompt in prompts]
        self.handles += handles
        return [(h, self._scores([self.logits(h.prompt, [])], Window.chain([0]), detail)) for h in handles]

    def forward(
        self, items: Sequence[tuple[ToyHandle, Window]], detail: ScoreDetail = ScoreDetail.ARGMAX
    ) -> list[Scores]:
        assert len({id(handle) for handle, _ in items}) == len(items)
        self.windows.append([window for _, window in items])
        self.details.append(detail)
        scores = []
        for handle, window in items:
            assert not handle.released and len(window) > 0
            handle.window = window
            scores.append(self._scores(self._rows(handle, window), window, detail))
        return scores

    def commit(self, handle: ToyHandle, slots: np.ndarray) -> None:
        window = handle.window
        assert window is not None, "commit without a forward"
        assert slots[0] == 0
        for before, after in itertools.pairwise(slots):
            assert window.parents[after] == before, "the kept slots are not a path"
        handle.cached += window.tokens[slots].tolist()
        handle.window = None

    def release(self, handle: ToyHandle) -> None:
        handle.released = True

    # Inside

    def _rows(self, handle: ToyHandle, window: Window) -> list[np.ndarray]:
        rows = []
        for slot in range(len(window)):
            block = window.parents[slot] < 0 and slot > 0
            seen = [s for s in np.flatnonzero(window.sees[slot]) if not (window.parents[s] < 0 and s > 0)]
            seen.sort(key=lambda s: window.depths[s])
            assert [window.depths[s] for s in seen] == list(range(len(seen))), "a path has a gap or a sibling"
            context = handle.cached + window.tokens[seen].tolist()
            if block:
                offset = int(window.depths[slot]) - len(seen) + 1  # 1 for the first slot after the anchor
                rows.append(self._mask_row(handle.prompt, context, offset))
            else:
                assert seen[-1] == slot
                rows.append(self.logits(handle.prompt, context))
        return rows

    def _mask_row(self, prompt: int, context: list[int], offset: int) -> np.ndarray:
        """A mask ``offset`` places behind the anchor drafts the token after its own place."""
        truth = self.continuation(prompt, context, offset + 1)[-1]
        dice = random.Random(hash((prompt, tuple(context[-3:]), offset)))
        if dice.random() >= self.quality:
            truth = dice.randrange(self.vocab_size - 1)
        row = np.full(self.vocab_size, -2.0, dtype=np.float32)
        row[truth] = 2.0 + 6.0 * self.quality
        return row

    def _scores(self, rows: Sequence[np.ndarray], window: Window, detail: ScoreDetail) -> Scores:
        logits = np.stack(rows)
        norm = np.log(np.exp(logits.astype(np.float64)).sum(1)).astype(np.float32)
        logprobs = logits - norm[:, None]
        argmax = logits.argmax(1)
        if detail is ScoreDetail.ARGMAX:
            return Scores(argmax)
        confidence = logprobs[np.arange(len(rows)), argmax]
        if detail is ScoreDetail.CONFIDENCE:
            return Scores(argmax, confidence)
        drafted = logprobs[window.parents, window.tokens]
        if detail is ScoreDetail.DRAFTED:
            return Scores(argmax, confidence, drafted=drafted)
        return Scores(argmax, confidence, logprobs, drafted, norm)


class ToyMtpTarget(ToyTarget):
    """A toy with a multi-token-prediction head of the same quality and no masks."""

    def __init__(self, vocab: int = 40, quality: float = 0.8, stop_bias: float = 1.0) -> None:
        super().__init__(vocab, None, quality, stop_bias)

    def mtp(self, items: Sequence[tuple[ToyHandle, int]], depth: int) -> list[np.ndarray]:
        drafted = []
        for handle, boundary in items:
            context = [*handle.cached, boundary]
            truth = self.continuation(handle.prompt, context, depth)
            dice = random.Random(hash((handle.prompt, tuple(context[-3:]))))
            wrong = [dice.random() >= self.quality for _ in truth]
            drafted.append(
                np.array([(t + w) % (self.vocab_size - 1) for t, w in zip(truth, wrong, strict=True)])
            )
        return drafted


def plain(
    target: ToyTarget,
    prompt: int,
    max_tokens: int,
    *,
    penalty: float = 1.0,
    prompt_ids: Sequence[int] = (),
    temperature: float | None = None,
    seed: int = 0,
    guard: LoopGuard | None = None,
) -> list[int]:
    """The plain loop everything is compared with: one token at a time, nothing shared with the core."""
    text: list[int] = []
    generator = np.random.default_rng(seed)
    watch = guard.watch(lambda unit: 0) if guard else None
    while len(text) < max_tokens:
        row = target.logits(prompt, text).astype(np.float32).copy()
        for token in {*prompt_ids, *text}:
            row[token] = row[token] / penalty if row[token] > 0 else row[token] * penalty
        if temperature is None:
            token = int(np.argmax(row))
        else:
            weights = np.exp((row.astype(np.float64) - row.max()) / temperature)
            edges = np.cumsum(weights)
            token = int(np.searchsorted(edges, generator.random() * edges[-1], side="right"))
        if token == STOP:
            break
        text.append(token)
        if watch and watch.see(token):
            break
    return text
